//! What many values share, such as the text of an address or the way to a page, written once:
//! where it comes again only its number is written, and who reads it shares it again.
//!
//! Serde gives a value no way to know of the others, so the tables lie with the thread while
//! [`super::Saver`] or [`super::Loader`] works, and nowhere else: a value that is written alone is
//! written whole.

use std::any::Any;
use std::cell::RefCell;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What was written or read so far.
#[derive(Default)]
pub(super) struct Tables {
    /// Numbers of texts.
    texts: FxHashMap<Arc<str>, u32>,
    /// Texts by their numbers.
    read_texts: Vec<Arc<str>>,
    /// Numbers of nodes, by where they lie in memory.
    nodes: FxHashMap<usize, u32>,
    /// Nodes by their numbers.
    read_nodes: Vec<Arc<dyn Any + Send + Sync>>,
}

#[cfg(test)]
impl Tables {
    pub(super) fn nodes_written(&self) -> usize {
        self.nodes.len()
    }
}

thread_local! {
    static TABLES: RefCell<Option<Tables>> = const { RefCell::new(None) };
}

/// Does something while these tables are at hand.
pub(super) fn with<R>(tables: &mut Tables, does: impl FnOnce() -> R) -> R {
    /// Puts back what was there, also if the work ends in a panic.
    struct PutBack(Option<Tables>);
    impl Drop for PutBack {
        fn drop(&mut self) {
            TABLES.replace(self.0.take());
        }
    }
    let put_back = PutBack(TABLES.replace(Some(std::mem::take(tables))));
    let done = does();
    *tables = TABLES.take().unwrap_or_default();
    drop(put_back);
    done
}

fn at_hand<R>(does: impl FnOnce(&mut Tables) -> R) -> Option<R> {
    TABLES.with_borrow_mut(|tables| tables.as_mut().map(does))
}

/// A text as it is written.
#[derive(Serialize, Deserialize)]
enum Text<T> {
    New(T),
    Known(u32),
}

/// Writes a text.
pub(crate) fn write_text<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
    let known = at_hand(|tables| {
        let next = tables.texts.len() as u32;
        let number = *tables.texts.entry(Arc::clone(text)).or_insert(next);
        (number < next).then_some(number)
    });
    match known.flatten() {
        Some(number) => Text::<&str>::Known(number).serialize(to),
        None => Text::New(&**text).serialize(to),
    }
}

/// Reads a text.
pub(crate) fn read_text<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
    match Text::<Box<str>>::deserialize(from)? {
        Text::New(text) => {
            let text: Arc<str> = text.into();
            at_hand(|tables| tables.read_texts.push(Arc::clone(&text)));
            Ok(text)
        }
        Text::Known(number) => {
            let known = at_hand(|tables| tables.read_texts.get(number as usize).cloned());
            let known = known.flatten();
            known.ok_or_else(|| D::Error::custom("a text is called known that is not"))
        }
    }
}

/// The number of a node that was written; else it has one from now on, where tables are at hand.
/// It must live as long as the tables do.
pub(crate) fn number_of<T>(node: &Arc<T>) -> Option<u32> {
    let place = Arc::as_ptr(node).cast::<u8>() as usize;
    let known = at_hand(|tables| {
        let next = tables.nodes.len() as u32;
        let number = *tables.nodes.entry(place).or_insert(next);
        (number < next).then_some(number)
    });
    known.flatten()
}

/// A node was read.
pub(crate) fn note<T: Send + Sync + 'static>(node: &Arc<T>) {
    let node: Arc<dyn Any + Send + Sync> = Arc::<T>::clone(node);
    at_hand(|tables| tables.read_nodes.push(node));
}

/// The node of a number.
pub(crate) fn node<T: Send + Sync + 'static>(number: u32) -> Option<Arc<T>> {
    let node = at_hand(|tables| tables.read_nodes.get(number as usize).cloned());
    node.flatten()?.downcast().ok()
}
