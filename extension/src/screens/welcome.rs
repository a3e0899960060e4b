//! The welcome page: what the extension does, and the first three steps.

use std::rc::Rc;

use serde::de::IgnoredAny;
use web_sys::{Element, HtmlInputElement};

use super::ask::{ask, opens_dashboard};
use super::template::{Part, set_filled};
use crate::js_values::Tools;
use crate::ports::BrowserError;
use crate::request::Request;
use crate::shown::State;

/// See the module.
pub struct Welcome {
    root: Element,
    tools: Tools,
    tab: i32,
}

impl Welcome {
    /// The welcome page in a tab, to be filled into `root`.
    pub fn new(root: Element, tools: Tools, tab: i32) -> Rc<Self> {
        Rc::new(Self { root, tools, tab })
    }

    /// Asks for everything again and shows it.
    pub async fn fill(self: &Rc<Self>) -> Result<(), BrowserError> {
        let tab = self.tab;
        let state: State = ask(&self.tools, &Request::State { tab }).await?;
        let may_read = self.tools.call("mayRead", &[]).await?.is_truthy();
        let welcome = Part::of(&self.root, "welcome")?;
        let this = Rc::clone(self);
        welcome.on_press("#allow", move || {
            let this = Rc::clone(&this);
            async move {
                this.tools.call("askToRead", &[]).await?;
                this.fill().await
            }
        })?;
        let name: HtmlInputElement = welcome.field("#topic-name")?;
        let this = Rc::clone(self);
        welcome.on_press("#create-topic", move || {
            let (this, name) = (Rc::clone(&this), name.value());
            async move {
                let create = Request::Topic { tab, name };
                ask::<IgnoredAny>(&this.tools, &create).await?;
                this.fill().await
            }
        })?;
        opens_dashboard(&welcome, &self.tools)?;
        welcome.say("topic", state.current.as_deref().unwrap_or_default())?;
        welcome.keep_if("named", state.current.is_some())?;
        welcome.keep_if("asks", !may_read)?;
        welcome.keep_if("allowed", may_read)?;
        welcome.keep_if("paired", state.paired)?;
        welcome.keep_if("unpaired", !state.paired)?;
        welcome.show_in(&self.root)?;
        set_filled(&self.root, true)
    }
}
