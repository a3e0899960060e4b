//! Taking a record out of an archive: in its place empty gzip members stand, as long
//! as it was, so that every other record stays where it is.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use flate2::bufread::GzDecoder;

/// Bytes of an empty member without padding.
const SHORTEST: u64 = 22;
/// Bytes of padding that one member takes.
const MOST_PADDING: u64 = u16::MAX as u64;

/// Overwrites the record that begins at `offset`, and waits until that is on the disk.
/// One that is damaged is overwritten up to `end`, where the next one begins.
pub fn blank(file: &mut File, offset: u64, end: u64) -> io::Result<()> {
    let end = end.min(file.metadata()?.len());
    if end < offset + SHORTEST {
        return Ok(()); // it was cut off
    }
    let length = match member_length(file, offset) {
        Ok(length) => length,
        Err(error) if is_damage(&error) => end - offset,
        Err(error) => return Err(error),
    };
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(&empty_members(length)?)?;
    file.sync_data()
}

fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

/// Bytes of the gzip member that begins at `offset`.
fn member_length(file: &mut File, offset: u64) -> io::Result<u64> {
    file.seek(SeekFrom::Start(offset))?;
    let mut decoder = GzDecoder::new(BufReader::new(file));
    io::copy(&mut decoder.by_ref(), &mut io::sink())?;
    let mut rest = decoder.into_inner();
    Ok(rest.stream_position()? - offset)
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
    use super::*;
    use crate::warc::{Kept, Reader, Writer};

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
        let mut writer = Writer::open(open().unwrap(), 0).unwrap();
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
                    content_type: None,
                    body: body.as_bytes(),
                    date: "",
                };
                let offset = writer.page(&kept).unwrap();
                (address, offset)
            })
            .collect();
        let length = writer.length();
        drop(writer);
        for gone in [1, 0] {
            blank(&mut open().unwrap(), places[gone].1, places[gone + 1].1).unwrap();
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
