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
use super::topic_models::TopicModels;
use super::visits::Visits;

/// See the module.
pub(super) struct Topics<W> {
    context: Context<W>,
    topic_models: Rc<TopicModels<W>>,
    visits: Rc<Visits<W>>,
    finding: Rc<Finding<W>>,
}

impl<W> Topics<W> {
    pub fn new(
        context: &Context<W>,
        topic_models: &Rc<TopicModels<W>>,
        visits: &Rc<Visits<W>>,
        finding: &Rc<Finding<W>>,
    ) -> Self {
        Self {
            context: context.clone(),
            topic_models: Rc::clone(topic_models),
            visits: Rc::clone(visits),
            finding: Rc::clone(finding),
        }
    }
}
