//! The Rust half of the browser extension: every export, without decisions.
//!
//! The background holds one [`Linkscent`]; popup and panel only draw. See
//! `background` for what happens on each call.

mod asked;
mod background;
mod bench;
mod draw;
mod panel;
mod popup;
mod shown;
mod store;
mod sync;

use js_sys::Function;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use web_sys::Element;

use background::Background;

type JsResult = Result<JsValue, JsError>;

/// The handle the background script holds.
#[wasm_bindgen]
pub struct Linkscent(Background);

#[wasm_bindgen]
impl Linkscent {
    /// Opens the extension's database.
    pub async fn open() -> Result<Self, JsError> {
        Ok(Self(Background::open().await?))
    }

    /// A page is being read in a tab: learns from how it was reached, scores
    /// its links. `started` is when its loading began.
    pub async fn read(&mut self, page: JsValue, tab: i32, started: f64, now: f64) -> JsResult {
        give(&self.0.read(&take(page)?, tab, started, now).await?)
    }

    /// The person follows a link.
    pub async fn followed(
        &mut self,
        page: JsValue,
        place: i32,
        tab: i32,
        new_tab: bool,
        now: f64,
    ) -> JsResult {
        give(
            &self
                .0
                .followed(&take(page)?, place, tab, new_tab, now)
                .await?,
        )
    }

    /// Why a page is not read, in a few words, if that can be told by its address.
    pub async fn refusal(&mut self, address: String) -> JsResult {
        give(&self.0.refusal(&address).await?)
    }

    /// What the popup shows; the page may be null, and why it is not read.
    pub async fn state(&mut self, page: JsValue, refused: Option<String>, now: f64) -> JsResult {
        give(&self.0.state(take(page)?, refused, now).await?)
    }

    /// Marks the page: true, false, or null to take the mark back.
    pub async fn mark(&mut self, page: JsValue, target: Option<bool>, now: f64) -> JsResult {
        give(&self.0.mark(&take(page)?, target, now).await?)
    }

    /// Marks a form of the page, by its place: whether it leads to a database
    /// that is looked for, or null to take the mark back.
    pub async fn mark_form(
        &mut self,
        page: JsValue,
        form: usize,
        wanted: Option<bool>,
        now: f64,
    ) -> JsResult {
        give(&self.0.mark_form(&take(page)?, form, wanted, now).await?)
    }

    /// Answers a question about a page: yes, no or skip; of a crawl, or with null of
    /// the pages read here.
    pub async fn answer(
        &mut self,
        crawl: Option<i32>,
        page: String,
        answer: JsValue,
        now: f64,
    ) -> JsResult {
        let answer = take(answer)?;
        give(
            &self
                .0
                .answer(crawl.map(i64::from), &page, answer, now)
                .await?,
        )
    }

    /// Switches to a topic, made if it is new.
    pub async fn choose_topic(&mut self, name: String) -> JsResult {
        give(&self.0.choose_topic(&name).await?)
    }

    /// Pauses on the page's host, or goes on there.
    pub async fn pause(&mut self, page: JsValue, on: bool) -> JsResult {
        give(&self.0.pause(&take(page)?, on).await?)
    }

    /// All trails, newest first.
    pub async fn trails(&mut self) -> JsResult {
        give(&self.0.trails().await?)
    }

    /// Forgets a trail, or with null everything that was read; marks stay.
    pub async fn forget(&mut self, id: Option<String>) -> JsResult {
        give(&self.0.forget(id).await?)
    }

    /// Forgets a page with its mark, its words and every link from and to it.
    pub async fn forget_page(&mut self, address: String) -> JsResult {
        give(&self.0.forget_page(&address).await?)
    }

    /// The patterns of sites that are not read, a line each.
    pub async fn excluded(&mut self) -> JsResult {
        give(&self.0.excluded().await?)
    }

    /// Replaces them; null brings the usual ones back.
    pub async fn exclude(&mut self, patterns: Option<String>) -> JsResult {
        give(&self.0.exclude(patterns).await?)
    }

    /// A link that opens the companion's dashboard, once.
    pub async fn dashboard(&mut self) -> JsResult {
        give(&self.0.dashboard().await?)
    }

    /// Pairs with the companion.
    pub async fn pair(&mut self, port: u16, code: String) -> JsResult {
        give(&self.0.pair(port, &code).await?)
    }

    /// Forgets the companion.
    pub async fn unpair(&mut self) -> JsResult {
        give(&self.0.unpair().await?)
    }

    /// Sends what is new to the companion, and pulls its newer model.
    pub async fn sync(&mut self) -> JsResult {
        give(&self.0.sync().await?)
    }

    /// Hands the topic over, starting from these pages.
    pub async fn hand_over(&mut self, budget: f64, seeds: JsValue) -> JsResult {
        give(&self.0.hand_over(budget as u64, take(seeds)?).await?)
    }
}

/// Draws the popup for a tab.
#[wasm_bindgen]
pub async fn draw_popup(root: Element, tools: JsValue, tab: i32) -> Result<(), JsError> {
    popup::Popup::new(root, tools, tab).draw().await
}

/// Draws the panel.
#[wasm_bindgen]
pub async fn draw_panel(root: Element, tools: JsValue, _tab: i32) -> Result<(), JsError> {
    panel::Panel::new(root, tools).draw().await
}

/// Milliseconds to score a page's links, on average over `rounds`: the bench
/// of the same work natively and here.
#[wasm_bindgen]
pub fn bench_scoring(page: JsValue, rounds: u32) -> Result<f64, JsError> {
    bench::scoring(&take(page)?, rounds)
}

fn take<T: DeserializeOwned>(value: JsValue) -> Result<T, JsError> {
    serde_wasm_bindgen::from_value(value).map_err(|error| JsError::new(&error.to_string()))
}

/// Plain objects, as messages between browser processes need them.
fn give<T: Serialize>(value: &T) -> JsResult {
    let value = value.serialize(&Serializer::json_compatible());
    value.map_err(|error| JsError::new(&error.to_string()))
}

/// Calls one of the page script's tools.
async fn call(tools: &JsValue, name: &str, argument: &JsValue) -> JsResult {
    let failed = |error: JsValue| {
        let text = js_sys::Reflect::get(&error, &"message".into()).ok();
        JsError::new(&text.and_then(|text| text.as_string()).unwrap_or_default())
    };
    let tool: Function = js_sys::Reflect::get(tools, &name.into())
        .map_err(failed)?
        .dyn_into()
        .map_err(failed)?;
    let promise = tool.call1(tools, argument).map_err(failed)?;
    wasm_bindgen_futures::JsFuture::from(js_sys::Promise::resolve(&promise))
        .await
        .map_err(failed)
}
