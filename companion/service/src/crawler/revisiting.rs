//! Recrawls of a watched topic: what its crawls have is known, and of the pages that a recrawl
//! begins with only what has changed since comes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::Result;
use linkscent_archive::page::of_html;
use linkscent_archive::warc::Reader;
use linkscent_core::address::Address;
use linkscent_core::crawl::Session;
use tokio::runtime::Handle;

use super::validators::{Validators, shown};
use linkscent_store::ports::CopyRow;
use linkscent_store::{CrawlRow, FetchRow, Store};

/// Has a session know all pages that earlier crawls of the topic had brought when this one began.
pub(super) fn know(
    session: &mut Session,
    store: &Store,
    crawl: &CrawlRow,
    log: &[FetchRow],
    handle: &Handle,
) -> Result<()> {
    // A recrawl that goes on knows what it knew when it began.
    let began = log.first().map_or(i64::MAX, |row| row.place.time);
    for earlier in handle.block_on(store.web_crawls(Some(crawl.topic)))? {
        if earlier.id >= crawl.id {
            continue;
        }
        let rows = handle.block_on(store.fetches(earlier.id))?.into_iter();
        let came = rows.filter(|row| row.place.warc_offset.is_some() && row.place.time <= began);
        let pages: Vec<Address> = came
            .filter_map(|row| Address::parse(&row.address).ok())
            .collect();
        session.know(&pages);
    }
    Ok(())
}

/// What tells whether the pages that a recrawl begins with have changed. One whose copy cannot be
/// read is asked for as if it were new.
pub(super) fn validators(
    store: &Store,
    crawl: &CrawlRow,
    handle: &Handle,
) -> Result<HashMap<Address, Validators>> {
    let seeds = crawl.order.seeds.iter();
    let seeds: Vec<String> = seeds.map(|seed| seed.0.clone()).collect();
    let copies = handle.block_on(store.copies(crawl.topic, &seeds))?;
    let crawls = handle.block_on(store.web_crawls(Some(crawl.topic)))?;
    let earlier: BTreeSet<i64> = crawls.iter().map(|earlier| earlier.id).collect();
    let is_earlier = |copy: &CopyRow| copy.crawl < crawl.id && earlier.contains(&copy.crawl);
    let mut newest: BTreeMap<String, (i64, u64)> = BTreeMap::new();
    for copy in copies.into_iter().filter(is_earlier) {
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
        let (page, _) = of_html(address.clone(), &kept.html(), &kept.body);
        // Where the server did not say when it changed, when it was read.
        let read = humantime::parse_rfc3339_weak(&kept.date).ok();
        let read = read.map(httpdate::fmt_http_date);
        let validators = Validators {
            shown: shown(&page),
            since: kept.header("last-modified").or(read),
            etag: kept.header("etag"),
            date: kept.date,
        };
        known.insert(address, validators);
    }
    Ok(known)
}
