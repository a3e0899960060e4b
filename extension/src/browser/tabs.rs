//! The browser's tabs, by the background script's tools.

use wasm_bindgen::JsValue;

use super::Browser;
use crate::js_values::{give, take};
use crate::ports::{BrowserError, Look, TabMessage, Tabs};

impl Tabs for Browser {
    async fn look(&self, tab: i32) -> Result<Look, BrowserError> {
        take(self.tools.call("look", &[tab.into()]).await?)
    }

    async fn session(&self) -> Result<String, BrowserError> {
        take(self.tools.call("session", &[]).await?)
    }

    async fn tell(&self, tab: i32, what: TabMessage) {
        if let Ok(kind) = give(&what) {
            // There may be no such tab, or nothing is read in it.
            let _ = self.tools.call("tell", &[tab.into(), kind]).await;
        }
    }

    async fn badge(&self, tab: i32, links: Option<usize>) {
        let text = links.map(|links| links.to_string()).unwrap_or_default();
        // The tab may be gone.
        let _ = self
            .tools
            .call("badge", &[tab.into(), JsValue::from(text)])
            .await;
    }

    async fn open_panel(&self) {
        let _ = self.tools.call("openPanel", &[]).await;
    }

    async fn notify(&self, text: &str) {
        // The person may have taken the permission back.
        let _ = self.tools.call("notify", &[text.into()]).await;
    }

    async fn look_often(&self, on: bool) {
        let _ = self.tools.call("lookOften", &[on.into()]).await;
    }

    async fn reads(&self, on: bool) {
        // Where the button cannot be drawn, pages are not read all the same.
        let _ = self.tools.call("reads", &[on.into()]).await;
    }

    async fn unread(
        &self,
        url: &str,
        loaded: Option<&str>,
    ) -> Result<Option<String>, BrowserError> {
        let loaded = loaded.map_or(JsValue::NULL, JsValue::from);
        take(self.tools.call("unread", &[url.into(), loaded]).await?)
    }
}
