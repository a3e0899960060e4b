//! Ctrl-C and what service managers send, for a crawl that may be taken up several times: it pauses
//! whichever is under way.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::Handle;

use super::told_to_end;
use linkscent_service::crawler::runner::Control;
use linkscent_store::Command;

/// See the module.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    is_told: Arc<AtomicBool>,
    control: Arc<Mutex<Option<Control>>>,
}

impl Interrupt {
    /// Listens from now on.
    pub(super) fn listen(handle: &Handle) -> Self {
        let told = Self::default();
        let heard = told.clone();
        handle.spawn(async move {
            told_to_end().await;
            heard.is_told.store(true, Ordering::Relaxed);
            if let Some(control) = &*heard.control() {
                control.send(Command::Pause);
            }
        });
        told
    }

    /// Whether that was heard.
    pub(super) fn is_told(&self) -> bool {
        self.is_told.load(Ordering::Relaxed)
    }

    /// Pauses that crawl when it is told. What was said to the one before and not done is said to it.
    pub(super) fn pauses(&self, crawl: Control) {
        let mut control = self.control();
        for command in control.iter().flat_map(Control::undone) {
            crawl.send(command);
        }
        if self.is_told() {
            crawl.send(Command::Pause);
        }
        *control = Some(crawl);
    }

    fn control(&self) -> MutexGuard<'_, Option<Control>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
