//! Where to start from what the person has already: their bookmarks, or pages they visited. Their
//! titles are judged as links of a page would be; nothing of it is kept or sent.

use linkscent_core::wire::Snapshot;
use linkscent_core::wire::views::grade;

use super::Reading;
use crate::background::topic::choices::is_left_alone;
use crate::ports::World;
use crate::problem::Problem;
use crate::shown::Proposal;

/// Pages that are looked at.
const MOST_LOOKED_AT: usize = 5_000;
/// Pages that are proposed.
const MOST_PROPOSED: usize = 30;
/// Empty leaves between two titles: what stands near a link tells of it, and these are no
/// neighbours.
const APART: usize = 8;
/// Where the list of them would stand, were it a page.
const LIST: &str = "https://list.invalid/";

impl<W: World> Reading<W> {
    /// Those of the pages (address, title) likeliest to be what is looked for, best first.
    pub(in crate::background) async fn propose(
        &self,
        pages: &[(String, String)],
    ) -> Result<Vec<Proposal>, Problem> {
        let settings = self.context.store.settings().await?;
        let topic = settings.current.clone().ok_or(Problem::NoTopic)?;
        let pages = &pages[..pages.len().min(MOST_LOOKED_AT)];
        let page = list_of(pages).to_page()?;
        let held = self.topic_models.take_held(&topic).await?;
        let topic_model =
            linkscent_core::topic_model::TopicModel::with_knowledge(held.topic_model.knowledge());
        self.topic_models.hold(held);
        let mut topic_model = topic_model.ok_or(Problem::NoTopicModel)?;
        let visit = topic_model.visit(&page, &[], None, &mut self.context.tie_breaks());
        let mut proposed: Vec<(f64, usize)> = visit
            .outlinks
            .iter()
            .zip(&page.outlinks)
            .filter(|(_, outlink)| !is_left_alone(&settings, &outlink.target))
            .filter_map(|((link, score), outlink)| {
                let probability = topic_model.probability(link, score.priority()?);
                (grade(probability) > 0).then_some((probability, outlink.place))
            })
            .collect();
        proposed.sort_by(|a, b| b.0.total_cmp(&a.0));
        proposed.truncate(MOST_PROPOSED);
        let proposal = |(probability, place): (f64, usize)| Proposal {
            address: pages[place].0.clone(),
            title: pages[place].1.clone(),
            probability,
        };
        Ok(proposed.into_iter().map(proposal).collect())
    }
}

/// A page whose links are these, far from each other.
fn list_of(pages: &[(String, String)]) -> Snapshot {
    let mut list = Snapshot {
        url: LIST.to_owned(),
        ..Snapshot::default()
    };
    let mut leaves: Vec<String> = Vec::new();
    for (address, title) in pages {
        let first = leaves.len() as u32;
        leaves.push(title.replace('\u{1}', " "));
        list.links.extend([first, first + 1]);
        list.hrefs.push(address.clone());
        leaves.extend(std::iter::repeat_n(String::new(), APART));
    }
    list.leaf_count = leaves.len() as u32;
    list.leaves = leaves.join("\u{1}");
    list
}

#[cfg(test)]
mod tests {
    use crate::fakes::{Stage, page};
    use crate::request::{Request, Response};

    #[test]
    fn what_is_likely_is_proposed_and_nothing_is_kept() {
        let mut stage = Stage::with_topic("dialysis of kidneys");
        stage.open(
            7,
            &page(
                "http://kidney.test/",
                "Dialysis",
                "Dialysis cleans the blood of kidney patients.",
                &[],
            ),
        );
        stage.mark(7, Some(true));
        let before = stage.kept();
        let rows = [
            ("http://trains.test/", "Railway timetable"),
            (
                "http://renal.test/care",
                "Dialysis care for kidney patients",
            ),
            ("http://192.168.0.1/", "Dialysis in a private network"),
            ("javascript:alert(1)", "Dialysis by script"),
            ("http://cakes.test/", "Cakes"),
        ];
        let pages = rows.map(|(address, title)| (address.to_owned(), title.to_owned()));
        let propose = |stage: &mut Stage, pages: Vec<(String, String)>| match stage
            .own(Request::Propose { pages })
            .unwrap()
            .answer
        {
            Response::Proposals(proposals) => proposals,
            other => panic!("{other:?}"),
        };
        let proposed = propose(&mut stage, pages.to_vec());
        let found: Vec<&str> = proposed.iter().map(|one| &*one.address).collect();
        assert_eq!(found, ["http://renal.test/care"]);
        assert_eq!(stage.kept(), before);
        // Many, and odd ones.
        let many = (0..6_000).map(|number| {
            (
                format!("http://a.test/{number}"),
                "Dialysis \u{1} of kidneys".to_owned(),
            )
        });
        assert_eq!(propose(&mut stage, many.collect()).len(), 30);
        assert!(propose(&mut stage, Vec::new()).is_empty());
    }
}
