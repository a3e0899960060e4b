//! The Rust half of the browser extension: every export, without decisions.
//!
//! The background script holds one [`Linkscent`] and hands it each message; popup and
//! panel only show. See `background` for what happens on each request.

mod asked;
mod background;
#[cfg(feature = "bench")]
pub mod bench;
mod browser;
mod companion;
#[cfg(test)]
mod fakes;
mod js_values;
mod paths;
mod ports;
mod problem;
mod request;
mod rows;
mod screens;
mod searched;
mod sender;
mod shown;
mod store;
mod texts;
mod upgrades;

use std::rc::Rc;

#[cfg(feature = "bench")]
use linkscent_core::wire::Snapshot;
use wasm_bindgen::prelude::*;
use web_sys::Element;

use background::Background;
use browser::Browser;
use js_values::{Tools, give, take, thrown};
use problem::Problem;
use request::Request;
use sender::SenderFacts;

/// The handle the background script holds.
#[wasm_bindgen]
pub struct Linkscent {
    background: Background<Browser>,
    tools: Tools,
}

#[wasm_bindgen]
impl Linkscent {
    /// Opens the extension's database. `tools` are functions of the background script:
    /// `look`, `session`, `tell`, `notify`, `openPanel`, `lookOften`, `reads`, `badge`, `unread`,
    /// `dropDeleted`, `text` and `count`.
    pub async fn open(tools: JsValue) -> Result<Self, JsError> {
        let tools = Tools(tools);
        let browser = Browser::open(tools.clone()).await;
        let browser = browser.map_err(|error| thrown(Problem::from(error).text(&tools)))?;
        let background = Background::new(Rc::new(browser));
        background.show_switch().await;
        Ok(Self { background, tools })
    }

    /// Handles a message, given what the browser says of its sender: `answer` is the
    /// answer, `sync`, `isFull` and `keeps` what is to be done next, see `request::News`.
    pub async fn handle(&mut self, message: JsValue, sender: JsValue) -> Result<JsValue, JsError> {
        let handled = self.handled(message, sender).await;
        handled.map_err(|problem| thrown(problem.text(&self.tools)))
    }

    async fn handled(&mut self, message: JsValue, sender: JsValue) -> Result<JsValue, Problem> {
        let facts: SenderFacts = take(sender)?;
        let sender = facts.sender().ok_or(Problem::NotTaken)?;
        let request: Request = take(message).map_err(|_| Problem::NotTaken)?;
        let handled = self.background.handle(&sender, request).await?;
        Ok(give(&handled)?)
    }
}

/// Shows the popup for a tab. `tools` are functions of the page's script: `ask`,
/// `rest`, `mayRead`, `askToRead`, `askToTell`, `askToNotify`, `openDashboard` and `openPanel`.
#[wasm_bindgen]
pub async fn show_popup(root: Element, tools: JsValue, tab: i32) -> Result<(), JsError> {
    let shown = screens::popup(root, Tools(tools), tab).await;
    shown.map_err(thrown)
}

/// Shows the panel, with the same tools.
#[wasm_bindgen]
pub async fn show_panel(root: Element, tools: JsValue, _tab: i32) -> Result<(), JsError> {
    let shown = screens::panel(root, Tools(tools)).await;
    shown.map_err(thrown)
}

/// Shows the welcome page in a tab, with the same tools.
#[wasm_bindgen]
pub async fn show_welcome(root: Element, tools: JsValue, tab: i32) -> Result<(), JsError> {
    let shown = screens::welcome(root, Tools(tools), tab).await;
    shown.map_err(thrown)
}

/// Reads a message as the background does and returns it as it is understood, as JSON; `None` if
/// it is not taken.
#[cfg(feature = "bench")]
pub fn read_message(json: &str) -> Option<String> {
    let request: Request = serde_json::from_str(json).ok()?;
    serde_json::to_string(&request).ok()
}

/// Reads what a browser says of a sender and returns who is listened to, in words; `None` if
/// nobody is.
#[cfg(feature = "bench")]
pub fn read_sender(json: &str) -> Option<String> {
    let facts: SenderFacts = serde_json::from_str(json).ok()?;
    Some(format!("{:?}", facts.sender()?))
}

/// Milliseconds to score a page's links, on average over `rounds`: the bench
/// of the same work natively and here.
#[cfg(feature = "bench")]
#[wasm_bindgen]
pub fn bench_scoring(page: JsValue, rounds: u32) -> Result<f64, JsError> {
    let page = take(page).map_err(thrown)?;
    bench::milliseconds_to_score(&page, rounds).map_err(thrown)
}

/// Milliseconds to make a page, its visit and its tab's path ready for the database, and to
/// read the path, on average over `rounds`.
#[cfg(feature = "bench")]
#[wasm_bindgen]
pub fn bench_visit(page: JsValue, rounds: u32) -> Result<f64, JsError> {
    let page = take(page).map_err(thrown)?;
    bench::milliseconds_to_log(&page, rounds).map_err(thrown)
}

/// Reads so many pages one after the other: milliseconds a page after 10 and at the end, to keep
/// all that was learned at worst, and its bytes at the end.
#[cfg(feature = "bench")]
#[wasm_bindgen]
pub fn bench_reading(pages: u32) -> Result<Vec<f64>, JsError> {
    bench::reading(pages).map_err(thrown)
}

/// The numbers of [`bench::numbers`], as this build computes them.
#[cfg(feature = "bench")]
#[wasm_bindgen]
pub fn bench_numbers(pages: JsValue) -> Result<Vec<f64>, JsError> {
    let pages: Vec<Snapshot> = take(pages).map_err(thrown)?;
    bench::numbers(&pages).map_err(thrown)
}
