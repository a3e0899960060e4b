//! `linkscent-lab`: strategies compared on frozen webs, and models trained and measured there.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use linkscent_bench::commands::{eval, train, train_forms, train_links};
use linkscent_output::{message, report_panics};

/// Compare strategies on frozen webs, and train and measure models there.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Eval(eval::Eval),
    Train(train::Training),
    Forms(train_forms::TrainForms),
    Links(train_links::TrainLinks),
}

fn main() -> ExitCode {
    report_panics();
    let done = match Arguments::parse().command {
        Command::Eval(eval) => eval.run(),
        Command::Train(train) => train.run(),
        Command::Forms(forms) => forms.run(),
        Command::Links(links) => links.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            message!("linkscent-lab: {error:#}");
            ExitCode::FAILURE
        }
    }
}
