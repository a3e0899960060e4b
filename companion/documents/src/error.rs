//! Why a document cannot be read.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use crate::Kind;

/// Why a document cannot be read.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// It is not what it should be, or breaks off before it says anything.
    #[error("the {0} is broken: {1}")]
    Broken(Kind, String),
    /// It can only be opened with a password.
    #[error("the {0} is locked by a password")]
    Locked(Kind),
    /// It unpacks to more bytes than are read.
    #[error("the {0} unpacks to more than {mib} MiB", mib = .1 >> 20)]
    Large(Kind, usize),
    /// Reading took longer than it may.
    #[error("reading the {0} was given up after {1:?}")]
    Time(Kind, Duration),
    /// Reading took more memory than it may.
    #[error("reading the {0} takes more than {mib} MiB of memory", mib = .1 >> 20)]
    Memory(Kind, u64),
    /// The reader broke down, with what it said last.
    #[error("the reader of the {0} broke down: {1}")]
    Crash(Kind, String),
    /// The process that reads cannot be started or spoken with.
    #[error("the reader of documents, {0}, cannot be run: {1}")]
    Start(PathBuf, #[source] io::Error),
}
