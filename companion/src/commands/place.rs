//! Where a command finds what is kept.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::settings::data_folder;
use linkscent_store::Store;

/// See the module.
#[derive(Debug, Clone, Args)]
pub struct Place {
    /// Where everything is kept.
    #[arg(long, env = "LINKSCENT_DATA", global = true)]
    pub(super) data: Option<PathBuf>,
    /// A PostgreSQL database in place of the one in the data folder, such as
    /// `postgres://name@localhost/linkscent`; pages stay in the folder.
    #[arg(
        long,
        env = "LINKSCENT_DATABASE",
        global = true,
        value_name = "URL",
        hide_env_values = true,
        hide_default_value = true
    )]
    pub(super) database: Option<String>,
}

impl Place {
    /// The data folder.
    pub(super) fn folder(&self) -> Result<PathBuf> {
        data_folder(self.data.as_deref())
    }

    /// Opens the store.
    pub(super) async fn open(&self) -> Result<Store> {
        let folder = self.folder()?;
        match &self.database {
            Some(address) => Store::open_database(address, &folder).await,
            None => Store::open(&folder).await,
        }
    }
}
