//! The files of the one model that is known, all-MiniLM-L6-v2 (Apache-2.0): copied into the
//! data folder, and known by their checksums, so that nothing else is ever run as a model.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use thiserror::Error;

/// The model's name, and that of its folder.
pub const NAME: &str = "all-MiniLM-L6-v2";

pub(crate) const WEIGHTS: File = File {
    name: "model.safetensors",
    bytes: 90_868_376,
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
};
pub(crate) const TOKENIZER: File = File {
    name: "tokenizer.json",
    bytes: 466_247,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
};

/// A file that is known.
pub(crate) struct File {
    pub(crate) name: &'static str,
    pub(crate) bytes: u64,
    sha256: &'static str,
}

/// Why a model's files are of no use.
#[derive(Debug, Error)]
pub enum FileError {
    /// One is not there.
    #[error(
        "{0} is missing: of the model all-MiniLM-L6-v2 model.safetensors and tokenizer.json \
         are needed, in one folder"
    )]
    Missing(PathBuf),
    /// One cannot be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, #[source] io::Error),
    /// One was not copied whole.
    #[error("{0} has {1} bytes in place of {2}: was it downloaded to its end?")]
    Length(PathBuf, u64, u64),
    /// One is another model's, or damaged.
    #[error("{0} is damaged or of another model: only all-MiniLM-L6-v2 is taken")]
    Checksum(PathBuf),
    /// What is in them cannot be made a model of.
    #[error("the model in {0} cannot be used: {1}")]
    Content(PathBuf, String),
}

impl File {
    /// Its bytes, if they are those that are known.
    pub(crate) fn read(&self, folder: &Path) -> Result<Vec<u8>, FileError> {
        let path = folder.join(self.name);
        let failed = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => FileError::Missing(path.clone()),
            _ => FileError::Io(path.clone(), error),
        };
        let length = fs::metadata(&path).map_err(failed)?.len();
        if length != self.bytes {
            return Err(FileError::Length(path, length, self.bytes));
        }
        let bytes = fs::read(&path).map_err(failed)?;
        let digest = Sha256::digest(&bytes);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if digest != self.sha256 {
            return Err(FileError::Checksum(path));
        }
        Ok(bytes)
    }
}

/// Whether a model's files are in a folder, whatever is in them.
pub fn is_there(folder: &Path) -> bool {
    folder.join(WEIGHTS.name).exists()
}

/// Copies a model's files from one folder to another that is made for them, once both are
/// known to be whole. A copy that breaks off leaves what was there before.
pub fn add(from: &Path, to: &Path) -> Result<(), FileError> {
    let failed = |error| FileError::Io(to.to_owned(), error);
    let read = |file: &'static File| Ok((file, file.read(from)?));
    let files = [read(&TOKENIZER)?, read(&WEIGHTS)?];
    fs::create_dir_all(to).map_err(failed)?;
    for (file, bytes) in files {
        let mut copy = tempfile::NamedTempFile::new_in(to).map_err(failed)?;
        copy.write_all(&bytes).map_err(failed)?;
        copy.as_file().sync_all().map_err(failed)?;
        let kept = copy.persist(to.join(file.name));
        kept.map_err(|error| failed(error.error))?;
    }
    Ok(())
}
