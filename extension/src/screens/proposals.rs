//! The part of the panel that proposes where to start: of the person's bookmarks, or of pages they
//! visited, those likeliest to be what they look for. The browser asks for its permission then.

use std::rc::Rc;

use serde::de::IgnoredAny;
use web_sys::Element;

use super::ask::ask;
use super::template::Part;
use crate::js_values::{Tools, message, take};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::Proposal;
use crate::texts;

/// See the module.
pub struct Proposals {
    root: Element,
    tools: Tools,
}

impl Proposals {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self { root, tools })
    }

    /// Has the panel's buttons look.
    pub fn offer(self: &Rc<Self>, panel: &Part) -> Result<(), BrowserError> {
        for (button, tool) in [
            ("#from-bookmarks", "bookmarks"),
            ("#from-history", "history"),
        ] {
            let this = Rc::clone(self);
            panel.on_press(button, move || {
                let this = Rc::clone(&this);
                async move { this.look(tool).await }
            })?;
        }
        Ok(())
    }

    async fn look(self: &Rc<Self>, tool: &str) -> Result<(), BrowserError> {
        if !self.tools.call("askToRead", &[]).await?.is_truthy() {
            return Err(texts::wrong(&self.tools, "not_allowed_to_show"));
        }
        let pages: Vec<(String, String)> = take(self.tools.call(tool, &[]).await?)?;
        let looked_at = pages.len();
        let proposed: Vec<Proposal> = ask(&self.tools, &Request::Propose { pages }).await?;
        let place = self.root.query_selector("[data-place=proposals]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        let part = Part::of(&self.root, "proposals")?;
        part.say("looked-at", &looked_at.to_string())?;
        for proposal in &proposed {
            part.add("#proposals", &self.line(proposal)?)?;
        }
        part.keep_if("no-proposal", proposed.is_empty())?;
        part.show_in(&place)
    }

    fn line(self: &Rc<Self>, proposal: &Proposal) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "proposal")?;
        let title = match proposal.title.as_str() {
            "" => &proposal.address,
            title => title,
        };
        line.link("proposal", &proposal.address, title)?;
        let likely = texts::confidence(&self.tools, proposal.probability);
        line.say("likely", &likely)?;
        let (tools, row) = (
            self.tools.clone(),
            (proposal.address.clone(), proposal.title.clone()),
        );
        line.on_press("[data-press=keep]", move || {
            let (tools, (address, title)) = (tools.clone(), row.clone());
            async move {
                let keep = Request::KeepForLater { address, title };
                ask::<IgnoredAny>(&tools, &keep).await.map(drop)
            }
        })?;
        Ok(line)
    }
}
