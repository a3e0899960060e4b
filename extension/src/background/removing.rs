//! Topics that are removed, and brought back: out of sight, with all they have.

use linkscent_core::wire::api::EventKind;

use super::Background;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::Settings;
use crate::store::Change;

impl<W: World> Background<W> {
    /// Removes the current topic: nothing is looked for then.
    pub(super) async fn remove_topic(&mut self) -> Result<(), Problem> {
        let mut settings = self.store.settings().await?;
        let topic = settings.current.take().ok_or(Problem::NoTopic)?;
        settings.removed.push(topic.clone());
        let mut change = Change::default();
        change.settings(&settings)?;
        let what = EventKind::Remove {
            removed: true,
            for_good: false,
        };
        self.says(&topic, what, &mut change).await?;
        Ok(self.store.apply(change).await?)
    }

    /// Brings back a topic that is among those removed, and chooses it.
    pub(super) async fn bring_back(&mut self, name: &str) -> Result<(), Problem> {
        let mut settings = self.store.settings().await?;
        let mut removed = settings.removed.iter();
        let topic = removed.find(|topic| settings.name_of(topic) == name);
        let topic = topic.ok_or(Problem::NotRemoved)?.clone();
        settings.current = Some(topic.clone());
        let mut change = Change::default();
        self.see_again(&topic, &mut settings, &mut change).await?;
        change.settings(&settings)?;
        Ok(self.store.apply(change).await?)
    }

    /// Takes a topic off those removed, if it is one, and says so.
    pub(super) async fn see_again(
        &self,
        topic: &str,
        settings: &mut Settings,
        change: &mut Change,
    ) -> Result<(), Problem> {
        let before = settings.removed.len();
        settings.removed.retain(|removed| removed != topic);
        if settings.removed.len() < before {
            let what = EventKind::Remove {
                removed: false,
                for_good: false,
            };
            self.says(topic, what, change).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::{EventKind, TopicView};

    use crate::request::Request;
    use crate::twins::companion::{CODE, Elsewhere, PORT};
    use crate::twins::{Stage, page};

    fn marked() -> Stage {
        let mut stage = Stage::with_topic("kidneys");
        let words = "Dialysis cleans the blood of kidney patients.";
        stage.open(7, &page("http://kidney.test/0", "Dialysis", words, &[]));
        stage.mark(7, Some(true));
        stage
    }

    fn bring_back(stage: &mut Stage) {
        let (tab, name) = (7, "kidneys".to_owned());
        stage.own(Request::BringBack { tab, name }).unwrap();
    }

    #[test]
    fn a_removed_topic_is_out_of_sight_and_comes_back_whole() {
        let mut stage = marked();
        stage.own(Request::Remove { tab: 7 }).unwrap();
        let state = stage.state(7);
        assert_eq!((state.current, state.topics.len()), (None, 0));
        assert_eq!(state.removed, ["kidneys"]);
        assert!(stage.own(Request::Remove { tab: 7 }).is_err(), "no topic");
        stage.restart();
        bring_back(&mut stage);
        let state = stage.state(7);
        assert_eq!(state.current.as_deref(), Some("kidneys"));
        assert_eq!((state.mark, state.removed.len()), (Some(true), 0));
        let (tab, name) = (7, "kidneys".to_owned());
        assert!(stage.own(Request::BringBack { tab, name }).is_err());
        // What is named again is brought back, too.
        stage.own(Request::Remove { tab: 7 }).unwrap();
        let (tab, name) = (7, "kidneys".to_owned());
        stage.own(Request::Topic { tab, name }).unwrap();
        assert_eq!(stage.state(7).mark, Some(true));
    }

    #[test]
    fn both_sides_hear_of_it() {
        let mut stage = marked();
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        assert!(stage.own(Request::Remove { tab: 7 }).unwrap().news.sync);
        stage.own(Request::Sync).unwrap();
        let said = |stage: &Stage| {
            let companion = stage.world.companion.borrow();
            let events = companion.events.iter();
            let removed = events.filter_map(|event| match event.what {
                EventKind::Remove { removed, .. } => Some(removed),
                _ => None,
            });
            removed.collect::<Vec<_>>()
        };
        assert_eq!(said(&stage), [true]);
        bring_back(&mut stage);
        stage.own(Request::Sync).unwrap();
        assert_eq!(said(&stage), [true, false]);
        for is_removed in [true, false] {
            let topic = TopicView {
                key: "kidneys".to_owned(),
                name: "kidneys".to_owned(),
                is_taught: false,
                is_removed,
                is_deleted: false,
            };
            let elsewhere = Elsewhere {
                topics: vec![topic],
                ..Elsewhere::default()
            };
            stage.world.companion.borrow_mut().changes = Some(elsewhere);
            stage.own(Request::Sync).unwrap();
            let state = stage.state(7);
            assert_eq!(state.current, None, "it is not chosen unasked");
            assert_eq!(state.removed.len(), usize::from(is_removed));
            assert_eq!(state.topics.len(), usize::from(!is_removed));
        }
    }
}
