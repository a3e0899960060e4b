//! Which objects are copies of crawls' archives. The database's triggers say of them that they are none any
//! more in the very transaction in which a page is forgotten or lost, or a crawl deleted.

use sqlx::{Connection, PgConnection};

use crate::StoreResult;

/// What is written to an object store has arrived there by then, or never does.
const LONGEST_UNDER_WAY: &str = "10 minutes";

/// How far an archive is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) crawl: i64,
    /// Bytes that the log has of it.
    pub(crate) bytes: u64,
    /// Bytes that are copied.
    pub(crate) copied: u64,
    /// What its log has been rewritten up to now.
    rewritten: i64,
}

/// A part of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) object: String,
}

/// How far the archives of all crawls are copied, or of one.
pub(crate) async fn extents(
    database: &mut PgConnection,
    crawl: Option<i64>,
) -> StoreResult<Vec<Extent>> {
    let rows: Vec<(i64, i64, i64, i64)> = sqlx::query_as(
        "SELECT id, warc_length,
             coalesce((SELECT max(to_byte) FROM archive_part WHERE archive_part.crawl = id), 0),
             coalesce((SELECT rewritten FROM log_change WHERE log_change.crawl = id), 0)
         FROM crawl WHERE warc_length > 0 AND ($1::bigint IS NULL OR id = $1) ORDER BY id",
    )
    .bind(crawl)
    .fetch_all(database)
    .await?;
    let rows = rows.into_iter();
    let rows = rows.map(|(crawl, bytes, copied, rewritten)| Extent {
        crawl,
        bytes: bytes as u64,
        copied: copied as u64,
        rewritten,
    });
    Ok(rows.collect())
}

/// Puts down an object before it is written: as one to be deleted, which it is if nothing comes of it.
pub(crate) async fn begin_object(database: &mut PgConnection, object: &str) -> StoreResult<()> {
    let begin = sqlx::query("INSERT INTO archive_gone (object) VALUES ($1)").bind(object);
    begin.execute(database).await?;
    Ok(())
}

/// Has an object that was begun be the next part of an archive; `false` if it is none, since its log was
/// rewritten meanwhile, or the archive cut off.
pub(crate) async fn keep_part(
    database: &mut PgConnection,
    extent: &Extent,
    part: &Part,
) -> StoreResult<bool> {
    let mut transaction = database.begin().await?;
    // Whoever rewrites the log has this row until it is done; it is not there before the first time.
    sqlx::query("INSERT INTO log_change (crawl) VALUES ($1) ON CONFLICT (crawl) DO NOTHING")
        .bind(extent.crawl)
        .execute(&mut *transaction)
        .await?;
    let rewritten: i64 =
        sqlx::query_scalar("SELECT rewritten FROM log_change WHERE crawl = $1 FOR UPDATE")
            .bind(extent.crawl)
            .fetch_one(&mut *transaction)
            .await?;
    if rewritten != extent.rewritten {
        return Ok(false);
    }
    let begun = sqlx::query("DELETE FROM archive_gone WHERE object = $1")
        .bind(&part.object)
        .execute(&mut *transaction)
        .await?;
    let kept = sqlx::query(
        "INSERT INTO archive_part (crawl, from_byte, to_byte, object)
         SELECT id, $2, $3, $4 FROM crawl WHERE id = $1 AND warc_length >= $3",
    )
    .bind(extent.crawl)
    .bind(part.from as i64)
    .bind(part.to as i64)
    .bind(&part.object)
    .execute(&mut *transaction)
    .await?;
    if (begun.rows_affected(), kept.rows_affected()) != (1, 1) {
        return Ok(false);
    }
    transaction.commit().await?;
    Ok(true)
}

/// The parts of an archive, one after the other.
pub(crate) async fn parts(database: &mut PgConnection, crawl: i64) -> StoreResult<Vec<Part>> {
    let rows: Vec<(i64, i64, String)> = sqlx::query_as(
        "SELECT from_byte, to_byte, object FROM archive_part WHERE crawl = $1 ORDER BY from_byte",
    )
    .bind(crawl)
    .fetch_all(database)
    .await?;
    let rows = rows.into_iter();
    let rows = rows.map(|(from, to, object)| Part {
        from: from as u64,
        to: to as u64,
        object,
    });
    Ok(rows.collect())
}

/// Objects that are to be deleted.
pub(crate) async fn gone_objects(database: &mut PgConnection) -> StoreResult<Vec<String>> {
    let gone = sqlx::query_scalar(
        "SELECT object FROM archive_gone WHERE NOT deleted OR since < now() - $1::interval
         ORDER BY since, object",
    );
    Ok(gone.bind(LONGEST_UNDER_WAY).fetch_all(database).await?)
}

/// An object was deleted: it is known until nothing of it can be under way any more.
pub(crate) async fn let_go(database: &mut PgConnection, object: &str) -> StoreResult<()> {
    let mut transaction = database.begin().await?;
    sqlx::query("UPDATE archive_gone SET deleted = TRUE WHERE object = $1")
        .bind(object)
        .execute(&mut *transaction)
        .await?;
    sqlx::query("DELETE FROM archive_gone WHERE object = $1 AND since < now() - $2::interval")
        .bind(object)
        .bind(LONGEST_UNDER_WAY)
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await?;
    Ok(())
}

/// Knows of no copies any more; the objects stay.
pub(crate) async fn forget_objects(database: &mut PgConnection) -> StoreResult<()> {
    let forget = sqlx::raw_sql("DELETE FROM archive_part; DELETE FROM archive_gone");
    forget.execute(database).await?;
    Ok(())
}
