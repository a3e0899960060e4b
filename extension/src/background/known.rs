//! What is known already of the pages behind promising links: that the person marked one, that a
//! crawl found it, that it was read before.

use linkscent_core::guide::Guide;
use linkscent_core::page::Page;
use linkscent_core::wire::views::PageView;

use super::Background;
use crate::ports::{Table, World};
use crate::problem::Problem;
use crate::store::mark_key;

impl<W: World> Background<W> {
    /// Says at the links of a view what is known of where they lead.
    pub(super) async fn say_known(
        &self,
        view: &mut PageView,
        page: &Page,
        topic: &str,
        guide: &Guide,
    ) -> Result<(), Problem> {
        if view.links.is_empty() {
            return Ok(());
        }
        let marked = self.store.keys(Table::Marks).await?;
        let seen = self.store.seen().await?;
        let finds = seen.crawl.filter(|_| seen.topic == topic);
        let finds = finds.map(|crawl| crawl.finds).unwrap_or_default();
        for link in &mut view.links {
            let outlink = page.outlinks.iter().find(|one| one.place == link.place);
            let Some(target) = outlink.map(|outlink| &outlink.target) else {
                continue;
            };
            let key = mark_key(topic, target.as_str());
            let find = finds.iter().find(|find| find.address == target.as_str());
            link.known = if marked.binary_search(&key).is_ok() {
                self.world.text("known_marked", &[])
            } else if let Some(find) = find {
                let values = [&*find.title, &*find.snippet];
                self.world.text("known_found", &values)
            } else if guide.graph().page(target).is_some() {
                self.world.text("known_read", &[])
            } else {
                String::new()
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use linkscent_core::wire::api::FindView;

    use crate::request::{Request, Response};
    use crate::twins::companion::{CODE, PORT, crawl};
    use crate::twins::{Stage, page};

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
    }
}
