//! The popup: the current topic, this page's mark, a question, the databases behind the
//! page, the companion. Asks the background for everything and shows the answer.

mod companion;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use linkscent_core::wire::api::Answer;
use serde::de::IgnoredAny;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

use super::ask::ask;
use super::template::{Part, is_in_use, set_filled};
use crate::js_values::Tools;
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::{ClassLine, FormLine, State};
use crate::texts;

/// Milliseconds between looks at what the companion says.
const BETWEEN_LOOKS: u32 = 1_000;
/// Where the parts of the popup come.
const PARTS: &str = "[data-place=parts]";

/// See the module.
pub struct Popup {
    root: Element,
    tools: Tools,
    tab: i32,
    /// The state that is shown, as text.
    shown: RefCell<String>,
    /// Whether the companion was asked since the popup was opened.
    is_fresh: Cell<bool>,
}

impl Popup {
    /// The popup of a tab, to be filled into `root`.
    pub fn new(root: Element, tools: Tools, tab: i32) -> Rc<Self> {
        Rc::new(Self {
            root,
            tools,
            tab,
            shown: RefCell::default(),
            is_fresh: Cell::new(false),
        })
    }

    /// Shows what is known here at once, and what the companion says as it says it, as long as
    /// the popup is open.
    pub async fn show(self: &Rc<Self>) -> Result<(), BrowserError> {
        self.fill().await?;
        loop {
            let asked = ask::<bool>(&self.tools, &Request::Sync).await;
            // What fails is told by the state.
            let may_be_other = asked.unwrap_or(true);
            let is_first = !self.is_fresh.replace(true);
            if may_be_other && (is_first || !is_in_use(&self.root)?) {
                let state = self.state().await?;
                if text_of(&state) != *self.shown.borrow() {
                    self.draw(&state).await?;
                }
            }
            if is_first {
                set_filled(&self.root, true)?;
            }
            let rest = [BETWEEN_LOOKS.into()];
            self.tools.call("rest", &rest).await?;
        }
    }

    async fn state(&self) -> Result<State, BrowserError> {
        ask(&self.tools, &Request::State { tab: self.tab }).await
    }

    /// Asks for everything that is known here again and shows it.
    async fn fill(self: &Rc<Self>) -> Result<(), BrowserError> {
        let state = self.state().await?;
        self.draw(&state).await
    }

    async fn draw(self: &Rc<Self>, state: &State) -> Result<(), BrowserError> {
        self.shown.replace(text_of(state));
        let may_read = self.tools.call("mayRead", &[]).await?.is_truthy();
        if !may_read {
            return self.ask_for_permission();
        }
        let popup = self.part("popup")?;
        self.fill_topic(&popup, state)?;
        if state.current.is_some() {
            popup.add(PARTS, &self.page(state)?)?;
            popup.add(PARTS, &self.words(state)?)?;
            if let Some(class) = &state.class {
                popup.add(PARTS, &self.class(class)?)?;
            }
            if let Some(question) = self.question(state)? {
                popup.add(PARTS, &question)?;
            }
            if !state.forms.is_empty() {
                popup.add(PARTS, &self.forms(state)?)?;
            }
            let companion = if state.paired {
                self.companion(state)?
            } else {
                self.pairing()?
            };
            popup.add(PARTS, &companion)?;
        }
        let tools = self.tools.clone();
        popup.on_press("#open-panel", move || {
            let tools = tools.clone();
            async move { tools.call("openPanel", &[]).await.map(drop) }
        })?;
        popup.show_in(&self.root)?;
        if self.is_fresh.get() {
            set_filled(&self.root, true)?;
        }
        Ok(())
    }

    fn part(&self, name: &str) -> Result<Part, BrowserError> {
        Part::of(&self.root, name)
    }

    /// Has a button ask for something; the popup is filled again then.
    fn act_on(
        self: &Rc<Self>,
        part: &Part,
        button: &str,
        request: impl Fn() -> Request + 'static,
    ) -> Result<Element, BrowserError> {
        let this = Rc::clone(self);
        part.on_press(button, move || Rc::clone(&this).act(request()))
    }

    async fn act(self: Rc<Self>, request: Request) -> Result<(), BrowserError> {
        set_filled(&self.root, false)?;
        let done = ask::<IgnoredAny>(&self.tools, &request).await;
        if done.is_err() {
            set_filled(&self.root, true)?;
        }
        done?;
        self.fill().await
    }

    fn ask_for_permission(self: &Rc<Self>) -> Result<(), BrowserError> {
        let permission = self.part("permission")?;
        let this = Rc::clone(self);
        permission.on_press("#allow", move || {
            let this = Rc::clone(&this);
            async move {
                this.tools.call("askToRead", &[]).await?;
                this.fill().await
            }
        })?;
        permission.show_in(&self.root)
    }

    fn fill_topic(self: &Rc<Self>, popup: &Part, state: &State) -> Result<(), BrowserError> {
        let tab = self.tab;
        let name: HtmlInputElement = popup.field("#topic-name")?;
        self.act_on(popup, "#create-topic", move || Request::Topic {
            tab,
            name: name.value(),
        })?;
        self.add_choices(popup, "#topic", &state.topics)?;
        let topic: HtmlSelectElement = popup.field("#topic")?;
        topic.set_value(state.current.as_deref().unwrap_or_default());
        let this = Rc::clone(self);
        popup.on("change", "#topic", move || {
            let name = topic.value();
            Rc::clone(&this).act(Request::Topic { tab, name })
        })?;
        let new_name: HtmlInputElement = popup.field("#new-name")?;
        new_name.set_value(state.current.as_deref().unwrap_or_default());
        self.act_on(popup, "#rename-topic", move || Request::Rename {
            tab,
            name: new_name.value(),
        })?;
        self.act_on(popup, "#remove-topic", move || Request::Remove { tab })?;
        // What was removed just now can be undone here; all of it on the dashboard, or by name.
        let removed = state.removed.last().cloned().unwrap_or_default();
        popup.say("removed", &removed)?;
        self.act_on(popup, "#bring-back", move || Request::BringBack {
            tab,
            name: removed.clone(),
        })?;
        let is_just_removed = state.current.is_none() && !state.removed.is_empty();
        self.act_on(popup, "#switch-on", || Request::Reads { on: true })?;
        self.act_on(popup, "#switch-off", || Request::Reads { on: false })?;
        popup.keep_if("off", state.is_off)?;
        popup.keep_if("on", !state.is_off)?;
        popup.keep_if("removed", is_just_removed)?;
        popup.keep_if("current", state.current.is_some())?;
        popup.keep_if("topics", !state.topics.is_empty())
    }

    /// Adds texts to choose from to a field.
    fn add_choices(&self, part: &Part, field: &str, texts: &[String]) -> Result<(), BrowserError> {
        for text in texts {
            let choice = self.part("choice")?;
            choice.say("choice", text)?;
            choice.stand_for("choice", text)?;
            part.add(field, &choice)?;
        }
        Ok(())
    }

    /// The class that the page is judged to be of, to be corrected.
    fn class(self: &Rc<Self>, line: &ClassLine) -> Result<Part, BrowserError> {
        let part = self.part("class")?;
        let class = line.class.as_deref().unwrap_or_default();
        part.say("class", class)?;
        part.say("said", class)?;
        part.say("share", &format!("{:.0} %", 100.0 * line.share))?;
        self.add_choices(&part, "#other-class", &line.all)?;
        let chosen: HtmlSelectElement = part.field("#other-class")?;
        if let Some(class) = &line.class {
            chosen.set_value(class);
        }
        let tab = self.tab;
        self.act_on(&part, "#correct-class", move || Request::CorrectClass {
            tab,
            class: Some(chosen.value()),
        })?;
        self.act_on(&part, "#undo-class", move || Request::CorrectClass {
            tab,
            class: None,
        })?;
        part.keep_if("judged", line.class.is_some() && !line.is_corrected)?;
        part.keep_if("unclear", line.class.is_none())?;
        part.keep_if("corrected", line.is_corrected)?;
        Ok(part)
    }

    fn page(self: &Rc<Self>, state: &State) -> Result<Part, BrowserError> {
        let tab = self.tab;
        if let Some(refused) = &state.refused {
            let page = self.part("page-refused")?;
            page.say("why", refused)?;
            return Ok(page);
        }
        if !state.page {
            return self.part("page-none");
        }
        if state.paused {
            let page = self.part("page-paused")?;
            page.say("host", &state.host)?;
            let go_on = move || Request::Pause { tab, on: false };
            self.act_on(&page, "#resume-site", go_on)?;
            return Ok(page);
        }
        let page = self.part("page")?;
        page.say("promising", &state.promising.to_string())?;
        let links = texts::count(&self.tools, "promising_links", state.promising);
        page.say("promising-links", &links)?;
        page.say("standing", state.standing.as_deref().unwrap_or_default())?;
        page.say("host", &state.host)?;
        page.say("site", &state.host)?;
        for (button, target) in [
            ("#mark-target", Some(true)),
            ("#mark-not", Some(false)),
            ("#undo-mark", None),
        ] {
            self.act_on(&page, button, move || Request::Mark { tab, target })?;
        }
        let address = state.address.clone();
        self.act_on(&page, "#forget-page", move || Request::ForgetPage {
            tab,
            address: address.clone(),
        })?;
        self.act_on(&page, "#forget-site", move || Request::ForgetSite { tab })?;
        let pause = move || Request::Pause { tab, on: true };
        self.act_on(&page, "#pause-site", pause)?;
        self.keeping(&page, state)?;
        page.keep_if("standing", state.standing.is_some())?;
        page.keep_if("no-target", state.targets.is_empty())?;
        page.keep_if("target", state.mark == Some(true))?;
        page.keep_if("not-target", state.mark == Some(false))?;
        page.keep_if("unmarked", state.mark.is_none())?;
        page.keep_if("marked", state.mark.is_some())?;
        Ok(page)
    }

    /// Whether pages are kept in the topic's library as they are read.
    fn keeping(self: &Rc<Self>, page: &Part, state: &State) -> Result<(), BrowserError> {
        let tab = self.tab;
        for (button, every_site, on) in [
            ("#keep-site", false, true),
            ("#keep-site-not", false, false),
            ("#keep-all", true, true),
            ("#keep-all-not", true, false),
        ] {
            self.act_on(page, button, move || Request::KeepReading {
                tab,
                every_site,
                on,
            })?;
        }
        page.say("kept-site", &state.host)?;
        page.say("unkept-site", &state.host)?;
        if state.keeps_site || state.keeps_every_site {
            page.open("#keep-reading")?;
        }
        page.keep_if("site-kept", state.keeps_site)?;
        page.keep_if("site-unkept", !state.keeps_site)?;
        page.keep_if("all-kept", state.keeps_every_site)?;
        page.keep_if("all-unkept", !state.keeps_every_site)?;
        page.keep_if("paired", state.paired)
    }

    /// What was said of the topic, and a field to say more, in which stands what is selected
    /// on the page, or what the person searched for on the way there.
    fn words(self: &Rc<Self>, state: &State) -> Result<Part, BrowserError> {
        let part = self.part("words")?;
        let tab = self.tab;
        for (text, wanted) in &state.said {
            let line = self.part("said")?;
            line.say("said", text)?;
            line.keep_if("wanted", *wanted)?;
            line.keep_if("not-wanted", !*wanted)?;
            let text = text.clone();
            self.act_on(&line, "[data-press=undo]", move || Request::Say {
                tab,
                text: text.clone(),
                wanted: None,
            })?;
            part.add("#said", &line)?;
        }
        part.keep_if("said", !state.said.is_empty())?;
        let searched = state
            .searched
            .as_deref()
            .filter(|_| state.selected.is_none());
        let proposed = state.selected.as_deref().or(searched);
        part.keep_if("searched", searched.is_some())?;
        for (button, wanted) in [("#say-it", true), ("#say-not", false)] {
            let text: HtmlInputElement = part.field("#words")?;
            text.set_value(proposed.unwrap_or_default());
            self.act_on(&part, button, move || Request::Say {
                tab,
                text: text.value(),
                wanted: Some(wanted),
            })?;
        }
        if proposed.is_some() || !state.said.is_empty() {
            part.open("#in-words")?;
        }
        Ok(part)
    }

    /// One page whose label would help most.
    fn question(self: &Rc<Self>, state: &State) -> Result<Option<Part>, BrowserError> {
        let Some(question) = &state.question else {
            return Ok(None);
        };
        let part = self.part("question")?;
        part.link("page", &question.address, &question.title)?;
        for (button, answer) in [
            ("#answer-yes", Answer::Yes),
            ("#answer-no", Answer::No),
            ("#answer-skip", Answer::Skip),
        ] {
            let (tab, crawl, page) = (self.tab, question.crawl, question.address.clone());
            self.act_on(&part, button, move || Request::Answer {
                tab,
                crawl,
                page: page.clone(),
                answer,
            })?;
        }
        Ok(Some(part))
    }

    /// Forms that lead to databases; one that is marked teaches what to look for.
    fn forms(self: &Rc<Self>, state: &State) -> Result<Part, BrowserError> {
        let forms = self.part("forms")?;
        for form in &state.forms {
            forms.add("#forms", &self.form(form)?)?;
        }
        Ok(forms)
    }

    fn form(self: &Rc<Self>, form: &FormLine) -> Result<Part, BrowserError> {
        let line = self.part("form")?;
        let fields = match form.fields[..] {
            [] => texts::text(&self.tools, "form_without_fields", &[]),
            [..] => texts::text(&self.tools, "form_with", &[&form.fields.join(", ")]),
        };
        line.say("fields", &fields)?;
        line.say("confidence", &format!("{:.0} %", 100.0 * form.confidence))?;
        let (tab, form, mark) = (self.tab, form.place, form.mark);
        for (name, wanted) in [("yes", Some(true)), ("no", Some(false)), ("undo", None)] {
            let button = format!("[data-press={name}]");
            let button = self.act_on(&line, &button, move || Request::MarkForm {
                tab,
                form,
                wanted,
            })?;
            button.set_id(&format!("form-{name}-{form}"));
        }
        line.keep_if("wanted", mark == Some(true))?;
        line.keep_if("not-wanted", mark == Some(false))?;
        line.keep_if("unmarked", mark.is_none())?;
        line.keep_if("marked", mark.is_some())?;
        Ok(line)
    }
}

/// To be held against what is shown.
fn text_of(state: &State) -> String {
    serde_json::to_string(state).unwrap_or_default()
}
