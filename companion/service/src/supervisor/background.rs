//! Threads that crawls make their requests and read pages on, and that the library's index is written
//! on: they give way to those that answer a person.

use std::sync::OnceLock;

use tokio::runtime::{Builder, Handle, Runtime};

use crate::supervisor::priority::give_way;

/// A runtime of its own, once it is needed.
#[derive(Default)]
pub(crate) struct Background(OnceLock<Option<Runtime>>);

impl Background {
    /// Where work is handed to it. Where no threads can be had it is done among the rest.
    pub(crate) fn handle(&self) -> Handle {
        let begin = || {
            let mut builder = Builder::new_multi_thread();
            builder.enable_all().on_thread_start(give_way);
            let begun = builder.thread_name("linkscent-crawls").build();
            begun
                .inspect_err(|error| tracing::warn!("crawls get no threads of their own: {error}"))
                .ok()
        };
        let runtime = self.0.get_or_init(begin).as_ref();
        runtime.map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }
}

/// It may be dropped where nothing may be waited for.
impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take().flatten() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn it_may_be_dropped_by_what_it_works_on() {
        let background = Arc::new(Background::default());
        let (handle, held) = (background.handle(), Arc::clone(&background));
        let worked = handle.spawn(async move {
            drop(held);
            Handle::current().id()
        });
        assert_eq!(worked.await.unwrap(), handle.id());
        assert_ne!(handle.id(), Handle::current().id());
        let (ended, ends) = tokio::sync::oneshot::channel();
        let held = Arc::clone(&background);
        drop(background);
        handle.spawn(async move {
            drop(held);
            let _ = ended.send(());
        });
        ends.await.unwrap();
    }
}
