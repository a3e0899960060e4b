//! Texts that are put together here, by their keys in `_locales`, in the person's language.
//! What the companion and the strategies say in words of their own is English.

mod reasons;

use linkscent_core::confidence::Confidence;
use linkscent_core::privacy::Refusal;
use linkscent_core::wire::CrawlState;

use crate::ports::{BrowserError, Texts};

pub use reasons::why;

/// A text and what stands in it.
pub fn text(texts: &impl Texts, key: &str, values: &[&str]) -> String {
    texts.text(key, values)
}

/// A text that goes by a number.
pub fn count(texts: &impl Texts, key: &str, number: usize) -> String {
    texts.count(key, number)
}

/// What is wrong, by the key of its text.
pub fn wrong(texts: &impl Texts, key: &str) -> BrowserError {
    BrowserError(texts.text(key, &[]))
}

/// How likely something is.
pub fn confidence(texts: &impl Texts, probability: f64) -> String {
    let key = match Confidence::of(probability) {
        Confidence::Unlikely => "band_unlikely",
        Confidence::Perhaps => "band_perhaps",
        Confidence::Even => "band_even",
        Confidence::Likely => "band_likely",
        Confidence::VeryLikely => "band_very_likely",
    };
    texts.text(key, &[])
}

/// What a crawl is doing.
pub fn state(texts: &impl Texts, state: CrawlState) -> String {
    let key = match state {
        CrawlState::Running => "state_running",
        CrawlState::Paused => "state_paused",
        CrawlState::Stopped => "state_stopped",
        CrawlState::Done => "state_done",
    };
    texts.text(key, &[])
}

/// Why a page is not read, in a few words.
pub fn refusal(texts: &impl Texts, refusal: Refusal) -> String {
    let key = match refusal {
        Refusal::PrivateNetwork => "unread_private_network",
        Refusal::Excluded => "unread_excluded",
        Refusal::SecretAddress => "unread_secret_address",
    };
    texts.text(key, &[])
}
