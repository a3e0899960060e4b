//! The part of the panel with the topics: one is chosen, those that were removed are brought back
//! or deleted for good.

use std::cell::RefCell;
use std::rc::Rc;

use serde::de::IgnoredAny;
use wasm_bindgen::JsValue;
use web_sys::{Element, HtmlSelectElement};

use super::ask::ask;
use super::template::{Part, is_in_use};
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::TopicsView;

/// See the module.
pub struct Topics {
    root: Element,
    tools: Tools,
    shown: RefCell<Option<TopicsView>>,
}

impl Topics {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self {
            root,
            tools,
            shown: RefCell::default(),
        })
    }

    /// Has it drawn again with the next look, whatever it shows.
    pub fn is_stale(&self) {
        self.shown.replace(None);
    }

    /// Shows the topics, if they are others than those shown and nobody is choosing.
    pub async fn look(self: &Rc<Self>, tab: &JsValue) -> Result<(), BrowserError> {
        let view: TopicsView = ask(&self.tools, &Request::Topics).await?;
        let place = self.root.query_selector("[data-place=topics]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        let is_shown = self.shown.borrow().as_ref() == Some(&view);
        if is_shown || (self.shown.borrow().is_some() && is_in_use(&place)?) {
            return Ok(());
        }
        self.part(&view, tab)?.show_in(&place)?;
        self.shown.replace(Some(view));
        Ok(())
    }

    fn part(self: &Rc<Self>, view: &TopicsView, tab: &JsValue) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "topics")?;
        let number = tab.as_f64().unwrap_or(-1.0) as i32;
        let choose: HtmlSelectElement = part.field("#topic")?;
        if view.current.is_none() {
            part.add("#topic", &Part::of(&self.root, "choice")?)?;
        }
        for topic in &view.topics {
            let choice = Part::of(&self.root, "choice")?;
            choice.say("choice", topic)?;
            choice.stand_for("choice", topic)?;
            part.add("#topic", &choice)?;
        }
        choose.set_value(view.current.as_deref().unwrap_or_default());
        let this = Rc::clone(self);
        part.on("change", "#topic", move || {
            let (this, name) = (Rc::clone(&this), choose.value());
            async move {
                let tab = number;
                ask::<IgnoredAny>(&this.tools, &Request::Topic { tab, name }).await?;
                this.is_stale();
                Ok(())
            }
        })?;
        for topic in view.removed.iter().rev() {
            part.add("#removed-topics", &self.removed(topic, number)?)?;
        }
        part.keep_if("removed", !view.removed.is_empty())?;
        part.keep_if("chosen", !view.topics.is_empty())?;
        part.keep_if("to-choose", view.topics.is_empty())?;
        Ok(part)
    }

    fn removed(self: &Rc<Self>, topic: &str, tab: i32) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "removed")?;
        line.say("removed", topic)?;
        let name = topic.to_owned();
        let back = move || Request::BringBack {
            tab,
            name: name.clone(),
        };
        self.act_on(&line, "bring-back", back)?;
        let name = topic.to_owned();
        let delete = move || Request::DeleteTopic { name: name.clone() };
        self.act_on(&line, "delete-topic", delete)?;
        Ok(line)
    }

    fn act_on(
        self: &Rc<Self>,
        line: &Part,
        button: &str,
        request: impl Fn() -> Request + 'static,
    ) -> Result<(), BrowserError> {
        let this = Rc::clone(self);
        let act = move || {
            let (this, request) = (Rc::clone(&this), request());
            async move {
                ask::<IgnoredAny>(&this.tools, &request).await?;
                this.is_stale();
                Ok(())
            }
        };
        line.on_press(&format!("[data-press={button}]"), act)
            .map(drop)
    }
}
