//! Topics that are removed, and brought back: out of sight, with all they have. And those that
//! are deleted, with all that hangs on them.

use linkscent_core::wire::api::EventKind;

use super::Topics;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::{Seen, Settings};
use crate::shown::TopicsView;
use crate::store::Change;

impl<W: World> Topics<W> {
    /// Removes the current topic: nothing is looked for then.
    pub(in crate::background) async fn remove_topic(&self) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        let topic = settings.current.take().ok_or(Problem::NoTopic)?;
        settings.removed.push(topic.clone());
        let mut change = Change::default();
        change.settings(&settings)?;
        let what = EventKind::Remove {
            removed: true,
            for_good: false,
        };
        self.context.says(&topic, what, &mut change).await?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Brings back a topic that is among those removed, and chooses it.
    pub(in crate::background) async fn bring_back(&self, name: &str) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        let mut removed = settings.removed.iter();
        let topic = removed.find(|topic| settings.name_of(topic) == name);
        let topic = topic.ok_or(Problem::NotRemoved)?.clone();
        settings.current = Some(topic.clone());
        let mut change = Change::default();
        self.see_again(&topic, &mut settings, &mut change).await?;
        change.settings(&settings)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Takes a topic off those removed, if it is one, and says so.
    pub(in crate::background) async fn see_again(
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
            self.context.says(topic, what, change).await?;
        }
        Ok(())
    }
}

impl<W: World> Topics<W> {
    /// See [`crate::request::Request::Topics`].
    pub(in crate::background) async fn topics(&self) -> Result<TopicsView, Problem> {
        let settings = self.context.store.settings().await?;
        let name = |topic: &String| settings.name_of(topic).to_owned();
        let in_sight = settings.topics.iter();
        let in_sight = in_sight.filter(|topic| !settings.removed.contains(topic));
        Ok(TopicsView {
            current: settings.current.as_ref().map(name),
            topics: in_sight.map(name).collect(),
            removed: settings.removed.iter().map(name).collect(),
        })
    }

    /// Deletes a topic that is among those removed. A companion that is paired deletes it, too.
    pub(in crate::background) async fn delete_topic(&self, name: &str) -> Result<(), Problem> {
        let mut settings = self.context.store.settings().await?;
        let mut removed = settings.removed.iter();
        let topic = removed.find(|topic| settings.name_of(topic) == name);
        let topic = topic.ok_or(Problem::NotRemoved)?.clone();
        let mut change = Change::default();
        self.delete_all_of(&topic, &mut settings, &mut change)
            .await?;
        if settings.key.is_some() {
            let what = EventKind::Remove {
                removed: true,
                for_good: true,
            };
            self.context.says(&topic, what, &mut change).await?;
        }
        change.settings(&settings)?;
        Ok(self.context.store.apply(change).await?)
    }

    /// Deletes what hangs on a topic: its topic model, marks, trails, links for later, what waits to be
    /// sent of it. Lines of the ledger do not say of which topic they are; they stay.
    pub(in crate::background) async fn delete_all_of(
        &self,
        topic: &str,
        settings: &mut Settings,
        change: &mut Change,
    ) -> Result<(), Problem> {
        self.topic_models.let_go();
        settings.current.take_if(|current| current == topic);
        settings.topics.retain(|one| one != topic);
        settings.removed.retain(|one| one != topic);
        settings.versions.retain(|row| row.0 != topic);
        settings.keeps.retain(|row| row.0 != topic);
        settings.set_said(topic, Vec::new());
        settings.set_name(topic, topic);
        change.delete_topic_model(topic);
        for mark in self.context.store.marks(topic).await? {
            change.unmark(topic, &mark.address);
        }
        let trails = self.context.store.trails().await?;
        for trail in trails.iter().filter(|trail| trail.topic == topic) {
            change.delete_trail(&trail.id);
        }
        let outbox = self.context.store.outbox().await?.into_iter();
        let waiting = outbox.filter(|(_, event)| event.topic == topic);
        change.sent(&waiting.map(|(key, _)| key).collect::<Vec<_>>());
        let mut clicks = self.context.store.pending_clicks().await?;
        clicks.retain(|click| click.topic != topic);
        change.pending_clicks(&clicks)?;
        let mut forms = self.context.store.form_marks().await?;
        forms.retain(|form| form.topic != topic);
        change.form_marks(&forms)?;
        let mut later = self.context.store.later().await?;
        later.retain(|row| row.topic != topic);
        change.later(&later)?;
        self.visits
            .forget_steps(|step| step.topic == topic, change)
            .await?;
        if self.context.store.seen().await?.topic == topic {
            change.seen(&Seen::default())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::{EventKind, TopicView};

    use crate::fakes::companion::{CODE, Elsewhere, PORT};
    use crate::fakes::{Stage, page};
    use crate::ports::Table;
    use crate::request::Request;
    use crate::rows::MarkRow;

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
    fn of_a_deleted_topic_nothing_is_left_but_what_the_ledger_says() {
        let mut stage = marked();
        let start = page(
            "http://kidney.test/0",
            "Dialysis",
            "Blood.",
            &[("/1", "on")],
        );
        let next = page("http://kidney.test/1", "Diet", "Salt.", &[]);
        stage.follow(7, &start, 0, &next);
        let (address, title) = ("http://kidney.test/later".to_owned(), String::new());
        stage.own(Request::KeepForLater { address, title }).unwrap();
        let (tab, text, wanted) = (7, "clean blood".to_owned(), Some(true));
        stage.own(Request::Say { tab, text, wanted }).unwrap();
        let name = "kidneys".to_owned();
        let delete = Request::DeleteTopic { name };
        assert!(stage.own(delete.clone()).is_err(), "it is not removed");
        stage.own(Request::Remove { tab: 7 }).unwrap();
        let (tab, name) = (7, "castles".to_owned());
        stage.own(Request::Topic { tab, name }).unwrap();
        stage.own(delete).unwrap();
        let state = stage.state(7);
        assert_eq!((state.topics.len(), state.removed.len()), (1, 0));
        let mut rows = stage.world.rows.borrow().clone();
        rows.retain(|(table, _), _| *table != Table::Ledger);
        let left = format!("{rows:?}");
        for gone in ["kidney", "clean blood", "Dialysis"] {
            assert!(!left.contains(gone), "{gone} is in {left}");
        }
    }

    #[test]
    fn both_sides_delete_a_topic() {
        let mut stage = marked();
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        stage.own(Request::Remove { tab: 7 }).unwrap();
        let name = "kidneys".to_owned();
        let done = stage.own(Request::DeleteTopic { name }).unwrap();
        assert!(done.news.sync);
        stage.own(Request::Sync).unwrap();
        let events = stage.world.companion.borrow().events.clone();
        let last = events.last().map(|event| event.what.clone());
        let for_good = EventKind::Remove {
            removed: true,
            for_good: true,
        };
        assert_eq!(last, Some(for_good));
        // The other way round.
        let mut stage = marked();
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        let topic = TopicView {
            key: "kidneys".to_owned(),
            name: "kidneys".to_owned(),
            is_taught: false,
            is_removed: true,
            is_deleted: true,
        };
        let elsewhere = Elsewhere {
            topics: vec![topic],
            ..Elsewhere::default()
        };
        stage.world.companion.borrow_mut().changes = Some(elsewhere);
        stage.own(Request::Sync).unwrap();
        let state = stage.state(7);
        assert_eq!((state.current, state.topics.len()), (None, 0));
        assert!(state.removed.is_empty());
        assert!(stage.rows::<MarkRow>(Table::Marks).is_empty());
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
