//! Inference on a linear chain of hidden states, shared by HMM, MEMM and CRF
//! (\[C\] eq. 19, 24, 26-30): forward-backward and Viterbi, in log space.
//!
//! A chain of `n` positions and `k` states has a log-potential for every state
//! at every position and for every step from state to state. Which model gave
//! them, and whether they are probabilities, does not matter here.

/// Log-potentials of a chain.
#[derive(Debug, Clone, Copy)]
pub struct Chain<'a> {
    /// Number of states, `k`, at least 1.
    pub states: usize,
    /// `n * k`: position by position, the log-potential of each state.
    pub nodes: &'a [f64],
    /// Log-potentials of the steps.
    pub steps: Steps<'a>,
}

/// Log-potentials of steps, `k * k` a table: row = from, column = to.
#[derive(Debug, Clone, Copy)]
pub enum Steps<'a> {
    /// One table for all steps.
    Same(&'a [f64]),
    /// A table a step: `(n - 1) * k * k`.
    Each(&'a [f64]),
}

/// What forward-backward finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Marginals {
    /// Log of the sum of all paths' potentials.
    pub log_sum: f64,
    /// `n * k`: probability of each state at each position; each position sums
    /// to 1.
    pub nodes: Vec<f64>,
    /// `(n - 1) * k * k`: probability of each step; each table sums to 1.
    pub steps: Vec<f64>,
}

/// A path and the sum of its log-potentials.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// A state a position.
    pub states: Vec<usize>,
    /// Sum of the log-potentials on it.
    pub log_potential: f64,
}

/// `ln(sum(exp(values)))`; of nothing, and of impossible things, minus infinity.
pub fn log_sum_exp(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let highest = values.clone().fold(f64::NEG_INFINITY, f64::max);
    if highest == f64::NEG_INFINITY {
        return highest;
    }
    highest
        + values
            .map(|value| (value - highest).exp())
            .sum::<f64>()
            .ln()
}

impl Chain<'_> {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.nodes.len() / self.states
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    fn node(&self, at: usize) -> &[f64] {
        &self.nodes[at * self.states..][..self.states]
    }

    /// The table of the step that leads to position `to`.
    fn table(&self, to: usize) -> &[f64] {
        let size = self.states * self.states;
        match self.steps {
            Steps::Same(table) => table,
            Steps::Each(tables) => &tables[(to - 1) * size..][..size],
        }
    }

    /// `n * k`: log-sum of all paths that end in a state at a position.
    fn forward(&self) -> Vec<f64> {
        let k = self.states;
        let mut forward = Vec::with_capacity(self.nodes.len());
        for at in 0..self.len() {
            for (state, node) in self.node(at).iter().enumerate() {
                let before = if at == 0 {
                    0.0
                } else {
                    let last = &forward[(at - 1) * k..at * k];
                    let table = self.table(at);
                    let ways = last.iter().enumerate();
                    log_sum_exp(
                        ways.map(|(from, sum): (usize, &f64)| sum + table[from * k + state]),
                    )
                };
                forward.push(before + node);
            }
        }
        forward
    }

    /// `n * k`: log-sum of all paths that go on from a state at a position,
    /// its own potential left out.
    fn backward(&self) -> Vec<f64> {
        let k = self.states;
        let mut backward = vec![0.0; self.nodes.len()];
        for at in (1..self.len()).rev() {
            let table = self.table(at);
            let (before, after) = backward.split_at_mut(at * k);
            let node = self.node(at);
            for (from, slot) in before[(at - 1) * k..].iter_mut().enumerate() {
                let row = &table[from * k..][..k];
                let ways = row.iter().zip(node).zip(after.iter());
                *slot = log_sum_exp(ways.map(|((step, node), rest)| step + node + rest));
            }
        }
        backward
    }

    /// Sums over all paths (\[C\] eq. 27-30).
    pub fn marginals(&self) -> Marginals {
        if self.is_empty() {
            return Marginals::default();
        }
        let k = self.states;
        let (forward, backward) = (self.forward(), self.backward());
        let log_sum = log_sum_exp(forward[forward.len() - k..].iter().copied());
        let nodes = forward.iter().zip(&backward);
        let nodes = nodes.map(|(before, behind)| (before + behind - log_sum).exp());
        let mut steps = Vec::with_capacity((self.len() - 1) * k * k);
        for at in 1..self.len() {
            let (table, node) = (self.table(at), self.node(at));
            for from in 0..k {
                for to in 0..k {
                    let before = forward[(at - 1) * k + from] + table[from * k + to];
                    let behind = node[to] + backward[at * k + to];
                    steps.push((before + behind - log_sum).exp());
                }
            }
        }
        Marginals {
            log_sum,
            nodes: nodes.collect(),
            steps,
        }
    }

    /// The likeliest path (\[C\] eq. 24); of equal ones that with the lower
    /// states at the end.
    pub fn viterbi(&self) -> Path {
        let best = self.n_best(1).pop();
        best.unwrap_or(Path {
            states: Vec::new(),
            log_potential: 0.0,
        })
    }

    /// The `most` likeliest paths, the best first.
    pub fn n_best(&self, most: usize) -> Vec<Path> {
        let k = self.states;
        if self.is_empty() {
            return Vec::new();
        }
        // By position and state: the best ways there, each with where it came
        // from (state, rank).
        let mut ways: Vec<Vec<(f64, usize, usize)>> = Vec::with_capacity(self.nodes.len());
        for at in 0..self.len() {
            for (state, &node) in self.node(at).iter().enumerate() {
                if at == 0 {
                    ways.push(vec![(node, 0, 0)]);
                    continue;
                }
                let table = self.table(at);
                let last = &ways[(at - 1) * k..at * k];
                let mut here: Vec<(f64, usize, usize)> = last
                    .iter()
                    .enumerate()
                    .flat_map(|(from, ranked)| {
                        let step = table[from * k + state] + node;
                        let ranked = ranked.iter().enumerate();
                        ranked.map(move |(rank, way)| (way.0 + step, from, rank))
                    })
                    .collect();
                here.sort_by(|a, b| b.0.total_cmp(&a.0));
                here.truncate(most);
                ways.push(here);
            }
        }
        let last = self.len() - 1;
        let mut ends: Vec<(f64, usize, usize)> = ways[last * k..]
            .iter()
            .enumerate()
            .flat_map(|(state, ranked)| {
                let ranked = ranked.iter().enumerate();
                ranked.map(move |(rank, way)| (way.0, state, rank))
            })
            .collect();
        ends.sort_by(|a, b| b.0.total_cmp(&a.0));
        ends.truncate(most);
        let path = |(log_potential, mut state, mut rank): (f64, usize, usize)| {
            let mut states = vec![0; self.len()];
            for at in (0..self.len()).rev() {
                states[at] = state;
                (_, state, rank) = ways[at * k + state][rank];
            }
            Path {
                states,
                log_potential,
            }
        };
        ends.into_iter().map(path).collect()
    }

    /// Sum of the log-potentials on a path.
    pub fn log_potential(&self, states: &[usize]) -> f64 {
        let nodes = states.iter().enumerate();
        let nodes: f64 = nodes.map(|(at, &state)| self.node(at)[state]).sum();
        let steps = states.windows(2).enumerate();
        let steps = steps.map(|(at, pair)| self.table(at + 1)[pair[0] * self.states + pair[1]]);
        nodes + steps.sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SplitMix};

    fn random(length: usize, spread: f64, seed: u64) -> Vec<f64> {
        let mut rng = SplitMix(seed);
        (0..length).map(|_| (rng.unit() - 0.5) * spread).collect()
    }

    /// Every path of `n` positions and `k` states.
    fn all_paths(n: usize, k: usize) -> Vec<Vec<usize>> {
        let count = k.pow(n as u32);
        let path = |mut code: usize| {
            let digits = (0..n).map(|_| {
                let digit = code % k;
                code /= k;
                digit
            });
            digits.collect()
        };
        (0..count).map(path).collect()
    }

    fn check(chain: Chain<'_>) {
        let (n, k) = (chain.len(), chain.states);
        let paths = all_paths(n, k);
        let sums: Vec<f64> = paths.iter().map(|path| chain.log_potential(path)).collect();
        let all = log_sum_exp(sums.iter().copied());
        let found = chain.marginals();
        assert!(
            (found.log_sum - all).abs() < 1e-9,
            "{} {all}",
            found.log_sum
        );
        let probability = |holds: &dyn Fn(&[usize]) -> bool| -> f64 {
            let paths = paths.iter().zip(&sums).filter(|(path, _)| holds(path));
            paths.map(|(_, sum)| (sum - all).exp()).sum()
        };
        for at in 0..n {
            for state in 0..k {
                let by_hand = probability(&|path| path[at] == state);
                assert!((found.nodes[at * k + state] - by_hand).abs() < 1e-9);
                for next in (0..k).filter(|_| at + 1 < n) {
                    let by_hand = probability(&|path| path[at] == state && path[at + 1] == next);
                    let place = at * k * k + state * k + next;
                    assert!((found.steps[place] - by_hand).abs() < 1e-9);
                }
            }
        }
        let mut ranked = sums.clone();
        ranked.sort_by(|a, b| b.total_cmp(a));
        let best = chain.n_best(5);
        assert_eq!(best.len(), 5.min(paths.len()));
        for (place, path) in best.iter().enumerate() {
            assert!((path.log_potential - ranked[place]).abs() < 1e-9);
            assert!((chain.log_potential(&path.states) - path.log_potential).abs() < 1e-9);
        }
        assert_eq!(chain.viterbi(), best[0]);
    }

    #[test]
    fn sums_and_best_paths_are_those_of_all_paths() {
        for (n, k) in [(1, 1), (1, 3), (2, 2), (3, 3), (5, 2), (4, 4), (6, 3)] {
            for spread in [1.0, 40.0] {
                let nodes = random(n * k, spread, 7);
                let same = random(k * k, spread, 8);
                let each = random((n - 1) * k * k, spread, 9);
                for steps in [Steps::Same(&same), Steps::Each(&each)] {
                    check(Chain {
                        states: k,
                        nodes: &nodes,
                        steps,
                    });
                }
            }
        }
    }

    #[test]
    fn impossible_steps_and_long_chains_stay_finite() {
        let never = f64::NEG_INFINITY;
        let table = [0.0, never, 0.0, 0.0];
        let nodes = random(2 * 4_000, 900.0, 3);
        let chain = Chain {
            states: 2,
            nodes: &nodes,
            steps: Steps::Same(&table),
        };
        let found = chain.marginals();
        assert!(found.log_sum.is_finite());
        for position in found.nodes.chunks(2) {
            assert!((position.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        }
        let path = chain.viterbi();
        let turns = path.states.windows(2).filter(|pair| pair == &[0, 1]);
        assert_eq!(turns.count(), 0, "the step from 0 to 1 cannot be");
        assert!(path.log_potential.is_finite() && path.log_potential <= found.log_sum + 1e-6);
    }
}
