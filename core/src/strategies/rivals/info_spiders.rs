//! `InfoSpiders` (Menczer and Belew 2000; with a frontier, Menczer, Pant and Srinivasan
//! 2004; methods 3.6): a population of agents that live on relevant pages.
//!
//! Every agent has energy, some keywords and a small network: one logistic unit over how
//! near its keywords stand to a link and how relevant the link's page is. A link is scored
//! by the agent that saw it, which is the one that came to its page. An agent that comes to
//! a page gains the page's relevance and pays for the fetch. It learns by temporal
//! difference: what it thought of the link moves towards what it gained and, discounted, what
//! it thinks of the link it follows from there. With energy enough it has an offspring,
//! which takes half of it, stays at that page, and has the page's most telling word in
//! place of the keyword that moves its network least. Without energy it dies; its links are
//! scored by the eldest that lives, behind those of the living.
//!
//! The crawl has one frontier in place of one for each agent, so the best link of all is
//! followed and not one by each agent in turn; an agent that follows a link elsewhere
//! gains nothing from the page it left. Weights of offspring are not changed at random.
//! Keywords are the words of the marked targets that speak most for the topic, or, where
//! nothing is marked, those of the first offspring's pages.

mod agent;

pub use agent::Agent;

use agent::Inputs;

use crate::address::Address;
use crate::strategies::Arrival;
use crate::strategies::Candidate;
use crate::strategies::Event;
use crate::strategies::Explanation;
use crate::strategies::Known;
use crate::strategies::Learned;
use crate::strategies::LinkScore;
use crate::strategies::Priority;
use crate::strategies::Profile;
use crate::strategies::Promise;
use crate::strategies::Strategy;
use crate::strategies::StrategyState;
use crate::strategies::rebuilds::Rebuilds;
use crate::strategies::recent::Recent;
use crate::web_graph::Relevance;

/// Agents that live at once.
const MOST_AGENTS: usize = 32;
/// Energy of the first agent, and of one that is the last.
const FIRST_ENERGY: f64 = 1.0;
/// Energy at which an agent has an offspring.
const OFFSPRING_ENERGY: f64 = 2.0;
/// What a fetch costs, where a page of full relevance brings 1.
const COST: f64 = 0.1;
/// What a gain one page farther counts.
const DISCOUNT: f64 = 0.5;

/// What it knows from one crawl to the next: the agents and who came to which page.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// The living, eldest first; never empty.
    agents: Vec<Agent>,
    /// Agents ever born.
    births: u32,
    /// By the hash of a page's address: the number of the agent that came there.
    owners: Recent<u32, u64>,
}

impl Default for Population {
    fn default() -> Self {
        Self {
            agents: vec![Agent::new(0, FIRST_ENERGY)],
            births: 1,
            owners: Recent::default(),
        }
    }
}

impl Population {
    /// Of agents, eldest first, and hashes of the pages they came to; `None` if there is none,
    /// or too many, or a number makes no sense.
    pub fn new(
        agents: Vec<Agent>,
        births: u32,
        owners: impl IntoIterator<Item = (u64, u32)>,
    ) -> Option<Self> {
        let ascends = agents
            .windows(2)
            .all(|pair| pair[0].number < pair[1].number);
        let fits = (1..=MOST_AGENTS).contains(&agents.len());
        let are_born = agents.iter().all(|agent| agent.number < births);
        if !ascends || !fits || !are_born || !agents.iter().all(Agent::makes_sense) {
            return None;
        }
        let mut population = Self {
            agents,
            births,
            owners: Recent::default(),
        };
        for (page, owner) in owners {
            if owner >= births {
                return None;
            }
            population.owners.keep(page, owner);
        }
        Some(population)
    }

    /// The living, eldest first.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// Agents ever born.
    pub fn births(&self) -> u32 {
        self.births
    }

    /// Hashes of pages with the numbers of the agents that came there, oldest first.
    pub fn owners(&self) -> impl Iterator<Item = (u64, u32)> {
        self.owners.iter().map(|(&page, &owner)| (page, owner))
    }

    /// The place of the agent that scores a link, and whether it is the one that saw it: a
    /// page to which no agent came belongs to the eldest.
    fn scorer(&self, link: &Candidate) -> (usize, bool) {
        let owner = link
            .source()
            .and_then(|source| self.owners.get(&source.key()));
        let Some(owner) = owner else {
            return (0, true);
        };
        let place = self
            .agents
            .binary_search_by_key(owner, |agent| agent.number);
        place.map_or((0, false), |place| (place, true))
    }

    /// An agent follows a link to a page.
    fn step(&mut self, link: &Candidate, relevance: Relevance, known: Known<'_>) {
        if self.agents[0].keywords.is_empty() {
            self.agents[0].take_keywords(known);
        }
        let (place, _) = self.scorer(link);
        let agent = &mut self.agents[place];
        let inputs = agent.inputs(link, known);
        agent.learn_last_step(link, &inputs, DISCOUNT);
        let gain = relevance.value() - COST;
        agent.energy = (agent.energy + gain).min(OFFSPRING_ENERGY);
        agent.stepped(link.target.clone(), inputs, gain);
        let (number, energy) = (agent.number, agent.energy);
        self.owners.keep(link.target.key(), number);
        if energy <= 0.0 {
            self.die(place);
        } else if energy >= OFFSPRING_ENERGY && self.agents.len() < MOST_AGENTS {
            self.reproduce(place, &link.target, known);
        }
    }

    fn die(&mut self, place: usize) {
        if self.agents.len() == 1 {
            self.agents[0].energy = FIRST_ENERGY;
        } else {
            self.agents.remove(place);
        }
    }

    fn reproduce(&mut self, place: usize, page: &Address, known: Known<'_>) {
        let parent = &mut self.agents[place];
        parent.energy /= 2.0;
        let offspring = parent.offspring(self.births, page, known);
        self.owners.keep(page.key(), offspring.number);
        self.agents.push(offspring);
        self.births = self.births.saturating_add(1);
    }
}

/// Scores links by what the agent that saw them makes of the words near them.
#[derive(Debug, Clone, Default)]
pub struct InfoSpiders {
    population: Population,
    rebuilds: Rebuilds,
}

impl InfoSpiders {
    /// One that has the frontier scored again after every so many arrivals, and later more
    /// seldom.
    pub fn every(every: u32) -> Self {
        Self {
            rebuilds: Rebuilds::every(every),
            ..Self::default()
        }
    }

    /// One whose agents lived before.
    pub fn with_population(population: Population) -> Self {
        Self {
            population,
            ..Self::default()
        }
    }

    fn arrive(&mut self, arrival: &Arrival<'_>, known: Known<'_>) -> Learned {
        let Some(link) = arrival.via.first() else {
            return Learned::Nothing;
        };
        self.population
            .step(link, arrival.judgment.relevance, known);
        self.rebuilds.arrived()
    }

    /// The agent that scores a link and what it sees of it.
    fn seen(&self, link: &Candidate, known: Known<'_>) -> (&Agent, Inputs, bool) {
        let (place, is_its_own) = self.population.scorer(link);
        let agent = &self.population.agents[place];
        (agent, agent.inputs(link, known), is_its_own)
    }
}

impl Strategy for InfoSpiders {
    fn profile(&self) -> Profile {
        Profile::new("info-spiders")
    }

    fn score(&self, links: &[Candidate], known: Known<'_>) -> Vec<LinkScore> {
        let score = |link: &Candidate| {
            let (agent, inputs, is_its_own) = self.seen(link, known);
            let level = u8::from(!is_its_own);
            LinkScore::Follow(Priority::new(level, agent.output(&inputs)))
        };
        links.iter().map(score).collect()
    }

    fn learn(&mut self, event: &Event<'_>, known: Known<'_>) -> Learned {
        match event {
            Event::Arrival(arrival) => self.arrive(arrival, known),
            _ => Learned::Nothing,
        }
    }

    /// An agent that is in two minds says a half.
    fn promise(&self, priority: Priority) -> Promise {
        Promise::AboveUsual(priority.value() - 0.5)
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let (agent, inputs, is_its_own) = self.seen(link, known);
        let whose = if is_its_own {
            format!("what agent {} makes of it", agent.number + 1)
        } else {
            format!(
                "the agent is dead; what agent {} makes of it",
                agent.number + 1
            )
        };
        Explanation::logistic(whose, agent.explain(&inputs, link, known))
    }

    fn reset(&self, _: Known<'_>) -> Option<Box<dyn Strategy>> {
        let rebuilds = self.rebuilds.afresh();
        Some(Box::new(Self {
            rebuilds,
            ..Self::default()
        }))
    }

    fn state(&self) -> StrategyState {
        StrategyState::of(&self.population)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critics;
    use crate::strategies::{Step, Trail};
    use crate::web_graph::{Judgment, WebGraph};

    fn address(name: &str) -> Address {
        Address::parse(&format!("http://a.test/{name}")).unwrap()
    }

    fn link(from: &str, to: &str) -> Candidate {
        Candidate {
            trail: Trail::default().then(Step {
                address: address(from),
                relevance: Relevance::default(),
            }),
            ..Candidate::seed(address(to))
        }
    }

    /// The population after these steps: from, to and relevance.
    fn lived(steps: &[(&str, &str, f64)]) -> InfoSpiders {
        let (graph, critic) = (WebGraph::default(), critics::Topic::default());
        let known = Known {
            graph: &graph,
            critic: &critic,
        };
        let mut spiders = InfoSpiders::every(2);
        for &(from, to, relevance) in steps {
            let via = [link(from, to)];
            let arrival = Arrival {
                via: &via,
                judgment: Judgment {
                    relevance: Relevance::new(relevance),
                    ..Judgment::default()
                },
            };
            spiders.learn(&Event::Arrival(arrival), known);
        }
        spiders
    }

    fn energies(spiders: &InfoSpiders) -> Vec<(u32, f64)> {
        let agents = spiders.population.agents.iter();
        agents
            .map(|agent| (agent.number, (agent.energy * 100.0).round() / 100.0))
            .collect()
    }

    #[test]
    fn energy_is_gained_spent_halved_and_lost() {
        // 1 + 0.9 - 0.1 = 1.8.
        assert_eq!(energies(&lived(&[("s", "a", 0.9)])), [(0, 1.8)]);
        // Once more: 2.6, at most 2, halved between it and its offspring.
        let spiders = lived(&[("s", "a", 0.9), ("a", "b", 0.9)]);
        assert_eq!(energies(&spiders), [(0, 1.0), (1, 1.0)]);
        // The offspring has what is seen at b, the parent what was seen before.
        assert_eq!(spiders.population.scorer(&link("b", "x")), (1, true));
        assert_eq!(spiders.population.scorer(&link("a", "x")), (0, true));
        // It goes hungry as long as it has anything and dies; its links are the eldest's, behind others.
        let mut steps = vec![("s", "a", 0.9), ("a", "b", 0.9)];
        steps.extend((0..11).map(|_| ("b", "b", 0.0)));
        let spiders = lived(&steps);
        assert_eq!(energies(&spiders), [(0, 1.0)]);
        assert_eq!(spiders.population.scorer(&link("b", "x")), (0, false));
        assert_eq!(spiders.population.births, 2);
        // The last one never dies.
        let steps: Vec<(&str, &str, f64)> = (0..12).map(|_| ("a", "a", 0.0)).collect();
        assert_eq!(energies(&lived(&steps)), [(0, 0.9)]);
    }

    #[test]
    fn a_population_is_never_larger_than_it_may_be() {
        let steps = vec![("a", "a", 1.0); 500];
        let spiders = lived(&steps);
        assert_eq!(spiders.population.agents.len(), MOST_AGENTS);
        let all = spiders.population.agents.iter();
        assert!(all.clone().all(|agent| agent.energy <= OFFSPRING_ENERGY));
        assert!(all.clone().all(Agent::makes_sense));
    }

    #[test]
    fn what_makes_no_sense_is_no_population() {
        let agent = |number: u32| Agent::new(number, 1.0);
        let refused = |agents: Vec<Agent>, births: u32, owner: Option<u32>| {
            let owners = owner.map(|owner| (7, owner));
            Population::new(agents, births, owners).is_none()
        };
        assert!(!refused(vec![agent(0), agent(4)], 5, Some(3)));
        assert!(refused(vec![], 0, None), "nobody");
        assert!(refused(vec![agent(4), agent(0)], 5, None), "out of order");
        assert!(refused(vec![agent(5)], 5, None), "not yet born");
        assert!(refused(vec![agent(0)], 1, Some(1)), "whose page is it?");
        let mut broken = agent(0);
        broken.energy = f64::NAN;
        assert!(refused(vec![broken], 1, None));
    }
}
