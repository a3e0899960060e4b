//! The panel: topics, the promising links of the page beside it and the way there, trails, to be
//! looked at and deleted, forgetting, sites that are not read, and the companion.

use std::cell::RefCell;
use std::rc::Rc;

use serde::Deserialize;

use serde::de::IgnoredAny;
use wasm_bindgen::JsValue;
use web_sys::{Element, HtmlTextAreaElement};

use super::ask::{ask, opens_dashboard};
use super::dry_run::DryRun;
use super::finds::Finds;
use super::kept::Kept;
use super::later::Later;
use super::proposals::Proposals;
use super::searching::Searching;
use super::sites::Sites;
use super::template::{Part, set_filled};
use super::topics::Topics;
use super::way::Way;
use crate::js_values::{Tools, message, take};
use crate::ports::BrowserError;
use crate::request::Request;
use crate::rows::TrailRow;
use crate::shown::LedgerView;

/// What the file of everything is called.
const FILE: &str = "linkscent.json";
/// Milliseconds between looks at the page beside the panel.
const BETWEEN_LOOKS: u32 = 1_000;

/// See the module.
pub struct Panel {
    pub(super) root: Element,
    pub(super) tools: Tools,
    /// What is shown of the page beside it.
    shown: RefCell<Option<PageShown>>,
    later: Rc<Later>,
    finds: Finds,
    dry_run: Rc<DryRun>,
    topics: Rc<Topics>,
    way: Rc<Way>,
    sites: Rc<Sites>,
}

/// What a page's content script has drawn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct PageShown {
    done: bool,
    refused: Option<String>,
    links: Vec<ShownLink>,
    /// Whether they are shown here alone, and nothing over the page.
    #[serde(default, rename = "panelOnly")]
    panel_only: bool,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
struct ShownLink {
    href: String,
    text: String,
    why: String,
    /// What is known already of the page behind it.
    #[serde(default)]
    known: String,
}

impl Panel {
    /// The panel, to be filled into `root`.
    pub fn new(root: Element, tools: Tools) -> Rc<Self> {
        let dry_run = DryRun::new(root.clone(), tools.clone());
        let later = Later::new(root.clone(), tools.clone(), Rc::clone(&dry_run));
        let finds = Finds::new(root.clone(), tools.clone());
        let topics = Topics::new(root.clone(), tools.clone());
        let way = Way::new(root.clone(), tools.clone());
        let sites = Sites::new(root.clone(), tools.clone());
        Rc::new(Self {
            root,
            tools,
            shown: RefCell::default(),
            later,
            dry_run,
            finds,
            topics,
            way,
            sites,
        })
    }

    /// Shows everything, and as long as the panel is open what the page beside it has.
    pub async fn show(self: &Rc<Self>) -> Result<(), BrowserError> {
        self.fill().await?;
        loop {
            let tab = self.tools.call("currentTab", &[]).await?;
            self.look_beside(&tab).await?;
            self.topics.look(&tab).await?;
            self.way.look(&tab).await?;
            self.later.look().await?;
            self.finds.look().await?;
            self.sites.look().await?;
            let rest = [BETWEEN_LOOKS.into()];
            self.tools.call("rest", &rest).await?;
        }
    }

    /// A panel in a tab of its own has no page beside it.
    async fn look_beside(self: &Rc<Self>, tab: &JsValue) -> Result<(), BrowserError> {
        let asked = std::slice::from_ref(tab);
        let shown = self.tools.call("shown", asked).await?;
        let shown: Option<PageShown> = if shown.is_object() {
            Some(take(shown)?)
        } else {
            None
        };
        let shown = shown.filter(|shown| shown.done);
        if shown != *self.shown.borrow() {
            self.draw_page(shown.as_ref(), tab)?;
            self.shown.replace(shown);
        }
        Ok(())
    }

    fn draw_page(
        self: &Rc<Self>,
        shown: Option<&PageShown>,
        tab: &JsValue,
    ) -> Result<(), BrowserError> {
        let place = self.root.query_selector("[data-place=page]");
        let Some(place) = place.map_err(|error| message(&error))? else {
            return Ok(());
        };
        let Some(shown) = shown else {
            place.set_text_content(None);
            return Ok(());
        };
        let page = Part::of(&self.root, "page")?;
        for (number, link) in shown.links.iter().enumerate() {
            let line = Part::of(&self.root, "link")?;
            let text = Some(link.text.as_str()).filter(|text| !text.is_empty());
            // The page may have put something else there meanwhile.
            if link.href.starts_with("http:") || link.href.starts_with("https:") {
                line.link("link", &link.href, text.unwrap_or(&link.href))?;
            }
            line.say("reason", &link.why)?;
            line.say("known", &link.known)?;
            line.keep_if("known", !link.known.is_empty())?;
            self.act_on_link(&line, link, tab)?;
            let (tools, tab) = (self.tools.clone(), tab.clone());
            line.on_press("[data-press=reach]", move || {
                let (tools, tab) = (tools.clone(), tab.clone());
                async move {
                    let number = JsValue::from(number as u32);
                    tools.call("reach", &[tab, number]).await.map(drop)
                }
            })?;
            page.add("#links", &line)?;
        }
        page.say("refused", shown.refused.as_deref().unwrap_or_default())?;
        page.keep_if("refused", shown.refused.is_some())?;
        let is_empty = shown.links.is_empty();
        page.keep_if("nothing", is_empty && shown.refused.is_none())?;
        page.keep_if("links", !is_empty)?;
        for (button, on) in [("#panel-only-on", true), ("#panel-only-off", false)] {
            self.ask_on(&page, button, false, move || Request::PanelOnly { on })?;
        }
        page.keep_if("on-page", !shown.panel_only)?;
        page.keep_if("panel-only", shown.panel_only)?;
        page.show_in(&place)
    }

    /// What can be done with a promising link beside going there.
    fn act_on_link(
        self: &Rc<Self>,
        line: &Part,
        link: &ShownLink,
        tab: &JsValue,
    ) -> Result<(), BrowserError> {
        let tab = tab.as_f64().unwrap_or(-1.0) as i32;
        let (address, title) = (link.href.clone(), link.text.clone());
        self.ask_on(line, "[data-press=later]", false, move || {
            Request::KeepForLater {
                address: address.clone(),
                title: title.clone(),
            }
        })?;
        for (button, wanted) in [("more", true), ("fewer", false)] {
            let text = match link.text.as_str() {
                "" => link.href.clone(),
                text => text.to_owned(),
            };
            let button = format!("[data-press={button}]");
            self.ask_on(line, &button, false, move || Request::Say {
                tab,
                text: text.clone(),
                wanted: Some(wanted),
            })?;
        }
        Ok(())
    }

    /// Asks for everything again and shows it.
    async fn fill(self: &Rc<Self>) -> Result<(), BrowserError> {
        let trails: Vec<TrailRow> = ask(&self.tools, &Request::Trails).await?;
        let excluded: String = ask(&self.tools, &Request::Excluded).await?;
        let ledger: LedgerView = ask(&self.tools, &Request::Ledger).await?;
        let panel = Part::of(&self.root, "panel")?;
        let (root, tools) = (self.root.clone(), self.tools.clone());
        panel.add("[data-place=kept]", &Kept { root, tools }.part(&ledger)?)?;
        self.add_trails(&panel, &trails)?;
        self.act_on(&panel, "#forget-all", || Request::Forget { id: None })?;
        let list: HtmlTextAreaElement = panel.field("#excluded")?;
        list.set_value(&excluded);
        self.act_on(&panel, "#exclude", move || Request::Exclude {
            patterns: Some(list.value()),
        })?;
        let usual = || Request::Exclude { patterns: None };
        self.act_on(&panel, "#exclude-usual", usual)?;
        self.act_on(&panel, "#forget-hour", || Request::ForgetSince {
            minutes: 60,
        })?;
        let tools = self.tools.clone();
        panel.on_press("#save-everything", move || {
            let tools = tools.clone();
            async move {
                let all: String = ask(&tools, &Request::Everything).await?;
                tools
                    .call("save", &[FILE.into(), all.into()])
                    .await
                    .map(drop)
            }
        })?;
        self.act_on(&panel, "#delete-everything", || Request::DeleteEverything)?;
        self.dry_run.offer(&panel)?;
        Proposals::new(self.root.clone(), self.tools.clone()).offer(&panel)?;
        Searching::new(self.root.clone(), self.tools.clone()).offer(&panel)?;
        opens_dashboard(&panel, &self.tools)?;
        self.act_on(&panel, "#unpair", || Request::Unpair)?;
        panel.show_in(&self.root)?;
        self.shown.replace(None);
        self.later.is_stale();
        self.later.look().await?;
        self.finds.is_stale();
        self.topics.is_stale();
        self.way.is_stale();
        self.sites.is_stale();
        set_filled(&self.root, true)
    }

    /// Has a button ask for something; the panel is filled again then.
    pub(super) fn act_on(
        self: &Rc<Self>,
        part: &Part,
        button: &str,
        request: impl Fn() -> Request + 'static,
    ) -> Result<(), BrowserError> {
        self.ask_on(part, button, true, request)
    }

    /// The same; unless all of the panel is filled again, only what is kept for later is.
    fn ask_on(
        self: &Rc<Self>,
        part: &Part,
        button: &str,
        fills: bool,
        request: impl Fn() -> Request + 'static,
    ) -> Result<(), BrowserError> {
        let this = Rc::clone(self);
        let act = move || {
            let (this, request) = (Rc::clone(&this), request());
            async move {
                ask::<IgnoredAny>(&this.tools, &request).await?;
                if fills {
                    return this.fill().await;
                }
                this.later.look().await
            }
        };
        part.on_press(button, act).map(drop)
    }
}
