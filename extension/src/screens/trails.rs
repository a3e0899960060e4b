//! The part of the panel with the links that were followed, by session and topic, newest first.

use std::rc::Rc;

use js_sys::{Date, Object};
use wasm_bindgen::JsValue;

use super::panel::Panel;
use super::template::Part;
use crate::ports::BrowserError;
use crate::request::Request;
use crate::rows::TrailRow;
use crate::texts;

/// Trails shown; older ones are kept all the same.
const SHOWN: usize = 200;

impl Panel {
    /// Adds the trails to the panel, the newest session opened.
    pub(super) fn add_trails(
        self: &Rc<Self>,
        panel: &Part,
        trails: &[TrailRow],
    ) -> Result<(), BrowserError> {
        let shown = &trails[..trails.len().min(SHOWN)];
        let together = |a: &TrailRow, b: &TrailRow| a.session == b.session && a.topic == b.topic;
        for (number, session) in shown.chunk_by(together).enumerate() {
            let part = self.session(session)?;
            if number == 0 {
                part.open("details")?;
            }
            panel.add("#trails", &part)?;
        }
        panel.keep_if("empty", trails.is_empty())
    }

    fn session(self: &Rc<Self>, trails: &[TrailRow]) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "trails")?;
        if let Some(first) = trails.last() {
            let when = Date::new(&JsValue::from(first.time));
            let when = when.to_locale_string("default", &Object::new());
            part.say("when", &String::from(when))?;
            part.say("topic", &first.topic)?;
        }
        part.say("links", &texts::count(&self.tools, "links", trails.len()))?;
        for trail in trails {
            part.add("ul", &self.trail(trail)?)?;
        }
        Ok(part)
    }

    fn trail(self: &Rc<Self>, trail: &TrailRow) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "trail")?;
        let titled = |title: &str, address: &str| match title {
            "" => address.to_owned(),
            title => title.to_owned(),
        };
        line.say("from", &titled(&trail.from_title, &trail.from))?;
        line.link("to", &trail.to, &titled(&trail.title, &trail.to))?;
        line.say("anchor", &trail.anchor)?;
        let id = trail.id.clone();
        self.act_on(&line, "[data-press=delete]", move || Request::Forget {
            id: Some(id.clone()),
        })?;
        Ok(line)
    }
}
