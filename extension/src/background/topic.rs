//! What a person says of the topic itself: its name, its words, its classes, questions about it.

pub(in crate::background) mod choices;
pub(in crate::background) mod classes;
pub(in crate::background) mod forms;
pub(in crate::background) mod naming;
pub(in crate::background) mod phrases;
pub(in crate::background) mod questions;
pub(in crate::background) mod removing;
