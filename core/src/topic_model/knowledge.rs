//! Everything a topic model has learned, as plain data to be kept and handed over.

use serde::{Deserialize, Serialize};

use crate::address::Address;
use crate::critics::Sources;
use crate::site_memory::SiteMemory;
use crate::strategies::{self, Candidate};
use crate::web_graph::{Judgment, WebGraph};

/// Links to a page, pages on the way to them, and features of each kind that trimmed
/// knowledge keeps.
const MOST_LINKS: usize = 3;
const MOST_STEPS: usize = 3;
const MOST_FEATURES: usize = 15_000;

/// A page reached by a link, kept to be learned from again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrainingExample {
    /// The links that led there.
    pub via: Vec<Candidate>,
    /// The page.
    pub address: Address,
    /// The critic's judgment then, without the person's mark.
    pub judgment: Judgment,
}

/// What was learned for another topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beginning {
    /// The name of that topic.
    pub topic: String,
    /// In the words of this topic's vocabulary.
    pub learned: strategies::StrategyState,
}

/// Everything a topic model has learned, as plain data.
#[derive(Debug, Clone)]
pub struct Knowledge {
    /// The critic, see [`crate::critics::described`].
    pub critic: String,
    /// What the critic asks for: other topics, a taxonomy.
    pub sources: Sources,
    /// Name of the strategy.
    pub strategy: String,
    /// The pages, words and marks.
    pub graph: WebGraph,
    /// What the strategy learned.
    pub learned: strategies::StrategyState,
    /// What it can learn again from.
    pub arrivals: Vec<TrainingExample>,
    /// What another topic taught, from which it learns on.
    pub beginning: Option<Beginning>,
}

impl Knowledge {
    /// Has a memory of sites take in those of its pages that are asked for.
    pub fn remembered_by(&self, memory: &mut SiteMemory, is_asked_for: impl Fn(&Address) -> bool) {
        let sources = self.arrivals.iter().filter_map(|past| {
            let source = past.via.first()?.source()?;
            Some((&past.address, source))
        });
        memory.read(&self.graph, sources, is_asked_for);
    }

    /// The same with only the newest pages and arrivals, and with what was used most
    /// of the ensemble: enough to go on in a browser.
    #[must_use]
    pub fn trimmed(mut self, pages: usize, arrivals: usize) -> Self {
        let mut graph = WebGraph::with_vocabulary(self.graph.vocabulary.clone());
        let skip = self.graph.pages().len().saturating_sub(pages);
        for page in self.graph.pages().skip(skip) {
            graph.remember(page.clone());
        }
        for (place, words) in self.graph.forms() {
            graph.remember_form(place.clone(), words.clone());
        }
        graph.put_backlinks_of(&self.graph, false);
        graph.topic_name = self.graph.topic_name;
        graph.phrases = self.graph.phrases;
        graph.subtopics = self.graph.subtopics;
        graph.marks = self.graph.marks;
        graph.corrected = self.graph.corrected;
        graph.form_marks = self.graph.form_marks;
        self.graph = graph;
        let skip = self.arrivals.len().saturating_sub(arrivals);
        self.arrivals.drain(..skip);
        for past in &mut self.arrivals {
            past.via.truncate(MOST_LINKS);
            for link in &mut past.via {
                link.trail = link.trail.newest_steps(MOST_STEPS);
            }
        }
        let known_terms = self.graph.vocabulary.len();
        let learned = self.learned.clone();
        if let Ok(learned) = strategies::trimmed(learned, MOST_FEATURES, known_terms) {
            self.learned = learned;
        }
        self
    }
}
