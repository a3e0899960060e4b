//! The part of the popup with the companion: pairing, the last crawl, notices, and handing over.

use std::rc::Rc;

use linkscent_core::crawl::{CrawlSpec, Scope, StoppingRule, hosts_in};
use linkscent_core::strategies::REGISTRY;
use linkscent_core::wire::api::{DEFAULT_PORT, PROPOSED_BUDGET};
use web_sys::{HtmlInputElement, HtmlSelectElement};

use super::Popup;
use crate::ports::BrowserError;
use crate::request::Request;
use crate::screens::ask::opens_dashboard;
use crate::screens::template::Part;
use crate::shown::State;
use crate::texts;

/// Finds of the last crawl that are shown.
const MOST_FINDS: usize = 5;

impl Popup {
    pub(super) fn pairing(self: &Rc<Self>) -> Result<Part, BrowserError> {
        let part = self.part("unpaired")?;
        let port: HtmlInputElement = part.field("#port")?;
        port.set_value(&DEFAULT_PORT.to_string());
        let code: HtmlInputElement = part.field("#code")?;
        let this = Rc::clone(self);
        part.on_press("#pair", move || {
            let (this, port, code) = (Rc::clone(&this), port.value(), code.value());
            async move {
                let port = port.trim().parse();
                let port = port.map_err(|_| texts::wrong(&this.tools, "no_port"))?;
                if this.tools.call("askToTell", &[]).await?.is_falsy() {
                    return Err(texts::wrong(&this.tools, "no_pairing_without"));
                }
                this.act(Request::Pair { port, code }).await
            }
        })?;
        Ok(part)
    }

    pub(super) fn companion(self: &Rc<Self>, state: &State) -> Result<Part, BrowserError> {
        let part = self.part("companion")?;
        part.say("problem", &state.problem)?;
        part.keep_if("problem", !state.problem.is_empty())?;
        self.fill_crawl(&part, state)?;
        part.say("waiting", &state.waiting.to_string())?;
        part.keep_if("waiting", state.waiting > 0)?;
        self.fill_hand_over(&part, state)?;
        self.act_on(&part, "#sync", || Request::Sync)?;
        opens_dashboard(&part, &self.tools)?;
        self.notices(&part, state.tells)?;
        self.act_on(&part, "#unpair", || Request::Unpair)?;
        Ok(part)
    }

    fn notices(self: &Rc<Self>, part: &Part, tells: bool) -> Result<(), BrowserError> {
        let this = Rc::clone(self);
        part.on_press("#tell-on", move || {
            let this = Rc::clone(&this);
            async move {
                if this.tools.call("askToNotify", &[]).await?.is_falsy() {
                    return Err(texts::wrong(&this.tools, "no_notices"));
                }
                this.act(Request::TellOfCrawls { on: true }).await
            }
        })?;
        let off = || Request::TellOfCrawls { on: false };
        self.act_on(part, "#tell-off", off)?;
        part.keep_if("silent", !tells)?;
        part.keep_if("tells", tells)
    }

    fn fill_crawl(self: &Rc<Self>, part: &Part, state: &State) -> Result<(), BrowserError> {
        if let Some(crawl) = &state.crawl {
            let harvest = format!("{:.0}", 100.0 * crawl.harvest);
            let numbers = [crawl.relevant.to_string(), crawl.pages.to_string(), harvest];
            let [relevant, pages, harvest] = &numbers;
            let state = texts::state(&self.tools, crawl.state);
            let values = [&*state, relevant, pages, harvest];
            let line = texts::text(&self.tools, "last_crawl", &values);
            part.say("crawl", &line)?;
            part.say("alarm", &crawl.alarm)?;
            for find in crawl.finds.iter().take(MOST_FINDS) {
                let line = self.part("find")?;
                line.link("page", &find.address, &find.title)?;
                part.add("#finds", &line)?;
            }
        }
        let crawl = state.crawl.as_ref();
        let goes_on =
            crawl.is_some_and(|crawl| !crawl.state.is_over()) && state.page && !state.paused;
        let tab = self.tab;
        self.act_on(part, "#start-here", move || Request::StartHere { tab })?;
        part.keep_if("start-here", goes_on && !state.starts_here)?;
        part.keep_if("starts-here", goes_on && state.starts_here)?;
        part.keep_if("alarm", crawl.is_some_and(|crawl| !crawl.alarm.is_empty()))?;
        part.keep_if("crawl", crawl.is_some())
    }

    /// Shows seeds, budget and what else can be said; nothing starts before they are confirmed.
    fn fill_hand_over(self: &Rc<Self>, part: &Part, state: &State) -> Result<(), BrowserError> {
        for mark in &state.targets {
            let seed = self.part("seed")?;
            let title = if mark.title.is_empty() {
                &mark.address
            } else {
                &mark.title
            };
            seed.say("page", title)?;
            part.add("[data-place=seeds]", &seed)?;
        }
        let targets = state.targets.iter();
        let seeds: Vec<String> = targets.map(|mark| mark.address.clone()).collect();
        let budget: HtmlInputElement = part.field("#budget")?;
        budget.set_value(&PROPOSED_BUDGET.to_string());
        let site_pages: HtmlInputElement = part.field("#site-pages")?;
        let site_targets: HtmlInputElement = part.field("#site-targets")?;
        let hosts: HtmlInputElement = part.field("#hosts")?;
        let left_out: HtmlInputElement = part.field("#left-out")?;
        let depth: HtmlInputElement = part.field("#depth")?;
        self.add_choices(part, "#start-from", &state.teachers)?;
        let start_from: HtmlSelectElement = part.field("#start-from")?;
        self.add_choices(part, "#strategy", &strategies())?;
        let strategy: HtmlSelectElement = part.field("#strategy")?;
        self.act_on(part, "#start-crawl", move || Request::HandOver {
            seeds: seeds.clone(),
            spec: CrawlSpec {
                stopping: StoppingRule {
                    pages: number(&site_pages.value()),
                    targets: number(&site_targets.value()),
                },
                scope: Scope {
                    hosts: hosts_in(&hosts.value()),
                    left_out: hosts_in(&left_out.value()),
                    depth: number(&depth.value()),
                    documents: true,
                },
                ..CrawlSpec::new(number(&budget.value()).map_or(PROPOSED_BUDGET, u64::from))
            },
            start_from: Some(start_from.value()).filter(|topic| !topic.is_empty()),
            strategy: Some(strategy.value()).filter(|name| !name.is_empty()),
        })?;
        part.keep_if("teachers", !state.teachers.is_empty())?;
        part.keep_if("targets", !state.targets.is_empty())
    }
}

/// Strategies that need neither training nor a taxonomy.
fn strategies() -> Vec<String> {
    let rows = REGISTRY.iter().filter(|row| {
        let made = row.make.map(|make| make(None).profile());
        made.is_some_and(|profile| !profile.reading.classes)
    });
    rows.map(|row| row.name.to_owned()).collect()
}

/// A number of pages or targets; nothing where nothing is typed. What is no such number is sent
/// as 0, which the companion refuses and says what would be one.
fn number(typed: &str) -> Option<u32> {
    let typed = typed.trim();
    (!typed.is_empty()).then(|| typed.parse().unwrap_or(0))
}
