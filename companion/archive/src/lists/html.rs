//! Bookmarks and other pages of HTML: the addresses of their links.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use linkscent_core::budget::OverBudget;

use super::{ListError, Pages};

/// Where the reader is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Elsewhere,
    /// In the tag of a link.
    Link,
    /// Behind the name of the attribute that says where it leads.
    Href,
}

/// Adds the links of a page to those found.
pub(super) fn read(text: &str, pages: &mut Pages) -> Result<(), ListError> {
    let mut place = Place::Elsewhere;
    let callback = |event: CallbackEvent<'_>, _: Span<()>| -> Option<OverBudget> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                let is_link = matches!(name, b"a" | b"area");
                place = if is_link {
                    Place::Link
                } else {
                    Place::Elsewhere
                };
            }
            CallbackEvent::AttributeName { name } if place != Place::Elsewhere => {
                let is_href = name == b"href";
                place = if is_href { Place::Href } else { Place::Link };
            }
            CallbackEvent::AttributeValue { value } if place == Place::Href => {
                // Of two the first counts.
                place = Place::Elsewhere;
                return pages.add(&String::from_utf8_lossy(value)).err();
            }
            _ => {}
        }
        None
    };
    let mut emitter = CallbackEmitter::new(callback);
    emitter.naively_switch_states(true);
    match Tokenizer::new_with_emitter(text, emitter).next() {
        Some(Ok(over)) => Err(over.into()),
        Some(Err(never)) => match never {},
        None => Ok(()),
    }
}
