//! Building a page's elements.

use std::future::Future;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Document, Element};

use crate::ports::BrowserError;

/// An element with a text.
pub fn element(parent: &Element, name: &str, text: &str) -> Element {
    let made = document(parent)
        .create_element(name)
        .expect("the names given are names of elements");
    made.set_text_content(Some(text));
    let _ = parent.append_child(&made);
    made
}

/// The element's document.
pub fn document(element: &Element) -> Document {
    element.owner_document().expect("elements have a document")
}

/// A button that does something; what goes wrong is shown beside it.
pub fn button<F>(parent: &Element, text: &str, id: &str, act: impl Fn() -> F + 'static) -> Element
where
    F: Future<Output = Result<(), BrowserError>> + 'static,
{
    let made = element(parent, "button", text);
    made.set_id(id);
    let beside = parent.clone();
    let on_click = Closure::<dyn FnMut()>::new(move || {
        let (work, beside) = (act(), beside.clone());
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(error) = work.await {
                show_error(&beside, &error.0);
            }
        });
    });
    let _ = made.add_event_listener_with_callback("click", on_click.as_ref().unchecked_ref());
    on_click.forget();
    made
}

/// Shows an error at the end of an element.
pub fn show_error(parent: &Element, error: &str) {
    let line = element(parent, "p", error);
    line.set_class_name("error");
    let _ = line.set_attribute("role", "alert");
}
