//! Pages that crawls kept, read back from their archives.

use anyhow::{Context, Result};
use linkscent_archive::page::page_at;
use linkscent_core::address::Address;
use linkscent_core::page::Page;

use linkscent_store::Store;

/// A page that a crawl kept; `None` if it has none of that address.
pub async fn page(store: &Store, crawl: i64, address: &str) -> Result<Option<Page>> {
    let Ok(address) = Address::parse(address) else {
        return Ok(None);
    };
    let Some((offset, _)) = store.kept_page(crawl, address.as_str()).await? else {
        return Ok(None);
    };
    let archive = store.warc_path(crawl);
    let reading = tokio::task::spawn_blocking(move || page_at(&archive, offset, &address));
    let (page, _) = reading
        .await?
        .context("the kept copy of this page cannot be read; fetch it again in a new crawl")?;
    Ok(Some(*page))
}
