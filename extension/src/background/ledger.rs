//! The ledger: a line for each thing that was kept of what was read, and for each that went to
//! the companion or came from it, with its bytes. It lasts for [`crate::store::MOST_LINES`] lines.

use linkscent_core::wire::api::{Event, EventKind};

use super::context::Context;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{LedgerLine, Way};
use crate::shown::LedgerView;
use crate::store::Change;

/// Lines that are shown.
const MOST_SHOWN: usize = 100;

/// What was kept, and what went to and fro.
pub(super) struct Ledger<W> {
    context: Context<W>,
}

impl<W: World> Ledger<W> {
    pub fn new(context: &Context<W>) -> Self {
        Self {
            context: context.clone(),
        }
    }

    /// A line of what happens now.
    pub(super) fn line(
        &self,
        way: Way,
        what: &str,
        about: Vec<String>,
        bytes: usize,
    ) -> LedgerLine {
        LedgerLine {
            time: self.context.world.now(),
            way,
            what: what.to_owned(),
            about,
            bytes,
            is_new: false,
        }
    }

    /// Puts a line down; of one time the order is by chance.
    pub(super) fn put_down(&self, line: &LedgerLine, change: &mut Change) -> Result<(), Problem> {
        let number = u32::from_le_bytes(self.context.world.random());
        Ok(change.ledger(number, line)?)
    }

    /// An event that was sent.
    pub(super) fn note_sent(&self, event: &Event, change: &mut Change) -> Result<(), Problem> {
        let bytes = serde_json::to_vec(event).map_or(0, |body| body.len());
        let about = match &event.what {
            EventKind::Phrase { text, .. } => vec![text.clone()],
            EventKind::Name { name } => vec![name.clone()],
            _ => event.pages().into_iter().map(str::to_owned).collect(),
        };
        let what = event.what.name().as_str();
        self.put_down(&self.line(Way::Sent, what, about, bytes), change)
    }

    /// See [`crate::request::Request::Ledger`].
    pub(super) async fn ledger(&self) -> Result<LedgerView, Problem> {
        let mut lines = self.context.store.ledger().await?;
        let of = |way| {
            let own = lines.iter().filter(|line| line.way == way);
            let bytes: usize = own.clone().map(|line| line.bytes).sum();
            (own.count(), bytes)
        };
        let (kept, sent, taken) = (of(Way::Kept), of(Way::Sent), of(Way::Taken));
        lines.reverse();
        lines.truncate(MOST_SHOWN);
        Ok(LedgerView {
            lines,
            kept,
            sent,
            taken,
        })
    }
}
