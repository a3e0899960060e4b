//! Texts of the screens that are put together here, by their keys in `_locales`.

use js_sys::{Array, Function, Reflect};
use linkscent_core::band::Band;
use linkscent_core::wire::CrawlState;
use wasm_bindgen::{JsCast, JsValue};

use crate::js_values::Tools;
use crate::ports::BrowserError;

/// A text and what stands in it.
pub fn text(tools: &Tools, key: &str, values: &[&str]) -> String {
    let values: Array = values.iter().map(|value| JsValue::from(*value)).collect();
    said(tools, "text", key, &values)
}

/// A text that goes by a number.
pub fn count(tools: &Tools, key: &str, number: usize) -> String {
    said(tools, "count", key, &JsValue::from(number as f64))
}

/// What is wrong, by the key of its text.
pub fn wrong(tools: &Tools, key: &str) -> BrowserError {
    BrowserError(text(tools, key, &[]))
}

/// How likely something is.
pub fn band(tools: &Tools, probability: f64) -> String {
    let key = match Band::of(probability) {
        Band::Unlikely => "band_unlikely",
        Band::Perhaps => "band_perhaps",
        Band::Even => "band_even",
        Band::Likely => "band_likely",
        Band::VeryLikely => "band_very_likely",
    };
    text(tools, key, &[])
}

/// What a crawl is doing.
pub fn state(tools: &Tools, state: CrawlState) -> String {
    let key = match state {
        CrawlState::Running => "state_running",
        CrawlState::Paused => "state_paused",
        CrawlState::Stopped => "state_stopped",
        CrawlState::Done => "state_done",
    };
    text(tools, key, &[])
}

/// The script's functions for texts wait for nothing. Where one fails, its key says what is
/// missing.
fn said(tools: &Tools, function: &str, key: &str, values: &JsValue) -> String {
    let said = Reflect::get(&tools.0, &function.into())
        .and_then(JsCast::dyn_into::<Function>)
        .and_then(|function| function.call2(&tools.0, &key.into(), values));
    let said = said.ok().and_then(|said| said.as_string());
    said.unwrap_or_else(|| key.to_owned())
}
