//! The part of the panel with the links that are kept for later: to be opened, let go, or crawled
//! from. Nothing is crawled before the person presses the button, with the links they ticked.

use std::cell::RefCell;
use std::rc::Rc;

use linkscent_core::crawl::CrawlSpec;
use linkscent_core::wire::api::{CrawlView, PROPOSED_BUDGET};
use serde::de::IgnoredAny;
use web_sys::{Element, HtmlInputElement};

use super::ask::ask;
use super::dry_run::DryRun;
use super::template::{Part, is_in_use};
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::rows::LaterRow;
use crate::shown::LaterView;
use crate::texts;

/// See the module.
pub struct Later {
    root: Element,
    tools: Tools,
    shown: RefCell<Option<LaterView>>,
    dry_run: Rc<DryRun>,
    /// The number of the crawl that was begun here last.
    begun: RefCell<String>,
}

impl Later {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools, dry_run: Rc<DryRun>) -> Rc<Self> {
        Rc::new(Self {
            dry_run,
            root,
            tools,
            shown: RefCell::default(),
            begun: RefCell::default(),
        })
    }

    /// Has it drawn again with the next look, whatever it shows.
    pub fn is_stale(&self) {
        self.shown.replace(None);
    }

    /// Shows what is kept, if that is other than what is shown and nobody is typing there.
    pub async fn look(self: &Rc<Self>) -> Result<(), BrowserError> {
        let view: LaterView = ask(&self.tools, &Request::Later).await?;
        let Some(place) = self.place()? else {
            return Ok(());
        };
        if self.shown.borrow().as_ref() == Some(&view) || is_in_use(&place)? {
            return Ok(());
        }
        self.draw(&view, &place)?;
        self.shown.replace(Some(view));
        Ok(())
    }

    /// Shows what is kept after something was done here.
    async fn show(self: &Rc<Self>) -> Result<(), BrowserError> {
        let view: LaterView = ask(&self.tools, &Request::Later).await?;
        if let Some(place) = self.place()? {
            self.draw(&view, &place)?;
            self.shown.replace(Some(view));
        }
        Ok(())
    }

    fn place(&self) -> Result<Option<Element>, BrowserError> {
        let place = self.root.query_selector("[data-place=later]");
        place.map_err(|error| message(&error))
    }

    fn draw(self: &Rc<Self>, view: &LaterView, place: &Element) -> Result<(), BrowserError> {
        let part = Part::of(&self.root, "later")?;
        let mut ticks = Vec::new();
        for row in &view.rows {
            let line = self.line(row)?;
            ticks.push((line.field("input")?, row.address.clone()));
            part.add("#later", &line)?;
        }
        self.look_ahead(&part, &ticks)?;
        self.crawl_from(&part, ticks)?;
        part.keep_if("none", view.rows.is_empty())?;
        part.keep_if("some", !view.rows.is_empty())?;
        part.keep_if("crawl", view.can_crawl && !view.rows.is_empty())?;
        let begun = self.begun.borrow();
        part.say("begun", &begun)?;
        part.keep_if("begun", !begun.is_empty())?;
        part.show_in(place)
    }

    fn line(self: &Rc<Self>, row: &LaterRow) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "kept-link")?;
        let title = Some(row.title.as_str()).filter(|title| !title.is_empty());
        line.link("kept-link", &row.address, title.unwrap_or(&row.address))?;
        line.say("where", &row.address)?;
        let (this, address) = (Rc::clone(self), row.address.clone());
        line.on_press("[data-press=let-go]", move || {
            let (this, address) = (Rc::clone(&this), address.clone());
            async move {
                ask::<IgnoredAny>(&this.tools, &Request::NotLater { address }).await?;
                this.show().await
            }
        })?;
        Ok(line)
    }

    /// Has a button show what a crawl from those ticked would fetch.
    fn look_ahead(
        &self,
        part: &Part,
        ticks: &[(HtmlInputElement, String)],
    ) -> Result<(), BrowserError> {
        let (dry_run, ticks) = (Rc::clone(&self.dry_run), ticks.to_vec());
        part.on_press("#ahead-ticked", move || {
            let ticked = ticks.iter().filter(|(tick, _)| tick.checked());
            let seeds: Vec<String> = ticked.map(|(_, address)| address.clone()).collect();
            let dry_run = Rc::clone(&dry_run);
            async move {
                if seeds.is_empty() {
                    return Err(dry_run.nothing_ticked());
                }
                dry_run.show(seeds).await
            }
        })?;
        Ok(())
    }

    fn crawl_from(
        self: &Rc<Self>,
        part: &Part,
        ticks: Vec<(HtmlInputElement, String)>,
    ) -> Result<(), BrowserError> {
        let budget: HtmlInputElement = part.field("#later-budget")?;
        budget.set_value(&PROPOSED_BUDGET.to_string());
        let this = Rc::clone(self);
        part.on_press("#crawl-from", move || {
            let ticked = ticks.iter().filter(|(tick, _)| tick.checked());
            let seeds: Vec<String> = ticked.map(|(_, address)| address.clone()).collect();
            let (this, budget) = (Rc::clone(&this), budget.value());
            async move {
                let budget = budget.trim().parse().ok().filter(|&pages| pages > 0);
                let budget = budget.ok_or_else(|| texts::wrong(&this.tools, "no_budget"))?;
                if seeds.is_empty() {
                    return Err(texts::wrong(&this.tools, "none_ticked"));
                }
                let order = Request::HandOver {
                    seeds,
                    spec: CrawlSpec::new(budget),
                    start_from: None,
                    strategy: None,
                };
                let crawl: CrawlView = ask(&this.tools, &order).await?;
                this.begun.replace(crawl.id.to_string());
                this.show().await
            }
        })?;
        Ok(())
    }
}
