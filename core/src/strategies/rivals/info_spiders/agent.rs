//! One agent of `InfoSpiders`: its keywords, its network and how it learns (Menczer and
//! Belew 2000, methods 3.6).
//!
//! The network is one logistic unit. An input for a keyword is how near it stands to the
//! link, summed up over its places and at most 1; one more is the relevance of the page.

use crate::address::Address;
use crate::features::OffsetTerm;
use crate::strategies::{Candidate, Cue, Explanation, Known};
use crate::text::TermId;
use crate::web_graph::Mark;

/// Keywords of an agent.
const KEYWORDS: usize = 24;
/// Weights before anything was learned.
const KEYWORD_WEIGHT: f64 = 1.0;
const RELEVANCE_WEIGHT: f64 = 2.0;
const CONSTANT: f64 = -2.0;
/// How far a step of learning goes.
const RATE: f64 = 0.5;

/// An agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Agent {
    /// Its number among all ever born, from 0.
    pub number: u32,
    /// What it lives on, greater than 0.
    pub energy: f64,
    /// Its keywords, each with its weight.
    pub keywords: Vec<(TermId, f64)>,
    /// The weight of the relevance of the page with the link.
    pub relevance: f64,
    /// What every link has.
    pub constant: f64,
    last: Option<LastStep>,
}

/// What its network is shown of a link.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::strategies::rivals::info_spiders) struct Inputs {
    /// By keyword, 0..=1.
    keywords: Vec<f64>,
    /// Of the page with the link, 0..=1.
    relevance: f64,
}

/// A step of which it is not known yet what came after it.
#[derive(Debug, Clone, PartialEq)]
struct LastStep {
    /// Where it led.
    page: Address,
    inputs: Inputs,
    gain: f64,
}

impl Agent {
    /// One without keywords.
    pub fn new(number: u32, energy: f64) -> Self {
        Self {
            number,
            energy,
            keywords: Vec::new(),
            relevance: RELEVANCE_WEIGHT,
            constant: CONSTANT,
            last: None,
        }
    }

    /// Whether its numbers are such as an agent may have.
    pub fn makes_sense(&self) -> bool {
        let mut words: Vec<TermId> = self.keywords.iter().map(|row| row.0).collect();
        words.sort_unstable();
        let are_distinct = words.windows(2).all(|pair| pair[0] != pair[1]);
        let weights = self.keywords.iter().map(|row| row.1);
        let mut numbers = weights.chain([self.relevance, self.constant, self.energy]);
        are_distinct
            && self.keywords.len() <= KEYWORDS
            && self.energy > 0.0
            && numbers.all(f64::is_finite)
    }

    /// Takes the words of the marked targets that speak most for the topic.
    pub(in crate::strategies::rivals::info_spiders) fn take_keywords(&mut self, known: Known<'_>) {
        let mut words: Vec<(TermId, f64)> = Vec::new();
        for page in known.graph.marks.values() {
            if page.mark == Mark::Target {
                let rows = page.terms.damped().into_iter();
                words.extend(rows.map(|(term, weight)| (term, f64::from(weight))));
            }
        }
        words.sort_unstable_by_key(|row| row.0);
        let sums = words.chunk_by(|a, b| a.0 == b.0).map(|run| {
            let sum: f64 = run.iter().map(|row| row.1).sum();
            (run[0].0, sum * known.critic.word_weight(run[0].0))
        });
        let mut telling: Vec<(TermId, f64)> = sums.filter(|row| row.1 > 0.0).collect();
        telling.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let words = telling.into_iter().take(KEYWORDS);
        self.keywords = words.map(|(term, _)| (term, KEYWORD_WEIGHT)).collect();
    }

    /// What it sees of a link.
    pub(in crate::strategies::rivals::info_spiders) fn inputs(
        &self,
        link: &Candidate,
        known: Known<'_>,
    ) -> Inputs {
        let mut keywords = vec![0.0; self.keywords.len()];
        for (feature, count) in link.context.counts() {
            if let Some(place) = self.place(feature) {
                let near = 1.0 / (1.0 + f64::from(feature.offset().0.abs()));
                keywords[place] = f64::min(keywords[place] + f64::from(count) * near, 1.0);
            }
        }
        let source = link.source();
        let source = source.map(|source| known.graph.judgment(source).relevance);
        Inputs {
            keywords,
            relevance: source.unwrap_or_default().value(),
        }
    }

    /// The place of a word near a link among the keywords.
    fn place(&self, feature: OffsetTerm) -> Option<usize> {
        let mut words = self.keywords.iter();
        let near = !feature.is_of_page();
        near.then(|| words.position(|row| row.0 == feature.term()))?
    }

    /// What it makes of a link, 0..1.
    pub(in crate::strategies::rivals::info_spiders) fn output(&self, inputs: &Inputs) -> f64 {
        let words = self.keywords.iter().zip(&inputs.keywords);
        let sum: f64 = words.map(|((_, weight), input)| weight * input).sum();
        let sum = sum + self.relevance * inputs.relevance + self.constant;
        1.0 / (1.0 + (-sum).exp())
    }

    /// What its last step was worth becomes known as it follows a link: what it gained,
    /// and, if it goes on from there, what it makes of the link.
    pub(in crate::strategies::rivals::info_spiders) fn learn_last_step(
        &mut self,
        link: &Candidate,
        inputs: &Inputs,
        discount: f64,
    ) {
        let Some(last) = self.last.take() else {
            return;
        };
        let goes_on = link.source() == Some(&last.page);
        let after = if goes_on { self.output(inputs) } else { 0.0 };
        self.learn(&last.inputs, last.gain + discount * after);
    }

    /// One step of backpropagation towards a worth.
    fn learn(&mut self, inputs: &Inputs, worth: f64) {
        let said = self.output(inputs);
        let step = RATE * (worth.clamp(0.0, 1.0) - said) * said * (1.0 - said);
        for ((_, weight), input) in self.keywords.iter_mut().zip(&inputs.keywords) {
            *weight += step * input;
        }
        self.relevance += step * inputs.relevance;
        self.constant += step;
    }

    /// It came to a page by a link of which it saw this, and gained by it.
    pub(in crate::strategies::rivals::info_spiders) fn stepped(
        &mut self,
        page: Address,
        inputs: Inputs,
        gain: f64,
    ) {
        self.last = Some(LastStep { page, inputs, gain });
    }

    /// Another one like it at a page, with half of its energy and a word of the page in
    /// place of its least keyword.
    pub(in crate::strategies::rivals::info_spiders) fn offspring(
        &self,
        number: u32,
        page: &Address,
        known: Known<'_>,
    ) -> Self {
        let mut offspring = Self {
            number,
            last: None,
            ..self.clone()
        };
        let Some(word) = offspring.telling_word(page, known) else {
            return offspring;
        };
        if offspring.keywords.len() < KEYWORDS {
            offspring.keywords.push((word, KEYWORD_WEIGHT));
            return offspring;
        }
        let least = offspring.keywords.iter_mut();
        if let Some(least) = least.min_by(|a, b| a.1.abs().total_cmp(&b.1.abs())) {
            *least = (word, KEYWORD_WEIGHT);
        }
        offspring
    }

    /// The word of a page that is not a keyword yet and stands there most often, by how few
    /// pages have it.
    fn telling_word(&self, page: &Address, known: Known<'_>) -> Option<TermId> {
        let page = known.graph.page(page)?;
        let vocabulary = &known.graph.vocabulary;
        let pages = f64::from(vocabulary.documents_seen()) + 1.0;
        let rows = page.terms.rows().iter();
        let new = rows.filter(|row| self.keywords.iter().all(|known| known.0 != row.0));
        let told = new.map(|&(term, count)| {
            let with = f64::from(vocabulary.document_count(term)) + 1.0;
            (term, f64::from(count) * (pages / with).ln())
        });
        let best = told.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        best.map(|row| row.0)
    }

    /// The sum behind its output.
    pub(in crate::strategies::rivals::info_spiders) fn explain(
        &self,
        inputs: &Inputs,
        link: &Candidate,
        known: Known<'_>,
    ) -> Explanation {
        let mut parts = vec![
            Explanation::given("any link", self.constant),
            Explanation::product(
                "the page with the link",
                vec![
                    Explanation::given("weight", self.relevance),
                    Explanation::given("relevance", inputs.relevance),
                ],
            ),
        ];
        for ((word, weight), &input) in self.keywords.iter().zip(&inputs.keywords) {
            let near = link
                .context
                .features()
                .iter()
                .filter(|one| !one.is_of_page() && one.term() == *word);
            let Some(&feature) = near.min_by_key(|one| one.offset().0.abs()) else {
                continue;
            };
            let surface = known.graph.vocabulary.surface(*word);
            let part = Explanation::product(
                format!("{surface} near the link"),
                vec![
                    Explanation::given("weight", *weight),
                    Explanation::given("nearness", input),
                ],
            );
            parts.push(part.about(Cue {
                feature,
                high: 0.0,
                low: 0.0,
            }));
        }
        Explanation::sum("log-odds", parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critics;
    use crate::dom::DomOffset;
    use crate::features::{LinkContext, PageTerms};
    use crate::strategies::{Step, Trail};
    use crate::web_graph::{Judgment, KnownPage, Relevance, WebGraph};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn link(words: &[(u32, i32)]) -> Candidate {
        let words = words
            .iter()
            .map(|&(term, offset)| OffsetTerm::new(TermId(term), DomOffset(offset)));
        Candidate {
            context: LinkContext::new(words.collect()),
            trail: Trail::default().then(Step {
                address: address("from"),
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address("to"))
        }
    }

    fn agent() -> Agent {
        Agent {
            keywords: vec![(TermId(1), 1.0), (TermId(2), -0.5)],
            ..Agent::new(0, 1.0)
        }
    }

    fn graph() -> WebGraph {
        let mut graph = WebGraph::default();
        let judgment = Judgment {
            relevance: Relevance::new(0.75),
            ..Judgment::default()
        };
        graph.remember(KnownPage {
            address: address("from"),
            judgment,
            unmarked: judgment,
            counted: false,
            terms: PageTerms::from_rows(vec![(TermId(1), 9), (TermId(3), 2), (TermId(4), 5)]),
        });
        graph
    }

    fn sigma(sum: f64) -> f64 {
        1.0 / (1.0 + (-sum).exp())
    }

    /// Word 1 stands in the leaf before the link and two leaves behind it: 1/2 + 1/3. Word 2
    /// twice in the link: at most 1. The page's relevance is 0.75.
    #[test]
    fn inputs_output_and_learning_by_hand() {
        let (graph, critic) = (graph(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let mut agent = agent();
        let link = link(&[(1, -1), (1, 2), (2, 0), (2, 0), (9, 0)]);
        let inputs = agent.inputs(&link, known);
        let near = 0.5 + 1.0 / 3.0;
        assert!((inputs.keywords[0] - near).abs() < 1e-12);
        assert_eq!((inputs.keywords[1], inputs.relevance), (1.0, 0.75));
        let said = sigma(near - 0.5 + 2.0 * 0.75 - 2.0);
        assert!((agent.output(&inputs) - said).abs() < 1e-12);
        let explained = agent.explain(&inputs, &link, known);
        assert!((sigma(explained.value) - said).abs() < 1e-12);
        // Gained 0.9 there, and goes on from there by a link it makes something of.
        agent.stepped(address("from"), inputs.clone(), 0.4);
        let after = agent.output(&inputs);
        agent.learn_last_step(&link, &inputs, 0.5);
        let step = 0.5 * (0.4 + 0.5 * after - said) * said * (1.0 - said);
        assert!((agent.keywords[0].1 - (1.0 + step * near)).abs() < 1e-12);
        assert!((agent.keywords[1].1 - (-0.5 + step)).abs() < 1e-12);
        assert!((agent.relevance - (2.0 + 0.75 * step)).abs() < 1e-12);
        assert!((agent.constant - (-2.0 + step)).abs() < 1e-12);
        // It is learned from once, and what comes after elsewhere counts for nothing.
        let before = agent.clone();
        agent.learn_last_step(&link, &inputs, 0.5);
        assert_eq!(agent, before);
    }

    #[test]
    fn offspring_take_the_word_that_tells_most_of_their_page() {
        let (graph, critic) = (graph(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let mut parent = agent();
        let child = parent.offspring(7, &address("from"), known);
        assert_eq!((child.number, child.energy), (7, 1.0));
        let words: Vec<u32> = child.keywords.iter().map(|row| row.0.0).collect();
        assert_eq!(words.len(), 3, "room for one more");
        assert_eq!(words[..2], [1, 2]);
        // Without room the least keyword goes.
        let others = (100..).map(|term| (TermId(term), 2.0));
        parent.keywords.extend(others.take(KEYWORDS - 2));
        let child = parent.offspring(8, &address("from"), known);
        assert_eq!(child.keywords.len(), KEYWORDS);
        assert!(child.keywords.iter().all(|row| row.0 != TermId(2)));
        assert_eq!(child.keywords[0], (TermId(1), 1.0));
        assert!(child.makes_sense());
    }
}
