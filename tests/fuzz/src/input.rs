//! Typed pieces taken from the front of an input.

use std::io::{self, Write};

use tempfile::NamedTempFile;

/// What is left of an input.
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Self(data)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes a byte; 0 at the end.
    pub fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    /// Takes one of some values, chosen by a byte. Digits choose by their value.
    pub fn choice<T: Copy>(&mut self, values: &[T]) -> T {
        let byte = self.byte();
        values[usize::from(byte.wrapping_sub(b'0')) % values.len()]
    }

    /// Takes the bytes up to the next zero byte, or to the end.
    pub fn field(&mut self) -> &'a [u8] {
        let end = self.0.iter().position(|byte| *byte == 0);
        let field = &self.0[..end.unwrap_or(self.0.len())];
        self.0 = end.map_or(&[], |end| &self.0[end + 1..]);
        field
    }

    /// Takes a field as text; what is not UTF-8 becomes U+FFFD.
    pub fn text(&mut self) -> String {
        String::from_utf8_lossy(self.field()).into_owned()
    }

    /// Takes everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.0)
    }
}

/// Writes an input to a file, for readers that take a path.
pub fn file_of(data: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = NamedTempFile::new()?;
    file.write_all(data)?;
    Ok(file)
}
