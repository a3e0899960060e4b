//! Files and folders that belong to their owner alone.
//!
//! A folder that is made is shut to others. One that was there before stays as it
//! is; where others may write to it, nothing is kept in it: they could put another
//! file in the place of ours. Files are never opened through a link.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// In a data folder whose rows are in a database elsewhere: which.
pub(super) const ELSEWHERE: &str = "database";

/// Another program may be opening a database for so long.
const LONGEST_OPENING: Duration = Duration::from_secs(30);
/// Who lets go of a folder may hold it for a moment more: a program that it starts just then has its files
/// until it runs.
const LONGEST_LETTING_GO: Duration = Duration::from_millis(500);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Makes a data folder if it is not there, and looks at who else may use it.
pub fn make_folder(folder: &Path) -> Result<()> {
    let making = || format!("making the data folder {}", folder.display());
    if !folder.exists() {
        match create_folder(folder) {
            // Another program that starts just now was first: it is looked at like any that is there.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.with_context(making),
        }
    }
    let others = others_may(folder).with_context(making)?;
    if others.write {
        bail!(
            "others may write to {}, so nothing private can be kept in it: choose another --data, \
             or take that right away (chmod go-w)",
            folder.display()
        );
    }
    if others.read {
        message!(
            "linkscent: others may look into {}: they see the names of files there, not what is in \
             them (chmod 700 shuts it)",
            folder.display()
        );
    }
    Ok(())
}

/// What others may do with a folder.
#[derive(Debug, Default, PartialEq, Eq)]
struct Others {
    read: bool,
    write: bool,
}

/// Opens a file to read and write, made if it is not there, for its owner alone.
#[cfg(unix)]
pub fn open_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(libc::O_NOFOLLOW)
        .open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.nlink() > 1 {
        let text = "is no file of its own: it stands elsewhere too";
        return Err(io::Error::other(text));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Makes a file that is not there, and shuts one that is there to others. One that is
/// there is not opened: a process that closes a database's file lets go of all locks
/// that it holds on it.
pub fn make_private(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => open_private(path).map(drop),
        Err(error) => Err(error),
        Ok(metadata) if !metadata.is_file() => Err(io::Error::other("is no file of its own")),
        Ok(metadata) => shut(path, &metadata),
    }
}

#[cfg(unix)]
fn shut(path: &Path, metadata: &fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    if metadata.nlink() > 1 {
        return Err(io::Error::other("stands elsewhere too"));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn shut(_: &Path, _: &fs::Metadata) -> io::Result<()> {
    Ok(())
}

/// Whether others than its owner may read or write a file.
#[cfg(unix)]
pub fn is_open_to_others(path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::symlink_metadata(path)?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
pub fn is_open_to_others(_: &Path) -> io::Result<bool> {
    Ok(false)
}

/// Says that a data folder is in use, as many may at once, or makes sure that it is not.
/// Holds as long as the file lives.
pub fn lock_folder(folder: &Path, alone: bool) -> Result<File> {
    let path = folder.join("linkscent.lock");
    let file = open_private(&path).with_context(|| format!("opening {}", path.display()))?;
    let lock = || {
        if alone {
            file.try_lock()
        } else {
            file.try_lock_shared()
        }
    };
    let begun = Instant::now();
    while let Err(refused) = lock() {
        if let TryLockError::Error(source) = refused {
            return Err(source).with_context(|| format!("locking {}", path.display()));
        }
        if begun.elapsed() < LONGEST_LETTING_GO {
            std::thread::sleep(BETWEEN_LOOKS);
            continue;
        }
        bail!(
            "{} is in use by another linkscent: end it, then try again",
            folder.display()
        );
    }
    Ok(file)
}

/// Waits for its turn to open a database of the folder; holds as long as the file lives. `SQLite`
/// lets nobody wait who turns a new database to its write-ahead log while another does the same.
pub async fn turn_to_open(folder: &Path) -> Result<File> {
    let path = folder.join("opening.lock");
    let file = open_private(&path).with_context(|| format!("opening {}", path.display()))?;
    let begun = Instant::now();
    while let Err(refused) = file.try_lock() {
        if let TryLockError::Error(source) = refused {
            return Err(source).with_context(|| format!("locking {}", path.display()));
        }
        if begun.elapsed() > LONGEST_OPENING {
            bail!(
                "another linkscent has been opening {} for {} s: end it, then try again",
                folder.display(),
                LONGEST_OPENING.as_secs()
            );
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    Ok(file)
}

#[cfg(unix)]
fn create_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().mode(0o700).create(folder)
}

#[cfg(unix)]
fn others_may(folder: &Path) -> io::Result<Others> {
    use std::os::unix::fs::PermissionsExt;
    let mode = fs::metadata(folder)?.permissions().mode();
    Ok(Others {
        read: mode & 0o055 != 0,
        write: mode & 0o022 != 0,
    })
}

#[cfg(not(unix))]
pub fn open_private(path: &Path) -> io::Result<File> {
    if fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) {
        return Err(io::Error::other("is a link"));
    }
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

#[cfg(not(unix))]
fn create_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(not(unix))]
fn others_may(_: &Path) -> io::Result<Others> {
    Ok(Others::default())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn what_is_made_is_private_and_what_was_there_stays_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("new/data");
        make_folder(&data).unwrap();
        assert_eq!(mode(&data), 0o700);
        let shared = folder.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).unwrap();
        make_folder(&shared).unwrap();
        assert_eq!(mode(&shared), 0o755);
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        let refused = make_folder(&shared).unwrap_err().to_string();
        assert!(refused.contains("others may write"), "{refused}");
    }

    #[test]
    fn files_are_private_and_not_reached_by_links() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "kept").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        open_private(&file).unwrap();
        assert_eq!(mode(&file), 0o600);
        assert_eq!(fs::read(&file).unwrap(), b"kept");
        symlink(&file, &link).unwrap();
        assert!(open_private(&link).is_err());
        fs::remove_file(&link).unwrap();
        fs::hard_link(&file, &link).unwrap();
        assert!(open_private(&link).is_err());
    }
}
