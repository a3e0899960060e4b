//! `linkscent data model`: the model of sentences that judges found pages once more.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use linkscent_output::print_json;
use linkscent_sentences::{self as sentences, NAME, SentenceModel};
use serde_json::json;

use crate::settings::data_folder;
use linkscent_service::learning::sentence_model::folder;
use linkscent_store::make_folder;

/// Add, check or remove the model of sentences.
///
/// When a crawl has ended, the model reads how its likeliest pages begin and judges them once
/// more, which puts more of the right ones in front. It works on this machine alone. Its two
/// files are those of all-MiniLM-L6-v2 (Apache-2.0, 91 MB), as model hubs have them.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  linkscent data model add ~/Downloads/all-MiniLM-L6-v2
  linkscent data model")]
pub struct Model {
    #[command(subcommand)]
    action: Option<Action>,
    /// Where everything is kept.
    #[arg(long, env = "LINKSCENT_DATA", global = true)]
    data: Option<PathBuf>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Copy the model's files from a folder, if they are whole.
    Add {
        /// The folder with model.safetensors and tokenizer.json.
        folder: PathBuf,
    },
    /// Remove the model; its own files stay where they were added from.
    Remove,
}

impl Model {
    /// Does it, and says which model is there then.
    pub fn run(self) -> Result<()> {
        let data = data_folder(self.data.as_deref())?;
        let own = folder(&data);
        match &self.action {
            Some(Action::Add { folder }) => {
                make_folder(&data)?;
                sentences::add(folder, &own)?;
            }
            Some(Action::Remove) if sentences::is_there(&own) => {
                let removing = || format!("removing {}", own.display());
                std::fs::remove_dir_all(&own).with_context(removing)?;
            }
            Some(Action::Remove) | None => {}
        }
        let is_there = sentences::is_there(&own);
        if is_there {
            SentenceModel::read(&own)?;
        }
        if self.json {
            let model = is_there.then_some(NAME);
            print_json(&json!({ "model": model, "folder": own.display().to_string() }))?;
        } else if is_there {
            print_line!(
                "{NAME} is there: crawls that end from now on judge their pages by it too."
            );
        } else {
            print_line!("There is no model of sentences: pages are judged by their words alone.");
        }
        Ok(())
    }
}
