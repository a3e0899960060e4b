//! The panel: trails, to be looked at and deleted, forgetting, sites that are not
//! read, and the companion.

use std::rc::Rc;

use serde::de::IgnoredAny;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTextAreaElement};

use crate::ask::ask;
use crate::draw::{button, element};
use crate::js_values::Tools;
use crate::ports::BrowserError;
use crate::request::Request;
use crate::rows::TrailRow;

/// Trails shown; older ones are kept all the same.
const SHOWN: usize = 200;

/// See the module.
pub struct Panel {
    root: Element,
    tools: Tools,
}

impl Panel {
    /// The panel, drawn into `root`.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self { root, tools })
    }

    /// Draws everything again.
    pub async fn draw(self: &Rc<Self>) -> Result<(), BrowserError> {
        let trails: Vec<TrailRow> = ask(&self.tools, &Request::Trails).await?;
        self.root.set_text_content(None);
        element(&self.root, "h1", "Your trails");
        element(
            &self.root,
            "p",
            "Links you followed for a topic. They are kept in this browser and, once paired, by your own companion.",
        );
        let list = element(&self.root, "ul", "");
        list.set_id("trails");
        for trail in trails.iter().take(SHOWN) {
            let line = element(&list, "li", "");
            element(&line, "strong", &trail.topic);
            element(&line, "span", &format!(" {} → {} ", trail.from, trail.to));
            element(
                &line,
                "small",
                &format!("by “{}” in tab {} ", trail.anchor, trail.tab),
            );
            self.forget_button(&line, "Delete", Some(&trail.id));
        }
        if trails.is_empty() {
            element(&self.root, "p", "None yet.");
        }
        self.draw_forgetting();
        self.draw_excluded().await?;
        element(&self.root, "h2", "Companion");
        let this = Rc::clone(self);
        button(&self.root, "Forget the companion", "unpair", move || {
            let this = Rc::clone(&this);
            async move {
                ask::<IgnoredAny>(&this.tools, &Request::Unpair).await?;
                this.draw().await
            }
        });
        self.root
            .set_attribute("data-drawn", "true")
            .map_err(|_| BrowserError("cannot draw".to_owned()))
    }

    fn draw_forgetting(self: &Rc<Self>) {
        element(&self.root, "h2", "Forget");
        element(
            &self.root,
            "p",
            "Forgets every link you followed and everything learned from pages you read, here and at your companion. What you marked stays; take a mark back, or forget its page, in the popup.",
        );
        self.forget_button(&self.root, "Forget everything that was read", None);
    }

    /// The list of sites that are not read, to be changed.
    async fn draw_excluded(self: &Rc<Self>) -> Result<(), BrowserError> {
        element(&self.root, "h2", "Sites that are not read");
        element(
            &self.root,
            "p",
            "A site a line: * stands for any letters, a name without one for the site and all below it, ! before it makes an exception. Besides, no page is read that has a field for a password, a card or a code, that must not be stored, that asks for a login, or that lies in a private network.",
        );
        let excluded: String = ask(&self.tools, &Request::Excluded).await?;
        let list: HtmlTextAreaElement = element(&self.root, "textarea", "").unchecked_into();
        list.set_id("excluded");
        list.set_value(&excluded);
        let _ = list.set_attribute("rows", "12");
        let _ = list.set_attribute("spellcheck", "false");
        let _ = list.set_attribute("aria-label", "Sites that are not read, one a line");
        let line = element(&self.root, "div", "");
        let this = Rc::clone(self);
        button(&line, "Keep the list", "exclude", move || {
            Rc::clone(&this).exclude(Some(list.value()))
        });
        let this = Rc::clone(self);
        button(
            &line,
            "Bring the usual list back",
            "exclude-usual",
            move || Rc::clone(&this).exclude(None),
        );
        Ok(())
    }

    async fn exclude(self: Rc<Self>, patterns: Option<String>) -> Result<(), BrowserError> {
        ask::<IgnoredAny>(&self.tools, &Request::Exclude { patterns }).await?;
        self.draw().await
    }

    fn forget_button(self: &Rc<Self>, parent: &Element, text: &str, id: Option<&str>) {
        let (this, id) = (Rc::clone(self), id.map(str::to_owned));
        let name = if id.is_some() { "" } else { "forget-all" };
        button(parent, text, name, move || {
            let (this, id) = (Rc::clone(&this), id.clone());
            async move {
                ask::<IgnoredAny>(&this.tools, &Request::Forget { id }).await?;
                this.draw().await
            }
        });
    }
}
