//! The sections of a model file's body: each a name, a length and bytes.
//!
//! A section whose name is not known is left aside.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::ModelError;
use crate::codec;

/// Sections that are read of one file.
const MOST_SECTIONS: usize = 256;

/// A body while it is written.
#[derive(Default)]
pub(super) struct Body(pub(super) Vec<u8>);

impl Body {
    /// Adds a section at the end.
    pub(super) fn add<T: Serialize>(&mut self, name: &str, data: &T) {
        self.add_bytes(name, &codec::encode(data));
    }

    /// Adds bytes as a section.
    pub(super) fn add_bytes(&mut self, name: &str, bytes: &[u8]) {
        self.0.extend((name.len() as u16).to_le_bytes());
        self.0.extend(name.as_bytes());
        self.0.extend((bytes.len() as u64).to_le_bytes());
        self.0.extend(bytes);
    }
}

/// The sections of a body that is read, in their order.
pub(super) struct Sections<'a>(Vec<(&'a str, &'a [u8])>);

impl<'a> Sections<'a> {
    /// The sections of a body that may come from anywhere.
    pub(super) fn of_body(mut body: &'a [u8]) -> Result<Self, ModelError> {
        let mut read = Vec::new();
        while !body.is_empty() {
            let length = u16::from_le_bytes(array(&mut body)?);
            let name = take(&mut body, u64::from(length))?;
            let name = std::str::from_utf8(name)
                .map_err(|_| ModelError::Content("the name of a part is no text"))?;
            let length = u64::from_le_bytes(array(&mut body)?);
            let bytes = take(&mut body, length)?;
            if read.len() == MOST_SECTIONS {
                return Err(ModelError::Content("it has too many parts"));
            }
            if read.iter().any(|&(before, _)| before == name) {
                return Err(ModelError::Content("a part stands in it twice"));
            }
            read.push((name, bytes));
        }
        Ok(Self(read))
    }

    /// Names and bytes.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> {
        self.0.iter().copied()
    }

    /// What a section holds.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &'static str) -> Result<T, ModelError> {
        self.read_if_there(name)?.ok_or(ModelError::Missing(name))
    }

    /// What a section holds that not every file has.
    pub(super) fn read_if_there<T: DeserializeOwned>(
        &self,
        name: &'static str,
    ) -> Result<Option<T>, ModelError> {
        let mut sections = self.iter();
        let section = sections.find(|&(its_name, _)| its_name == name);
        let read = section.map(|(_, bytes)| codec::decode(bytes));
        read.transpose()
            .map_err(|error| ModelError::Section(name, error))
    }
}

fn take<'a>(body: &mut &'a [u8], length: u64) -> Result<&'a [u8], ModelError> {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let (taken, rest) = body
        .split_at_checked(length)
        .ok_or(ModelError::Content("a part is longer than the file"))?;
    *body = rest;
    Ok(taken)
}

fn array<const N: usize>(body: &mut &[u8]) -> Result<[u8; N], ModelError> {
    let mut array = [0; N];
    array.copy_from_slice(take(body, N as u64)?);
    Ok(array)
}
