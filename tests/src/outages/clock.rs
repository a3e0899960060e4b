//! The clock of one program, which can be set while it runs.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

/// See the module.
pub struct Clock {
    file: PathBuf,
}

impl Clock {
    /// One that is right, by its file.
    pub fn new(file: PathBuf) -> Result<Self> {
        let clock = Self { file };
        clock.set(0)?;
        Ok(clock)
    }

    /// What a program has in its environment whose clock it is.
    pub fn environment<'a>(&'a self, library: &'a Path) -> [(&'static str, &'a Path); 2] {
        [("LD_PRELOAD", library), ("JUMPS", &self.file)]
    }

    /// Sets it so many seconds ahead of the machine's.
    pub fn set(&self, ahead: i64) -> Result<()> {
        // It is looked at all the time: never cut short, written in one go.
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&self.file)?;
        file.write_all(&ahead.to_ne_bytes())?;
        Ok(())
    }
}
