//! `linkscent train`: the model of hop distances of a topic in the store, or what the
//! bench trains on a frozen web.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use linkscent_bench::commands::train as bench;
use linkscent_bench::commands::train_forms::TrainForms;
use serde_json::json;
use tokio::runtime::Handle;

use crate::hop_training;
use crate::settings::data_folder;
use crate::store::Store;

/// What else is trained.
#[derive(Debug, Subcommand)]
enum Other {
    Forms(TrainForms),
}

/// Train a critic, or a model of hop distances, and report how well it judges.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Example:
  linkscent train --web web.warc.gz --topic bees.toml
  linkscent train --web web.warc.gz --topic bees.toml --model crf --export walks.crfsuite")]
pub struct Train {
    #[command(subcommand)]
    other: Option<Other>,
    /// Train the model of this topic, marked in the browser or crawled for, from
    /// your own trails and its last crawl; it chooses links from then on.
    #[arg(long, conflicts_with_all = ["web", "topic", "sequences"])]
    of: Option<String>,
    /// Where everything is kept.
    #[arg(long, env = "LINKSCENT_DATA")]
    data: Option<PathBuf>,
    #[command(flatten)]
    bench: bench::Training,
}

impl Train {
    /// Trains and reports.
    pub fn run(self, handle: &Handle) -> Result<()> {
        if let Some(Other::Forms(forms)) = self.other {
            return forms.run();
        }
        match &self.of {
            Some(name) => handle.block_on(self.learn_distances(name)),
            None => self.bench.run(),
        }
    }

    /// Trains the model of a topic in the store.
    async fn learn_distances(&self, name: &str) -> Result<()> {
        let kind = self.bench.chain_kind();
        let kind = kind.context("the critic of a topic learns by itself; give --model crf")?;
        let kind_name = kind.name();
        let store = Store::open(&data_folder(self.data.as_deref())?).await?;
        let topics = store.topics().await?;
        let topic = topics.into_iter().find(|topic| topic.name == name);
        let topic = topic.with_context(|| format!("there is no topic “{name}”"))?;
        eprintln!("linkscent: learning how far links of “{name}” are from a target …");
        let mut last = None;
        let learned = hop_training::learn(
            &store,
            &topic,
            kind,
            self.bench.export.as_deref(),
            |iteration| {
                last = Some(iteration);
            },
        )
        .await?;
        let iterations = last.map_or(0, |iteration| iteration.number);
        if self.bench.json {
            let said = json!({
                "topic": name, "pages": learned.pages, "clicks": learned.clicks,
                "walks": learned.walks, "went_on": learned.went_on, "iterations": iterations,
                "loss": last.map(|iteration| iteration.value),
            });
            println!("{said}");
        } else {
            println!(
                "learned from {} pages, {} links followed and {} walks over them in {iterations} \
                 iterations{}; how far from a target links look now counts when those for \
                 “{name}” are chosen (crawl with --strategy {kind_name} to go by that alone)",
                learned.pages,
                learned.clicks,
                learned.walks,
                if learned.went_on {
                    ", going on from the model before"
                } else {
                    ""
                }
            );
        }
        Ok(())
    }
}
