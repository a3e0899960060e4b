//! Crawls that begin with what crawls for other topics read.

use super::super::*;
use super::{address, limits, page, run, words};
use crate::crawl::{Outcome, Scope};
use crate::dom::Builder;
use crate::page::Page;
use crate::site_memory::SiteMemory;

/// What a crawl over two hosts read.
fn memory() -> SiteMemory {
    let mut session = super::session(40, "ensemble");
    run(&mut session, page);
    let mut memory = SiteMemory::default();
    let known = session.into_guide().knowledge();
    known.remembered_by(&mut memory, |_| true);
    memory
}

/// A page that says something of its own, and links nowhere.
fn alone(at: &Address) -> Outcome {
    let mut builder = Builder::new();
    let number = at.key() % 1_000_003;
    builder.leaf(&format!("kidney dialysis {}", words(number, 8)));
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), number)
}

/// What is fetched of a web without links, from a page about kidneys.
fn fetched(scope: Scope) -> Vec<Address> {
    let start = address("http://a.org/2");
    let seed = Seed {
        address: start.clone(),
        mark: Some(Mark::Target),
    };
    let mut guide = Guide::new("topic", "ensemble").unwrap();
    if let Outcome::Page(page, _) = alone(&start) {
        guide.mark(&page, Some(Mark::Target));
    }
    guide.remember_sites(memory());
    let best = guide.best_remembered(100);
    assert!(best.len() > 4, "{best:?}");
    let limits = Limits {
        scope,
        ..limits(100)
    };
    let mut session = Session::new(guide, limits, vec![seed]);
    session.offer_remembered(best);
    let (log, _) = run(&mut session, alone);
    log.into_iter().map(|row| row.0).collect()
}

#[test]
fn the_best_that_is_remembered_of_its_sites_waits_from_the_start() {
    let fetched = fetched(Scope::default());
    assert_eq!(fetched[0], address("http://a.org/2"));
    assert!(fetched.len() > 2, "{fetched:?}");
    assert!(fetched.iter().all(|page| page.host() == "a.org"));
}

#[test]
fn a_crawl_of_these_pages_and_no_others_is_just_that() {
    let depth = Some(0);
    let these = fetched(Scope {
        depth,
        ..Scope::default()
    });
    assert_eq!(these, [address("http://a.org/2")]);
}
