//! Taking records out of an archive: in the place of one empty gzip members stand, as long
//! as it was, so that every other record stays where it is.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use super::reader::Member;

/// Bytes of an empty member without padding.
const SHORTEST: u64 = 22;
/// Bytes of padding that one member takes.
const MOST_PADDING: u64 = u16::MAX as u64;

/// Where the whole records end that stand one behind the other from `offset` on, where one
/// begins. A page that needs its conversion ends behind that: without it neither the response
/// nor the request counts.
pub fn whole_until(file: &mut File, offset: u64) -> io::Result<u64> {
    let length = file.metadata()?.len();
    let mut at = offset.min(length);
    let mut whole = at;
    // The identifier of the conversion that is to come.
    let mut needed = String::new();
    while at < length {
        let member = match Member::read(file, at) {
            Ok(member) if member.end > at => member,
            Err(error) if !is_damage(&error) => return Err(error),
            Ok(_) | Err(_) => break,
        };
        at = member.end;
        if let Ok(Some(record)) = member.record {
            if record.id == needed {
                needed.clear();
            } else if record.kind == "response" {
                needed = record.conversion;
            }
        }
        if needed.is_empty() {
            whole = at;
        }
    }
    Ok(whole)
}

/// Overwrites the page's record that begins at `offset`, and every record between it and
/// `end`, where the next page's begins, that names the same address: the request for it, and
/// what was made of it. What others left between them stays. From a damaged record on all is
/// overwritten up to `end`. Those in front go last: if this breaks off it can be done again.
pub fn blank_exchange(file: &mut File, offset: u64, end: u64) -> io::Result<()> {
    let end = end.min(file.metadata()?.len());
    let mut found = Vec::new();
    let mut page = None;
    let mut at = offset;
    while at + SHORTEST <= end {
        let member = match Member::read(file, at) {
            Err(error) if !is_damage(&error) => return Err(error),
            Ok(member) if member.end <= end => Some(member),
            Ok(_) | Err(_) => None,
        };
        let Some(Member {
            record: Ok(record),
            end: next,
        }) = member
        else {
            // Nobody can tell what it holds, nor where the next one begins.
            found.push((at, end - at));
            break;
        };
        if let Some(record) = record {
            let page: &String = page.get_or_insert_with(|| record.target.clone());
            if *page == record.target {
                found.push((at, next - at));
            }
        } else if at == offset {
            break; // it is gone already
        }
        at = next;
    }
    for (at, length) in found.into_iter().rev() {
        overwrite(file, at, length)?;
    }
    Ok(())
}

fn overwrite(file: &mut File, offset: u64, length: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(&empty_members(length)?)?;
    file.sync_data()
}

fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// Empty members of so many bytes in all.
fn empty_members(mut length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while length > 0 {
        if length < SHORTEST {
            return Err(io::Error::other("the record is too short to be a record"));
        }
        let mut padding = (length - SHORTEST).min(MOST_PADDING);
        let rest = length - SHORTEST - padding;
        if rest > 0 && rest < SHORTEST {
            padding -= SHORTEST;
        }
        // Magic, deflate, an extra field; no time, no system; the field's length.
        bytes.extend_from_slice(&[0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 0xFF]);
        bytes.extend_from_slice(&(padding as u16).to_le_bytes());
        bytes.extend(std::iter::repeat_n(0, padding as usize));
        // An empty block, its checksum, its length.
        bytes.extend_from_slice(&[3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        length -= SHORTEST + padding;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;
    use crate::warc::{Exchange, Kept, Reader, Request, Writer};

    #[test]
    fn a_blanked_record_is_gone_and_the_others_stay_where_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let open = || {
            File::options()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
        };
        let mut writer = Writer::open(open().unwrap(), 0, "").unwrap();
        let random: String = (1..90_000u64)
            .map(|n| format!("{:x}", n.wrapping_pow(7)))
            .collect();
        let bodies = ["one", &random, "three"];
        let places: Vec<(String, u64)> = bodies
            .iter()
            .enumerate()
            .map(|(number, body)| {
                let address = format!("http://a.test/{number}");
                let kept = Kept {
                    address: &address,
                    status: 200,
                    body: body.as_bytes(),
                    ..Kept::default()
                };
                let offset = writer.page(&kept).unwrap();
                (address, offset)
            })
            .collect();
        let length = writer.length();
        drop(writer);
        for gone in [1, 0] {
            let (from, to) = (places[gone].1, places[gone + 1].1);
            blank_exchange(&mut open().unwrap(), from, to).unwrap();
            assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
            let records: Vec<_> = Reader::open(&path).unwrap().map(Result::unwrap).collect();
            assert_eq!(records.len(), 2 + gone);
            assert!(records.iter().all(|record| record.target != places[gone].0));
            let (address, offset) = &places[2];
            assert_eq!(
                Reader::response_at(&path, *offset, address).unwrap().body,
                b"three"
            );
        }
    }

    /// A page with its request, a redirect that leads to it, and another page.
    fn exchanges(path: &std::path::Path) -> (Vec<u64>, u64) {
        let file = File::create(path).unwrap();
        let mut writer = Writer::open(file, 0, "").unwrap();
        let exchange = Exchange {
            request: Some(Request {
                method: "GET".to_owned(),
                target: "/".to_owned(),
                ..Request::default()
            }),
            ..Exchange::default()
        };
        let kept = |address| Kept {
            address,
            status: 200,
            body: b"secret",
            exchange: Some(&exchange),
            ..Kept::default()
        };
        let places = vec![
            writer.page(&kept("http://a.test/one")).unwrap(),
            writer
                .redirect(&kept("http://a.test/to-two"), "http://a.test/two")
                .unwrap(),
            writer.page(&kept("http://a.test/two")).unwrap(),
        ];
        (places, writer.length())
    }

    fn left(path: &std::path::Path) -> Vec<String> {
        let records = Reader::open(path).unwrap().map(Result::unwrap);
        let named = records.map(|record| format!("{} {}", record.kind, record.target));
        named.skip(1).collect()
    }

    fn open(path: &std::path::Path) -> File {
        File::options().read(true).write(true).open(path).unwrap()
    }

    #[test]
    fn a_blanked_exchange_is_gone_whole_and_what_others_left_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let (places, length) = exchanges(&path);
        assert_eq!(left(&path).len(), 6);
        // Twice, as if the first time had been broken off.
        for _ in 0..2 {
            blank_exchange(&mut open(&path), places[0], places[2]).unwrap();
            assert_eq!(
                left(&path),
                [
                    "response http://a.test/to-two",
                    "request http://a.test/to-two",
                    "response http://a.test/two",
                    "request http://a.test/two",
                ]
            );
        }
        // What is not the page's to the last byte is not touched.
        let before = std::fs::read(&path).unwrap();
        blank_exchange(&mut open(&path), places[2], places[2] + 40).unwrap();
        let after = std::fs::read(&path).unwrap();
        assert_eq!(
            before[places[2] as usize + 40..],
            after[places[2] as usize + 40..]
        );
        std::fs::write(&path, before).unwrap();
        blank_exchange(&mut open(&path), places[2], length).unwrap();
        assert_eq!(left(&path).len(), 2);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
    }

    #[test]
    fn a_damaged_exchange_is_gone_whole_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc.gz");
        let (places, length) = exchanges(&path);
        let whole = std::fs::read(&path).unwrap();
        for place in places[0] as usize..places[1] as usize {
            let mut damaged = whole.clone();
            damaged[place] ^= 0xFF;
            std::fs::write(&path, damaged).unwrap();
            blank_exchange(&mut open(&path), places[0], places[2]).unwrap();
            let left = left(&path);
            let gone = left.iter().all(|record| !record.ends_with("/one"));
            assert!(gone, "byte {place}: {left:?}");
            assert!(left.ends_with(&["request http://a.test/two".to_owned()]));
            assert_eq!(std::fs::metadata(&path).unwrap().len(), length);
        }
        // What was cut off is not written again.
        std::fs::write(&path, &whole[..places[2] as usize + 9]).unwrap();
        blank_exchange(&mut open(&path), places[2], length).unwrap();
    }

    #[test]
    fn every_length_is_filled() {
        for length in (22..300).chain(65_500..65_700).chain([200_000]) {
            let bytes = empty_members(length).unwrap();
            assert_eq!(bytes.len() as u64, length);
            let mut text = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes.as_slice())
                .read_to_end(&mut text)
                .unwrap();
            assert!(text.is_empty());
        }
        assert!(empty_members(21).is_err());
    }
}
