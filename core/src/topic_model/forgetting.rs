//! Forgetting pages and clicks: what a topic model keeps of them goes, and what was learned
//! from them is learned again without them.
//!
//! What stays are sums in which nothing of one page can be told any more: in how many
//! pages a word occurs that other pages have too.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Knowledge;
use crate::address::Address;
use crate::privacy::without_secrets;
use crate::strategies::{self, Candidate, StrategyState, Trail};
use crate::text::TermId;
use crate::web_graph::WebGraph;

/// What is to be forgotten.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToForget {
    /// Pages, with their marks and every link from or to them.
    pub pages: BTreeSet<Address>,
    /// Hosts, of which every page is one of them.
    pub hosts: BTreeSet<String>,
    /// Clicks: the page with the link, and the page it led to. The pages stay.
    pub clicks: BTreeSet<(Address, Address)>,
    /// Every visit that paths are made of. The pages stay.
    pub every_visit: bool,
    /// Visits from this time on, in milliseconds since 1970. The pages stay.
    pub visits_since: Option<u64>,
}

impl ToForget {
    /// Whether nothing is to be forgotten.
    pub fn is_empty(&self) -> bool {
        let has_visits = self.every_visit || self.visits_since.is_some();
        !self.has_pages() && self.clicks.is_empty() && !has_visits
    }

    /// Whether any page is to be forgotten.
    pub fn has_pages(&self) -> bool {
        !self.pages.is_empty() || !self.hosts.is_empty()
    }

    /// Whether a visit of this time is to be forgotten, in milliseconds since 1970.
    pub fn has_time(&self, time: u64) -> bool {
        self.every_visit || self.visits_since.is_some_and(|since| time >= since)
    }

    /// Whether a page is to be forgotten, also where it was kept with secrets in its
    /// address.
    pub fn has_page(&self, page: &Address) -> bool {
        self.hosts.contains(page.host())
            || self.pages.contains(page)
            || self.pages.contains(&without_secrets(page))
    }

    fn has_click(&self, link: &Candidate, target: &Address) -> bool {
        let source = link.source();
        source.is_some_and(|source| self.clicks.contains(&(source.clone(), target.clone())))
    }

    /// A link without the forgotten pages on its way; `None` if it stands on one or
    /// leads to one.
    fn without(&self, mut link: Candidate) -> Option<Candidate> {
        let is_gone = |page: &Address| self.has_page(page);
        if is_gone(&link.target) || link.source().is_some_and(is_gone) {
            return None;
        }
        if link.trail.steps().any(|step| is_gone(&step.address)) {
            let kept = link.trail.steps().filter(|step| !is_gone(&step.address));
            let mut steps: Vec<_> = kept.cloned().collect();
            steps.reverse();
            link.trail = Trail::from_oldest(steps);
        }
        Some(link)
    }
}

impl Knowledge {
    /// Whether anything is known of what is to be forgotten. What another topic taught may
    /// come from there.
    pub fn mentions(&self, gone: &ToForget) -> bool {
        let links = self.arrivals.iter().flat_map(|past| &past.via);
        self.beginning.is_some()
            || self.graph.pages().any(|page| gone.has_page(&page.address))
            || self.graph.marks.keys().any(|page| gone.has_page(page))
            || self.graph.corrected.keys().any(|page| gone.has_page(page))
            || {
                let taxonomy = self.sources.taxonomy.as_ref();
                taxonomy.is_some_and(|taxonomy| taxonomy.mentions(|page| gone.has_page(page)))
            }
            || self
                .graph
                .form_marks
                .keys()
                .any(|place| gone.has_page(&place.0))
            || self.graph.forms().any(|(place, _)| gone.has_page(&place.0))
            || self
                .arrivals
                .iter()
                .any(|past| gone.has_page(&past.address))
            || links.clone().any(|link| {
                let mut steps = link.trail.steps();
                gone.has_page(&link.target) || steps.any(|step| gone.has_page(&step.address))
            })
            || self.arrivals.iter().any(|past| {
                let mut via = past.via.iter();
                via.any(|link| gone.has_click(link, &past.address))
            })
    }

    /// The same without what is to be forgotten. The strategy has to learn again from
    /// what is left, as [`super::TopicModel::with_knowledge`] does.
    #[must_use]
    pub fn forget(mut self, gone: &ToForget) -> Self {
        let before = self.graph.pages().len();
        self.forget_arrivals(gone);
        self.forget_in_graph(gone);
        if let Some(taxonomy) = &mut self.sources.taxonomy {
            *taxonomy = Arc::new(taxonomy.without(|page| gone.has_page(page)));
        }
        let after = self.graph.pages().len();
        self.forget_words(before - after);
        self.learned = StrategyState::default();
        self.beginning = None;
        if strategies::named(&self.strategy).is_none() {
            // A model of hop distances stands and falls with what it was trained on.
            strategies::default_name().clone_into(&mut self.strategy);
        }
        self
    }

    fn forget_arrivals(&mut self, gone: &ToForget) {
        for past in &mut self.arrivals {
            let address = past.address.clone();
            let via = std::mem::take(&mut past.via).into_iter();
            past.via = via
                .filter(|link| !gone.has_click(link, &address))
                .filter_map(|link| gone.without(link))
                .collect();
        }
        self.arrivals
            .retain(|past| !past.via.is_empty() && !gone.has_page(&past.address));
    }

    fn forget_in_graph(&mut self, gone: &ToForget) {
        let mut graph = WebGraph::with_vocabulary(std::mem::take(&mut self.graph.vocabulary));
        for page in self.graph.pages() {
            if !gone.has_page(&page.address) {
                graph.remember(page.clone());
            }
        }
        for (place, words) in self.graph.forms() {
            if !gone.has_page(&place.0) {
                graph.remember_form(place.clone(), words.clone());
            }
        }
        // Of a page that was not read only a hash is left, which may be a forgotten one's.
        graph.put_backlinks_of(&self.graph, true);
        graph.topic_name = std::mem::take(&mut self.graph.topic_name);
        graph.phrases = std::mem::take(&mut self.graph.phrases);
        graph.subtopics = std::mem::take(&mut self.graph.subtopics);
        graph.subtopics.retain(|page, _| !gone.has_page(page));
        graph.marks = std::mem::take(&mut self.graph.marks);
        graph.marks.retain(|page, _| !gone.has_page(page));
        graph.corrected = std::mem::take(&mut self.graph.corrected);
        graph.corrected.retain(|page, _| !gone.has_page(page));
        graph.form_marks = std::mem::take(&mut self.graph.form_marks);
        graph.form_marks.retain(|place, _| !gone.has_page(&place.0));
        self.graph = graph;
    }

    /// Blanks words that nothing refers to any more and that no more pages had than
    /// were forgotten.
    fn forget_words(&mut self, forgotten: usize) {
        let mut used: FxHashSet<TermId> = FxHashSet::default();
        for page in self.graph.pages() {
            used.extend(page.terms.rows().iter().map(|row| row.0));
        }
        let marked = self.graph.marks.values().map(|page| &page.terms);
        let corrected = self.graph.corrected.values().map(|page| &page.terms);
        for terms in marked.chain(corrected) {
            used.extend(terms.rows().iter().map(|row| row.0));
        }
        for link in self.arrivals.iter().flat_map(|past| &past.via) {
            used.extend(link.context.features().iter().map(|feature| feature.term()));
        }
        let vocabulary = &mut self.graph.vocabulary;
        for id in (0..vocabulary.len() as u32).map(TermId) {
            let is_rare = vocabulary.document_count(id) as usize <= forgotten;
            if is_rare && !used.contains(&id) {
                vocabulary.blank(id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Builder;
    use crate::dom::LeafRange;
    use crate::page::Page;
    use crate::strategies::SplitMix;
    use crate::topic_model::TopicModel;
    use crate::web_graph::Mark;
    use crate::wire::{read_model, write_model};

    fn page(address: &str, text: &str, links: &[(&str, &str)]) -> Page {
        let mut builder = Builder::new();
        builder.title(text);
        builder.leaf(&format!("{text} renal patients in the town"));
        for (href, anchor) in links {
            let first = builder.next_leaf();
            builder.leaf(anchor);
            let end = builder.next_leaf();
            builder.link(href, LeafRange { first, end });
        }
        Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
    }

    /// A topic model that read a page, followed its link, and marked two pages.
    fn topic_model() -> TopicModel {
        let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
        let rng = &mut SplitMix(1);
        let secret = page(
            "http://clinic.test/canarypath",
            "canaryword appointment",
            &[("/diet", "canaryanchor diet")],
        );
        let visit = topic_model.visit(&secret, &[], Some(Mark::Target), rng);
        let via = vec![visit.outlinks[0].0.clone()];
        let diet = page(
            "http://clinic.test/diet",
            "kidney diet",
            &[("/next", "more")],
        );
        let visit = topic_model.visit(&diet, &via, None, rng);
        let via = vec![visit.outlinks[0].0.clone()];
        let next = page("http://clinic.test/next", "kidney dialysis", &[]);
        topic_model.visit(&next, &via, Some(Mark::Target), rng);
        topic_model
    }

    fn has(bytes: &[u8], word: &str) -> bool {
        bytes
            .windows(word.len())
            .any(|part| part == word.as_bytes())
    }

    #[test]
    fn nothing_of_a_forgotten_page_is_in_the_model_file() {
        let topic_model = topic_model();
        let before = write_model(&topic_model.knowledge()).unwrap();
        for word in ["canarypath", "canaryword", "canaryanchor"] {
            assert!(has(&before, word), "{word}");
        }
        let mut gone = ToForget::default();
        gone.pages
            .insert(Address::parse("http://clinic.test/canarypath").unwrap());
        assert!(topic_model.knowledge().mentions(&gone));
        let after = TopicModel::with_knowledge(topic_model.knowledge().forget(&gone)).unwrap();
        assert!(!after.knowledge().mentions(&gone));
        let file = write_model(&after.knowledge()).unwrap();
        for word in ["canarypath", "canaryword", "canaryanchor", "canary"] {
            assert!(!has(&file, word), "{word}");
        }
        assert!(has(&file, "dialysi") && has(&file, "clinic.test/next"));
        // What is left still loads, scores and learns.
        let kept = read_model(&file).unwrap();
        assert_eq!(kept.arrivals.len(), 1);
        let mut after = TopicModel::with_knowledge(kept).unwrap();
        let more = page("http://clinic.test/more", "kidney", &[("/x", "dialysis")]);
        assert_eq!(
            after
                .visit(&more, &[], None, &mut SplitMix(2))
                .outlinks
                .len(),
            1
        );
    }

    #[test]
    fn a_host_is_forgotten_with_every_page_of_it() {
        let mut gone = ToForget::default();
        assert!(gone.is_empty() && !gone.has_pages());
        gone.hosts.insert("clinic.test".to_owned());
        assert!(!gone.is_empty() && gone.has_pages());
        let address = |text: &str| Address::parse(text).unwrap();
        assert!(gone.has_page(&address("https://clinic.test/any?page=1")));
        assert!(!gone.has_page(&address("http://www.clinic.test/")));
        let mut topic_model = topic_model();
        let other = page("http://other.test/", "gardens", &[]);
        topic_model.visit(&other, &[], None, &mut SplitMix(1));
        assert!(topic_model.knowledge().mentions(&gone));
        let left = topic_model.knowledge().forget(&gone);
        assert_eq!((left.graph.pages().len(), left.graph.marks.len()), (1, 0));
        let left = TopicModel::with_knowledge(left).unwrap().knowledge();
        assert!(!has(&write_model(&left).unwrap(), "clinic"));
    }

    #[test]
    fn a_forgotten_click_is_not_learned_from_and_its_pages_stay() {
        let topic_model = topic_model();
        let address = |path: &str| Address::parse(&format!("http://clinic.test/{path}")).unwrap();
        let mut gone = ToForget::default();
        gone.clicks.insert((address("canarypath"), address("diet")));
        let after = topic_model.knowledge().forget(&gone);
        assert_eq!(after.arrivals.len(), 1);
        assert_eq!(after.arrivals[0].address, address("next"));
        assert_eq!(after.graph.pages().len(), 3);
        assert_eq!(after.graph.marks.len(), 2);
    }

    #[test]
    fn forgetting_is_as_if_it_had_never_been_learned() {
        let mut gone = ToForget::default();
        gone.pages
            .insert(Address::parse("http://clinic.test/canarypath").unwrap());
        let once = TopicModel::with_knowledge(topic_model().knowledge().forget(&gone)).unwrap();
        let twice = TopicModel::with_knowledge(once.knowledge().forget(&gone)).unwrap();
        assert_eq!(once.strategy().state(), twice.strategy().state());
    }
}
