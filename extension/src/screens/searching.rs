//! The part of the panel where targets, finds, links kept for later and, once paired, the
//! companion's library are searched by words.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

use super::ask::ask;
use super::template::Part;
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::FoundPage;

/// See the module.
pub struct Searching {
    root: Element,
    tools: Tools,
}

impl Searching {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self { root, tools })
    }

    /// Has the panel's button search for what stands in its field.
    pub fn offer(self: &Rc<Self>, panel: &Part) -> Result<(), BrowserError> {
        let this = Rc::clone(self);
        panel.on_press("#search", move || {
            let this = Rc::clone(&this);
            async move { this.search().await }
        })?;
        Ok(())
    }

    async fn search(&self) -> Result<(), BrowserError> {
        let found = self.root.query_selector("#search-words");
        let field = found.map_err(|error| message(&error))?;
        let field = field.and_then(|field| field.dyn_into::<HtmlInputElement>().ok());
        let text = field.map(|field| field.value()).unwrap_or_default();
        let found: Vec<FoundPage> = ask(&self.tools, &Request::Find { text }).await?;
        let place = self.root.query_selector("[data-place=searched]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        let part = Part::of(&self.root, "searched")?;
        for page in &found {
            let line = Part::of(&self.root, "searched-page")?;
            let title = match page.title.as_str() {
                "" => &page.address,
                title => title,
            };
            if page.address.starts_with("http:") || page.address.starts_with("https:") {
                line.link("page", &page.address, title)?;
            }
            line.say("kind", &page.kind)?;
            part.add("#searched", &line)?;
        }
        part.keep_if("none", found.is_empty())?;
        part.show_in(&place)
    }
}
