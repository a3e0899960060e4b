//! What happens on each request: the topic model learns, the database keeps, the outbox
//! fills.
//!
//! The topic model of the current topic is held in memory only to save reading it
//! again; whatever it learned is in the database before a request is answered.

mod context;
mod finding;
mod forgetting;
mod handling;
mod later;
mod ledger;
mod pairing;
mod reading;
mod rendering;
mod state;
mod steps;
mod switches;
#[cfg(test)]
mod tests;
mod topic;
mod topic_models;
mod visits;

use std::rc::Rc;

use context::Context;
#[cfg(feature = "bench")]
pub use context::tie_breaks;
use finding::Finding;
use forgetting::Kept;
use later::LaterLinks;
use ledger::Ledger;
use pairing::Pairing;
use reading::Reading;
use rendering::Renderings;
#[cfg(feature = "bench")]
pub use steps::ModelStep;
use switches::Switches;
use topic::Topics;
use topic_models::TopicModels;
#[cfg(feature = "bench")]
pub use topic_models::{ENOUGH_STEPS, bounded, kept};
use visits::Visits;

use crate::ports::World;

/// What happens on each request, in a world of its own.
pub struct Background<W> {
    context: Context<W>,
    ledger: Rc<Ledger<W>>,
    topic_models: Rc<TopicModels<W>>,
    visits: Rc<Visits<W>>,
    finding: Rc<Finding<W>>,
    topics: Rc<Topics<W>>,
    kept: Rc<Kept<W>>,
    pairing: Pairing<W>,
    reading: Reading<W>,
    later: LaterLinks<W>,
    renderings: Renderings<W>,
    switches: Switches<W>,
}

impl<W: World> Background<W> {
    /// The background in a world whose database is open.
    pub fn new(world: Rc<W>) -> Self {
        let context = &Context::new(world);
        let ledger = Rc::new(Ledger::new(context));
        let topic_models = Rc::new(TopicModels::new(context, &ledger));
        let visits = Rc::new(Visits::new(context));
        let finding = Rc::new(Finding::new(context));
        let topics = Rc::new(Topics::new(context, &topic_models, &visits, &finding));
        let kept = Rc::new(Kept::new(context, &topic_models, &visits));
        Self {
            pairing: Pairing::new(context, &ledger, &topic_models, &kept, &topics, &finding),
            reading: Reading::new(context, &ledger, &topic_models, &visits, &topics),
            later: LaterLinks::new(context),
            renderings: Renderings::new(context, &ledger),
            switches: Switches::new(context),
            context: context.clone(),
            ledger,
            topic_models,
            visits,
            finding,
            topics,
            kept,
        }
    }

    /// Shows at the extension's button whether pages are read.
    pub async fn show_switch(&self) {
        self.switches.show().await;
    }
}
