//! `linkscent config`: every setting, its value and where that comes from.

use anyhow::Result;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, Subcommand};
use linkscent_output::print_json;
use serde_json::{Map, json};

use super::crawl::Crawl;
use super::serve::Serve;
use super::shell::{Completions, Man};
use crate::settings::Settings;

/// Print every setting with its value and where that comes from.
///
/// Settings are looked for in the environment, in the data folder's linkscent.toml, and in
/// the one of the platform's configuration folder, in this order; flags stand above them.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Config {
    #[command(subcommand)]
    action: Option<Action>,
    /// Where everything is kept.
    #[arg(long, env = "LINKSCENT_DATA")]
    data: Option<std::path::PathBuf>,
    /// Print one JSON object in place of a table.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    Completions(Completions),
    Man(Man),
}

impl Config {
    /// Whether it has nothing to do with what is set.
    pub fn needs_no_settings(&self) -> bool {
        self.action.is_some()
    }

    /// Prints them; `given` is what the command itself was given, `program` all commands there are.
    pub fn run(
        &self,
        settings: &Settings,
        given: Option<&ArgMatches>,
        program: Command,
    ) -> Result<()> {
        match &self.action {
            Some(Action::Completions(completions)) => {
                completions.run(program);
                return Ok(());
            }
            Some(Action::Man(man)) => return man.run(program),
            None => {}
        }
        let command = every_flag();
        let mut words = vec!["linkscent".to_owned()];
        let source = given.and_then(|given| given.value_source("data"));
        let data = self.data.as_ref();
        if let Some(data) = data.filter(|_| source == Some(ValueSource::CommandLine)) {
            words.extend(["--data".to_owned(), data.display().to_string()]);
        }
        let found: ArgMatches = settings
            .apply(command.clone())
            .try_get_matches_from(words)?;
        let rows = settings.effective(&command, &found);
        if self.json {
            let rows: Map<String, serde_json::Value> = rows
                .into_iter()
                .map(|(key, value, source)| {
                    (key, json!({ "value": value, "source": source.to_string() }))
                })
                .collect();
            print_json(&serde_json::Value::Object(rows))?;
            return Ok(());
        }
        for (key, value, source) in rows {
            let value = if value.is_empty() { "none" } else { &value };
            print_line!("{key:<14} {value:<28} {source}");
        }
        Ok(())
    }
}

/// A command with the flags of all that can be set.
fn every_flag() -> Command {
    let command = Command::new("linkscent").arg(super::log::Log::filter());
    let command = Crawl::augment_args(command);
    let known: Vec<String> = command
        .get_arguments()
        .map(|arg| arg.get_id().to_string())
        .collect();
    let serve = Serve::augment_args(Command::new("serve"));
    let more = serve
        .get_arguments()
        .filter(|arg| !known.contains(&arg.get_id().to_string()));
    let more: Vec<clap::Arg> = more.cloned().collect();
    command.args(more)
}
