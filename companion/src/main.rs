//! `linkscent`: the companion of the browser extension, and a focused crawler
//! of its own.

#![warn(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use linkscent::commands::crawl::{change, dry_run, status, watch};
#[cfg(feature = "team")]
use linkscent::commands::data::{archives, migrate};
use linkscent::commands::data::{backup, check, prune, repair};
#[cfg(feature = "team")]
use linkscent::commands::team::{account, work};
use linkscent::commands::{
    config, crawl, demo, export, import, inspect, log, mcp, renamed::by_new_names, replay, search,
    serve, sites, tag, token, train, verify,
};
use linkscent::settings::Settings;
use linkscent_documents::apart;
use linkscent_output::{message, print_error, protocol_on_stdout, report_panics};
use linkscent_service::crawler::documents::READ_DOCUMENT;
use linkscent_service::supervisor::priority::give_way;
use tokio::runtime::{Builder, Runtime};

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
    Status(status::Status),
    Change(change::Change),
    Search(search::Search),
    Tag(tag::Tag),
    Watch(watch::Watch),
    Export(export::Export),
    Import(import::Import),
    Mcp(mcp::Mcp),
    Token(token::Token),
    Demo(demo::Demo),
    /// Look at a page or at what a crawl would fetch.
    #[command(subcommand)]
    Inspect(Inspect),
    /// Check, repair, copy and tidy the data folder.
    #[command(subcommand)]
    Data(Data),
    /// Train distance models, serve frozen webs, run crawls again from their files.
    #[command(subcommand)]
    Research(Research),
    /// Manage accounts and workers, for several people or machines.
    #[cfg(feature = "team")]
    #[command(subcommand)]
    Team(Team),
    Config(config::Config),
}

#[derive(Debug, Subcommand)]
enum Inspect {
    /// Print a page's outline, leaves, links, features and scores.
    Page(inspect::Subject),
    /// Print what the critic says of a page.
    Judge(inspect::Subject),
    DryRun(dry_run::DryRunArguments),
}

#[derive(Debug, Subcommand)]
enum Data {
    Check(check::Check),
    Repair(repair::Repair),
    Backup(backup::Backup),
    Prune(prune::Prune),
    Sites(sites::Sites),
    #[cfg(feature = "team")]
    Migrate(migrate::Migrate),
    #[cfg(feature = "team")]
    Archives(archives::Archives),
}

#[derive(Debug, Subcommand)]
enum Research {
    Train(train::Train),
    Replay(replay::Replay),
    Verify(verify::Verify),
}

#[cfg(feature = "team")]
#[derive(Debug, Subcommand)]
enum Team {
    Account(account::Account),
    Work(work::Work),
}

fn main() -> ExitCode {
    report_panics();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            message!("linkscent: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Ends the program with help, or with what is wrong with its arguments. Only the help is in
/// colours: the other may repeat words that others wrote.
fn answer(error: &clap::Error) -> ! {
    match std::env::args().nth(1).as_deref() {
        Some("eval") => message!("linkscent: eval is a command of the laboratory: cargo lab eval"),
        Some(word @ ("work" | "account" | "migrate" | "archives" | "team"))
            if cfg!(not(feature = "team")) =>
        {
            message!(
                "linkscent: {word} is a command for teams: {}",
                linkscent_store::WITH_TEAM
            );
        }
        _ => {}
    }
    if error.use_stderr() {
        print_error(error);
    } else {
        let _ = error.print();
    }
    std::process::exit(error.exit_code());
}

fn run() -> Result<()> {
    // What is kept is its owner's alone, whoever makes the file.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    // Called by ourselves: before anything else is read or begun.
    if std::env::args_os()
        .nth(1)
        .is_some_and(|word| word == READ_DOCUMENT)
    {
        return apart::serve(std::io::stdin(), protocol_on_stdout()).context("reading a document");
    }
    let (given, said) = by_new_names(std::env::args_os().collect());
    for renamed in said {
        message!("linkscent: {renamed}");
    }
    let words = given.iter().map(|word| word.to_string_lossy().into_owned());
    let settings = Settings::read(&words.collect::<Vec<String>>());
    // What is wrong with a settings file keeps nobody from the help.
    let command = Arguments::command();
    let command = match &settings {
        Ok(settings) => settings.apply(command),
        Err(_) => command,
    };
    let found = command.try_get_matches_from(given);
    let found = found.unwrap_or_else(|error| answer(&error));
    let arguments = Arguments::from_arg_matches(&found).unwrap_or_else(|error| answer(&error));
    let settings = match (settings, &arguments.command) {
        (Err(_), Command::Config(config)) if config.needs_no_settings() => Settings::default(),
        (settings, _) => settings?,
    };
    // The last of them are told when it ends.
    let _traces = arguments.log.begin()?;
    if let Command::Crawl(_) = arguments.command {
        give_way();
    }
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting")?;
    let done = match arguments.command {
        Command::Serve(serve) => runtime.block_on(serve.run()),
        Command::Crawl(crawl) => crawl.run(runtime.handle()),
        Command::Status(status) => runtime.block_on(status.run()),
        Command::Change(change) => runtime.block_on(change.run()),
        Command::Search(search) => runtime.block_on(search.run()),
        Command::Tag(tag) => runtime.block_on(tag.run()),
        Command::Watch(watch) => runtime.block_on(watch.run()),
        Command::Export(export) => runtime.block_on(export.run()),
        Command::Import(import) => runtime.block_on(import.run()),
        Command::Mcp(mcp) => runtime.block_on(mcp.run()),
        Command::Token(token) => runtime.block_on(token.run()),
        Command::Demo(demo) => runtime.block_on(demo.run()),
        Command::Inspect(Inspect::Page(subject)) => runtime.block_on(subject.inspect()),
        Command::Inspect(Inspect::Judge(subject)) => runtime.block_on(subject.judge()),
        Command::Inspect(Inspect::DryRun(ahead)) => runtime.block_on(ahead.run()),
        Command::Data(data) => run_on_data(data, &runtime),
        Command::Research(Research::Train(train)) => runtime.block_on(train.run()),
        Command::Research(Research::Replay(replay)) => runtime.block_on(replay.run()),
        Command::Research(Research::Verify(verify)) => verify.run(),
        #[cfg(feature = "team")]
        Command::Team(Team::Account(account)) => runtime.block_on(account.run()),
        #[cfg(feature = "team")]
        Command::Team(Team::Work(work)) => runtime.block_on(work.run()),
        Command::Config(config) => {
            let given = found.subcommand_matches("config");
            config.run(&settings, given, Arguments::command())
        }
    };
    // Crawls end with the program, wherever they are: they lose nothing by it, and would stumble over
    // a runtime that is gone before them. What waits for a file that does not answer keeps nobody.
    std::mem::forget(runtime);
    done
}

fn run_on_data(data: Data, runtime: &Runtime) -> Result<()> {
    match data {
        Data::Check(check) => runtime.block_on(check.run()),
        Data::Repair(repair) => runtime.block_on(repair.run()),
        Data::Backup(backup) => runtime.block_on(backup.run()),
        Data::Prune(prune) => runtime.block_on(prune.run()),
        Data::Sites(sites) => runtime.block_on(sites.run()),
        #[cfg(feature = "team")]
        Data::Migrate(migrate) => runtime.block_on(migrate.run()),
        #[cfg(feature = "team")]
        Data::Archives(archives) => runtime.block_on(archives.run()),
    }
}

#[cfg(all(test, feature = "team"))]
mod tests {
    use clap::Args;
    use linkscent::settings::{FILE, KEYS};
    use linkscent_bench::commands::eval::Eval;
    use linkscent_bench::commands::train::Training;
    use linkscent_bench::commands::train_forms::TrainForms;
    use linkscent_bench::entrant;

    use super::*;

    const README: &str = include_str!("../../README.md");

    /// The commands in a text for people, each as its words.
    fn commands(text: &str) -> Vec<Vec<String>> {
        let whole = text.replace("\\\n", " ");
        let lines = whole.lines().map(str::trim);
        let commands = lines.filter(|line| line.starts_with("linkscent "));
        commands.map(words).collect()
    }

    /// Splits a line as a shell does, up to a comment or to where its output goes.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for letter in line.chars() {
            match (quote, letter) {
                (Some(open), _) if letter == open => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(letter);
                    word.get_or_insert_default();
                }
                (None, ' ') => words.extend(word.take()),
                (None, '#' | '>') if word.is_none() => break,
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words.extend(word);
        words
    }

    /// Every command, those of commands too.
    fn all(command: &clap::Command) -> Vec<&clap::Command> {
        let inner = command.get_subcommands().flat_map(all);
        [command].into_iter().chain(inner).collect()
    }

    /// The commands of the laboratory, which the documents name too.
    fn laboratory() -> [clap::Command; 3] {
        [
            Eval::augment_args(clap::Command::new("eval")),
            Training::augment_args(clap::Command::new("train")),
            TrainForms::augment_args(clap::Command::new("forms")),
        ]
    }

    #[test]
    fn every_example_is_a_command_that_is_taken() {
        let own = Arguments::command();
        let help = all(&own).into_iter().filter_map(|one| one.get_after_help());
        let mut examples: Vec<_> = help.flat_map(|text| commands(&text.to_string())).collect();
        assert!(examples.len() >= 10, "{examples:?}");
        let readme = commands(README);
        assert!(readme.len() >= 10, "{readme:?}");
        examples.extend(readme);
        for words in examples {
            let taken = own.clone().try_get_matches_from(&words);
            assert!(taken.is_ok(), "{words:?}\n{}", taken.unwrap_err());
        }
    }

    #[test]
    fn the_readme_names_flags_and_settings_as_they_are_called() {
        let (own, laboratory) = (Arguments::command(), laboratory());
        let flags: Vec<&str> = all(&own)
            .into_iter()
            .chain(&laboratory)
            .flat_map(|command| command.get_arguments().filter_map(clap::Arg::get_long))
            .collect();
        let code = || README.split('`').skip(1).step_by(2);
        let named: Vec<&str> = code().filter_map(|code| code.strip_prefix("--")).collect();
        assert!(named.len() >= 5, "{named:?}");
        for flag in named {
            let name = flag.split_whitespace().next().unwrap();
            assert!(flags.contains(&name), "--{name}");
        }
        let variables = code().filter_map(|code| code.strip_prefix("LINKSCENT_"));
        let variables: Vec<String> = variables.map(str::to_lowercase).collect();
        assert!(!variables.is_empty());
        for variable in variables {
            assert!(KEYS.contains(&&*variable), "{variable}");
        }
        assert!(code().any(|code| code == FILE));
    }

    /// `a` and `b` of `--flag a|b` in a text.
    fn choices<'a>(text: &'a str, flag: &str) -> Vec<&'a str> {
        let behind = text.split(flag).skip(1);
        let words = behind.filter_map(|rest| rest.strip_prefix(' ')?.split_whitespace().next());
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '-';
        let names = words.flat_map(move |word| word.split('|'));
        let names = names.map(move |name| name.trim_matches(|letter| !is_part(letter)));
        // In capitals stands what a reader fills in.
        names
            .filter(|name| name.chars().any(char::is_lowercase))
            .collect()
    }

    #[test]
    fn what_documents_name_can_be_chosen() {
        let documents = [
            README,
            include_str!("../../ARCHITECTURE.md"),
            include_str!("../../core/docs/methods.md"),
        ];
        let own = Arguments::command();
        let mut checked = 0;
        let laboratory = laboratory();
        for flag in ["strategy", "model"] {
            let mut all = all(&own);
            all.extend(&laboratory);
            let arguments = all.iter().flat_map(|command| command.get_arguments());
            let same = arguments.filter(|argument| argument.get_long() == Some(flag));
            let taken: Vec<String> = same
                .flat_map(clap::Arg::get_possible_values)
                .map(|value| value.get_name().to_owned())
                .collect();
            for document in documents {
                for name in choices(document, &format!("--{flag}")) {
                    // The bench alone takes forms of strategies that it does not list.
                    let of_bench = format!("linkscent-lab eval --bench person --strategy {name}");
                    let known = taken.iter().any(|known| known == name)
                        || document.contains(&of_bench) && entrant::named(name).is_ok();
                    assert!(known, "--{flag} {name}");
                    checked += 1;
                }
            }
        }
        assert!(checked >= 8, "{checked}");
        assert_eq!(
            choices("`--model crf|memm` or --model NAME.", "--model"),
            ["crf", "memm"]
        );
    }

    #[test]
    fn lines_are_split_as_a_shell_splits_them() {
        let split =
            words("linkscent inspect judge --predicate 'title has \"bees\"' \"\" > out # why");
        let expected = [
            "linkscent",
            "inspect",
            "judge",
            "--predicate",
            "title has \"bees\"",
            "",
        ];
        assert_eq!(split, expected);
    }
}
