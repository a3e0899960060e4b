//! How long scoring a page takes in a browser.

use linkscent_core::guide::Guide;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::mark_of;
use linkscent_core::wire::views::PageView;
use linkscent_core::{critics, strategies};

use crate::background::tie_breaks;
use crate::browser::{BrowserRandom, now};
use crate::problem::Problem;

/// Links followed before the clock starts, so that there is something to look up.
const FOLLOWED: usize = 60;

/// See [`crate::bench_scoring`]: builds the page once, follows links, then visits it.
pub fn milliseconds_to_score(snapshot: &Snapshot, rounds: u32) -> Result<f64, Problem> {
    let page = snapshot.to_page()?;
    let mut guide =
        Guide::new(critics::NAMES[0], strategies::default_name()).ok_or(Problem::NoGuide)?;
    guide.mark(&page, mark_of(Some(true)));
    let (mut tie_breaks, mut via) = (tie_breaks(&BrowserRandom), Vec::new());
    for number in 0..FOLLOWED {
        let visit = guide.visit(&page, &via, None, &mut tie_breaks);
        via = visit.outlinks.into_iter().map(|row| row.0).collect();
        via = via.split_off(number.min(via.len()));
        via.truncate(1);
    }
    let began = now();
    for _ in 0..rounds {
        let visit = guide.visit(&page, &[], None, &mut tie_breaks);
        PageView::of(&page, &visit, &guide);
    }
    Ok((now() - began) / f64::from(rounds.max(1)))
}
