//! State of any size, value by value, to where it is kept and back.
//!
//! What is read is trusted to have been written by this very program: whoever keeps it says so by
//! a checksum. So numbers that stand for places are not checked one by one.

use std::io::{self, Read, Write};

use bincode::config::{Configuration, Limit, LittleEndian, Varint};
use bincode::error::EncodeError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use thiserror::Error;

use super::shared::{self, Tables};
use super::{CodecError, LARGEST};

/// Most bytes of a single value.
const LARGEST_VALUE: usize = 4 * LARGEST;

fn config() -> Configuration<LittleEndian, Varint, Limit<LARGEST_VALUE>> {
    bincode::config::standard().with_limit::<LARGEST_VALUE>()
}

/// Why state was not saved.
#[derive(Debug, Error)]
pub enum SaveError {
    /// There is something in it that cannot be.
    #[error("what “{0}” knows cannot be saved")]
    NotFor(String),
    /// It cannot be written there.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// A value is none that can be written.
    #[error("it cannot be written: {0}")]
    Layout(String),
}

/// Writes values one after the other.
pub struct Saver<'a> {
    out: &'a mut dyn Write,
    tables: Tables,
}

impl<'a> Saver<'a> {
    /// To there. What is written through it has to live as long as it does.
    pub fn new(out: &'a mut dyn Write) -> Self {
        Self {
            out,
            tables: Tables::default(),
        }
    }

    /// Writes a value.
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SaveError> {
        let out = &mut self.out;
        let put = || bincode::serde::encode_into_std_write(value, out, config());
        match shared::with(&mut self.tables, put) {
            Ok(_) => Ok(()),
            Err(EncodeError::Io { inner, .. }) => Err(inner.into()),
            Err(error) => Err(SaveError::Layout(error.to_string())),
        }
    }
}

/// Reads values in the order in which they were written.
pub struct Loader<'a> {
    from: &'a mut dyn Read,
    tables: Tables,
}

impl<'a> Loader<'a> {
    /// From there.
    pub fn new(from: &'a mut dyn Read) -> Self {
        Self {
            from,
            tables: Tables::default(),
        }
    }

    /// The next value.
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, CodecError> {
        let from = &mut self.from;
        let take = || bincode::serde::decode_from_std_read(from, config());
        let taken = shared::with(&mut self.tables, take);
        taken.map_err(|error| CodecError::Layout(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::address::Address;
    use crate::candidate::{Step, Trail};
    use crate::web_graph::Relevance;

    fn step(n: usize) -> Step {
        Step {
            address: Address::parse(&format!("http://a.test/{n}")).unwrap(),
            relevance: Relevance::new(1.0 / n as f64),
        }
    }

    #[test]
    fn what_is_shared_is_written_once_and_shared_again() {
        let long = Trail::from_oldest((1..40_000).map(step));
        let branches: Vec<Trail> = (1..9).map(|n| long.then(step(n))).collect();
        let mut bytes = Vec::new();
        let mut saver = Saver::new(&mut bytes);
        saver.put(&long).unwrap();
        let first = saver.tables.nodes_written();
        for branch in &branches {
            saver.put(branch).unwrap();
        }
        saver.put(&Trail::default()).unwrap();
        assert_eq!(saver.tables.nodes_written(), first + 8);
        let mut from = bytes.as_slice();
        let mut loader = Loader::new(&mut from);
        assert_eq!(loader.take::<Trail>().unwrap(), long);
        for branch in &branches {
            assert_eq!(loader.take::<Trail>().unwrap(), *branch);
        }
        assert!(loader.take::<Trail>().unwrap().is_empty());
        assert!(from.is_empty());
    }

    #[test]
    fn a_value_that_is_written_alone_is_written_whole() {
        let address = step(1).address;
        let twice = vec![address.clone(), address.clone()];
        let alone = super::super::encode(&twice);
        assert_eq!(super::super::decode(&alone), Ok(twice.clone()));
        let mut shared = Vec::new();
        Saver::new(&mut shared).put(&twice).unwrap();
        assert!(shared.len() < alone.len());
        // A number alone says nothing.
        assert!(super::super::decode::<Vec<Address>>(&shared).is_err());
        let again: Vec<Address> = Loader::new(&mut shared.as_slice()).take().unwrap();
        assert_eq!(again, twice);
        assert!(Arc::ptr_eq(again[0].text(), again[1].text()));
    }

    #[test]
    fn what_is_cut_off_is_no_state() {
        let mut bytes = Vec::new();
        Saver::new(&mut bytes).put(&vec![step(1), step(2)]).unwrap();
        for length in 0..bytes.len() {
            let mut from = &bytes[..length];
            assert!(Loader::new(&mut from).take::<Vec<Step>>().is_err());
        }
    }
}
