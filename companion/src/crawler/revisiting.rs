//! Rounds of a standing topic: what its crawls have is known, and of the pages that a round
//! begins with only what has changed since comes.

use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use linkscent_archive::page::build;
use linkscent_archive::warc::Reader;
use linkscent_core::address::Address;
use linkscent_core::crawl::Session;
use tokio::runtime::Handle;

use super::fetch::Validators;
use crate::store::{CrawlRow, Store};

/// Has a session know all pages that earlier crawls of the topic brought.
pub(super) fn know(
    session: &mut Session,
    store: &Store,
    crawl: &CrawlRow,
    handle: &Handle,
) -> Result<()> {
    let looks = handle.block_on(store.looks(crawl.topic))?;
    let earlier = looks.iter().filter(|look| look.crawl < crawl.id);
    let pages: Vec<Address> = earlier
        .filter_map(|look| Address::parse(&look.address).ok())
        .collect();
    session.know(&pages);
    Ok(())
}

/// What tells whether the pages that a round begins with have changed. One whose copy cannot be
/// read is asked for as if it were new.
pub(super) fn validators(
    store: &Store,
    crawl: &CrawlRow,
    handle: &Handle,
) -> Result<HashMap<Address, Validators>> {
    let seeds = crawl.order.seeds.iter();
    let seeds: Vec<String> = seeds.map(|seed| seed.0.clone()).collect();
    let copies = handle.block_on(store.copies(crawl.topic, &seeds))?;
    let mut newest: BTreeMap<String, (i64, u64)> = BTreeMap::new();
    for copy in copies.into_iter().filter(|copy| copy.crawl < crawl.id) {
        newest.insert(copy.address, (copy.crawl, copy.number));
    }
    let mut known = HashMap::new();
    for (address, (of, number)) in newest {
        let rows = handle.block_on(store.kept_after(of, number.saturating_sub(1), 1))?;
        let row = rows.into_iter().find(|row| row.number == number);
        let (Some(row), Ok(address)) = (row, Address::parse(&address)) else {
            continue;
        };
        let archive = store.warc_path(of);
        let Ok(kept) = Reader::exchange_at(&archive, row.offset, address.as_str()) else {
            continue;
        };
        let content_type = kept.header("content-type");
        let (_, digest) = build(address.clone(), &kept.body, content_type.as_deref());
        // Where the server did not say when it changed, when it was read.
        let read = humantime::parse_rfc3339_weak(&kept.date).ok();
        let read = read.map(httpdate::fmt_http_date);
        let validators = Validators {
            digest,
            since: kept.header("last-modified").map(Into::into).or(read),
            etag: kept.header("etag").map(Into::into),
        };
        known.insert(address, validators);
    }
    Ok(known)
}
