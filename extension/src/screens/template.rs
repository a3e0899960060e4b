//! Copies of a page's templates, filled in.
//!
//! A template is a `<template data-template="name">` with one element in it. In the
//! element, `data-text` names places for text, `data-place` places for other copies,
//! `data-if` what is there only sometimes, and buttons have an `id` or a `data-press`.

use std::future::Future;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Document, Element, HtmlTemplateElement};

use crate::js_values::message;
use crate::ports::BrowserError;

/// A copy of a template.
#[derive(Clone)]
pub struct Part(Element);

impl Part {
    /// A copy of the template of this name in the page that `near` belongs to.
    pub fn of(near: &Element, name: &str) -> Result<Self, BrowserError> {
        let missing = || BrowserError(format!("the page has no template {name:?}"));
        let document: Document = near.owner_document().ok_or_else(missing)?;
        let selector = format!("template[data-template={name}]");
        let template = document.query_selector(&selector).map_err(failed)?;
        let template: HtmlTemplateElement = template
            .and_then(|template| template.dyn_into().ok())
            .ok_or_else(missing)?;
        let copy = document
            .import_node_with_deep(&template.content(), true)
            .map_err(failed)?;
        let element = copy.first_child().ok_or_else(missing)?;
        Ok(Self(element.dyn_into().map_err(|_| missing())?))
    }

    /// The first element that a selector fits.
    pub fn find(&self, selector: &str) -> Result<Element, BrowserError> {
        if self.0.matches(selector).map_err(failed)? {
            return Ok(self.0.clone());
        }
        let found = self.0.query_selector(selector).map_err(failed)?;
        found.ok_or_else(|| BrowserError(format!("the template has no {selector}")))
    }

    /// The same as an element of a kind of its own, such as a field.
    pub fn field<T: JsCast>(&self, selector: &str) -> Result<T, BrowserError> {
        let wrong = |_| BrowserError(format!("{selector} is another element"));
        self.find(selector)?.dyn_into().map_err(wrong)
    }

    /// Puts a text in its place.
    pub fn say(&self, name: &str, text: &str) -> Result<(), BrowserError> {
        let place = self.find(&format!("[data-text={name}]"))?;
        place.set_text_content(Some(text));
        Ok(())
    }

    /// Makes the option in a place stand for a text, exactly: without a value of its own
    /// it would stand for the text with its spaces folded.
    pub fn stand_for(&self, name: &str, text: &str) -> Result<(), BrowserError> {
        let option = self.find(&format!("[data-text={name}]"))?;
        option.set_attribute("value", text).map_err(failed)
    }

    /// Makes the link in a place lead to an address, with a text.
    pub fn link(&self, name: &str, address: &str, text: &str) -> Result<(), BrowserError> {
        let link = self.find(&format!("[data-text={name}]"))?;
        link.set_text_content(Some(text));
        link.set_attribute("href", address).map_err(failed)
    }

    /// Takes away what is there only if a condition holds, unless it does.
    pub fn keep_if(&self, name: &str, holds: bool) -> Result<(), BrowserError> {
        if holds {
            return Ok(());
        }
        let selector = format!("[data-if={name}]");
        while let Some(part) = self.0.query_selector(&selector).map_err(failed)? {
            part.remove();
        }
        Ok(())
    }

    /// Shows what can be opened as open.
    pub fn open(&self, selector: &str) -> Result<(), BrowserError> {
        let details = self.find(selector)?;
        details.set_attribute("open", "").map_err(failed)
    }

    /// Adds another copy at the end of an element of this one.
    pub fn add(&self, selector: &str, part: &Self) -> Result<(), BrowserError> {
        let place = self.find(selector)?;
        place.append_child(&part.0).map(drop).map_err(failed)
    }

    /// Shows this copy as all that there is in an element.
    pub fn show_in(&self, root: &Element) -> Result<(), BrowserError> {
        root.set_text_content(None);
        root.append_child(&self.0).map(drop).map_err(failed)
    }

    /// Has a button do something; what goes wrong is shown beside it.
    pub fn on_press<F>(
        &self,
        selector: &str,
        act: impl Fn() -> F + 'static,
    ) -> Result<Element, BrowserError>
    where
        F: Future<Output = Result<(), BrowserError>> + 'static,
    {
        self.on("click", selector, act)
    }

    /// The same of any event of an element.
    pub fn on<F>(
        &self,
        event: &str,
        selector: &str,
        act: impl Fn() -> F + 'static,
    ) -> Result<Element, BrowserError>
    where
        F: Future<Output = Result<(), BrowserError>> + 'static,
    {
        let button = self.find(selector)?;
        let pressed = button.clone();
        let on_event = Closure::<dyn FnMut()>::new(move || {
            let (work, pressed) = (act(), pressed.clone());
            wasm_bindgen_futures::spawn_local(async move {
                if let Err(error) = work.await
                    && let Some(beside) = pressed.parent_element()
                {
                    // There is no other place to say it.
                    let _ = show_error(&beside, &error);
                }
            });
        });
        button
            .add_event_listener_with_callback(event, on_event.as_ref().unchecked_ref())
            .map_err(failed)?;
        on_event.forget();
        Ok(button)
    }
}

/// Shows an error at the end of an element.
pub fn show_error(at: &Element, error: &BrowserError) -> Result<(), BrowserError> {
    let line = Part::of(at, "error")?;
    line.say("error", &error.0)?;
    at.append_child(&line.0).map(drop).map_err(failed)
}

/// Whether the person is typing or has something open there, which is not to be taken away.
pub fn is_in_use(root: &Element) -> Result<bool, BrowserError> {
    let used = "details[open], input:focus, select:focus, textarea:focus";
    Ok(root.query_selector(used).map_err(failed)?.is_some())
}

/// Says on a screen's root whether it is filled, or something is being done.
pub fn set_filled(root: &Element, is_filled: bool) -> Result<(), BrowserError> {
    let name = "data-drawn";
    let set = if is_filled {
        root.set_attribute(name, "true")
    } else {
        root.remove_attribute(name)
    };
    set.map_err(failed)
}

fn failed(error: JsValue) -> BrowserError {
    message(&error)
}
