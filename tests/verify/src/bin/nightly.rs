//! `cargo nightly`: what takes too long for `cargo verify`. It takes some hours.
//!
//! Each step runs, whatever the others came to. What the last run came to, and of which commit it was,
//! is kept in the target folder and said when the next begins. A step whose program is not installed
//! is left out, and this is said.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant, SystemTime};

use linkscent_verify::{PACKAGES, lint_for_chromium, lint_for_firefox, store_linter};

/// Minutes of kills at random moments.
const SOAK: &str = "60";
/// Seconds for each fuzz target.
const FUZZED_FOR: u32 = 300;

/// Where cargo builds.
const TARGET: &str = "target";

/// One step: what it is called, and the command in words without spaces.
struct Step {
    name: String,
    words: Vec<String>,
    variables: Vec<(&'static str, &'static str)>,
}

impl Step {
    fn of(name: &str, line: &str) -> Self {
        Self {
            name: name.to_owned(),
            words: line.split_whitespace().map(str::to_owned).collect(),
            variables: Vec::new(),
        }
    }

    fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.variables.push((name, value));
        self
    }

    /// Whether it went well, and how long it took.
    fn run(&self) -> (bool, Duration) {
        println!("nightly: {}: {}", self.name, self.words.join(" "));
        let begun = Instant::now();
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command.envs(self.variables.iter().copied());
        let status = command.status();
        (status.is_ok_and(|status| status.success()), begun.elapsed())
    }
}

fn main() -> ExitCode {
    match nightly() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("nightly: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn nightly() -> Result<bool, String> {
    let folder = &Path::new(TARGET).join("nightly");
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let passed = folder.join("passed.txt");
    match std::fs::read_to_string(&passed) {
        Ok(said) => println!("nightly: last passed: {}", said.trim()),
        Err(_) => println!("nightly: never passed here before"),
    }
    let last = std::fs::read_to_string(folder.join("commit.txt")).unwrap_or_default();
    let mut failed = Vec::new();
    for step in steps(last.trim(), folder)? {
        let (is_well, took) = step.run();
        let said = if is_well { "well" } else { "FAILED" };
        println!("nightly: {}: {said}, {} s", step.name, took.as_secs());
        if !is_well {
            failed.push(step.name);
        }
    }
    if let Err(problem) = lint_package() {
        println!("nightly: the packages, linted: FAILED: {problem}");
        failed.push("the packages, linted".to_owned());
    }
    if !failed.is_empty() {
        println!("nightly: failed: {}", failed.join(", "));
        return Ok(false);
    }
    let commit = said_by("git", &["rev-parse", "HEAD"])?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let date = said_by("date", &["-u", "-d", &format!("@{now}"), "+%F %R UTC"]);
    let line = format!("{}, commit {commit}\n", date.unwrap_or(now.to_string()));
    std::fs::write(&passed, &line).map_err(|error| error.to_string())?;
    std::fs::write(folder.join("commit.txt"), commit).map_err(|error| error.to_string())?;
    print!("nightly: passed: {line}");
    Ok(true)
}

/// Lints the extensions as people get them, which a step has built.
fn lint_package() -> Result<(), String> {
    let target = Path::new(TARGET);
    let linter = store_linter(target)?;
    let built = target.join("extension/release");
    lint_for_firefox(&linter, &built.join("firefox"))?;
    lint_for_chromium(&linter, &built.join("chromium"))
}

/// All steps; core is mutated where it changed since the commit `last`, if there is one.
fn steps(last: &str, folder: &Path) -> Result<Vec<Step>, String> {
    let packages = PACKAGES.map(|package| format!("--package {package}"));
    let packages = packages.join(" ");
    let mut steps = vec![
        Step::of(
            "documentation",
            &format!("cargo doc --quiet --no-deps --lib --all-features {packages}"),
        )
        .with("RUSTDOCFLAGS", "-D warnings"),
        Step::of(
            "long tests",
            &format!(
                "cargo test --all-features {packages} --test all -- --ignored --test-threads=1"
            ),
        ),
        Step::of(
            "packages",
            "cargo run --quiet --package linkscent-pack --bin pack",
        ),
        Step::of(
            "linted benches",
            &format!("cargo clippy --quiet --all-features --benches {packages} -- --deny warnings"),
        ),
        Step::of(
            "laws",
            "cargo test --all-features --lib --package linkscent-core --package linkscent-archive \
             --package linkscent-library",
        )
        .with("PROPTEST_CASES", "12800"),
        Step::of("soak", &format!("cargo soak {SOAK}")),
        Step::of("outages", "cargo outages"),
        Step::of("bench of pages", "cargo bench --package linkscent-core"),
        Step::of("bench of search", "cargo bench --package linkscent-library"),
    ];
    if is_installed("cargo-fuzz") {
        for target in fuzz_targets()? {
            let line = format!(
                "cargo fuzz run --fuzz-dir tests/fuzz/coverage -s none {target} tests/fuzz/corpus/{target} \
                 -- -max_total_time={FUZZED_FOR} -max_len=16384 -timeout=5 -rss_limit_mb=1024"
            );
            steps.push(Step::of(&format!("fuzz {target}"), &line).with("RUSTC_BOOTSTRAP", "1"));
        }
    } else {
        println!("nightly: nothing is fuzzed: cargo install cargo-fuzz");
    }
    if !is_installed("cargo-mutants") {
        println!("nightly: nothing is mutated: cargo install cargo-mutants");
    } else if last.is_empty() {
        println!("nightly: nothing is mutated: it is not known what changed");
    } else {
        let changes = said_by("git", &["diff", last, "--", "core/src"])?;
        let file = folder.join("changes.diff");
        std::fs::write(&file, changes + "\n").map_err(|error| error.to_string())?;
        let line = format!(
            "cargo mutants --package linkscent-core --in-diff {}",
            file.display()
        );
        steps.push(Step::of("mutants of core", &line));
    }
    Ok(steps)
}

/// The names of the programs that are fuzzed.
fn fuzz_targets() -> Result<Vec<String>, String> {
    let folder = Path::new("tests/fuzz/coverage/fuzz_targets");
    let files = std::fs::read_dir(folder).map_err(|error| error.to_string())?;
    let names = files.filter_map(|file| {
        let path: PathBuf = file.ok()?.path();
        Some(path.file_stem()?.to_string_lossy().into_owned())
    });
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    Ok(names)
}

fn is_installed(program: &str) -> bool {
    Command::new(program)
        .arg("--help")
        .output()
        .is_ok_and(|output| output.status.success())
}

fn said_by(program: &str, arguments: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_whole_commands() {
        let folder = std::env::temp_dir();
        std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).unwrap();
        assert!(fuzz_targets().unwrap().contains(&"query".to_owned()));
        for step in steps("", &folder).unwrap() {
            assert_eq!(step.words[0], "cargo", "{}", step.name);
            assert!(step.words.iter().all(|word| !word.contains(['\'', '"'])));
        }
    }
}
