//! Makes every crawl behind the README's figures, those that this build made before excepted, and
//! says which figures differ from what was found by more than rounding; then it fails.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use linkscent_bench::commands::eval::Eval;
use linkscent_bench::person;
use linkscent_bench::readme::Results;
use linkscent_output::print_line;

/// Who is in the README's table.
const ENTRANTS: [&str; 6] = [
    "ensemble",
    "apprentice",
    "intelligent",
    "ache",
    "ensemble-hops",
    "crf-by-distance",
];
/// What its sentences are about: how the bench is told to look at it.
const EXPERIMENTS: [(&str, &[&str]); 4] = [
    (
        "cold-start",
        &["--bench", "wikispeedia", "--experiment", "cold-start"],
    ),
    (
        "questions",
        &["--bench", "wikispeedia", "--experiment", "questions"],
    ),
    (
        "attack",
        &["--bench", "wikispeedia", "--experiment", "attack"],
    ),
    (person::NAME, &["--bench", person::NAME]),
];

/// Compare the README's figures with what the bench finds.
#[derive(Debug, Parser)]
struct Figures {
    /// Folder with the webs and labels of the benches.
    material: PathBuf,
    /// Folder for the crawls; those of this build that lie there are not made again.
    #[arg(long, default_value = "target/figures")]
    out: PathBuf,
    /// The README.
    #[arg(long, default_value = "README.md")]
    readme: PathBuf,
}

/// `linkscent-lab eval`, as it is given in the shell.
#[derive(Debug, Parser)]
struct Shell {
    #[command(flatten)]
    eval: Eval,
}

fn main() -> Result<()> {
    let figures = Figures::parse();
    let results = figures.results()?;
    let readme = std::fs::read_to_string(&figures.readme)
        .with_context(|| format!("reading {}", figures.readme.display()))?;
    let mut differ = 0;
    print_line!("{:>8} {:>8}", "stated", "found");
    for figure in results.compare(&readme)? {
        let mark = if figure.agrees() { ' ' } else { '!' };
        differ += u32::from(!figure.agrees());
        print_line!(
            "{:>8} {:>8.2} {mark} {}",
            figure.stated,
            figure.found,
            figure.text
        );
    }
    ensure!(
        differ == 0,
        "{differ} figures of the README are not what was found"
    );
    Ok(())
}

impl Figures {
    /// Makes what is missing and reads all of it.
    fn results(&self) -> Result<Results> {
        let tables = self.out.join("tables");
        let mut arguments: Vec<&str> = ["uci", "wikispeedia", "docs"]
            .iter()
            .flat_map(|bench| ["--bench", bench])
            .collect();
        arguments.extend(ENTRANTS.iter().flat_map(|name| ["--strategy", name]));
        self.eval(&tables, &arguments)?;
        let mut results = Results::default();
        let summary = read(&tables.join("summary.json"))?;
        results.rows = serde_json::from_str(&summary).context("summary.json")?;
        for (name, arguments) in EXPERIMENTS {
            let folder = self.out.join(name);
            let file = folder.join(format!("{name}.json"));
            // An experiment leaves no crawls behind, only what it found.
            if !is_of_this_build(&file) {
                self.eval(&folder, arguments)?;
            }
            let rows = serde_json::from_str(&read(&file)?);
            let rows = rows.with_context(|| file.display().to_string())?;
            results.findings.insert(name.to_owned(), rows);
        }
        Ok(results)
    }

    fn eval(&self, out: &Path, arguments: &[&str]) -> Result<()> {
        let (material, out) = (self.material.as_os_str(), out.as_os_str());
        let mut line = vec!["eval".as_ref()];
        line.extend(["--material".as_ref(), material, "--out".as_ref(), out]);
        line.extend(arguments.iter().map(std::ffi::OsStr::new));
        Shell::try_parse_from(line)?.eval.run()
    }
}

/// Whether a file is there that is newer than this program.
fn is_of_this_build(file: &Path) -> bool {
    let modified = |path: &Path| path.metadata().and_then(|found| found.modified());
    let program = std::env::current_exe().and_then(|path| modified(&path));
    modified(file).is_ok_and(|made| program.is_ok_and(|built| built < made))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))
}
