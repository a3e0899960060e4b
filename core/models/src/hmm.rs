//! Discrete hidden Markov model with smoothed counts (Liu, Janssen, Milios
//! 2006): tables counted from labelled sequences, beliefs by the forward step.

use super::chain::{Chain, Marginals, Path, Steps};

/// A hidden Markov model over discrete observations.
#[derive(Debug, Clone, PartialEq)]
pub struct Hmm {
    states: usize,
    symbols: usize,
    /// Probability of each state at the start.
    initial: Vec<f64>,
    /// `k * k`, row = from.
    transitions: Vec<f64>,
    /// `k * symbols`, row = state.
    emissions: Vec<f64>,
}

/// Divides each row by its sum.
fn normalise(rows: &mut [f64], width: usize) {
    for row in rows.chunks_mut(width) {
        let all: f64 = row.iter().sum();
        for value in row.iter_mut() {
            *value /= all;
        }
    }
}

impl Hmm {
    /// Counts sequences of (state, symbol), every count `pseudocount` (above 0) more.
    pub fn count<'a>(
        (states, symbols): (usize, usize),
        sequences: impl IntoIterator<Item = &'a [(usize, usize)]>,
        pseudocount: f64,
    ) -> Self {
        let mut hmm = Self {
            states,
            symbols,
            initial: vec![pseudocount; states],
            transitions: vec![pseudocount; states * states],
            emissions: vec![pseudocount; states * symbols],
        };
        for sequence in sequences {
            if let Some(&(first, _)) = sequence.first() {
                hmm.initial[first] += 1.0;
            }
            for &(state, symbol) in sequence {
                hmm.emissions[state * symbols + symbol] += 1.0;
            }
            for pair in sequence.windows(2) {
                hmm.transitions[pair[0].0 * states + pair[1].0] += 1.0;
            }
        }
        normalise(&mut hmm.initial, states);
        normalise(&mut hmm.transitions, states);
        normalise(&mut hmm.emissions, symbols);
        hmm
    }

    /// From tables whose rows sum to 1. `None` if they do not fit together.
    pub fn from_tables(
        initial: Vec<f64>,
        transitions: Vec<f64>,
        emissions: Vec<f64>,
    ) -> Option<Self> {
        let states = initial.len();
        let symbols = emissions.len().checked_div(states)?;
        let fits = transitions.len() == states * states
            && emissions.len() == states * symbols
            && symbols > 0;
        let mut all = initial.iter().chain(&transitions).chain(&emissions);
        let are_probabilities = all.all(|value| (0.0..=1.0).contains(value));
        (fits && are_probabilities).then_some(Self {
            states,
            symbols,
            initial,
            transitions,
            emissions,
        })
    }

    /// Initial, transition and emission tables.
    pub fn tables(&self) -> (&[f64], &[f64], &[f64]) {
        (&self.initial, &self.transitions, &self.emissions)
    }

    /// Number of symbols.
    pub fn symbols(&self) -> usize {
        self.symbols
    }

    fn emission(&self, state: usize, symbol: usize) -> f64 {
        self.emissions[state * self.symbols + symbol]
    }

    /// The belief over states at the next position before its symbol is seen,
    /// from the belief at this one.
    pub fn predict(&self, belief: &[f64]) -> Vec<f64> {
        (0..self.states)
            .map(|to| {
                let ways = belief.iter().enumerate();
                ways.map(|(from, probability)| {
                    probability * self.transitions[from * self.states + to]
                })
                .sum()
            })
            .collect()
    }

    /// The same by the best way alone (\[C\] eq. 24); sums to 1.
    pub fn predict_best(&self, belief: &[f64]) -> Vec<f64> {
        let mut best: Vec<f64> = (0..self.states)
            .map(|to| {
                let ways = belief.iter().enumerate();
                let ways = ways.map(|(from, probability)| {
                    probability * self.transitions[from * self.states + to]
                });
                ways.fold(0.0, f64::max)
            })
            .collect();
        normalise(&mut best, self.states);
        best
    }

    /// The belief once the symbol is seen. `before` is what was predicted, or
    /// nothing at the start.
    pub fn observe(&self, before: Option<&[f64]>, symbol: usize) -> Vec<f64> {
        let before = before.unwrap_or(&self.initial);
        let mut belief: Vec<f64> = before
            .iter()
            .enumerate()
            .map(|(state, probability)| probability * self.emission(state, symbol))
            .collect();
        normalise(&mut belief, self.states);
        belief
    }

    /// Forward-backward over a sequence of symbols; `log_sum` is the log of its
    /// probability.
    pub fn marginals(&self, symbols: &[usize]) -> Marginals {
        self.with_chain(symbols, |chain| chain.marginals())
    }

    /// The likeliest states of a sequence of symbols.
    pub fn viterbi(&self, symbols: &[usize]) -> Path {
        self.with_chain(symbols, |chain| chain.viterbi())
    }

    fn with_chain<T>(&self, symbols: &[usize], ask: impl FnOnce(Chain<'_>) -> T) -> T {
        let mut nodes = Vec::with_capacity(symbols.len() * self.states);
        for (at, &symbol) in symbols.iter().enumerate() {
            for state in 0..self.states {
                let start = if at == 0 {
                    self.initial[state].ln()
                } else {
                    0.0
                };
                nodes.push(start + self.emission(state, symbol).ln());
            }
        }
        let steps: Vec<f64> = self
            .transitions
            .iter()
            .map(|probability| probability.ln())
            .collect();
        ask(Chain {
            states: self.states,
            nodes: &nodes,
            steps: Steps::Same(&steps),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables that both were asked about.
    fn hmm() -> Hmm {
        let initial = vec![0.6, 0.3, 0.1];
        let transitions = vec![0.7, 0.2, 0.1, 0.3, 0.5, 0.2, 0.05, 0.25, 0.7];
        let emissions = vec![0.5, 0.3, 0.1, 0.1, 0.1, 0.2, 0.6, 0.1, 0.05, 0.05, 0.2, 0.7];
        Hmm::from_tables(initial, transitions, emissions).unwrap()
    }

    const SYMBOLS: [usize; 7] = [0, 1, 2, 2, 3, 3, 0];

    /// What hmmlearn 0.3 says of these tables and symbols: log-probability,
    /// posteriors, likeliest states and their log-probability.
    const LOG_PROBABILITY: f64 = -9.515_583_527_730_795;
    const POSTERIORS: [[f64; 3]; 7] = [
        [
            0.898_284_973_466_113_7,
            0.092_800_389_077_308_2,
            0.008_914_637_456_578_426,
        ],
        [
            0.657_400_294_692_21,
            0.307_306_795_052_773_7,
            0.035_292_910_255_016_74,
        ],
        [
            0.145_573_376_434_668_33,
            0.706_136_047_021_412_3,
            0.148_290_576_543_918_64,
        ],
        [
            0.067_433_586_541_053_26,
            0.621_332_510_264_131_5,
            0.311_233_903_194_814_53,
        ],
        [
            0.098_822_424_159_514_92,
            0.126_206_005_410_845_12,
            0.774_971_570_429_639_9,
        ],
        [
            0.143_251_179_332_457_8,
            0.134_199_061_284_817_54,
            0.722_549_759_382_724_3,
        ],
        [
            0.442_072_208_169_158_76,
            0.252_106_855_459_063_1,
            0.305_820_936_371_778_4,
        ],
    ];
    const LIKELIEST: ([usize; 7], f64) = ([0, 0, 1, 1, 2, 2, 2], -12.120_726_854_859_651);

    #[test]
    fn it_says_what_hmmlearn_says() {
        let found = hmm().marginals(&SYMBOLS);
        assert!((found.log_sum - LOG_PROBABILITY).abs() < 1e-9);
        let theirs = POSTERIORS.iter().flatten();
        let apart = found.nodes.iter().zip(theirs).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-9);
        let best = hmm().viterbi(&SYMBOLS);
        assert_eq!(best.states, LIKELIEST.0);
        assert!((best.log_potential - LIKELIEST.1).abs() < 1e-9);
    }

    #[test]
    fn forward_steps_are_marginals_at_the_end() {
        let hmm = hmm();
        let mut predicted: Option<Vec<f64>> = None;
        for end in 1..=SYMBOLS.len() {
            let belief = hmm.observe(predicted.as_deref(), SYMBOLS[end - 1]);
            let found = hmm.marginals(&SYMBOLS[..end]);
            let last = &found.nodes[found.nodes.len() - 3..];
            let apart = belief.iter().zip(last).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-12);
            predicted = Some(hmm.predict(&belief));
        }
    }

    #[test]
    fn counts_make_tables() {
        let sequences: [&[(usize, usize)]; 2] = [&[(0, 1), (1, 0)], &[(0, 1), (0, 0)]];
        let hmm = Hmm::count((2, 2), sequences, 0.5);
        let (initial, transitions, emissions) = hmm.tables();
        assert_eq!(initial, [2.5 / 3.0, 0.5 / 3.0]);
        assert_eq!(transitions, [1.5 / 3.0, 1.5 / 3.0, 0.5, 0.5]);
        assert_eq!(emissions, [1.5 / 4.0, 2.5 / 4.0, 1.5 / 2.0, 0.5 / 2.0]);
        assert!(Hmm::from_tables(vec![0.5, 0.5], vec![1.0], vec![1.0, 1.0]).is_none());
    }
}
