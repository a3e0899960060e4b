//! `linkscent train`: the critic that a training set makes, and how well it
//! judges pages it was not taught.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use serde_json::json;

use crate::eval::own_critic;
use crate::eval::topic_file::TopicFile;
use crate::eval::web::EvalWeb;

/// Words shown that speak loudest for the topic.
const LOUDEST: usize = 15;

/// Train a critic on example pages and report how well it judges.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent train --web web.warc.gz --topic bees.toml --report")]
pub struct Train {
    /// WARC file with the pages; several are read as one web.
    #[arg(long, required = true)]
    web: Vec<PathBuf>,
    /// Topic file that names the examples.
    #[arg(long)]
    topic: PathBuf,
    /// Print accuracy on held-out pages, with a confusion table.
    #[arg(long, required = true)]
    report: bool,
    /// What random numbers start from.
    #[arg(long, default_value_t = 1)]
    random_seed: u64,
    /// Print one JSON object in place of sentences.
    #[arg(long)]
    json: bool,
}

impl Train {
    /// Trains and reports.
    pub fn run(self) -> Result<()> {
        let web = EvalWeb::read(&self.web, |_| {})?;
        for problem in &web.problems {
            eprintln!("linkscent: {problem}");
        }
        let file = TopicFile::read(&self.topic)?;
        let folder = self.topic.parent().unwrap_or(Path::new("."));
        let topic = file.on(&web, folder, self.random_seed)?;
        let (examples, others) = (topic.chosen(true), topic.chosen(false));
        let trained = own_critic::train(&web, &examples, &others);
        let critic = &trained.critic;
        let [[no_no, no_yes], [yes_no, yes_yes]] = critic.confusion;
        let words = trained.loudest(LOUDEST);
        if self.json {
            let said = json!({
                "topic": topic.name,
                "examples": examples.len(),
                "others": others.len(),
                "accuracy": critic.accuracy(),
                "confusion": critic.confusion,
                "words": words.iter().map(|row| row.0.as_str()).collect::<Vec<_>>(),
            });
            println!("{said}");
            return Ok(());
        }
        println!(
            "“{}”, from {} example pages and {} others; each page was judged once by a critic \
             that had not been taught it.\n",
            topic.name,
            examples.len(),
            others.len()
        );
        println!("accuracy {:.1} %\n", 100.0 * critic.accuracy());
        println!("                  said: the topic   said: another");
        println!("is of the topic   {yes_yes:>15}   {yes_no:>13}");
        println!("is another        {no_yes:>15}   {no_no:>13}\n");
        let words: Vec<String> = words
            .iter()
            .map(|(word, log_odds)| format!("{word} ({log_odds:+.1})"))
            .collect();
        println!("speaks for the topic: {}", words.join(", "));
        if examples.len() < own_critic::ENOUGH {
            println!(
                "\nWith fewer than {} examples these figures say little, and pages are judged by \
                 likeness to the examples instead.",
                own_critic::ENOUGH
            );
        }
        Ok(())
    }
}
