//! The panel: trails, to be looked at and deleted, and the companion.

use std::rc::Rc;

use serde_json::json;
use wasm_bindgen::{JsError, JsValue};
use web_sys::Element;

use crate::draw::{button, element};
use crate::popup::ask;
use crate::store::TrailRow;

/// Trails shown; older ones are kept all the same.
const SHOWN: usize = 200;

/// See the module.
pub struct Panel {
    root: Element,
    tools: JsValue,
}

impl Panel {
    /// The panel, drawn into `root`.
    pub fn new(root: Element, tools: JsValue) -> Rc<Self> {
        Rc::new(Self { root, tools })
    }

    /// Draws everything anew.
    pub async fn draw(self: &Rc<Self>) -> Result<(), JsError> {
        let trails = ask(&self.tools, &json!({ "kind": "trails" })).await?;
        let trails: Vec<TrailRow> = crate::take(trails)?;
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
        } else {
            self.forget_button(&self.root, "Delete all", None);
        }
        element(&self.root, "h2", "Companion");
        let this = Rc::clone(self);
        button(&self.root, "Forget the companion", "unpair", move || {
            let this = Rc::clone(&this);
            async move {
                ask(&this.tools, &json!({ "kind": "unpair" })).await?;
                this.draw().await
            }
        });
        self.root
            .set_attribute("data-drawn", "true")
            .map_err(|_| JsError::new("cannot draw"))
    }

    fn forget_button(self: &Rc<Self>, parent: &Element, text: &str, id: Option<&str>) {
        let (this, id) = (Rc::clone(self), id.map(str::to_owned));
        let name = if id.is_some() { "" } else { "forget-all" };
        button(parent, text, name, move || {
            let (this, id) = (Rc::clone(&this), id.clone());
            async move {
                ask(&this.tools, &json!({ "kind": "forget", "id": id })).await?;
                this.draw().await
            }
        });
    }
}
