//! The panel: trails, to be looked at and deleted, forgetting, sites that are not
//! read, and the companion.

use std::rc::Rc;

use serde::de::IgnoredAny;
use web_sys::{Element, HtmlTextAreaElement};

use super::ask::ask;
use super::template::{Part, set_filled};
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
    /// The panel, to be filled into `root`.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self { root, tools })
    }

    /// Asks for everything again and shows it.
    pub async fn fill(self: &Rc<Self>) -> Result<(), BrowserError> {
        let trails: Vec<TrailRow> = ask(&self.tools, &Request::Trails).await?;
        let excluded: String = ask(&self.tools, &Request::Excluded).await?;
        let panel = Part::of(&self.root, "panel")?;
        for trail in trails.iter().take(SHOWN) {
            panel.add("#trails", &self.trail(trail)?)?;
        }
        panel.keep_if("empty", trails.is_empty())?;
        self.act_on(&panel, "#forget-all", || Request::Forget { id: None })?;
        let list: HtmlTextAreaElement = panel.field("#excluded")?;
        list.set_value(&excluded);
        self.act_on(&panel, "#exclude", move || Request::Exclude {
            patterns: Some(list.value()),
        })?;
        let usual = || Request::Exclude { patterns: None };
        self.act_on(&panel, "#exclude-usual", usual)?;
        self.act_on(&panel, "#unpair", || Request::Unpair)?;
        panel.show_in(&self.root)?;
        set_filled(&self.root, true)
    }

    fn trail(self: &Rc<Self>, trail: &TrailRow) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "trail")?;
        line.say("topic", &trail.topic)?;
        line.say("from", &trail.from)?;
        line.say("to", &trail.to)?;
        line.say("anchor", &trail.anchor)?;
        line.say("tab", &trail.tab.to_string())?;
        let id = trail.id.clone();
        self.act_on(&line, "[data-press=delete]", move || Request::Forget {
            id: Some(id.clone()),
        })?;
        Ok(line)
    }

    /// Has a button ask for something; the panel is filled again then.
    fn act_on(
        self: &Rc<Self>,
        part: &Part,
        button: &str,
        request: impl Fn() -> Request + 'static,
    ) -> Result<(), BrowserError> {
        let this = Rc::clone(self);
        let act = move || {
            let (this, request) = (Rc::clone(&this), request());
            async move {
                ask::<IgnoredAny>(&this.tools, &request).await?;
                this.fill().await
            }
        };
        part.on_press(button, act).map(drop)
    }
}
