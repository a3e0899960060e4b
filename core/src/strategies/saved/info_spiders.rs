//! The agents of `InfoSpiders` as bytes. What an agent was about to learn of its last step
//! is not kept.

use serde::{Deserialize, Serialize};

use super::{Saved, StateError, known, saved};
use crate::codec;
use crate::strategies::{Agent, Population};

#[derive(Serialize, Deserialize)]
struct SavedPopulation {
    agents: Vec<SavedAgent>,
    births: u32,
    /// Hashes of pages, and the agents that came there.
    owners: Vec<(u64, u32)>,
}

#[derive(Serialize, Deserialize)]
struct SavedAgent {
    number: u32,
    energy: f64,
    /// Words with their weights.
    keywords: Vec<(u32, f64)>,
    relevance: f64,
    constant: f64,
}

impl SavedAgent {
    fn of(agent: &Agent) -> Self {
        let keywords = agent.keywords.iter();
        Self {
            number: agent.number,
            energy: agent.energy,
            keywords: keywords.map(|&(word, weight)| (word.0, weight)).collect(),
            relevance: agent.relevance,
            constant: agent.constant,
        }
    }

    fn into_agent(self, known_terms: usize) -> Result<Agent, StateError> {
        let mut agent = Agent::new(self.number, self.energy);
        for (word, weight) in self.keywords {
            agent.keywords.push((known(word, known_terms)?, weight));
        }
        (agent.relevance, agent.constant) = (self.relevance, self.constant);
        Ok(agent)
    }
}

impl Saved for Population {
    const LEARNER: &'static str = "info-spiders";

    fn encode(&self) -> Vec<u8> {
        codec::encode(&SavedPopulation {
            agents: self.agents().iter().map(SavedAgent::of).collect(),
            births: self.births(),
            owners: self.owners().collect(),
        })
    }

    fn decode(bytes: &[u8], known_terms: usize) -> Result<Self, StateError> {
        let saved: SavedPopulation = saved(bytes)?;
        let agents = saved.agents.into_iter();
        let agents: Result<Vec<Agent>, StateError> =
            agents.map(|agent| agent.into_agent(known_terms)).collect();
        Self::new(agents?, saved.births, saved.owners).ok_or(StateError::Content(
            "an agent is none, or owns what it cannot",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(change: impl Fn(&mut SavedAgent)) -> SavedAgent {
        let mut agent = SavedAgent {
            number: 2,
            energy: 0.5,
            keywords: vec![(3, 1.0), (1, -0.5)],
            relevance: 2.0,
            constant: -2.0,
        };
        change(&mut agent);
        agent
    }

    fn decoded(agents: Vec<SavedAgent>, owners: &[(u64, u32)]) -> Result<Population, StateError> {
        let saved = SavedPopulation {
            agents,
            births: 5,
            owners: owners.to_vec(),
        };
        Population::decode(&codec::encode(&saved), 4)
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let other = |agent: &mut SavedAgent| agent.number = 4;
        let pages = [(77, 1), (1 << 63, 2)];
        let fine = decoded(vec![agent(|_| {}), agent(other)], &pages).unwrap();
        assert_eq!(Population::decode(&fine.encode(), 4), Ok(fine));
        let broken: [fn(&mut SavedAgent); 7] = [
            |agent| agent.energy = f64::NAN,
            |agent| agent.energy = 0.0,
            |agent| agent.relevance = f64::INFINITY,
            |agent| agent.keywords[0].1 = f64::NAN,
            |agent| agent.keywords[0].0 = 4,
            |agent| agent.keywords[0].0 = 1,
            |agent| agent.number = 5,
        ];
        for change in broken {
            let error = decoded(vec![agent(change)], &[]).unwrap_err();
            assert!(matches!(error, StateError::Content(_)), "{error}");
        }
        let twice = vec![agent(|_| {}), agent(|_| {})];
        assert!(decoded(twice, &[]).is_err(), "an agent twice");
        assert!(decoded(vec![], &[]).is_err(), "nobody");
        assert!(decoded(vec![agent(|_| {})], &[(77, 5)]).is_err());
    }
}
