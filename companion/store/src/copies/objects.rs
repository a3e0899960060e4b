//! An object store: S3 or what speaks like it, or a folder, such as one that another machine has mounted.
//! Objects are written once, each under a name that no other ever has, and deleted.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{BackoffConfig, ClientConfigKey, ObjectStore, ObjectStoreExt, RetryConfig};
use thiserror::Error;

use crate::files::is_open_to_others;
use crate::tls::choose_cryptography;

/// A request is tried again for so long, and may take so long each time.
const LONGEST_TRYING: Duration = Duration::from_secs(15);
const LONGEST_REQUEST: &str = "120 seconds";
/// Characters that are told of what an object store answers.
const LONGEST_REASON: usize = 300;

/// Why an object store did not do what it was asked.
#[derive(Debug, Error)]
pub enum ObjectsError {
    /// It cannot be an object store.
    #[error("“{0}” is no place for copies: it is s3://BUCKET/PREFIX or file:///FOLDER")]
    Place(String),
    /// Somebody else could read them there.
    #[error("others may look into {0}: choose another folder, or shut it (chmod 700)")]
    Open(String),
    /// A folder cannot be made or is not there.
    #[error("opening the folder {folder}: is it mounted?")]
    Folder {
        /// Which.
        folder: String,
        /// Why.
        source: io::Error,
    },
    /// It said no, or nothing.
    #[error("the object store {place} does not do as it is asked: {reason}")]
    Refused {
        /// Which.
        place: String,
        /// What it said.
        reason: String,
    },
}

/// See the module. Clones are the same.
#[derive(Debug, Clone)]
pub struct Objects {
    place: String,
    store: Arc<dyn ObjectStore>,
    root: ObjectPath,
    /// Where it is a folder.
    folder: Option<PathBuf>,
}

impl Objects {
    /// One by its address. What S3 wants to know besides comes from the environment, as its own tools
    /// have it: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT`, and
    /// `AWS_ALLOW_HTTP` where a server of one's own speaks no TLS. A folder has to be there. May wait
    /// for a disk: not for a runtime's thread.
    pub fn at(place: &str) -> Result<Self, ObjectsError> {
        match place.split_once("://") {
            Some(("file", folder)) => Self::in_folder(place, Path::new(folder)),
            Some(("s3", rest)) => Self::in_bucket(place, rest),
            _ => Err(ObjectsError::Place(place.to_owned())),
        }
    }

    /// Makes the folder of a place that is one, for its owner alone. Blocks.
    pub fn make(place: &str) -> Result<(), ObjectsError> {
        let Some(folder) = place.strip_prefix("file://") else {
            return Ok(());
        };
        if !Path::new(folder).is_absolute() {
            return Err(ObjectsError::Place(place.to_owned()));
        }
        let mut making = std::fs::DirBuilder::new();
        making.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut making, 0o700);
        making
            .create(folder)
            .map_err(|source| ObjectsError::Folder {
                folder: folder.to_owned(),
                source,
            })
    }

    fn in_folder(place: &str, folder: &Path) -> Result<Self, ObjectsError> {
        if !folder.is_absolute() {
            return Err(ObjectsError::Place(place.to_owned()));
        }
        let is_open = is_open_to_others(folder).map_err(|source| ObjectsError::Folder {
            folder: folder.display().to_string(),
            source,
        })?;
        if is_open {
            return Err(ObjectsError::Open(folder.display().to_string()));
        }
        let objects = LocalFileSystem::new_with_prefix(folder);
        let objects = objects.map_err(|error| refused(place, &error))?;
        Ok(Self {
            place: place.to_owned(),
            store: Arc::new(objects.with_fsync(true)),
            root: ObjectPath::default(),
            folder: Some(folder.to_owned()),
        })
    }

    fn in_bucket(place: &str, rest: &str) -> Result<Self, ObjectsError> {
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(ObjectsError::Place(place.to_owned()));
        }
        choose_cryptography();
        let objects = AmazonS3Builder::from_env()
            .with_bucket_name(bucket)
            .with_config(
                AmazonS3ConfigKey::Client(ClientConfigKey::Timeout),
                LONGEST_REQUEST,
            )
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: 5,
                retry_timeout: LONGEST_TRYING,
            })
            .build();
        Ok(Self {
            place: place.to_owned(),
            store: Arc::new(objects.map_err(|error| refused(place, &error))?),
            root: ObjectPath::from(prefix),
            folder: None,
        })
    }

    /// Writes an object.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<(), ObjectsError> {
        let put = self.store.put(&self.path(name), bytes.into()).await;
        put.map(drop).map_err(|error| self.refused(&error))
    }

    /// Reads an object; `None` if it is not there.
    pub async fn get(&self, name: &str) -> Result<Option<Bytes>, ObjectsError> {
        let get = async { self.store.get(&self.path(name)).await?.bytes().await };
        match get.await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.refused(&error)),
        }
    }

    /// Deletes an object, and what was begun of it; one that is not there does no harm.
    pub async fn delete(&self, name: &str) -> Result<(), ObjectsError> {
        match self.store.delete(&self.path(name)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
            Err(error) => return Err(self.refused(&error)),
        }
        // A program that is killed leaves such a file beside.
        if let Some(folder) = &self.folder {
            let begun = folder.join(format!("{name}#1"));
            match tokio::fs::remove_file(&begun).await {
                Err(source) if source.kind() != io::ErrorKind::NotFound => {
                    return Err(ObjectsError::Folder {
                        folder: begun.display().to_string(),
                        source,
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn path(&self, name: &str) -> ObjectPath {
        self.root.clone().join(name)
    }

    fn refused(&self, error: &object_store::Error) -> ObjectsError {
        refused(&self.place, error)
    }
}

/// What lies at the bottom of an error: what is above says the same again, each time with more around it.
fn refused(place: &str, error: &object_store::Error) -> ObjectsError {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    let words = cause.to_string();
    let words: Vec<&str> = words.split_whitespace().collect();
    ObjectsError::Refused {
        place: place.to_owned(),
        reason: words.join(" ").chars().take(LONGEST_REASON).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_are_none_are_refused() {
        for place in [
            "",
            "here",
            "/tmp",
            "file://here",
            "s3://",
            "s3:///prefix",
            "http://a.test/",
        ] {
            let refused = Objects::at(place).unwrap_err();
            assert!(
                matches!(refused, ObjectsError::Place(_)),
                "{place}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_bucket_is_a_place_with_a_prefix_or_without() {
        for place in ["s3://room", "s3://room/", "s3://room/a/b/"] {
            Objects::at(place).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_has_to_be_there_and_shut() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let place = format!("file://{}/copies/own", folder.path().display());
        let gone = Objects::at(&place).unwrap_err();
        assert!(matches!(gone, ObjectsError::Folder { .. }), "{gone:?}");
        assert!(!folder.path().join("copies").exists());
        Objects::make(&place).unwrap();
        Objects::at(&place).unwrap();
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path().join("copies/own"), open).unwrap();
        let open = Objects::at(&place).unwrap_err();
        assert!(matches!(open, ObjectsError::Open(_)), "{open:?}");
    }

    #[tokio::test]
    async fn what_is_put_is_there_until_it_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let place = format!("file://{}/copies", folder.path().display());
        Objects::make(&place).unwrap();
        let objects = Objects::at(&place).unwrap();
        objects.put("one", b"bytes".to_vec()).await.unwrap();
        assert_eq!(&objects.get("one").await.unwrap().unwrap()[..], b"bytes");
        let begun = folder.path().join("copies/one#1");
        std::fs::write(&begun, "by").unwrap();
        objects.delete("one").await.unwrap();
        objects.delete("one").await.unwrap();
        assert!(!begun.exists());
        assert_eq!(objects.get("one").await.unwrap(), None);
    }
}
