//! The WARC files in a zip archive: where they begin, how long they are, how they are packed.
//!
//! The zip crate makes room for as many members as an archive says it has; this reads one after
//! the other instead, up to a limit. It goes by the list at the end, as all programs do, with the
//! fields of zip64. Where that is missing, since the file was cut off, it goes from one member to
//! the next from the beginning. Encrypted members and other packings than deflate are told as
//! problems; archives in several parts are not read.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// How a member is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packed {
    Stored,
    Deflated,
}

/// A WARC file in an archive.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// As it is displayed: no path, and one line.
    pub name: String,
    /// Where in the archive its bytes begin.
    pub start: u64,
    /// How many they are, packed.
    pub length: u64,
    pub packed: Packed,
}

/// What is in an archive.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub members: Vec<Member>,
    /// What is wrong, and at which byte.
    pub problem: Option<(u64, String)>,
}

/// Bytes of the record at the end, without its comment.
const END: usize = 22;
/// Longest comment.
const COMMENT: u64 = 0xFFFF;
/// A number that stands in zip64's field instead.
const ELSEWHERE: u64 = 0xFFFF_FFFF;
/// Signs of a name that are displayed.
const LONGEST_NAME: usize = 200;

/// The WARC files in an archive of at most so many members. An error only if the file cannot be
/// read.
pub(super) fn archives(file: &mut (impl Read + Seek), most: usize) -> io::Result<Found> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut found = Found::default();
    let read = if let Some(list) = end_of(file, length)? {
        listed(file, &list, length, most, &mut found)
    } else {
        let read = walked(file, length, most, &mut found);
        let text = "the list of its members is missing: it was cut off".to_owned();
        found.problem.get_or_insert((length, text));
        read
    };
    match read {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => return Err(error),
        Err(_) => {
            let text = "the file ends within a member's head".to_owned();
            found.problem.get_or_insert((length, text));
        }
        Ok(()) => {}
    }
    Ok(found)
}

/// The list of members: where it begins, and how many it has.
struct List {
    offset: u64,
    members: u64,
}

fn end_of(file: &mut (impl Read + Seek), length: u64) -> io::Result<Option<List>> {
    let from = length.saturating_sub(COMMENT + END as u64);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(COMMENT + END as u64).read_to_end(&mut tail)?;
    let is_end = |bytes: &[u8]| {
        let comment = number(bytes, 20, 2);
        bytes.starts_with(b"PK\x05\x06") && END as u64 + comment == bytes.len() as u64
    };
    let places = 0..=tail.len().saturating_sub(END);
    let Some(place) = places.rev().find(|place| is_end(&tail[*place..])) else {
        return Ok(None);
    };
    let end = &tail[place..];
    let list = List {
        members: number(end, 10, 2),
        offset: number(end, 16, 4),
    };
    let at = from + place as u64;
    if (list.members != 0xFFFF && list.offset != ELSEWHERE) || at < 20 {
        return Ok(Some(list));
    }
    // Zip64: in front of it stands where the larger record is.
    let mut locator = [0; 20];
    file.seek(SeekFrom::Start(at - 20))?;
    file.read_exact(&mut locator)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(Some(list));
    }
    let mut end = [0; 56];
    file.seek(SeekFrom::Start(number(&locator, 8, 8).min(length)))?;
    if file.read_exact(&mut end).is_err() || !end.starts_with(b"PK\x06\x06") {
        return Ok(None);
    }
    Ok(Some(List {
        members: number(&end, 32, 8),
        offset: number(&end, 48, 8),
    }))
}

/// Members as the list has them.
fn listed(
    file: &mut (impl Read + Seek),
    list: &List,
    length: u64,
    most: usize,
    found: &mut Found,
) -> io::Result<()> {
    if list.members > most as u64 {
        let text = format!(
            "it has {} members, and {most} are read at most",
            list.members
        );
        found.problem = Some((list.offset, text));
        return Ok(());
    }
    let mut places = Vec::new();
    file.seek(SeekFrom::Start(list.offset.min(length)))?;
    let mut input = BufReader::new(&mut *file);
    for _ in 0..list.members {
        let mut head = [0; 46];
        input.read_exact(&mut head)?;
        if !head.starts_with(b"PK\x01\x02") {
            let text = "the list of its members is damaged".to_owned();
            found.problem = Some((list.offset, text));
            break;
        }
        let name = bytes(&mut input, number(&head, 28, 2))?;
        let extra = bytes(&mut input, number(&head, 30, 2))?;
        bytes(&mut input, number(&head, 32, 2))?;
        let mut sizes = [
            number(&head, 24, 4),
            number(&head, 20, 4),
            number(&head, 42, 4),
        ];
        from_zip64(&mut sizes, &extra);
        let [_, packed, local] = sizes;
        if is_archive(&name) {
            places.push((name, kind(&head, 8, 10), packed, local));
        }
    }
    for (name, kind, packed, local) in places {
        let mut head = Vec::new();
        file.seek(SeekFrom::Start(local.min(length)))?;
        file.take(30).read_to_end(&mut head)?;
        let start = local.saturating_add(30 + number(&head, 26, 2) + number(&head, 28, 2));
        if !head.starts_with(b"PK\x03\x04") {
            let text = format!("{} is not where it should be", displayed(&name));
            found.problem.get_or_insert((local, text));
            continue;
        }
        found.add(&name, kind, start, packed);
    }
    Ok(())
}

/// Members one behind the other, as far as they go.
fn walked(
    file: &mut (impl Read + Seek),
    length: u64,
    most: usize,
    found: &mut Found,
) -> io::Result<()> {
    let mut at = 0;
    for _ in 0..most {
        let mut head = [0; 30];
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(&mut head)?;
        if !head.starts_with(b"PK\x03\x04") {
            return Ok(());
        }
        let name = bytes(file, number(&head, 26, 2))?;
        let extra = bytes(file, number(&head, 28, 2))?;
        let mut sizes = [number(&head, 22, 4), number(&head, 18, 4), 0];
        from_zip64(&mut sizes, &extra);
        let start = at + 30 + (name.len() + extra.len()) as u64;
        // Who did not know how long it would be said so behind it: then it is all that is left.
        let is_known = number(&head, 6, 2) & 8 == 0 || sizes[1] > 0;
        let left = length.saturating_sub(start);
        let packed = if is_known { sizes[1].min(left) } else { left };
        if is_archive(&name) {
            found.add(&name, kind(&head, 6, 8), start, packed);
        }
        at = start + packed;
    }
    Ok(())
}

impl Found {
    fn add(&mut self, name: &[u8], packed: Option<Packed>, start: u64, length: u64) {
        let name = displayed(name);
        let Some(packed) = packed else {
            let text = format!("{name} is encrypted, or packed in a way that is not read");
            self.problem.get_or_insert((start, text));
            return;
        };
        self.members.push(Member {
            name,
            start,
            length,
            packed,
        });
    }
}

/// How a member is packed by its flags and its method; none if that is not read.
fn kind(head: &[u8], flags: usize, method: usize) -> Option<Packed> {
    let is_encrypted = number(head, flags, 2) & 1 != 0;
    match number(head, method, 2) {
        _ if is_encrypted => None,
        0 => Some(Packed::Stored),
        8 => Some(Packed::Deflated),
        _ => None,
    }
}

/// Whether a member is a WARC file, by its name, as the specification of WACZ has it.
fn is_archive(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).to_ascii_lowercase();
    let ends = [".warc", ".warc.gz", ".warc.zst"];
    name.starts_with("archive/") && ends.iter().any(|end| name.ends_with(end))
}

fn displayed(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let signs = name.chars().filter(|sign| !sign.is_control());
    signs.take(LONGEST_NAME).collect()
}

/// Numbers that did not fit, from zip64's extra field: those that did not, in their order.
fn from_zip64(numbers: &mut [u64; 3], mut extra: &[u8]) {
    while extra.len() >= 4 {
        let (id, length) = (number(extra, 0, 2), number(extra, 2, 2) as usize);
        let Some(mut field) = extra.get(4..4 + length) else {
            return;
        };
        if id == 1 {
            for each in numbers.iter_mut().filter(|each| **each == ELSEWHERE) {
                let Some((value, rest)) = field.split_at_checked(8) else {
                    return;
                };
                (*each, field) = (number(value, 0, 8), rest);
            }
            return;
        }
        extra = &extra[4 + length..];
    }
}

/// A number of so many bytes, the least first; 0 where there are none.
fn number(bytes: &[u8], start: usize, length: usize) -> u64 {
    let bytes = bytes.get(start..start + length).unwrap_or_default();
    let bytes = bytes.iter().rev();
    bytes.fold(0, |all, byte| all << 8 | u64::from(*byte))
}

fn bytes(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}
