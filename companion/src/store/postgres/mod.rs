//! The store in a PostgreSQL database, for who has more than one machine or one process: the same ports
//! as in `SQLite`, by the same statements wherever both read them alike (`sql`). A data folder belongs
//! to it all the same, with archives and locks.
//!
//! What a transaction acknowledged is on the server's disk, as long as the server is not told
//! otherwise (`fsync`, `synchronous_commit`).

mod changes;
mod dialect;
mod migrations;
mod traces;

pub(super) use dialect::failure;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use super::{files, sqlite};
use crate::secret;

/// To the database at a time.
const CONNECTIONS: u32 = 8;
/// A server that is started again is waited for as long.
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
        Ok(Self {
            pool,
            folder: folder.to_owned(),
            _lock: lock,
        })
    }

    /// A database by its address, in the form of this version.
    pub(super) async fn connect(address: &str) -> Result<PgPool> {
        let options = PgConnectOptions::from_str(address).context(
            "reading the database's address, such as postgres://name@localhost/linkscent",
        )?;
        let place = format!(
            "the database {} on {}",
            options.get_database().unwrap_or(options.get_username()),
            options.get_host()
        );
        let pool = PgPoolOptions::new()
            .max_connections(CONNECTIONS)
            .acquire_timeout(LONGEST_WAIT)
            .connect_with(options.application_name("linkscent"))
            .await;
        let pool = pool.with_context(|| {
            format!("opening {place}: is the server there, and may this user open it?")
        })?;
        let checked = check(&pool).await;
        checked.with_context(|| format!("opening {place}"))?;
        Ok(pool)
    }
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

/// Ties a database and a data folder to each other, unless they are.
pub(super) async fn tie(pool: &PgPool, folder: &Path) -> Result<()> {
    let file = folder.join(files::ELSEWHERE);
    let of_folder = match std::fs::read_to_string(&file) {
        Ok(text) => Some(text.trim().to_owned()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("reading {}", file.display())),
    };
    // The first that comes ties it.
    let mut transaction = pool.begin().await?;
    sqlx::raw_sql("LOCK TABLE place")
        .execute(&mut *transaction)
        .await?;
    let of_database: Option<String> = sqlx::query_scalar("SELECT identifier FROM place")
        .fetch_optional(&mut *transaction)
        .await?;
    let folder_name = folder.display();
    match (of_folder, of_database) {
        (Some(tied), Some(database)) if tied == database => return Ok(()),
        (Some(_), None) if sqlite::is_in(folder) => bail!(
            "{folder_name} was about to be moved into a database: `linkscent migrate` does it again"
        ),
        (None, None) if sqlite::is_in(folder) => bail!(
            "the data folder {folder_name} has a database of its own: `linkscent migrate` moves it, or \
             choose another folder with --data"
        ),
        (None, None) => {}
        (Some(_), _) => bail!("the data folder {folder_name} belongs to another database"),
        (None, Some(_)) => bail!(
            "the database belongs to another data folder than {folder_name}: the pages of its crawls lie \
             there"
        ),
    }
    let identifier = secret::random_hex::<16>();
    sqlx::query("INSERT INTO place (identifier) VALUES ($1)")
        .bind(&identifier)
        .execute(&mut *transaction)
        .await?;
    write_place(folder, &identifier)?;
    transaction.commit().await?;
    Ok(())
}

/// Puts down in a data folder to which database it belongs.
pub(super) fn write_place(folder: &Path, identifier: &str) -> Result<()> {
    let file = folder.join(files::ELSEWHERE);
    let write = || {
        let mut own = files::open_private(&file)?;
        own.set_len(0)?;
        own.write_all(identifier.as_bytes())?;
        own.sync_all()
    };
    write().with_context(|| format!("writing {}", file.display()))
}
