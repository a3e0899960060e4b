//! The part of the panel with sites whose pages the crawler cannot read and this browser can: the
//! person ticks those of which it may.

use std::cell::RefCell;
use std::rc::Rc;

use serde::de::IgnoredAny;
use web_sys::{Element, HtmlInputElement};

use super::ask::ask;
use super::template::Part;
use crate::js_values::{Tools, message};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::SiteView;
use crate::texts;

/// Between so many looks the companion is asked once.
const SELDOM: u32 = 5;

/// See the module.
pub struct Sites {
    root: Element,
    tools: Tools,
    shown: RefCell<Option<Vec<SiteView>>>,
    looks: RefCell<u32>,
}

impl Sites {
    /// The part of a panel.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        Rc::new(Self {
            root,
            tools,
            shown: RefCell::default(),
            looks: RefCell::default(),
        })
    }

    /// Has it drawn again with the next look, whatever it shows.
    pub fn is_stale(&self) {
        self.shown.replace(None);
        self.looks.replace(0);
    }

    /// Shows the sites, if they are others than those shown.
    pub async fn look(self: &Rc<Self>) -> Result<(), BrowserError> {
        let looks = *self.looks.borrow();
        self.looks.replace(looks + 1);
        if !looks.is_multiple_of(SELDOM) {
            return Ok(());
        }
        // A companion that does not answer, or is an older one, asks for no page.
        let asked = ask::<Vec<SiteView>>(&self.tools, &Request::WaitingSites).await;
        let sites = asked.unwrap_or_default();
        let place = self.root.query_selector("[data-place=sites]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        if self.shown.borrow().as_ref() == Some(&sites) {
            return Ok(());
        }
        if sites.is_empty() {
            place.set_text_content(None);
        } else {
            self.part(&sites)?.show_in(&place)?;
        }
        self.shown.replace(Some(sites));
        Ok(())
    }

    fn part(self: &Rc<Self>, sites: &[SiteView]) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "sites")?;
        for site in sites {
            part.add("#sites", &self.site(site)?)?;
        }
        Ok(part)
    }

    fn site(self: &Rc<Self>, site: &SiteView) -> Result<Part, BrowserError> {
        let line = Part::of(&self.root, "site")?;
        line.say("site", &site.host)?;
        let pages = texts::count(&self.tools, "pages_wait", site.pages);
        line.say("pages", &pages)?;
        let tick: HtmlInputElement = line.field("input")?;
        tick.set_checked(site.is_chosen);
        let (this, host) = (Rc::clone(self), site.host.clone());
        line.on("change", "input", move || {
            let (this, host, tick) = (Rc::clone(&this), host.clone(), tick.clone());
            async move {
                let on = tick.checked();
                if on && !this.tools.call("askToRead", &[]).await?.is_truthy() {
                    tick.set_checked(false);
                    return Err(texts::wrong(&this.tools, "not_allowed_to_read"));
                }
                let chosen = Request::LookThrough { host, on };
                ask::<IgnoredAny>(&this.tools, &chosen).await?;
                this.is_stale();
                Ok(())
            }
        })?;
        Ok(line)
    }
}
