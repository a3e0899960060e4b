//! Which data folder a database belongs to, and where the archives in it are copied to.
//!
//! Both sides say so of each other: a log is of no use beside another crawl's pages.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use sqlx::{Connection, PgConnection, PgPool};

use super::forget_objects;
use crate::secret;
use crate::{StoreResult, files, sqlite};

/// Ties a database and a data folder to each other, unless they are.
pub(crate) async fn tie(pool: &PgPool, folder: &Path) -> Result<()> {
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
            "the database belongs to another data folder than {name}: the pages of its crawls lie there, and if it \
             is lost, `linkscent data archives --bring-back` makes it again from copies"
        ),
        (Some(_), None) if sqlite::is_in(folder) => bail!(
            "{name} was about to be moved into a database: `linkscent data migrate` does it again, and with \
             --back leaves it as it was"
        ),
        (None, None) if sqlite::is_in(folder) => bail!(
            "the data folder {name} has a database of its own: `linkscent data migrate` moves it, or choose \
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
pub(crate) async fn lock_place(database: &mut PgConnection) -> Result<()> {
    let lock = sqlx::raw_sql("LOCK TABLE place IN EXCLUSIVE MODE");
    lock.execute(database).await?;
    Ok(())
}

/// The identifier of the data folder that a database belongs to, if it belongs to one.
pub(crate) async fn place_of(database: &mut PgConnection) -> Result<Option<String>> {
    let place = sqlx::query_scalar("SELECT identifier FROM place");
    Ok(place.fetch_optional(database).await?)
}

/// Whether anything was kept in a database.
pub(crate) async fn has_topics(database: &mut PgConnection) -> Result<bool> {
    let topics = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM topic)");
    Ok(topics.fetch_one(database).await?)
}

/// Whether a database and a data folder belong to each other.
pub(crate) async fn is_tied(database: &mut PgConnection, folder: &Path) -> Result<bool> {
    let place = place_of(database).await?;
    Ok(place.is_some() && place == read_place(folder)?)
}

/// Puts down in a database to which data folder it belongs.
pub(crate) async fn put_place(identifier: &str, database: &mut PgConnection) -> Result<()> {
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
pub(crate) fn write_place(folder: &Path, identifier: &str) -> Result<()> {
    let file = folder.join(files::ELSEWHERE);
    let write = || {
        let mut own = files::open_private(&file)?;
        own.set_len(0)?;
        own.write_all(identifier.as_bytes())?;
        own.sync_all()
    };
    write().with_context(|| format!("writing {}", file.display()))
}

/// Where archives of a database are copied to, if they may be brought back into a data folder: into its own
/// or an empty one.
pub(crate) async fn may_bring_to(pool: &PgPool, folder: &Path) -> Result<String> {
    let mut database = pool.acquire().await?;
    let is_own = is_tied(&mut database, folder).await?;
    ensure!(
        is_own || (read_place(folder)?.is_none() && !sqlite::is_in(folder)),
        "{} is the data folder of another database: give an empty one",
        folder.display()
    );
    let place = copies(&mut database).await?;
    place.context(
        "the archives of this database are not copied to anywhere: restore the data folder from its back-up",
    )
}

/// Has a database belong to that data folder, and no longer to the one before.
pub(crate) async fn bring_to(pool: &PgPool, folder: &Path) -> Result<()> {
    let mut transaction = pool.begin().await?;
    lock_place(&mut transaction).await?;
    if is_tied(&mut transaction, folder).await? {
        return Ok(());
    }
    let identifier = secret::random_hex::<16>();
    let tie = sqlx::query("UPDATE place SET identifier = $1").bind(&identifier);
    tie.execute(&mut *transaction).await?;
    // They may be another's, who goes on with them.
    forget_objects(&mut transaction).await?;
    sqlx::query("UPDATE place SET copies = NULL")
        .execute(&mut *transaction)
        .await?;
    write_place(folder, &identifier)?;
    transaction.commit().await?;
    Ok(())
}

/// Where archives are copied to; `None` if they are not.
pub(crate) async fn copies(database: &mut PgConnection) -> StoreResult<Option<String>> {
    let copies: Option<Option<String>> = sqlx::query_scalar("SELECT copies FROM place")
        .fetch_optional(database)
        .await?;
    Ok(copies.flatten())
}

/// Puts down where archives are copied to from now on, where nothing is copied yet.
pub(crate) async fn set_copies(database: &mut PgConnection, to: Option<&str>) -> StoreResult<()> {
    let mut transaction = database.begin().await?;
    forget_objects(&mut transaction).await?;
    let set = sqlx::query("UPDATE place SET copies = $1").bind(to);
    set.execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(())
}
