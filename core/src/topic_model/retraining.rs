//! Going on with a strategy that was trained elsewhere, on what this topic model saw.

use rustc_hash::FxHashMap;

use super::{TopicModel, telling_terms};
use crate::address::Address;
use crate::features::FeatureReader;
use crate::page::Page;
use crate::strategies::{Candidate, Event, Passing, Strategy};

impl TopicModel {
    /// Has a strategy take in pages that were visited, in their order, with the links that
    /// led to them and today's judgments. A page that is no longer remembered is passed over.
    pub fn tell_pages(&self, strategy: &mut dyn Strategy, pages: impl IntoIterator<Item = Page>) {
        let arrivals = self.log.arrivals();
        let via: FxHashMap<&Address, &[Candidate]> = arrivals
            .map(|past| (&past.address, past.via.as_slice()))
            .collect();
        let mut vocabulary = self.graph.vocabulary.clone();
        for page in pages {
            let Some(known) = self.graph.page(&page.address) else {
                continue;
            };
            let features = FeatureReader::new(&page, &mut vocabulary);
            let passing = Passing {
                page: &page,
                terms: &telling_terms(&page, &features),
                via: via.get(&page.address).copied().unwrap_or_default(),
                judgment: known.judgment,
            };
            strategy.learn(&Event::Page(passing), self.known());
        }
    }

    /// The same as it is now, to be looked at elsewhere; `None` if its critic or strategy is
    /// none of this version's.
    pub fn snapshot(&self) -> Option<Self> {
        Self::with_knowledge(self.knowledge())
    }

    /// Goes on with another strategy, of the same learner or not. Links seen before are to be
    /// scored again.
    pub fn go_on_with(&mut self, strategy: Box<dyn Strategy>) {
        self.strategy = strategy;
        self.renewals += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Builder;
    use crate::hops::{FeatureGroups, TrainingWeb};
    use crate::models::ChainKind;
    use crate::strategies::{HopTraining, SplitMix};
    use crate::web_graph::Mark;

    fn page(name: &str, links: &[&str]) -> Page {
        let mut builder = Builder::new();
        builder.leaf(&format!("all about {name}"));
        for link in links {
            let first = builder.next_leaf();
            builder.leaf(link);
            let leaves = crate::dom::LeafRange {
                first,
                end: first + 1,
            };
            builder.link(&format!("/{link}"), leaves);
        }
        let address = Address::parse(&format!("http://a.test/{name}")).unwrap();
        Page::new(address, builder.finish().unwrap())
    }

    #[test]
    fn what_was_told_again_is_believed_as_if_it_had_come_then() {
        let way = [
            page("start", &["garden", "quarry"]),
            page("garden", &["hive"]),
            page("hive", &[]),
        ];
        let mut rng = SplitMix(3);
        let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
        let mut before: Vec<Candidate> = Vec::new();
        let mut web = TrainingWeb::new(FeatureGroups::ALL);
        for page in &way {
            let via: Vec<Candidate> = before
                .iter()
                .filter(|link| link.target == page.address)
                .cloned()
                .collect();
            let mark = (page.address.as_str() == "http://a.test/hive").then_some(Mark::Target);
            let visit = topic_model.visit(page, &via, mark, &mut rng);
            before.extend(visit.outlinks.into_iter().map(|row| row.0));
            web.add(page, visit.judgment, &mut topic_model.graph);
        }
        let trained = HopTraining::new(ChainKind::Crf).train(web, &mut rng, |_| {});
        // One strategy meets the pages as they come, the other hears of them afterwards.
        let mut met = TopicModel::new("topic", "ensemble").unwrap();
        met.go_on_with(Box::new(trained.clone()));
        assert_eq!(met.strategy().profile().name, "crf");
        let mut links: Vec<Candidate> = Vec::new();
        for page in &way {
            let via: Vec<Candidate> = links
                .iter()
                .filter(|link| link.target == page.address)
                .cloned()
                .collect();
            let mark = topic_model.graph.mark(&page.address);
            let visit = met.visit(page, &via, mark, &mut SplitMix(3));
            links.extend(visit.outlinks.into_iter().map(|row| row.0));
        }
        let mut told = trained;
        met.tell_pages(&mut told, way.iter().cloned());
        for link in &links {
            assert_eq!(
                met.score(link),
                told.score(std::slice::from_ref(link), met.known())[0],
                "{}",
                link.target
            );
        }
        assert_eq!(told.passed().count(), 3);
        // A page that the topic model never saw says nothing.
        met.tell_pages(&mut told, [page("elsewhere", &[])]);
        assert_eq!(told.passed().count(), 3);
    }
}
