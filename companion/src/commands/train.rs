//! `linkscent train`: the critic that a training set makes, and how well it
//! judges pages it was not taught.

use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::Args;
use linkscent_core::critics::TrainedTopic;
use serde_json::json;

use crate::eval::own_critic::{self, Lesson, Trained};
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
        let lesson = match &file.labels {
            None => file.lesson(&web, self.random_seed)?.0,
            Some(_) => {
                let folder = self.topic.parent().unwrap_or(Path::new("."));
                let topic = file.on(&web, folder, self.random_seed)?;
                Lesson::two(topic.chosen(true), topic.chosen(false))
            }
        };
        let trained = own_critic::train(&web, &lesson);
        let sure = own_critic::confidence(&web, &lesson).filter(|_| !lesson.is_enough());
        if self.json {
            let critic = &trained.critic;
            let words = trained.loudest(LOUDEST).into_iter().map(|row| row.0);
            let said = json!({
                "topic": file.name,
                "examples": lesson.pages(true).len(),
                "others": lesson.pages(false).len(),
                "accuracy": critic.accuracy(),
                "confusion": critic.topic_confusion,
                "classes": critic.classes().iter().map(|class| &class.0).collect::<Vec<_>>(),
                "class_accuracy": critic.class_accuracy(),
                "class_confusion": critic.confusion,
                "confidence": sure,
                "words": words.collect::<Vec<String>>(),
            });
            println!("{said}");
        } else {
            print_report(&file.name, &lesson, &trained, sure);
        }
        Ok(())
    }
}

fn print_report(name: &str, lesson: &Lesson, trained: &Trained, sure: Option<f64>) {
    let critic = &trained.critic;
    println!(
        "“{name}”, from {} example pages and {} others; each page was judged once by a critic \
         that had not been taught it.\n",
        lesson.pages(true).len(),
        lesson.pages(false).len()
    );
    let [[no_no, no_yes], [yes_no, yes_yes]] = critic.topic_confusion;
    println!("accuracy {:.1} %\n", 100.0 * critic.accuracy());
    println!("                  said: the topic   said: another");
    println!("is of the topic   {yes_yes:>15}   {yes_no:>13}");
    println!("is another        {no_yes:>15}   {no_no:>13}\n");
    if critic.classes().len() > 2 {
        print_classes(critic);
    }
    let words: Vec<String> = trained
        .loudest(LOUDEST)
        .iter()
        .map(|(word, log_odds)| format!("{word} ({log_odds:+.1})"))
        .collect();
    println!("speaks for the topic: {}", words.join(", "));
    if let Some(sure) = sure {
        println!(
            "\nWith fewer than {} examples these figures say little, and pages are judged by \
             likeness to the examples instead: how sure that is, from 0.50 (a guess) to 1: {sure:.2}.",
            own_critic::ENOUGH
        );
    }
}

/// Which class held-out pages are of, and which they were said to be of.
fn print_classes(critic: &TrainedTopic) {
    println!("right class {:.1} %\n", 100.0 * critic.class_accuracy());
    let most = 20;
    for (number, ((name, is_focus), row)) in
        critic.classes().iter().zip(&critic.confusion).enumerate()
    {
        let mark = if *is_focus { "*" } else { " " };
        let shown: Vec<String> = row
            .iter()
            .take(most)
            .map(|count| format!("{count:>4}"))
            .collect();
        println!("{number:>3}{mark} {} {name}", shown.concat());
    }
    println!(
        "\nA row is a class, the columns are what its pages were said to be, in the same order;"
    );
    println!("* stands at classes of the topic.");
    if critic.classes().len() > most {
        println!("Only the first {most} columns are shown; --json has them all.");
    }
    println!();
}
