//! Where things are and how they are set: flags before environment before
//! `linkscent.toml` before defaults.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Deserialize;

/// `linkscent.toml` in the current folder.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The data folder.
    pub data: Option<PathBuf>,
    /// The port of `linkscent serve`.
    pub port: Option<u16>,
}

impl Settings {
    /// Reads `linkscent.toml` if it is there.
    pub fn read() -> Result<Self> {
        match std::fs::read_to_string("linkscent.toml") {
            Ok(text) => toml::from_str(&text).context("reading linkscent.toml"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error).context("reading linkscent.toml"),
        }
    }
}

/// The data folder: as given, as set, or the platform's own.
pub fn data_folder(given: Option<&Path>) -> Result<PathBuf> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    if let Some(set) = Settings::read()?.data {
        return Ok(set);
    }
    let folders = directories::ProjectDirs::from("", "", "linkscent");
    let folders = folders.context("there is no home folder; give --data DIR")?;
    Ok(folders.data_dir().to_owned())
}
