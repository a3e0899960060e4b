//! Forward-backward and Viterbi of the hidden Markov model, over sequences of a file: a line
//! each of initial, transition and emission probabilities, then a line of symbols for each
//! sequence. `beside_hmmlearn.py` draws them and asks hmmlearn the same.
//!
//! `cargo bench --package linkscent-models --bench hmm -- FILE`

use std::error::Error;
use std::time::Instant;

use linkscent_models::Hmm;

/// Times over the file; the best counts.
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().skip(1).find(|name| name != "--bench");
    let Some(file) = file else {
        println!("name the file that beside_hmmlearn.py draws");
        return Ok(());
    };
    let text = std::fs::read_to_string(file)?;
    let mut lines = text.lines();
    let mut table = || -> Result<Vec<f64>, Box<dyn Error>> {
        let line = lines.next().ok_or("a table is missing")?;
        let values = line.split(' ').map(str::parse);
        Ok(values.collect::<Result<_, _>>()?)
    };
    let hmm = Hmm::from_tables(table()?, table()?, table()?).ok_or("these are no tables")?;
    let sequences = lines.map(|line| line.split(' ').map(str::parse).collect());
    let sequences = sequences.collect::<Result<Vec<Vec<usize>>, _>>()?;
    let (mut log_sum, mut marginals, mut viterbi) = (0.0, f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        let began = Instant::now();
        log_sum = sequences.iter().map(|row| hmm.marginals(row).log_sum).sum();
        marginals = marginals.min(began.elapsed().as_secs_f64());
        let began = Instant::now();
        for row in &sequences {
            std::hint::black_box(hmm.viterbi(row));
        }
        viterbi = viterbi.min(began.elapsed().as_secs_f64());
    }
    println!("{log_sum} {marginals} {viterbi}");
    Ok(())
}
