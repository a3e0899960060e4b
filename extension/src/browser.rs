//! The world as the browser gives it: `IndexedDB`, `fetch`, its clock, its random
//! numbers, and through the background script its tabs.

mod database;
mod network;
mod tabs;

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::Crypto;

use crate::js_values::Tools;
use crate::ports::{Clock, DatabaseError, RandomSource, Texts};

/// See the module.
pub struct Browser {
    database: idb::Database,
    tools: Tools,
}

impl Browser {
    /// Opens the database; one of an earlier form is brought to the newest. `tools` are
    /// the background script's.
    pub async fn open(tools: Tools) -> Result<Self, DatabaseError> {
        let database = database::open().await?;
        Ok(Self { database, tools })
    }
}

/// The browser's clock, in milliseconds since 1970.
pub fn now() -> f64 {
    js_sys::Date::now()
}

impl Clock for Browser {
    fn now(&self) -> f64 {
        now()
    }
}

/// The browser's random numbers. Without them nothing here is safe; every browser has
/// them.
pub struct BrowserRandom;

impl RandomSource for BrowserRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let crypto = Reflect::get(&js_sys::global(), &"crypto".into());
        let crypto: Crypto = crypto.unwrap_or_default().unchecked_into();
        crypto
            .get_random_values_with_u8_array(bytes)
            .expect("browsers have random numbers");
    }
}

impl RandomSource for Browser {
    fn fill(&self, bytes: &mut [u8]) {
        BrowserRandom.fill(bytes);
    }
}

impl Texts for Browser {
    fn text(&self, key: &str, values: &[&str]) -> String {
        self.tools.text(key, values)
    }

    fn count(&self, key: &str, number: usize) -> String {
        self.tools.count(key, number)
    }
}
