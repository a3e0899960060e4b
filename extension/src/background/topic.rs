//! What a person says of the topic itself: its name, its words, its classes, questions about it.

pub(in crate::background) mod choices;
pub(in crate::background) mod classes;
pub(in crate::background) mod forms;
pub(in crate::background) mod naming;
pub(in crate::background) mod phrases;
pub(in crate::background) mod questions;
pub(in crate::background) mod removing;

use std::rc::Rc;

use super::context::Context;
use super::finding::Finding;
use super::guides::Guides;
use super::visits::Visits;

/// See the module.
pub(super) struct Topics<W> {
    context: Context<W>,
    guides: Rc<Guides<W>>,
    visits: Rc<Visits<W>>,
    finding: Rc<Finding<W>>,
}

impl<W> Topics<W> {
    pub fn new(
        context: &Context<W>,
        guides: &Rc<Guides<W>>,
        visits: &Rc<Visits<W>>,
        finding: &Rc<Finding<W>>,
    ) -> Self {
        Self {
            context: context.clone(),
            guides: Rc::clone(guides),
            visits: Rc::clone(visits),
            finding: Rc::clone(finding),
        }
    }
}
