//! One crawl has one writer: whoever holds the lock on its lock file. The system
//! lets go of it when the process ends, however that comes about.

use std::fs::{File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use thiserror::Error;

use super::files::open_private;

/// Somebody may be looking just now whether the lock is held.
const LOOKS: u32 = 5;
const BETWEEN_LOOKS: Duration = Duration::from_millis(40);

/// Why a crawl cannot be run here.
#[derive(Debug, Error)]
pub enum LockError {
    /// It runs already.
    #[error("crawl {crawl} is run by another linkscent{}", by(.process))]
    Held {
        /// The crawl.
        crawl: i64,
        /// Number of the process that runs it, if it said so.
        process: String,
    },
    /// The lock file itself.
    #[error("{path}: {source}")]
    File {
        /// Which file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
}

fn by(process: &str) -> String {
    if process.is_empty() {
        String::new()
    } else {
        format!(" (process {process})")
    }
}

/// The right to write a crawl's log and archive, for as long as it lives.
#[derive(Debug)]
pub struct CrawlLock(File);

impl CrawlLock {
    /// Takes the lock. Blocks for a moment; not for a runtime's thread.
    pub(super) fn take(path: &Path, crawl: i64) -> Result<Self, LockError> {
        let fail = |source| LockError::File {
            path: path.display().to_string(),
            source,
        };
        let mut file = open_private(path).map_err(fail)?;
        for look in 1.. {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if look < LOOKS => {
                    std::thread::sleep(BETWEEN_LOOKS);
                }
                Err(TryLockError::WouldBlock) => {
                    let mut process = String::new();
                    let _ = file.read_to_string(&mut process);
                    let process = process.lines().next().unwrap_or_default().to_owned();
                    return Err(LockError::Held { crawl, process });
                }
                Err(TryLockError::Error(source)) => return Err(fail(source)),
            }
        }
        // Who holds it is said for people; the lock does not hang on it.
        let said = file
            .set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()));
        said.map_err(fail)?;
        Ok(Self(file))
    }

    /// Puts down by what name the way of its requests goes, for who would take it over.
    pub fn goes_by(&self, way: &str) -> std::io::Result<()> {
        writeln!(&self.0, "{way}")
    }

    /// By what name the way went of whoever had the lock last, if that was put down.
    pub(super) fn went_by(path: &Path) -> Option<String> {
        let said = std::fs::read_to_string(path).ok()?;
        said.lines().nth(1).map(str::to_owned)
    }

    /// Whether somebody holds the lock.
    pub(super) fn is_held(path: &Path) -> bool {
        let file = File::open(path);
        file.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_held_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("crawl-1.lock");
        assert!(!CrawlLock::is_held(&path));
        let first = CrawlLock::take(&path, 1).unwrap();
        assert!(CrawlLock::is_held(&path));
        let refused = CrawlLock::take(&path, 1).unwrap_err().to_string();
        let process = std::process::id().to_string();
        assert!(refused.contains(&process), "{refused}");
        first.goes_by("that way").unwrap();
        let refused = CrawlLock::take(&path, 1).unwrap_err().to_string();
        assert!(!refused.contains("that way"), "{refused}");
        drop(first);
        assert_eq!(CrawlLock::went_by(&path).as_deref(), Some("that way"));
        assert!(!CrawlLock::is_held(&path));
        let _second = CrawlLock::take(&path, 1).unwrap();
        assert_eq!(CrawlLock::went_by(&path), None);
    }
}
