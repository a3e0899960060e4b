//! `linkscent-lab train`: the critic that a training set makes, and how well it
//! judges pages it was not taught. Models of hop distances are in `hops`.

mod hops;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use linkscent_core::critics::TrainedTopic;
use linkscent_core::hops::FeatureGroups;
use linkscent_core::models::ChainKind;
use linkscent_output::{Foreign, print_json};
use serde_json::json;

use crate::own_critic::{self, CriticExample, Trained};
use crate::topic::Topic;
use crate::topic_file::TopicFile;
use crate::web::EvalWeb;

/// Words shown that speak most for the topic.
const TOP_FEATURES: usize = 15;

/// What is trained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ModelKind {
    /// The critic: is a page of the topic?
    Critic,
    /// Hop distances by a conditional random field.
    Crf,
    /// Hop distances by a maximum-entropy Markov model.
    Memm,
}

/// Features that models of hop distances read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Features {
    /// All.
    All,
    /// Words of pages and links.
    Words,
    /// Cosines, relevance and words of addresses.
    Rest,
}

/// Train a critic, or a model of hop distances, on a frozen web, and report how well it judges.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent-lab train --web web.warc.gz --topic bees.toml
  linkscent-lab train --web web.warc.gz --topic bees.toml --model crf --export walks.crfsuite")]
pub struct Training {
    /// WARC file with the pages; several are read as one web.
    #[arg(long)]
    web: Vec<PathBuf>,
    /// Topic file that names the examples.
    #[arg(long)]
    topic: Option<PathBuf>,
    /// What is trained.
    #[arg(long, value_enum, default_value_t = ModelKind::Critic)]
    pub model: ModelKind,
    /// Train on the sequences of a file (`CRFsuite`'s text, or .jsonl) in place of
    /// walks over a web.
    #[arg(long, conflicts_with_all = ["web", "topic"])]
    pub(super) sequences: Option<PathBuf>,
    /// Write the sequences to a file (`CRFsuite`'s text, or .jsonl).
    #[arg(long)]
    pub export: Option<PathBuf>,
    /// Pages that a best-first crawl sees before walks go over them.
    #[arg(long, default_value_t = 1_000)]
    pub(super) budget: u64,
    /// Walks go towards targets only.
    #[arg(long)]
    pub(super) downhill: bool,
    /// Which features are read.
    #[arg(long, value_enum, default_value_t = Features::All)]
    features: Features,
    /// Features are conjoined with steps too, not only with states.
    #[arg(long)]
    pub(super) with_steps: bool,
    /// Variance of the Gaussian that weights are thought to come from.
    #[arg(long, default_value_t = 1.0)]
    pub(super) variance: f64,
    /// Train only weights whose feature and state occur together.
    #[arg(long)]
    pub(super) observed_only: bool,
    /// Iterations at most.
    #[arg(long, default_value_t = 100)]
    pub(super) iterations: usize,
    /// Go on to the very minimum, as far as the iterations allow.
    #[arg(long)]
    pub(super) exact: bool,
    /// Train on all sequences and hold none out.
    #[arg(long)]
    pub(super) all: bool,
    /// Number of the sequence whose marginals and likeliest paths are shown.
    #[arg(long, default_value_t = 0)]
    pub(super) sequence: usize,
    /// What random numbers start from.
    #[arg(long, default_value_t = 1)]
    pub(super) random_seed: u64,
    /// Print one JSON object in place of sentences.
    #[arg(long)]
    pub json: bool,
}

impl Training {
    /// Trains and reports.
    pub fn run(&self) -> Result<()> {
        match self.model {
            ModelKind::Critic => {}
            ModelKind::Crf | ModelKind::Memm => return hops::run(self),
        }
        let (web, file) = self.web_and_topic()?;
        let examples = if file.labels.is_none() {
            file.critic_examples(&web, self.random_seed)?.0
        } else {
            let topic = file.on(&web, self.folder(), self.random_seed)?;
            CriticExample::two(topic.chosen(true), topic.chosen(false))
        };
        let trained = own_critic::train(&web, &examples);
        let sure = own_critic::confidence(&web, &examples).filter(|_| !examples.is_enough());
        if self.json {
            let critic = &trained.critic;
            let words = trained
                .top_features(TOP_FEATURES)
                .into_iter()
                .map(|row| row.0);
            let said = json!({
                "topic": file.name,
                "examples": examples.pages(true).len(),
                "others": examples.pages(false).len(),
                "accuracy": critic.accuracy(),
                "confusion": critic.topic_confusion,
                "classes": critic.classes().iter().map(|class| &class.0).collect::<Vec<_>>(),
                "class_accuracy": critic.class_accuracy(),
                "class_confusion": critic.confusion,
                "confidence": sure,
                "words": words.collect::<Vec<String>>(),
            });
            print_json(&said)?;
        } else {
            print_report(&file.name, &examples, &trained, sure);
        }
        Ok(())
    }

    /// The model of hop distances that is trained; `None` for a critic.
    pub fn chain_kind(&self) -> Option<ChainKind> {
        match self.model {
            ModelKind::Memm => Some(ChainKind::Memm),
            ModelKind::Crf => Some(ChainKind::Crf),
            ModelKind::Critic => None,
        }
    }

    fn web_and_topic(&self) -> Result<(EvalWeb, TopicFile)> {
        let topic = self.topic.as_deref().filter(|_| !self.web.is_empty());
        let topic = topic.context(
            "it takes a web and a topic (--web and --topic), or a file of sequences (--sequences)",
        )?;
        message!("linkscent: reading the web …");
        let web = EvalWeb::read(&self.web, |_| {})?;
        message!("linkscent: learning …");
        for problem in &web.problems {
            message!("linkscent: {problem}");
        }
        Ok((web, TopicFile::read(topic)?))
    }

    /// The folder that a topic file's paths are seen from.
    fn folder(&self) -> &Path {
        let folder = self.topic.as_deref().and_then(Path::parent);
        folder.unwrap_or(Path::new("."))
    }

    /// The web, and the topic on it.
    pub(super) fn topic_on_web(&self) -> Result<(Arc<EvalWeb>, Arc<Topic>)> {
        let (web, file) = self.web_and_topic()?;
        let topic = file.on(&web, self.folder(), self.random_seed)?;
        Ok((Arc::new(web), Arc::new(topic)))
    }

    pub(super) fn groups(&self) -> FeatureGroups {
        FeatureGroups {
            words: self.features != Features::Rest,
            rest: self.features != Features::Words,
            likeness: false,
        }
    }
}

fn print_report(name: &str, examples: &CriticExample, trained: &Trained, sure: Option<f64>) {
    let critic = &trained.critic;
    print_lines!(
        "“{}”, from {} example pages and {} others; each page was judged once by a critic \
         that had not been taught it.\n",
        Foreign(name),
        examples.pages(true).len(),
        examples.pages(false).len()
    );
    let [[no_no, no_yes], [yes_no, yes_yes]] = critic.topic_confusion;
    print_lines!("accuracy {:.1} %\n", 100.0 * critic.accuracy());
    print_line!("                  said: the topic   said: another");
    print_line!("is of the topic   {yes_yes:>15}   {yes_no:>13}");
    print_lines!("is another        {no_yes:>15}   {no_no:>13}\n");
    if critic.classes().len() > 2 {
        print_classes(critic);
    }
    let words: Vec<String> = trained
        .top_features(TOP_FEATURES)
        .iter()
        .map(|(word, log_odds)| format!("{word} ({log_odds:+.1})"))
        .collect();
    print_line!("speaks for the topic: {}", words.join(", "));
    if let Some(sure) = sure {
        print_lines!(
            "\nWith fewer than {} examples these figures say little, and pages are judged by \
             likeness to the examples instead: of an example and another page that puts the right \
             one first about {:.0} % of the time (50 % is a guess).",
            own_critic::ENOUGH,
            100.0 * sure
        );
    }
}

/// Which class held-out pages are of, and which they were said to be of.
fn print_classes(critic: &TrainedTopic) {
    print_lines!("right class {:.1} %\n", 100.0 * critic.class_accuracy());
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
        print_line!("{number:>3}{mark} {} {name}", shown.concat());
    }
    print_lines!(
        "\nA row is a class, the columns are what its pages were said to be, in the same order;"
    );
    print_line!("* stands at classes of the topic.");
    if critic.classes().len() > most {
        print_line!("Only the first {most} columns are shown; --json has them all.");
    }
    print_line!("");
}
