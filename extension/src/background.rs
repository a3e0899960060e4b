//! What happens on each request: the guide learns, the database keeps, the outbox
//! fills.
//!
//! The guide of the current topic is held in memory only to save reading it
//! again; whatever it learned is in the database before a request is answered.

mod context;
mod finding;
mod forgetting;
mod guides;
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
mod visits;

use std::rc::Rc;

use context::Context;
#[cfg(feature = "bench")]
pub use context::tie_breaks;
use finding::Finding;
use forgetting::Kept;
use guides::Guides;
#[cfg(feature = "bench")]
pub use guides::{ENOUGH_STEPS, bounded, kept};
use later::LaterLinks;
use ledger::Ledger;
use pairing::Pairing;
use reading::Reading;
use rendering::Renderings;
#[cfg(feature = "bench")]
pub use steps::GuideStep;
use switches::Switches;
use topic::Topics;
use visits::Visits;

use crate::ports::World;

/// What happens on each request, in a world of its own.
pub struct Background<W> {
    context: Context<W>,
    ledger: Rc<Ledger<W>>,
    guides: Rc<Guides<W>>,
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
        let guides = Rc::new(Guides::new(context, &ledger));
        let visits = Rc::new(Visits::new(context));
        let finding = Rc::new(Finding::new(context));
        let topics = Rc::new(Topics::new(context, &guides, &visits, &finding));
        let kept = Rc::new(Kept::new(context, &guides, &visits));
        Self {
            pairing: Pairing::new(context, &ledger, &guides, &kept, &topics, &finding),
            reading: Reading::new(context, &ledger, &guides, &visits, &topics),
            later: LaterLinks::new(context),
            renderings: Renderings::new(context, &ledger),
            switches: Switches::new(context),
            context: context.clone(),
            ledger,
            guides,
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
