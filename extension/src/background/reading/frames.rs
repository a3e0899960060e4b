//! Frames within a page: their promising links are pointed out as the page's own are, and that is
//! all. Nothing is learned from a frame and nothing of it is kept; the page around it decides, as
//! much as the frame itself, whether it is read at all: by its address, and by a private field
//! that it was seen to have since the background was started.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::views::PageView;

use super::Reading;
use crate::background::topic::choices::is_left_alone;
use crate::ports::World;
use crate::problem::Problem;
use crate::texts;

impl<W: World> Reading<W> {
    /// Why a frame is not read, if it is not: for its own address or for that of the page
    /// around it.
    pub(in crate::background) async fn refusal_of_frame(
        &self,
        tab: i32,
        url: &str,
        around: &str,
        loaded: Option<&str>,
    ) -> Result<Option<String>, Problem> {
        if self.visits.is_private(tab) {
            return Ok(Some(self.context.world.text("unread_private_field", &[])));
        }
        for (address, loaded) in [(around, None), (url, loaded)] {
            if let Some(refused) = self.context.world.unread(address, loaded).await? {
                return Ok(Some(refused));
            }
            if let Some(refused) = self.topics.refusal(address).await? {
                return Ok(Some(refused));
            }
        }
        Ok(None)
    }

    /// See [`crate::request::Request::Frame`].
    pub(in crate::background) async fn read_frame(
        &self,
        snapshot: &Snapshot,
    ) -> Result<PageView, Problem> {
        let settings = self.context.store.settings().await?;
        let Some(topic) = settings.current.clone() else {
            return Ok(PageView::default());
        };
        let page = snapshot.to_page()?;
        if is_left_alone(&settings, &page.address) {
            return Ok(PageView::default());
        }
        let mut held = self.topic_models.take_held(&topic).await?;
        let visit = held
            .topic_model
            .visit(&page, &[], None, &mut self.context.tie_breaks());
        let mut view = PageView::of(&page, &visit, &held.topic_model);
        view.panel_only = settings.panel_only;
        for link in &mut view.links {
            link.why = texts::why(&*self.context.world, link.probability, &link.reasons);
        }
        // What the topic model learned of the frame goes with it: it is not held.
        self.say_known(&mut view, &page, &topic, &held.topic_model)
            .await?;
        Ok(view)
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::Snapshot;
    use linkscent_core::wire::views::PageView;

    use crate::fakes::{Stage, page};
    use crate::request::{Request, Response};
    use crate::sender::Sender;

    const AROUND: &str = "http://town.test/";

    fn frame() -> Snapshot {
        let links = [("/diet", "dialysis diet"), ("/trains", "trains")];
        page("http://clinic.test/list", "Clinic", "Kidneys.", &links)
    }

    fn read(stage: &mut Stage, around: &str, frame: &Snapshot) -> PageView {
        let sender = Sender::Frame {
            tab: 7,
            url: frame.url.clone(),
            around: around.to_owned(),
        };
        let request = Request::Frame {
            page: frame.clone(),
            loaded: None,
        };
        match stage.as_sender(&sender, request).unwrap().answer {
            Response::View(view) => view.unwrap_or_default(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn links_of_a_frame_are_promising_and_nothing_of_it_is_kept() {
        let mut stage = Stage::with_topic("dialysis");
        let before = stage.kept();
        let view = read(&mut stage, AROUND, &frame());
        let places: Vec<usize> = view.links.iter().map(|link| link.place).collect();
        assert_eq!(places, [0]);
        assert!(view.links[0].why.contains("“dialysis”"), "{view:?}");
        assert_eq!(stage.kept(), before);
        stage.restart();
        let again = read(&mut stage, AROUND, &frame());
        assert_eq!(again.links[0].probability, view.links[0].probability);
        // Nor from one whose page was read before: what is kept next is as it was.
        stage.open(8, &frame());
        stage.own(Request::KeepTopicModel).unwrap();
        let before = stage.kept();
        let changed = page(&frame().url, "Clinic", "Railways.", &[("/new", "trains")]);
        read(&mut stage, AROUND, &changed);
        stage.own(Request::KeepTopicModel).unwrap();
        assert_eq!(stage.kept(), before);
    }

    #[test]
    fn a_frame_is_not_read_where_the_page_around_it_or_itself_is_not() {
        let mut stage = Stage::with_topic("dialysis");
        let refused = |stage: &mut Stage, url: &str, around: &str| {
            let sender = Sender::Frame {
                tab: 7,
                url: url.to_owned(),
                around: around.to_owned(),
            };
            let (loaded, is_private) = (None, false);
            let asked = Request::MayRead { loaded, is_private };
            match stage.as_sender(&sender, asked).unwrap().answer {
                Response::MayRead { refused } => refused.is_some(),
                other => panic!("{other:?}"),
            }
        };
        assert!(!refused(&mut stage, "http://clinic.test/list", AROUND));
        assert!(refused(
            &mut stage,
            "http://clinic.test/list",
            "http://localhost/"
        ));
        assert!(refused(&mut stage, "http://192.168.0.1/", AROUND));
        // A page with a private field refuses its frames, until it has none.
        for is_private in [true, false] {
            let loaded = None;
            let asked = Request::MayRead { loaded, is_private };
            stage.as_page(7, AROUND, asked).unwrap();
            let is_refused = refused(&mut stage, "http://clinic.test/list", AROUND);
            assert_eq!(is_refused, is_private);
        }
        let other = page("http://other.test/", "Other", "", &[("/a", "dialysis")]);
        let sender = Sender::Frame {
            tab: 7,
            url: "http://clinic.test/list".to_owned(),
            around: AROUND.to_owned(),
        };
        let (page, loaded) = (other, None);
        let read = stage.as_sender(&sender, Request::Frame { page, loaded });
        assert!(matches!(read.unwrap().answer, Response::View(None)));
        let (port, code) = (7474, String::new());
        assert!(
            stage
                .as_sender(&sender, Request::Pair { port, code })
                .is_err()
        );
    }
}
