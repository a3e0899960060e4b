//! `linkscent train`: the model of hop distances of a topic in the store, or what the
//! bench trains on a frozen web.

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use linkscent_bench::commands::train::{self as bench, ModelKind};
use linkscent_bench::commands::train_forms::TrainForms;
use linkscent_core::models::ChainKind;
use linkscent_output::print_json;
use serde_json::json;
use tokio::runtime::Handle;

use super::place::Place;
use crate::hop_training::{self, DistanceModel};

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
    /// your own paths and its last crawl; it chooses links from then on.
    #[arg(long, conflicts_with_all = ["web", "topic", "sequences"])]
    of: Option<String>,
    #[command(flatten)]
    place: Place,
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
        let model = match self.bench.model {
            ModelKind::Critic => {
                bail!("the critic of a topic learns by itself; give --model crf")
            }
            ModelKind::Crf => DistanceModel::Chain(ChainKind::Crf),
            ModelKind::Memm => DistanceModel::Chain(ChainKind::Memm),
            ModelKind::Hmm => DistanceModel::Hmm,
            ModelKind::ContextGraph => DistanceModel::ContextGraph,
            ModelKind::AcheOffline => DistanceModel::AchePaths,
        };
        let kind_name = model.strategy();
        let store = self.place.open().await?;
        let topics = store.topics().await?;
        let topic = topics.into_iter().find(|topic| topic.name == name);
        let topic = topic.with_context(|| format!("there is no topic “{name}”"))?;
        message!("linkscent: learning how far links of “{name}” are from a target …");
        let mut last = None;
        let learned = hop_training::learn(
            &store,
            &topic,
            model,
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
                "paths": learned.paths, "other_paths": learned.other_paths,
                "faults": learned.faults, "walks": learned.walks, "went_on": learned.went_on, "iterations": iterations,
                "loss": last.map(|iteration| iteration.value),
            });
            print_json(&said)?;
        } else {
            for fault in &learned.faults {
                message!("linkscent: {fault}");
            }
            let went_on = if learned.went_on {
                ", going on from the model before"
            } else {
                ""
            };
            print_line!(
                "learned from {} of your paths ({} links followed), {} of your paths to targets \
                 of other topics and {} walks over {} pages that you or a crawl saw, in \
                 {iterations} iterations{went_on}",
                learned.paths,
                learned.clicks,
                learned.other_paths,
                learned.walks,
                learned.pages,
            );
            if model == DistanceModel::Chain(ChainKind::Crf)
                || model == DistanceModel::Chain(ChainKind::Memm)
            {
                print_line!("how far from a target links look now counts when links are chosen");
            }
            if model == DistanceModel::AchePaths {
                print_line!("crawl with --strategy ache-offline-online to learn on from there");
            }
            print_line!("crawl with --strategy {kind_name} to go by it alone");
        }
        Ok(())
    }
}
