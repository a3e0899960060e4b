//! `linkscent research train`: the model of hop distances of a topic in the store.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use linkscent_core::models::ChainKind;
use linkscent_output::print_json;
use serde_json::json;

use super::place::Place;
use linkscent_service::learning::hop_training::{self, DistanceModel};

/// Models of how far links are from targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModelKind {
    /// A conditional random field.
    Crf,
    /// A maximum-entropy Markov model.
    Memm,
    /// A hidden Markov model.
    Hmm,
    /// A context graph.
    ContextGraph,
    /// The paths to targets that ACHE begins with.
    AcheOffline,
}

/// Train how far links are from targets, from your own paths and the topic's last crawl.
///
/// It chooses links from then on.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent research train --of bees
  linkscent research train --of bees --model hmm")]
pub struct Train {
    /// The topic, marked in the browser or crawled for.
    #[arg(long)]
    of: String,
    /// What is trained.
    #[arg(long, value_enum, default_value_t = ModelKind::Crf)]
    model: ModelKind,
    /// Write the sequences to a file (`CRFsuite`'s text, or .jsonl).
    #[arg(long)]
    export: Option<PathBuf>,
    /// Print one JSON object in place of sentences.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Place,
}

impl Train {
    /// Trains and reports.
    pub async fn run(self) -> Result<()> {
        let name = &*self.of;
        let model = match self.model {
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
        let learned =
            hop_training::learn(&store, &topic, model, self.export.as_deref(), |iteration| {
                last = Some(iteration);
            })
            .await?;
        let iterations = last.map_or(0, |iteration| iteration.number);
        if self.json {
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
