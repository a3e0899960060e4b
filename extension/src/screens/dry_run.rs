//! The part of the panel that looks ahead: which pages a crawl would fetch, how likely each is
//! what is looked for, and how many that comes to.

use std::rc::Rc;

use web_sys::Element;

use super::ask::ask;
use super::template::Part;
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::{DryRunView, UpcomingView};
use crate::texts;

/// See the module.
pub struct DryRun {
    root: Element,
    tools: Tools,
}

impl DryRun {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self { root, tools })
    }

    /// Has the panel's button look ahead from the topic's targets.
    pub fn offer(self: &Rc<Self>, panel: &Part) -> Result<(), BrowserError> {
        let this = Rc::clone(self);
        panel.on_press("#ahead", move || {
            let this = Rc::clone(&this);
            async move { this.show(Vec::new()).await }
        })?;
        Ok(())
    }

    /// Shows what a crawl would fetch that begins at these pages, or without any at the targets.
    pub async fn show(&self, seeds: Vec<String>) -> Result<(), BrowserError> {
        let view: DryRunView = ask(&self.tools, &Request::DryRun { seeds }).await?;
        let place = self.root.query_selector("[data-place=ahead]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        self.part(&view)?.show_in(&place)?;
        place.scroll_into_view();
        Ok(())
    }

    /// Said where no page is ticked to begin at.
    pub fn nothing_ticked(&self) -> BrowserError {
        texts::wrong(&self.tools, "none_ticked")
    }

    fn part(&self, view: &DryRunView) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "ahead")?;
        part.say("expected", &expected(&self.tools, view))?;
        for page in &view.pages {
            part.add("#upcoming", &self.page(page)?)?;
        }
        part.keep_if("expected", view.judged > 0)?;
        part.keep_if("unread", view.used == 0)?;
        Ok(part)
    }

    fn page(&self, page: &UpcomingView) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "upcoming")?;
        let title = match page.title.as_str() {
            "" => &page.address,
            title => title,
        };
        if page.address.starts_with("http:") || page.address.starts_with("https:") {
            line.link("upcoming", &page.address, title)?;
        }
        let chance = match page.probability {
            _ if page.is_marked => texts::text(&self.tools, "marked_by_you", &[]),
            Some(probability) => texts::confidence(&self.tools, probability),
            None => String::new(),
        };
        line.say("chance", &chance)?;
        line.keep_if("chance", !chance.is_empty())?;
        line.say("cause", &page.reason)?;
        line.keep_if("cause", !page.reason.is_empty())?;
        Ok(line)
    }
}

/// How many pages are expected to be right, in words that promise no more than is known.
fn expected(tools: &Tools, view: &DryRunView) -> String {
    let judged = view.judged.to_string();
    match view.expected.round() {
        ..1.0 => texts::text(tools, "expected_hardly_any", &[&judged]),
        right => texts::text(tools, "expected_about", &[&judged, &right.to_string()]),
    }
}
