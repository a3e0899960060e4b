//! The store in a PostgreSQL database: the same ports as in `SQLite`, by the same statements wherever both
//! read them alike (`sql`). A data folder belongs to it all the same, with archives and locks, so crawls
//! run on the machine where that lies.
//!
//! What a transaction acknowledged is on the server's disk, as long as the server is not told
//! otherwise (`fsync`, `synchronous_commit`).

mod changes;
mod dialect;
mod hands;
mod lock;
mod migrations;
mod traces;
mod turns;

pub(super) use dialect::failure;
pub use hands::{HandRow, Hands, Lease, Presence};
pub use lock::SharedLock;
pub use turns::SharedTurns;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{PgConnection, PgPool};

use super::{files, sqlite};
use crate::{clock, secret};

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
        Ok(Self {
            pool,
            folder: folder.to_owned(),
            _lock: lock,
        })
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

/// Ties a database and a data folder to each other, unless they are.
pub(super) async fn tie(pool: &PgPool, folder: &Path) -> Result<()> {
    let mut transaction = pool.begin().await?;
    if place_of(&mut transaction).await?.is_some() && is_tied(&mut transaction, folder).await? {
        return Ok(());
    }
    // The first that comes ties it; copies may be made meanwhile.
    lock_place(&mut transaction).await?;
    let (of_folder, of_database) = (read_place(folder)?, place_of(&mut transaction).await?);
    let is_empty = of_database.is_none() && !has_topics(&mut transaction).await?;
    let name = folder.display();
    let identifier = match (of_folder, of_database) {
        (Some(tied), Some(database)) if tied == database => return Ok(()),
        (_, Some(_)) => bail!(
            "the database belongs to another data folder than {name}: the pages of its crawls lie there"
        ),
        (Some(_), None) if sqlite::is_in(folder) => bail!(
            "{name} was about to be moved into a database: `linkscent migrate` does it again, and with \
             --back leaves it as it was"
        ),
        (None, None) if sqlite::is_in(folder) => bail!(
            "the data folder {name} has a database of its own: `linkscent migrate` moves it, or choose \
             another folder with --data"
        ),
        // It was about to be tied when something came between.
        (Some(begun), None) if is_empty => begun,
        (Some(_), None) => bail!("the data folder {name} belongs to another database"),
        (None, None) => secret::random_hex::<16>(),
    };
    put_place(&identifier, &mut transaction).await?;
    write_place(folder, &identifier)?;
    transaction.commit().await?;
    Ok(())
}

/// Has others wait who tie the database.
pub(super) async fn lock_place(database: &mut PgConnection) -> Result<()> {
    let lock = sqlx::raw_sql("LOCK TABLE place IN EXCLUSIVE MODE");
    lock.execute(database).await?;
    Ok(())
}

/// The identifier of the data folder that a database belongs to, if it belongs to one.
pub(super) async fn place_of(database: &mut PgConnection) -> Result<Option<String>> {
    let place = sqlx::query_scalar("SELECT identifier FROM place");
    Ok(place.fetch_optional(database).await?)
}

/// Whether anything was kept in a database.
pub(super) async fn has_topics(database: &mut PgConnection) -> Result<bool> {
    let topics = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM topic)");
    Ok(topics.fetch_one(database).await?)
}

/// Whether a database and a data folder belong to each other.
pub(super) async fn is_tied(database: &mut PgConnection, folder: &Path) -> Result<bool> {
    let place = place_of(database).await?;
    Ok(place.is_some() && place == read_place(folder)?)
}

/// Puts down in a database to which data folder it belongs.
pub(super) async fn put_place(identifier: &str, database: &mut PgConnection) -> Result<()> {
    let put = sqlx::query("INSERT INTO place (identifier) VALUES ($1)");
    put.bind(identifier).execute(database).await?;
    Ok(())
}

/// What a data folder says of the database that it belongs to.
fn read_place(folder: &Path) -> Result<Option<String>> {
    let file = folder.join(files::ELSEWHERE);
    match std::fs::read_to_string(&file) {
        // One that is empty was about to be written.
        Ok(text) => Ok(Some(text.trim().to_owned()).filter(|text| !text.is_empty())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("reading {}", file.display())),
    }
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
