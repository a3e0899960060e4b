//! Which pages of real webs are nearly the same as others, and where a real site is thought to repeat
//! itself.

use std::collections::HashMap;

use anyhow::Result;
use linkscent_archive::page::build;
use linkscent_archive::warc::Reader;
use linkscent_core::address::Address;
use linkscent_core::content::{Said, Sketch};
use linkscent_core::crawl::{Descent, NearDuplicates, Repetition};
use linkscent_core::dom::html;
use linkscent_tests::material;

/// Pages that are looked at of each web.
const PAGES: usize = 600;
/// Pairs of a page with one that is nearly the same, and of different pages, at least.
const PAIRS: usize = 1_000;

/// Pages of a real web in the order in which they were fetched, as HTML.
fn pages(web: &str) -> Result<Option<Vec<(Address, String)>>> {
    let Some(material) = material() else {
        return Ok(None);
    };
    let records = Reader::open(&material.join("webs").join(web))?;
    let page = |record: linkscent_archive::warc::Record| {
        let response = record
            .response()
            .filter(|response| response.status == 200)?;
        let address = Address::parse(&record.target).ok()?;
        Some((address, response.html().into_owned()))
    };
    let pages = records.flatten().filter_map(page);
    Ok(Some(pages.take(PAGES).collect()))
}

/// The same page as sites give it a second time: with another date, another advertisement, for
/// printing, by another name, with an identifier of the visit in each link.
fn twins(html: &str) -> Vec<String> {
    let end = html.rfind("</body>").unwrap_or(html.len());
    let with = |text: &str| format!("{}{text}{}", &html[..end], &html[end..]);
    vec![
        with("<p>This page was last changed on the 24th of November at nine in the evening</p>"),
        with(
            "<p>Buy now and save: twelve issues of our new magazine for the price of only ten</p>",
        ),
        html.replace("<ul", "<ul hidden")
            .replace("<nav", "<div")
            .replace("</nav", "</div"),
        html.replace("<title>", "<title>Print: "),
        html.replace("href=\"", "href=\"/visit/8f3a61d2\""),
    ]
}

fn sketch(html: &str) -> Option<Sketch> {
    Sketch::of(&html::parse(html).passages())
}

#[test]
fn nearly_the_same_pages_are_told_from_others() -> Result<()> {
    let (mut pairs, mut seen, mut others, mut mistaken) = (0, 0, 0, 0);
    for web in ["wikispeedia.warc.gz", "docs.warc.gz", "uci.warc.zst"] {
        let Some(pages) = pages(web)? else {
            return Ok(());
        };
        let mut before: Option<(String, Sketch)> = None;
        for (address, html) in pages {
            let Some(page) = sketch(&html) else {
                continue;
            };
            for twin in twins(&html) {
                pairs += 1;
                seen += usize::from(sketch(&twin).is_some_and(|twin| twin.is_near(&page)));
            }
            // The page before is of the same site most of the time, and has the same frame.
            if let Some((title, other)) = before.take() {
                let is_other = title != title_of(&html);
                others += usize::from(is_other);
                if is_other && other.is_near(&page) {
                    mistaken += 1;
                    println!("taken for the one before: {address}");
                }
            }
            before = Some((title_of(&html), page));
        }
    }
    println!("{seen} of {pairs} pairs are seen; {mistaken} of {others} others are taken for one");
    assert!(pairs >= PAIRS && seen * 100 >= pairs * 95);
    assert!(others >= PAIRS && mistaken * 1_000 <= others * 5);
    Ok(())
}

fn title_of(html: &str) -> String {
    html::parse(html).title
}

#[test]
fn real_sites_are_not_closed() -> Result<()> {
    for web in ["wikispeedia.warc.gz", "docs.warc.gz", "uci.warc.zst"] {
        let Some(pages) = pages(web)? else {
            return Ok(());
        };
        let (mut repetition, mut near) = (Repetition::default(), NearDuplicates::default());
        let (mut closed, mut twins, all) = (0, 0, pages.len());
        let mut sources: HashMap<Address, Vec<Address>> = HashMap::new();
        for (address, html) in pages {
            if repetition.is_closed(&address) {
                closed += 1;
                continue;
            }
            let (page, _) = build(
                address.clone(),
                html.as_bytes(),
                Some("text/html; charset=utf-8"),
            );
            let passages = page.document().passages();
            let links = page.outlinks.iter().map(|link| &link.target);
            let links = links.map(|target| (target, sources.contains_key(target)));
            let from = sources.get(&address).into_iter().flatten();
            let descent = Descent::of(&address, from, links);
            for link in &page.outlinks {
                let from = sources.entry(link.target.clone()).or_default();
                from.push(address.clone());
            }
            if Sketch::of(&passages).is_some_and(|sketch| near.has_or_add(&sketch)) {
                twins += 1;
                repetition.repeat(&address, true);
            } else {
                repetition.learn(&address, &Said::of(&passages), descent);
            }
        }
        println!("{web}: {twins} of {all} pages are nearly the same as others, {closed} closed");
        assert!(
            closed * 100 <= all && twins * 10 <= all,
            "{closed}, {twins} of {all}"
        );
    }
    Ok(())
}
