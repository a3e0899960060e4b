//! Replaying the log of a crawl after a restart.

use super::Session;
use crate::address::Address;
use crate::crawl::{Arm, Instant, Outcome, Record};
use crate::strategies::Rng;

impl Session {
    /// Takes in again what was taken in before a restart. A page that does not
    /// wait in the frontier is taken in as if it were a seed. Whose arm it was is
    /// computed again where the log does not say: with several requests under way that may be
    /// another.
    pub fn replay(
        &mut self,
        address: &Address,
        outcome: Outcome,
        arm: Option<Arm>,
        rng: &mut dyn Rng,
    ) -> Option<Record> {
        self.is_replaying = true;
        let record = self.replay_row(address, outcome, arm, rng);
        self.is_replaying = false;
        record
    }

    fn replay_row(
        &mut self,
        address: &Address,
        outcome: Outcome,
        arm: Option<Arm>,
        rng: &mut dyn Rng,
    ) -> Option<Record> {
        match &outcome {
            Outcome::Page(page, digest) if self.unrendered.contains_key(address) => {
                return self.take_rendered(address, page, *digest, rng);
            }
            Outcome::Repeated(problem) => {
                if let Some(chosen) = self.unrendered.remove(address) {
                    self.requests += 1;
                    let mut record = chosen.record(self.requests, address);
                    self.take_repeat(address, problem, &mut record);
                    self.rescore_part();
                    return Some(record);
                }
            }
            _ => {}
        }
        let arm = arm.unwrap_or_else(|| self.frontier.taken_by(self.arm(), address));
        self.frontier.choose_again(address);
        self.set_under_way(address.clone(), arm);
        self.take(address, outcome, Instant(0), rng)
    }
}
