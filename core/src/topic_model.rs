//! The one sentence: judge the page (the person's mark wins), learn from how
//! we came, record it in the web graph, score its outlinks.
//!
//! In the companion a crawl session chooses the next link; in the extension
//! the person does. Both hold the same [`TopicModel`].

mod beginning;
mod belief;
mod forgetting;
mod forms;
mod knowledge;
mod learning;
mod log;
mod outlinks;
mod page_links;
mod questions;
mod reasons;
mod retraining;
mod saving;
mod sharing;

pub use beginning::{BeginningError, BeginningWorth};
pub use belief::{Belief, Subtopic};
pub use forgetting::ToForget;
pub use knowledge::{Beginning, Knowledge, TrainingExample};
pub use learning::{LONGEST_PHRASE, LONGEST_SUBTOPIC, MOST_PHRASES, MOST_WITH_SUBTOPICS};
pub use outlinks::MOST_PASSED_OVER;
pub use page_links::PageLinks;
pub use questions::{ASKED_AFTER, MOST_WAITING, Question};
pub use reasons::{Part, Place, Reason, Tie};
pub use sharing::{Heard, News, Redirected};

use log::Log;
use outlinks::Around;
use rustc_hash::FxHashSet;

use crate::address::Address;
use crate::critics::{self, Critic, FormFilter, FoundForm, Sources};
use crate::features::{FeatureReader, PageTerms};
use crate::page::Page;
use crate::site_memory::SiteMemory;
use crate::strategies::{
    self, Candidate, Event, Explanation, Known, Learned, LinkScore, Passing, Priority, Rng, Step,
    Strategy, Subject, Trail, promise,
};
use crate::text::Vocabulary;
use crate::web_graph::{Judgment, Mark, Relevance, WebGraph};

/// What visiting a page brought.
#[derive(Debug)]
pub struct Visit {
    /// The page's judgment, the mark applied.
    pub judgment: Judgment,
    /// Its likeliest class, where the critic goes by classes; empty elsewhere.
    pub class: String,
    /// Its searchable forms.
    pub forms: Vec<FoundForm>,
    /// Its outlinks in document order, each with its score.
    pub outlinks: Vec<(Candidate, LinkScore)>,
    /// Whether links seen before are to be scored again.
    pub learned: Learned,
}

/// What is known of a topic, and who judges and scores by it.
pub struct TopicModel {
    graph: WebGraph,
    critic: Box<dyn Critic>,
    strategy: Box<dyn Strategy>,
    form_filter: FormFilter,
    log: Log,
    /// What other strategies learned of the topic: kept for when one of them is chosen.
    beside: strategies::StrategyState,
    /// What another topic taught, to learn on from.
    beginning: Option<Beginning>,
    /// What earlier crawls for other topics read; not saved.
    memory: SiteMemory,
    /// Pages in the vocabulary's counts when the critic was last refreshed.
    refreshed_at: u32,
    /// How often critic or strategy became others than learning from one more page makes them.
    renewals: u64,
}

impl TopicModel {
    /// A topic model that knows nothing yet. `None` if a name is unknown; see
    /// [`critics::NAMES`] and [`strategies::REGISTRY`]. The critic may be a predicate.
    ///
    /// ```
    /// use linkscent_core::address::Address;
    /// use linkscent_core::dom::{Builder, LeafRange};
    /// use linkscent_core::topic_model::TopicModel;
    /// use linkscent_core::page::Page;
    /// use linkscent_core::strategies::SplitMix;
    /// use linkscent_core::web_graph::Mark;
    ///
    /// let page = |address, text, link| {
    ///     let mut builder = Builder::new();
    ///     builder.leaf(text);
    ///     builder.leaf("more of it");
    ///     builder.link(link, LeafRange { first: 1, end: 2 });
    ///     Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
    /// };
    /// let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    /// topic_model.name_topic("bees");
    /// let hive = page("http://a.example/", "How bees make honey in a hive", "/swarm");
    /// topic_model.visit(&hive, &[], Some(Mark::Target), &mut SplitMix(1));
    /// let other = page("http://b.example/", "Trains and their timetables", "/fares");
    /// let visit = topic_model.visit(&other, &[], None, &mut SplitMix(1));
    /// assert!(visit.judgment.relevance < topic_model.judge(&hive).relevance);
    /// assert_eq!(visit.outlinks[0].0.target.as_str(), "http://b.example/fares");
    /// ```
    pub fn new(critic: &str, strategy: &str) -> Option<Self> {
        let critic = critics::described(critic, Sources::default()).ok()?;
        let strategy = strategies::named(strategy)?;
        Some(Self::joining(critic, strategy, Vocabulary::default()))
    }

    /// A topic model that joins a critic and a strategy of the caller's making, with
    /// words known before.
    pub fn joining(
        critic: Box<dyn Critic>,
        strategy: Box<dyn Strategy>,
        vocabulary: Vocabulary,
    ) -> Self {
        Self {
            graph: WebGraph::with_vocabulary(vocabulary),
            critic,
            strategy,
            form_filter: FormFilter::default(),
            log: Log::default(),
            beside: strategies::StrategyState::default(),
            beginning: None,
            memory: SiteMemory::default(),
            refreshed_at: 0,
            renewals: 0,
        }
    }

    /// A topic model with knowledge gained before. `None` if a name is unknown.
    pub fn with_knowledge(knowledge: Knowledge) -> Option<Self> {
        let learned = &knowledge.learned;
        let known_terms = knowledge.graph.vocabulary.len();
        let strategy = strategies::from_state(&knowledge.strategy, learned, known_terms);
        let learner = strategies::descriptor(&knowledge.strategy)?.learner;
        let has_own = learner.is_empty() || learned.parts().any(|part| part.0 == learner);
        let is_own = learner == learned.owner() && has_own;
        let mut topic_model = Self {
            critic: critics::described(&knowledge.critic, knowledge.sources).ok()?,
            form_filter: FormFilter::default(),
            strategy: strategy.ok()??,
            graph: knowledge.graph,
            log: Log::of(knowledge.arrivals),
            beside: knowledge.learned,
            beginning: knowledge.beginning,
            memory: SiteMemory::default(),
            refreshed_at: 0,
            renewals: 0,
        };
        topic_model.refresh_critic();
        if !is_own {
            // It was another strategy's before: this one starts from the log.
            topic_model.relearn();
        }
        Some(topic_model)
    }

    /// Everything learned so far.
    pub fn knowledge(&self) -> Knowledge {
        Knowledge {
            critic: self.critic.name().to_owned(),
            sources: Sources {
                topics: self.critic.named_topics(),
                taxonomy: self.critic.taxonomy().cloned(),
            },
            strategy: self.strategy.full_name(),
            graph: self.graph.clone(),
            learned: self.strategy.state().beside(&self.beside),
            arrivals: self.log.arrivals().cloned().collect(),
            beginning: self.beginning.clone(),
        }
    }

    /// Tells the strategy that a crawl of so many pages begins.
    pub fn begin_crawl(&mut self, budget: u64) {
        self.strategy.begin(budget);
    }

    /// Has it remember what earlier crawls for other topics read, in place of what it remembered.
    pub fn remember_sites(&mut self, memory: SiteMemory) {
        self.memory = memory;
        self.graph.remembered = self.memory.judged(&*self.critic, &self.graph);
        self.renewals += 1;
    }

    /// Grows whenever links seen before are to be scored again, but for what a visit says of it.
    pub(crate) fn renewals(&self) -> u64 {
        self.renewals
    }

    /// The pages seen, their judgments and the marks.
    pub fn graph(&self) -> &WebGraph {
        &self.graph
    }

    /// Visits a page: judges it, learns from the links `via` which it was
    /// reached, records it, scores its outlinks. A mark given before goes on
    /// to hold unless `mark` brings another.
    pub fn visit(
        &mut self,
        page: &Page,
        via: &[Candidate],
        mark: Option<Mark>,
        rng: &mut dyn Rng,
    ) -> Visit {
        let features = FeatureReader::new(page, &mut self.graph.vocabulary);
        let terms = telling_terms(page, &features);
        let is_new = self.graph.page(&page.address).is_none();
        let mut rebuilt = false;
        if let Some(mark) = mark {
            rebuilt = self.put_marks([(&page.address, &features.terms(), Some(mark))]);
        }
        let linked_from = self.linked_from(&page.address, via);
        let unmarked = unmarked(&*self.critic, page, &terms, &linked_from, &self.graph);
        let judgment = unmarked.marked(self.graph.mark(&page.address));
        self.record(page, &terms, unmarked);
        if self.critic.asks_for_backlinks() || self.strategy.profile().reading.backlinks {
            let targets = page.outlinks.iter().map(|link| &link.target);
            self.graph.read_links(&page.address, targets);
        }
        let forms = self.form_filter.find(page);
        for form in &forms {
            let place = (page.address.clone(), form.name.clone());
            self.graph.remember_form(place, form.words.clone());
        }
        let mut learned = self.learn(&page.address, via, unmarked);
        if learning::is_due(&self.graph, self.refreshed_at) {
            self.refresh_critic();
            rebuilt = true;
        }
        if rebuilt {
            learned = Learned::Rebuilt;
        }
        let passing = Passing {
            page,
            terms: &terms,
            via,
            judgment,
        };
        let known = Known {
            graph: &self.graph,
            critic: &*self.critic,
        };
        self.strategy.learn(&Event::Page(passing), known);
        let class = likeliest_class(&*self.critic, page, &terms, judgment, &self.graph);
        let outlinks = self.read_outlinks(page, &features, via, judgment, rng);
        if is_new {
            self.learn_known_link(outlinks.iter().map(|(link, _)| link));
        }
        Visit {
            judgment,
            class,
            forms,
            outlinks,
            learned,
        }
    }

    /// Who judges pages.
    pub fn critic(&self) -> &dyn Critic {
        &*self.critic
    }

    /// Who scores links.
    pub fn strategy(&self) -> &dyn Strategy {
        &*self.strategy
    }

    /// What it remembers of pages that crawls for other topics read.
    pub fn memory(&self) -> &SiteMemory {
        &self.memory
    }

    /// Judges a page without learning from it.
    pub fn judge(&self, page: &Page) -> Judgment {
        self.judge_all(std::slice::from_ref(page))[0]
    }

    /// The same of many pages.
    pub fn judge_all(&self, pages: &[Page]) -> Vec<Judgment> {
        // Also words count that were never read before.
        let mut known = self.graph.without_pages();
        let judge = |page: &Page| {
            let features = FeatureReader::new(page, &mut known.vocabulary);
            let terms = telling_terms(page, &features);
            let linked_from = self.linked_from(&page.address, &[]);
            let judged = unmarked(&*self.critic, page, &terms, &linked_from, &known);
            judged.marked(self.graph.mark(&page.address))
        };
        pages.iter().map(judge).collect()
    }

    /// Pages known to link to a page: those read so far, and those with the links by which
    /// it was reached. None if the critic does not ask.
    pub fn linked_from(&self, page: &Address, via: &[Candidate]) -> Vec<Address> {
        if !self.critic.asks_for_backlinks() {
            return Vec::new();
        }
        let known = self.graph.backlinks(page).map(|page| &page.address);
        let all = known.chain(via.iter().filter_map(Candidate::source));
        let mut seen = FxHashSet::default();
        all.filter(|source| seen.insert(source.key()))
            .cloned()
            .collect()
    }

    /// The classes that a page may be of, the likeliest first; empty unless the critic goes
    /// by classes.
    pub fn classes(&self, page: &Page) -> Vec<(String, f64)> {
        if self.critic.taxonomy().is_none() {
            return Vec::new();
        }
        let mut known = self.graph.without_pages();
        let features = FeatureReader::new(page, &mut known.vocabulary);
        let terms = telling_terms(page, &features);
        let judgment = self.graph.judgment(&page.address);
        self.critic.classes(page, &terms, &known, judgment)
    }

    /// Marks a page that lies before us; `None` takes the mark back. All links
    /// are to be scored again.
    pub fn mark(&mut self, page: &Page, mark: Option<Mark>) {
        let features = FeatureReader::new(page, &mut self.graph.vocabulary);
        let terms = features.terms();
        self.put_marks([(&page.address, &terms, mark)]);
    }

    /// Marks pages of which only their words are left, such as those marked elsewhere.
    /// What hangs on the marks is learned once for all of them.
    pub fn mark_all(&mut self, marks: &[(Address, PageTerms, Option<Mark>)]) {
        self.put_marks(
            marks
                .iter()
                .map(|(address, terms, mark)| (address, terms, *mark)),
        );
    }

    /// Learns from links the person followed elsewhere, in their order. Those that
    /// were learned from before are passed over.
    pub fn learn_clicks(&mut self, links: Vec<(Candidate, Judgment)>) {
        let mut learned: FxHashSet<(Address, Address)> = FxHashSet::default();
        for past in self.log.arrivals() {
            let sources = past.via.iter().filter_map(Candidate::source);
            learned.extend(sources.map(|source| (source.clone(), past.address.clone())));
        }
        for (link, judgment) in links {
            let known = Known {
                graph: &self.graph,
                critic: &*self.critic,
            };
            let marked = judgment.marked(self.graph.mark(&link.target));
            self.strategy.learn(&Event::Click(&link, marked), known);
            let target = link.target.clone();
            let Some(source) = link.source().cloned() else {
                continue;
            };
            if learned.insert((source, target.clone())) {
                self.learn(&target, &[link], judgment);
            }
        }
    }

    /// The id of a word's term, for those who bring marked pages as words.
    pub fn vocabulary_mut(&mut self) -> &mut Vocabulary {
        &mut self.graph.vocabulary
    }

    /// How relevant the page behind a link is expected to be, where the
    /// strategy says.
    pub fn expected(&self, link: &Candidate) -> Option<Relevance> {
        self.strategy.expected(link, self.known())
    }

    /// How soon to follow a link.
    pub fn score(&self, link: &Candidate) -> LinkScore {
        let scores = self
            .strategy
            .score(std::slice::from_ref(link), self.known());
        scores.first().copied().unwrap_or(LinkScore::Reject)
    }

    /// How likely a link of this priority leads to a good page, 0..=1, see [`promise`].
    pub fn probability(&self, link: &Candidate, priority: Priority) -> f64 {
        promise::probability(link, self.strategy.promise(priority), self.known())
    }

    /// Why a link scores as it does.
    pub fn explain(&self, link: &Candidate) -> Explanation {
        self.strategy.explain(link, self.known())
    }

    /// What the strategy makes of a page that was visited, in a few words.
    pub fn describe_page(&self, page: &Address) -> Option<String> {
        self.strategy.describe(Subject::Page(page), self.known())
    }

    fn known(&self) -> Known<'_> {
        Known {
            graph: &self.graph,
            critic: &*self.critic,
        }
    }

    fn read_outlinks(
        &mut self,
        page: &Page,
        features: &FeatureReader<'_>,
        via: &[Candidate],
        judgment: Judgment,
        rng: &mut dyn Rng,
    ) -> Vec<(Candidate, LinkScore)> {
        let before = via.first().map(|link| link.trail.clone());
        let trail = trail_to(page, before.unwrap_or_default(), judgment);
        let critic = &*self.critic;
        let reading = self.strategy.profile().reading;
        let around = Around::of(
            page,
            features,
            trail,
            judgment,
            (critic, reading),
            &mut self.graph,
        );
        let links: Vec<Candidate> = (0..page.outlinks.len())
            .map(|outlink| around.candidate(outlink, rng))
            .collect();
        let scores = self.strategy.score(&links, self.known());
        links.into_iter().zip(scores).collect()
    }
}

/// What is said of a page, marks aside: by the class that the person named, or by the
/// critic.
fn unmarked(
    critic: &dyn Critic,
    page: &Page,
    terms: &PageTerms,
    linked_from: &[Address],
    known: &WebGraph,
) -> Judgment {
    let corrected = critic.corrected(&page.address, known);
    corrected.unwrap_or_else(|| critic.judge(page, terms, linked_from, known))
}

fn likeliest_class(
    critic: &dyn Critic,
    page: &Page,
    terms: &PageTerms,
    judgment: Judgment,
    known: &WebGraph,
) -> String {
    if critic.taxonomy().is_none() {
        return String::new();
    }
    let classes = critic.classes(page, terms, known, judgment);
    let first = classes.into_iter().next();
    first.map(|row| row.0).unwrap_or_default()
}

/// A page's terms as far as they tell something of it, and of the rest of the web:
/// none of one that says the same words over and over. The person's word is above that.
fn telling_terms(page: &Page, features: &FeatureReader<'_>) -> PageTerms {
    if page.is_stuffed() {
        return PageTerms::default();
    }
    features.terms()
}

fn trail_to(page: &Page, before: Trail, judgment: Judgment) -> Trail {
    before.then(Step {
        address: page.address.clone(),
        relevance: judgment.relevance,
    })
}

#[cfg(test)]
mod tests;
