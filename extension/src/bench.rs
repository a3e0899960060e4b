//! How long scoring a page takes in a browser.

use linkscent_core::guide::Guide;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::mark_of;
use linkscent_core::wire::views::PageView;
use linkscent_core::{critics, strategies};
use wasm_bindgen::JsError;

use crate::background::{draw, js};

/// Links followed before the clock starts, so that there is something to look up.
const FOLLOWED: usize = 60;

/// See [`crate::bench_scoring`]: builds the page once, follows links, then visits it.
pub fn scoring(snapshot: &Snapshot, rounds: u32) -> Result<f64, JsError> {
    let page = snapshot.to_page().map_err(js)?;
    let mut guide = Guide::new(critics::NAMES[0], strategies::default_name())
        .ok_or_else(|| js("no critic or no strategy"))?;
    guide.mark(&page, mark_of(Some(true)));
    let (mut draw, mut via) = (draw(), Vec::new());
    for number in 0..FOLLOWED {
        let visit = guide.visit(&page, &via, None, &mut draw);
        via = visit.outlinks.into_iter().map(|row| row.0).collect();
        via = via.split_off(number.min(via.len()));
        via.truncate(1);
    }
    let began = js_sys::Date::now();
    for _ in 0..rounds {
        let visit = guide.visit(&page, &[], None, &mut draw);
        PageView::of(&page, &visit, &guide);
    }
    Ok((js_sys::Date::now() - began) / f64::from(rounds.max(1)))
}
