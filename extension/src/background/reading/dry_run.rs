//! What a crawl for the topic would fetch, before anything is fetched and without anybody being
//! asked: the crawl is played through here with the pages that this browser has, which are
//! marked targets as they were shown and pages read lately.

use std::collections::BTreeMap;

use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlDelay, DryRun, Limits, Scope, Seed, Session, StoppingRule};
use linkscent_core::page::Page;
use linkscent_core::strategies::SplitMix;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::api::PROPOSED_BUDGET;

use super::Reading;
use crate::background::steps::ModelStep;
use crate::ports::World;
use crate::problem::Problem;
use crate::shown::{DryRunView, UpcomingView};

/// Pages that are named.
const MOST_UPCOMING: usize = 100;

impl<W: World> Reading<W> {
    /// See [`crate::request::Request::DryRun`].
    pub(in crate::background) async fn dry_run(
        &self,
        seeds: &[String],
    ) -> Result<DryRunView, Problem> {
        let topic = self.context.store.settings().await?.current;
        let topic = topic.ok_or(Problem::NoTopic)?;
        let marks = self.context.store.marks(&topic).await?;
        let is_target = |page: &str| marks.iter().any(|mark| mark.target && mark.address == page);
        let targets = marks.iter().filter(|mark| mark.target);
        let targets: Vec<String> = targets.map(|mark| mark.address.clone()).collect();
        // A crawl that is told of no page begins at the targets.
        let seeds = if seeds.is_empty() {
            &targets[..]
        } else {
            seeds
        };
        let seed = |page: &String| {
            Ok(Seed {
                address: Address::parse(page)?,
                mark: is_target(page).then_some(Mark::Target),
            })
        };
        let seeds: Vec<Seed> = seeds.iter().map(seed).collect::<Result<_, Problem>>()?;
        let at_hand = self.at_hand(&topic).await?;
        let held = self.topic_models.take_held(&topic).await?;
        let topic_model = TopicModel::with_knowledge(held.topic_model.knowledge());
        self.topic_models.hold(held);
        let limits = Limits {
            requests: None,
            budget: PROPOSED_BUDGET,
            delay: CrawlDelay(0),
            scope: Scope::default(),
            stopping: StoppingRule::default(),
            takes_repeats: false,
            follows_all: false,
            until_recall: None,
        };
        let session = Session::new(topic_model.ok_or(Problem::NoTopicModel)?, limits, seeds);
        // As a crawl that is handed over.
        let mut rng = SplitMix(1);
        let mut used = 0;
        let page_at = |address: &Address| {
            let page = at_hand.get(address).cloned();
            used += usize::from(page.is_some());
            page.map(Box::new)
        };
        let run = session.dry_run(MOST_UPCOMING, page_at, &mut rng);
        Ok(view(run, used))
    }

    /// Pages that are known whole.
    async fn at_hand(&self, topic: &str) -> Result<BTreeMap<Address, Page>, Problem> {
        let marked = self.context.store.marked_pages().await?;
        let kept = marked.into_iter().map(|row| row.1);
        let steps = kept.chain(self.context.store.steps(topic).await?);
        let pages = steps.filter_map(|bytes| ModelStep::unpack(&bytes)?.page());
        Ok(pages.map(|page| (page.address.clone(), page)).collect())
    }
}

fn view(run: DryRun, used: usize) -> DryRunView {
    let page = |page: linkscent_core::crawl::Upcoming| UpcomingView {
        title: page.anchor,
        from: page.from.map(|from| from.to_string()).unwrap_or_default(),
        probability: page.probability,
        reason: page.reason,
        is_marked: page.is_marked,
        address: page.address.to_string(),
    };
    DryRunView {
        pages: run.pages.into_iter().map(page).collect(),
        expected: run.expected,
        judged: run.judged,
        used,
    }
}

#[cfg(test)]
mod tests {
    use crate::fakes::{Stage, page};
    use crate::ports::Table;
    use crate::request::{Request, Response};
    use crate::shown::DryRunView;

    const LINKS: [(&str, &str); 2] = [("/care", "dialysis care"), ("/trains", "railway trains")];

    fn look_ahead(stage: &mut Stage, seeds: &[&str]) -> DryRunView {
        let seeds = seeds.iter().map(ToString::to_string).collect();
        match stage.own(Request::DryRun { seeds }).unwrap().answer {
            Response::DryRun(view) => view,
            other => panic!("{other:?}"),
        }
    }

    fn addresses(view: &DryRunView) -> Vec<&str> {
        view.pages.iter().map(|page| &*page.address).collect()
    }

    #[test]
    fn a_crawl_is_played_through_and_leaves_no_trace() {
        let mut stage = Stage::with_topic("dialysis");
        assert!(look_ahead(&mut stage, &[]).pages.is_empty(), "no target");
        let words = "Dialysis cleans the blood of kidney patients.";
        let start = page("http://kidney.test/", "Dialysis", words, &LINKS);
        stage.open(7, &start);
        stage.mark(7, Some(true));
        let before = stage.kept();
        let view = look_ahead(&mut stage, &[]);
        let pages = [
            "http://kidney.test/",
            "http://kidney.test/care",
            "http://kidney.test/trains",
        ];
        assert_eq!(addresses(&view), pages, "the better link comes first");
        assert_eq!((view.used, view.judged), (1, 2));
        assert!(view.pages[0].is_marked && view.pages[1].from == pages[0]);
        let likely = view.pages[1].probability.unwrap();
        assert!(likely > view.pages[2].probability.unwrap());
        assert!(view.expected > likely && view.expected < 2.0 * likely);
        assert_eq!(stage.kept(), before);
        // It goes on from links that were ticked, of which nothing is known.
        let view = look_ahead(&mut stage, &["http://far.test/"]);
        assert_eq!(
            (addresses(&view).len(), view.pages[0].probability),
            (1, None)
        );
        // Also when the topic model is kept whole and all that was read lately is in it.
        stage.own(Request::KeepTopicModel).unwrap();
        stage.restart();
        assert_eq!(look_ahead(&mut stage, &[]).pages.len(), 3);
    }

    #[test]
    fn a_marked_page_is_kept_as_long_as_its_mark_and_nothing_on_it_is_forgotten() {
        let kept = |stage: &Stage| {
            let rows = stage.world.rows.borrow();
            rows.keys()
                .filter(|(table, _)| *table == Table::Pages)
                .count()
        };
        let start = page("http://kidney.test/", "Dialysis", "Blood.", &LINKS);
        let marked = || {
            let mut stage = Stage::with_topic("dialysis");
            stage.open(7, &start);
            stage.mark(7, Some(true));
            assert_eq!(kept(&stage), 1);
            stage
        };
        for not in [None, Some(false)] {
            let mut stage = marked();
            stage.mark(7, not);
            assert_eq!(kept(&stage), 0);
        }
        for gone in ["http://kidney.test/", "http://kidney.test/care"] {
            let mut stage = marked();
            let (tab, address) = (7, gone.to_owned());
            stage.own(Request::ForgetPage { tab, address }).unwrap();
            assert_eq!(kept(&stage), 0, "{gone}");
        }
        let mut stage = marked();
        let (tab, address) = (7, "http://other.test/".to_owned());
        stage.own(Request::ForgetPage { tab, address }).unwrap();
        assert_eq!(kept(&stage), 1);
        stage.own(Request::Forget { id: None }).unwrap();
        assert_eq!(kept(&stage), 0, "it was read");
    }
}
