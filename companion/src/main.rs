//! `linkscent`: the companion of the browser extension, and a focused crawler
//! of its own.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use linkscent::commands::{config, crawl, demo, inspect, log, repair, replay, serve, shell, train};
use linkscent::settings::Settings;
use linkscent_bench::commands::{eval, import};

/// Follow links with a scent: a focused crawler that learns from what you mark
/// and where you go.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 all went well, 1 something failed, 2 unusable arguments."
)]
struct Arguments {
    #[command(flatten)]
    log: log::Log,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Crawl(crawl::Crawl),
    Replay(replay::Replay),
    Repair(repair::Repair),
    Demo(demo::Demo),
    Eval(eval::Eval),
    Train(train::Train),
    Import(import::Import),
    /// Print a page's outline, leaves, links, features and scores.
    Inspect(inspect::Subject),
    /// Print what the critic says of a page.
    Judge(inspect::Subject),
    Config(config::Config),
    Completions(shell::Completions),
    Man(shell::Man),
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("linkscent: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    let settings = Settings::read(&words.collect::<Vec<String>>());
    // What is wrong with a settings file keeps nobody from the help.
    let command = Arguments::command();
    let command = match &settings {
        Ok(settings) => settings.apply(command),
        Err(_) => command,
    };
    let found = command.get_matches();
    let arguments = Arguments::from_arg_matches(&found).unwrap_or_else(|error| error.exit());
    let settings = match (settings, &arguments.command) {
        (Err(_), Command::Completions(_) | Command::Man(_)) => Settings::default(),
        (settings, _) => settings?,
    };
    arguments.log.begin()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting")?;
    match arguments.command {
        Command::Serve(serve) => runtime.block_on(serve.run()),
        Command::Crawl(crawl) => crawl.run(runtime.handle()),
        Command::Eval(eval) => eval.run(),
        Command::Train(train) => train.run(runtime.handle()),
        Command::Import(import) => import.run(),
        Command::Repair(repair) => runtime.block_on(repair.run()),
        Command::Demo(demo) => runtime.block_on(demo.run()),
        Command::Replay(replay) => runtime.block_on(replay.run()),
        Command::Inspect(subject) => runtime.block_on(subject.inspect()),
        Command::Judge(subject) => runtime.block_on(subject.judge()),
        Command::Config(config) => config.run(&settings, found.subcommand_matches("config")),
        Command::Completions(completions) => {
            completions.run(Arguments::command());
            Ok(())
        }
        Command::Man(man) => man.run(Arguments::command()),
    }
}
