//! The store in a PostgreSQL database: the same ports as in `SQLite`, by the same statements wherever both
//! read them alike (`sql`). A data folder belongs to it all the same, with archives and locks, so crawls
//! run on the machine where that lies.
//!
//! What a transaction acknowledged is on the server's disk, as long as the server is not told
//! otherwise (`fsync`, `synchronous_commit`).

mod changes;
mod dialect;
mod lock;
mod migrations;
mod parts;
mod place;
mod traces;
mod turns;
mod workers;

pub(super) use dialect::failure;
pub use lock::SharedLock;
pub(super) use parts::{
    Extent, Part, begin_object, extents, forget_objects, gone_objects, keep_part, let_go, parts,
};
pub(super) use place::{
    bring_to, copies, has_topics, is_tied, lock_place, may_bring_to, place_of, put_place,
    set_copies, tie, write_place,
};
pub use turns::SharedTurns;
pub use workers::{Lease, Presence, WorkerSecret, Workers};

use std::fs::File;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};

use super::{files, sqlite};
use crate::clock;

/// To the database at a time.
const CONNECTIONS: u32 = 8;
/// A server that cannot be reached just now is waited for as long by whoever begins something; what was
/// under way fails.
const LONGEST_WAIT: Duration = Duration::from_secs(10);
/// The oldest version that has all that is asked of it.
const OLDEST: i32 = 130_000;

/// See the module.
pub(super) struct PostgresStore {
    pub(super) pool: PgPool,
    folder: PathBuf,
    /// Says that the folder is in use.
    _lock: File,
}

impl PostgresStore {
    /// Opens a database by its address, for a data folder, which is made if it is not there. Neither is
    /// used with another one.
    pub(super) async fn open(address: &str, folder: &Path) -> Result<Self> {
        files::make_folder(folder)?;
        let lock = files::lock_folder(folder, false)?;
        let pool = Self::connect(address).await?;
        tie(&pool, folder).await?;
        if sqlite::is_in(folder) {
            // A move was done but for this.
            sqlite::put_aside(folder, &format!("moved-{}", clock::now()))?;
        }
        Ok(Self::over(pool, folder, lock))
    }

    /// The rows of a database, for a data folder that is locked, whether or not it is tied.
    pub(super) fn over(pool: PgPool, folder: &Path, lock: File) -> Self {
        Self {
            pool,
            folder: folder.to_owned(),
            _lock: lock,
        }
    }

    /// A database by its address, in the form of this version.
    pub(super) async fn connect(address: &str) -> Result<PgPool> {
        let (pool, place) = Self::reach(address, CONNECTIONS).await?;
        let checked = check(&pool).await;
        checked.with_context(|| format!("opening {place}"))?;
        Ok(pool)
    }

    /// A database by its address, in whatever form, over so many connections at a time, and what it is
    /// called.
    async fn reach(address: &str, connections: u32) -> Result<(PgPool, String)> {
        let options = PgConnectOptions::from_str(address).context(
            "reading the database's address, such as postgres://name@localhost/linkscent",
        )?;
        let place = format!(
            "the database {} on {}",
            options.get_database().unwrap_or(options.get_username()),
            options.get_host()
        );
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(LONGEST_WAIT)
            .connect_with(options.application_name("linkscent"))
            .await;
        let pool = pool.with_context(|| {
            format!("opening {place}: is the server there, and may this user open it?")
        })?;
        Ok((pool, place))
    }
}

/// Brings an empty database to the form of an earlier version.
#[cfg(test)]
pub(super) async fn migrate_to(address: &str, step: i64) -> Result<()> {
    let (pool, _) = PostgresStore::reach(address, CONNECTIONS).await?;
    migrations::run_to(&pool, step).await
}

/// Hears of what the server tells who listens, by a connection of its own that ends with it.
async fn listener(pool: &PgPool) -> sqlx::Result<PgListener> {
    let options = PgConnectOptions::clone(&pool.connect_options());
    let own = PgPoolOptions::new().max_connections(1);
    PgListener::connect_with(&own.connect_lazy_with(options)).await
}

/// Whether a database can be used; it is brought to the form of this version.
async fn check(pool: &PgPool) -> Result<()> {
    let (version, encoding): (i32, String) = sqlx::query_as(
        "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')",
    )
    .fetch_one(pool)
    .await?;
    ensure!(
        version >= OLDEST,
        "it is of version {}; from {} on it will do",
        version / 10_000,
        OLDEST / 10_000
    );
    ensure!(
        encoding == "UTF8",
        "its encoding is {encoding}: make one with `createdb --encoding=UTF8`"
    );
    migrations::run(pool).await
}
