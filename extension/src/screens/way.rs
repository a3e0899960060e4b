//! The part of the panel with the way to the page beside it: a tree of pages, each of which the
//! tab goes back to when it is pressed.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use web_sys::Element;

use super::ask::ask;
use super::template::Part;
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::WayStep;

/// See the module.
pub struct Way {
    root: Element,
    tools: Tools,
    shown: RefCell<Option<Vec<WayStep>>>,
}

impl Way {
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

    /// Shows the way to the page that a tab shows; nothing where it begins there.
    pub async fn look(&self, tab: &JsValue) -> Result<(), BrowserError> {
        let number = tab.as_f64().unwrap_or(-1.0) as i32;
        let steps: Vec<WayStep> = ask(&self.tools, &Request::Way { tab: number }).await?;
        let place = self.root.query_selector("[data-place=way]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        if self.shown.borrow().as_ref() == Some(&steps) {
            return Ok(());
        }
        if steps.len() < 2 {
            place.set_text_content(None);
        } else {
            self.part(&steps, tab)?.show_in(&place)?;
        }
        self.shown.replace(Some(steps));
        Ok(())
    }

    fn part(&self, steps: &[WayStep], tab: &JsValue) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "way")?;
        // The page of each depth that was added last: the next one hangs on one of them.
        let mut open: Vec<Part> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let line = self.place(step, tab)?;
            let next = steps.get(number + 1);
            line.keep_if("on", next.is_some_and(|next| next.depth > step.depth))?;
            open.truncate(step.depth);
            match open.last() {
                Some(before) => before.add("ul", &line)?,
                None => part.add("#way", &line)?,
            }
            open.push(line);
        }
        Ok(part)
    }

    fn place(&self, step: &WayStep, tab: &JsValue) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "place")?;
        let title = match step.title.as_str() {
            "" => &step.address,
            title => title,
        };
        line.say("place", title)?;
        line.say("here", title)?;
        let (tools, to) = (self.tools.clone(), [tab.clone(), (&step.address).into()]);
        line.on_press("[data-press=go]", move || {
            let (tools, to) = (tools.clone(), to.clone());
            async move { tools.call("go", &to).await.map(drop) }
        })?;
        line.keep_if("here", step.is_here)?;
        line.keep_if("there", !step.is_here)?;
        Ok(line)
    }
}
