//! The part of the panel with what the topic's last crawl found: the best finds, each with how
//! likely it is what was looked for, the way there and why the link to it was chosen.

use std::cell::RefCell;

use linkscent_core::wire::api::{CrawlView, FindView};
use serde::de::IgnoredAny;
use web_sys::Element;

use super::ask::ask;
use super::template::{Part, is_in_use};
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::texts;

/// Between so many looks the companion is asked once.
const SELDOM: u32 = 5;

/// See the module.
pub struct Finds {
    root: Element,
    tools: Tools,
    shown: RefCell<Option<CrawlView>>,
    looks: RefCell<u32>,
}

impl Finds {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools) -> Self {
        Self {
            root,
            tools,
            shown: RefCell::default(),
            looks: RefCell::default(),
        }
    }

    /// Has it drawn again with the next look, whatever it shows.
    pub fn is_stale(&self) {
        self.shown.replace(None);
    }

    /// Shows what was found, if that is other than what is shown and nothing is open there.
    pub async fn look(&self) -> Result<(), BrowserError> {
        let looks = *self.looks.borrow();
        self.looks.replace(looks + 1);
        if looks.is_multiple_of(SELDOM) {
            // Why the companion does not answer is the popup's to say.
            let _ = ask::<IgnoredAny>(&self.tools, &Request::Sync).await;
        }
        let crawl: Option<CrawlView> = ask(&self.tools, &Request::Finds).await?;
        let place = self.root.query_selector("[data-place=finds]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        let Some(crawl) = crawl else {
            place.set_text_content(None);
            self.is_stale();
            return Ok(());
        };
        if self.shown.borrow().as_ref() == Some(&crawl) || is_in_use(&place)? {
            return Ok(());
        }
        self.crawl(&crawl)?.show_in(&place)?;
        self.shown.replace(Some(crawl));
        Ok(())
    }

    fn crawl(&self, crawl: &CrawlView) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "finds")?;
        let numbers = [
            crawl.id.to_string(),
            crawl.relevant.to_string(),
            crawl.pages.to_string(),
        ];
        let [id, relevant, pages] = &numbers;
        let state = texts::state(&self.tools, crawl.state);
        let how = texts::text(&self.tools, "crawl_is", &[id, &state, relevant, pages]);
        part.say("how", &how)?;
        for find in &crawl.finds {
            part.add("#found", &self.find(find)?)?;
        }
        part.keep_if("found", !crawl.finds.is_empty())?;
        Ok(part)
    }

    fn find(&self, find: &FindView) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "find")?;
        if find.address.starts_with("http:") || find.address.starts_with("https:") {
            line.link("find", &find.address, &find.title)?;
        }
        // A companion of before does not say how likely a find is.
        line.say("likely", &texts::confidence(&self.tools, find.probability))?;
        line.keep_if("likely", find.probability > 0.0)?;
        line.say("because", &find.reason)?;
        for step in &find.path {
            let row = Part::of(&self.root, "step")?;
            row.say("step", step)?;
            line.add("ol", &row)?;
        }
        line.keep_if("way", !find.path.is_empty() || !find.reason.is_empty())?;
        Ok(line)
    }
}
