//! The popup: the current topic, this page's mark, the hand-over, the last
//! crawl. Asks the background for everything and draws the answer.

use std::rc::Rc;

use linkscent_core::wire::api::Answer;
use serde::de::IgnoredAny;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

use crate::ask::ask;
use crate::draw::{button, element};
use crate::js_values::Tools;
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::State;

/// Budget proposed for a crawl.
const BUDGET: &str = "300";

/// See the module.
#[derive(Clone)]
pub struct Popup {
    root: Element,
    tools: Tools,
    tab: i32,
}

impl Popup {
    /// The popup of a tab, drawn into `root`.
    pub fn new(root: Element, tools: Tools, tab: i32) -> Rc<Self> {
        Rc::new(Self { root, tools, tab })
    }

    /// Draws everything again.
    pub async fn draw(self: &Rc<Self>) -> Result<(), BrowserError> {
        let state: State = ask(&self.tools, &Request::State { tab: self.tab }).await?;
        let may_read = self.tools.call("mayRead", &[]).await?.is_truthy();
        self.root.set_text_content(None);
        element(&self.root, "h1", "Linkscent");
        if !may_read {
            self.draw_permission();
            return Ok(());
        }
        self.draw_topic(&state);
        if state.current.is_some() {
            self.draw_page(&state);
            self.draw_question(&state);
            self.draw_forms(&state);
            self.draw_companion(&state);
        }
        let this = Rc::clone(self);
        button(&self.root, "Trails and settings", "open-panel", move || {
            let this = Rc::clone(&this);
            async move { this.tools.call("openPanel", &[]).await.map(drop) }
        });
        self.root
            .set_attribute("data-drawn", "true")
            .map_err(|_| BrowserError("cannot draw".to_owned()))
    }

    /// Does something in the background and draws again.
    async fn act(self: Rc<Self>, request: Request) -> Result<(), BrowserError> {
        let _ = self.root.remove_attribute("data-drawn");
        let done: Result<IgnoredAny, _> = ask(&self.tools, &request).await;
        if done.is_err() {
            let _ = self.root.set_attribute("data-drawn", "true");
        }
        done?;
        self.draw().await
    }

    fn act_button(self: &Rc<Self>, parent: &Element, text: &str, id: &str, request: Request) {
        let this = Rc::clone(self);
        button(parent, text, id, move || {
            Rc::clone(&this).act(request.clone())
        });
    }

    fn draw_permission(self: &Rc<Self>) {
        element(
            &self.root,
            "p",
            "To highlight links Linkscent has to read the pages you open. What it reads stays on this machine.",
        );
        let this = Rc::clone(self);
        button(&self.root, "Allow on all sites", "allow", move || {
            let this = Rc::clone(&this);
            async move {
                this.tools.call("askToRead", &[]).await?;
                this.draw().await
            }
        });
    }

    fn draw_topic(self: &Rc<Self>, state: &State) {
        element(&self.root, "h2", "Topic");
        let line = element(&self.root, "div", "");
        if !state.topics.is_empty() {
            self.draw_topic_choice(&line, state);
        }
        let name = element(&line, "input", "");
        name.set_id("topic-name");
        let _ = name.set_attribute("placeholder", "New topic");
        let _ = name.set_attribute("aria-label", "Name of a new topic");
        let this = Rc::clone(self);
        button(&line, "Create", "create-topic", move || {
            let name: HtmlInputElement = name.clone().unchecked_into();
            let (tab, name) = (this.tab, name.value());
            Rc::clone(&this).act(Request::Topic { tab, name })
        });
    }

    fn draw_topic_choice(self: &Rc<Self>, line: &Element, state: &State) {
        let choice = element(line, "select", "");
        choice.set_id("topic");
        let _ = choice.set_attribute("aria-label", "Current topic");
        for topic in &state.topics {
            let option = element(&choice, "option", topic);
            if state.current.as_ref() == Some(topic) {
                let _ = option.set_attribute("selected", "");
            }
        }
        let this = Rc::clone(self);
        button(line, "Switch", "switch-topic", move || {
            let choice: HtmlSelectElement = choice.clone().unchecked_into();
            let (tab, name) = (this.tab, choice.value());
            Rc::clone(&this).act(Request::Topic { tab, name })
        });
    }

    fn draw_page(self: &Rc<Self>, state: &State) {
        let tab = self.tab;
        element(&self.root, "h2", "This page");
        let part = element(&self.root, "div", "");
        if let Some(refused) = &state.refused {
            element(&part, "p", &format!("This page is not read: {refused}.")).set_id("refused");
            return;
        }
        if !state.page {
            element(&part, "p", "There is nothing to read here.");
            return;
        }
        if state.paused {
            element(
                &part,
                "p",
                &format!("Paused on {}: nothing is read or kept.", state.host),
            );
            self.act_button(
                &part,
                "Go on here",
                "resume-site",
                Request::Pause { tab, on: false },
            );
            return;
        }
        let links = element(&part, "p", "");
        element(&links, "span", &state.promising.to_string()).set_class_name("big");
        element(&links, "span", " promising links");
        if let Some(standing) = &state.standing {
            element(&part, "p", &format!("This page {standing}.")).set_class_name("standing");
        }
        if state.targets.is_empty() {
            element(
                &part,
                "p",
                "Mark a page that is what you look for; a second one helps a lot.",
            );
        }
        let mark = |target: Option<bool>| Request::Mark { tab, target };
        match state.mark {
            None => {
                self.act_button(&part, "✓ This is it", "mark-target", mark(Some(true)));
                self.act_button(&part, "✗ Not this", "mark-not", mark(Some(false)));
            }
            Some(target) => {
                let said = if target {
                    "✓ Marked: this is it."
                } else {
                    "✗ Marked: not this."
                };
                element(&part, "p", said);
                self.act_button(&part, "Undo", "undo-mark", mark(None));
            }
        }
        self.act_button(
            &part,
            "Forget this page",
            "forget-page",
            Request::ForgetPage {
                tab,
                address: state.address.clone(),
            },
        );
        let pause = format!("Pause on {}", state.host);
        self.act_button(
            &part,
            &pause,
            "pause-site",
            Request::Pause { tab, on: true },
        );
    }

    /// One page whose label would help most.
    fn draw_question(self: &Rc<Self>, state: &State) {
        let Some(question) = &state.question else {
            return;
        };
        element(&self.root, "h2", "A question");
        let part = element(&self.root, "div", "");
        part.set_id("question");
        let said = element(&part, "p", "Is this what you look for? ");
        let link = element(&said, "a", &question.title);
        let _ = link.set_attribute("href", &question.address);
        let _ = link.set_attribute("target", "_blank");
        let _ = link.set_attribute("rel", "noreferrer");
        let answer = |answer| Request::Answer {
            tab: self.tab,
            crawl: question.crawl,
            page: question.address.clone(),
            answer,
        };
        self.act_button(&part, "✓ Yes", "answer-yes", answer(Answer::Yes));
        self.act_button(&part, "✗ No", "answer-no", answer(Answer::No));
        self.act_button(&part, "Skip", "answer-skip", answer(Answer::Skip));
    }

    /// Forms that lead to databases; one that is marked teaches what to look for.
    fn draw_forms(self: &Rc<Self>, state: &State) {
        if state.forms.is_empty() {
            return;
        }
        element(&self.root, "h2", "Databases behind this page");
        let list = element(&self.root, "ul", "");
        list.set_id("forms");
        for form in &state.forms {
            let line = element(&list, "li", "");
            let fields = match form.fields[..] {
                [] => "a form without named fields".to_owned(),
                [..] => format!("a form with {}", form.fields.join(", ")),
            };
            element(&line, "span", &fields);
            let sure = format!(" {:.0} %", 100.0 * form.confidence);
            element(&line, "small", &sure);
            let part = element(&line, "div", "");
            let (tab, place) = (self.tab, form.place);
            let mark = |wanted| Request::MarkForm {
                tab,
                form: place,
                wanted,
            };
            let id = |what: &str| format!("form-{what}-{}", form.place);
            match form.mark {
                None => {
                    let (yes, no) = ("✓ A database for my topic", "✗ Not this one");
                    self.act_button(&part, yes, &id("yes"), mark(Some(true)));
                    self.act_button(&part, no, &id("no"), mark(Some(false)));
                }
                Some(wanted) => {
                    let said = if wanted {
                        "✓ Marked: a database for my topic."
                    } else {
                        "✗ Marked: not this one."
                    };
                    element(&part, "p", said);
                    self.act_button(&part, "Undo", &id("undo"), mark(None));
                }
            }
        }
    }

    fn draw_companion(self: &Rc<Self>, state: &State) {
        element(&self.root, "h2", "Companion");
        let part = element(&self.root, "div", "");
        if !state.problem.is_empty() {
            element(&part, "p", &state.problem).set_class_name("error");
        }
        if !state.paired {
            element(
                &part,
                "p",
                "The companion crawls on for you. Start it, then pair by the code on its settings page.",
            );
            self.draw_pairing(&part);
            return;
        }
        if let Some(crawl) = &state.crawl {
            let line = format!(
                "Last crawl {}: {} relevant of {} pages ({:.0} %)",
                crawl.state,
                crawl.relevant,
                crawl.pages,
                100.0 * crawl.harvest
            );
            element(&part, "p", &line).set_id("crawl");
            if !crawl.alarm.is_empty() {
                let alarm = format!("It lost its way: {}.", crawl.alarm);
                element(&part, "p", &alarm).set_class_name("error");
            }
            let list = element(&part, "ul", "");
            list.set_id("finds");
            for find in crawl.finds.iter().take(5) {
                let link = element(&element(&list, "li", ""), "a", &find.title);
                let _ = link.set_attribute("href", &find.address);
                let _ = link.set_attribute("target", "_blank");
                let _ = link.set_attribute("rel", "noreferrer");
            }
        }
        if state.waiting > 0 {
            element(&part, "small", &format!("{} things to send", state.waiting));
        }
        if !state.targets.is_empty() {
            self.draw_hand_over(&part, state);
        }
        self.act_button(&part, "Sync", "sync", Request::Sync);
        let this = Rc::clone(self);
        button(&part, "Open the dashboard", "open-dashboard", move || {
            let this = Rc::clone(&this);
            async move {
                let link: String = ask(&this.tools, &Request::Dashboard).await?;
                this.tools
                    .call("openDashboard", &[link.into()])
                    .await
                    .map(drop)
            }
        });
        self.act_button(&part, "Forget this companion", "unpair", Request::Unpair);
    }

    fn draw_pairing(self: &Rc<Self>, part: &Element) {
        let port = input(part, "port", "7474", "Port of the companion");
        let code = input(part, "code", "", "Pairing code");
        let this = Rc::clone(self);
        let pair = button(part, "Pair", "pair", move || {
            let port: u16 = port.value().trim().parse().unwrap_or(7474);
            let code = code.value();
            Rc::clone(&this).act(Request::Pair { port, code })
        });
        pair.set_class_name("main");
    }

    /// Shows seeds and budget; nothing starts before they are confirmed.
    fn draw_hand_over(self: &Rc<Self>, part: &Element, state: &State) {
        let details = element(part, "details", "");
        details.set_id("hand-over");
        element(&details, "summary", "Hand over to the companion");
        element(&details, "p", "The crawl will start at your targets:");
        let list = element(&details, "ul", "");
        for mark in &state.targets {
            element(
                &list,
                "li",
                if mark.title.is_empty() {
                    &mark.address
                } else {
                    &mark.title
                },
            );
        }
        let budget = input(&details, "budget", BUDGET, "Pages to fetch");
        let seeds: Vec<String> = state
            .targets
            .iter()
            .map(|mark| mark.address.clone())
            .collect();
        let this = Rc::clone(self);
        let start = button(&details, "Start the crawl", "start-crawl", move || {
            let budget: f64 = budget.value().trim().parse().unwrap_or(300.0);
            Rc::clone(&this).act(Request::HandOver {
                budget: budget as u64,
                seeds: seeds.clone(),
            })
        });
        start.set_class_name("main");
    }
}

/// A text field with a label.
fn input(parent: &Element, id: &str, value: &str, label: &str) -> HtmlInputElement {
    let line = element(parent, "p", "");
    let name = element(&line, "label", &format!("{label} "));
    let field: HtmlInputElement = element(&name, "input", "").unchecked_into();
    field.set_id(id);
    field.set_value(value);
    field
}
