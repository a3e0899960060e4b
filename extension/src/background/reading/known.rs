//! What is known already of the pages behind links: that the person marked one, that a crawl found
//! it; of promising links also that their page was read before.

use std::collections::HashSet;

use linkscent_core::address::Address;
use linkscent_core::page::Page;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::FindView;
use linkscent_core::wire::views::{PageView, TickedLink};

use super::Reading;
use crate::ports::{Table, Texts, World};
use crate::problem::Problem;
use crate::store::mark_key;

/// Links of one page that are ticked at most without being promising.
const MOST_TICKED: usize = 50;

/// What is known of pages of a topic.
struct Known {
    topic: String,
    marked: Vec<String>,
    finds: Vec<FindView>,
}

impl Known {
    /// That the person marked a page, or that a crawl found it.
    fn of(&self, page: &Address, texts: &impl Texts) -> Option<String> {
        let key = mark_key(&self.topic, page.as_str());
        if self.marked.binary_search(&key).is_ok() {
            return Some(texts.text("known_marked", &[]));
        }
        let mut finds = self.finds.iter();
        let find = finds.find(|find| find.address == page.as_str())?;
        Some(texts.text("known_found", &[&find.title, &find.snippet]))
    }

    fn is_empty(&self) -> bool {
        self.marked.is_empty() && self.finds.is_empty()
    }
}

impl<W: World> Reading<W> {
    /// Says at the links of a view what is known of where they lead, and ticks others whose page
    /// is known.
    pub(in crate::background) async fn say_known(
        &self,
        view: &mut PageView,
        page: &Page,
        topic: &str,
        topic_model: &TopicModel,
    ) -> Result<(), Problem> {
        let seen = self.context.store.seen().await?;
        let crawl = seen.crawl.filter(|_| seen.topic == topic);
        let known = Known {
            topic: topic.to_owned(),
            marked: self.context.store.keys(Table::Marks).await?,
            finds: crawl.map(|crawl| crawl.finds).unwrap_or_default(),
        };
        let target_of = |place: usize| {
            let outlink = page.outlinks.iter().find(|link| link.place == place);
            outlink.map(|outlink| &outlink.target)
        };
        for link in &mut view.links {
            let Some(target) = target_of(link.place) else {
                continue;
            };
            let read = || {
                let is_read = topic_model.graph().page(target).is_some();
                is_read.then(|| self.context.world.text("known_read", &[]))
            };
            let said = known.of(target, &*self.context.world).or_else(read);
            link.known = said.unwrap_or_default();
        }
        if known.is_empty() {
            return Ok(());
        }
        let promising: HashSet<usize> = view.links.iter().map(|link| link.place).collect();
        let others = page.outlinks.iter();
        let others = others
            .filter(|link| !promising.contains(&link.place) && link.target != page.address)
            .filter_map(|link| {
                let known = known.of(&link.target, &*self.context.world)?;
                let place = link.place;
                Some(TickedLink { place, known })
            });
        view.ticked = others.take(MOST_TICKED).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::FindView;

    use crate::fakes::companion::{CODE, PORT, crawl};
    use crate::fakes::{Stage, page};
    use crate::request::{Request, Response};

    const LINKS: [(&str, &str); 4] = [
        ("/marked", "dialysis marked"),
        ("/found", "dialysis found"),
        ("/read", "dialysis read"),
        ("/new", "dialysis new"),
    ];

    #[test]
    fn a_promising_link_says_what_is_known_of_its_page() {
        let mut stage = Stage::with_topic("dialysis");
        for (place, tab) in [("marked", 7), ("read", 8)] {
            let address = format!("http://kidney.test/{place}");
            stage.open(tab, &page(&address, place, "Dialysis of kidneys.", &[]));
        }
        stage.mark(7, Some(true));
        let (port, code) = (PORT, CODE.to_owned());
        stage.own(Request::Pair { port, code }).unwrap();
        let mut found = crawl("dialysis");
        found.finds = vec![FindView {
            address: "http://kidney.test/found".to_owned(),
            title: "Found".to_owned(),
            snippet: "How blood is cleaned.".to_owned(),
            relevance: 0.9,
            probability: 0.9,
            reason: String::new(),
            path: Vec::new(),
        }];
        stage.world.companion.borrow_mut().crawls = vec![found];
        stage.own(Request::Sync).unwrap();
        let hub = page("http://kidney.test/", "Hub", "Dialysis.", &LINKS);
        let Response::View(Some(view)) = stage.open(9, &hub).answer else {
            panic!("no view")
        };
        let mut known: Vec<(usize, &str)> = view
            .links
            .iter()
            .map(|link| (link.place, &*link.known))
            .collect();
        known.sort_unstable();
        let expected = [
            (0, "You marked this page."),
            (1, "A crawl found it: Found. How blood is cleaned."),
            (2, "It was read before."),
            (3, ""),
        ];
        assert_eq!(known, expected);
        assert_eq!(view.ticked, []);
        // A link that promises nothing is ticked all the same, if its page is known.
        let far = [
            ("http://kidney.test/found", "here"),
            ("http://kidney.test/read", "there"),
        ];
        let other = page("http://trains.test/links", "Trains", "Trains.", &far);
        let Response::View(Some(view)) = stage.open(9, &other).answer else {
            panic!("no view")
        };
        assert!(view.links.is_empty(), "{view:?}");
        let ticked: Vec<(usize, &str)> = view
            .ticked
            .iter()
            .map(|link| (link.place, &*link.known))
            .collect();
        let found = "A crawl found it: Found. How blood is cleaned.";
        assert_eq!(ticked, [(0, found)]);
    }
}
