//! `cargo verify`: everything that must hold before a change is taken:
//! formatting, lints, licences, and all tests, in real browsers too. Installs
//! what is missing, or says exactly what to install.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread::JoinHandle;

use linkscent_verify::{PACKAGES, lint_for_firefox, run_linted, store_linter};
use serde_json::Value;

const DEBIAN: [(&str, &str); 3] = [
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("firefox-esr", "firefox-esr"),
];

fn main() -> ExitCode {
    match verify() {
        Ok(()) => {
            println!("verify: all is well");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("verify: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn verify() -> Result<(), String> {
    step("cargo fmt --all --check")?;
    whole_workspace()?;
    install()?;
    declared_version()?;
    let native = PACKAGES
        .map(|package| format!("--package {package}"))
        .join(" ");
    // All packages together and with their tests, so that what they share is built once: what tests
    // depend on gives other crates more features. The linter does it: it compiles as well.
    build(&format!(
        "cargo build --quiet --all-features --lib --bins --tests {native}"
    ))?;
    // What a person builds is without the features of a team.
    build("cargo clippy --quiet --package linkscent --bins")?;
    build("cargo clippy --quiet --package linkscent-extension --target wasm32-unknown-unknown")?;
    let target = target_folder()?;
    let list = std::env::temp_dir().join(format!("linkscent-skipped-{}", std::process::id()));
    // The first tests leave a processor idle half of the time.
    let prepared = prepare_the_rest(&target);
    let mut ran = run_tests(
        &format!("cargo test --all-features {native} --lib --bins"),
        &list,
    )?;
    // Two at a time: the tests wait for conditions, and mostly for a browser or a server.
    ran += run_tests(
        &format!(
            "cargo test --all-features {native} --test * -- --skip browsers:: --test-threads=2"
        ),
        &list,
    )?;
    let prepared = prepared.join();
    prepared.map_err(|_| "what the rest needs was not made")??;
    ran += run_tests(
        &format!("cargo test --all-features {native} --test all -- browsers:: --test-threads=2"),
        &list,
    )?;
    ran += run_tests(&format!("cargo test --all-features {native} --doc"), &list)?;
    tell(ran, &list);
    step("cargo deny --log-level error check licenses bans sources")?;
    advisories()?;
    lint_extension(&target)
}

/// Makes what only the tests in browsers and what follows them need, beside the tests before, which
/// have the processor first: geckodriver, the extension, cargo-deny.
fn prepare_the_rest(target: &Path) -> JoinHandle<Result<(), String>> {
    let pack = target.join("debug/pack").display().to_string();
    std::thread::spawn(move || {
        install_program("geckodriver")?;
        step(&format!("nice {pack} --for-tests"))?;
        install_program("cargo-deny")
    })
}

/// Where builds go.
fn target_folder() -> Result<PathBuf, String> {
    let metadata = metadata()?;
    let target = metadata["target_directory"].as_str();
    Ok(PathBuf::from(target.ok_or("cargo names no target folder")?))
}

/// Builds, and fails where the compiler or its linter warns of something.
fn build(line: &str) -> Result<(), String> {
    println!("verify: {line}");
    run_linted(&mut command(line)).map_err(|problem| format!("{line}: {problem}"))
}

/// No member of the workspace is left out of what is checked.
fn whole_workspace() -> Result<(), String> {
    println!("verify: every package is checked");
    let metadata = metadata()?;
    let members = metadata["workspace_members"].as_array();
    let members: Vec<&str> = members
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let (id, name) = (package["id"].as_str(), package["name"].as_str());
        let is_member = id.is_some_and(|id| members.contains(&id));
        if is_member && !name.is_some_and(|name| PACKAGES.contains(&name)) {
            return Err(format!(
                "{} is not checked: name it in PACKAGES",
                package["name"]
            ));
        }
    }
    Ok(())
}

/// Lints the extension that the tests in browsers have built by the linter of Firefox's store; what
/// people get of it is linted by night. Where the linter cannot be had, this is said.
fn lint_extension(target: &Path) -> Result<(), String> {
    match store_linter(target) {
        Ok(linter) => lint_for_firefox(&linter, &target.join("extension/test/firefox")),
        Err(why) => {
            println!("verify: the extension is not linted: {why}");
            Ok(())
        }
    }
}

/// Says how many tests ran and how many skipped for want of material, which they noted in a list.
fn tell(ran: u32, list: &Path) {
    let skipped = std::fs::read_to_string(list).unwrap_or_default();
    let _ = std::fs::remove_file(list);
    let skipped: Vec<&str> = skipped.lines().collect();
    println!(
        "verify: {ran} tests passed, {} of them skipped",
        skipped.len()
    );
    let reasons: BTreeSet<&str> = skipped.into_iter().collect();
    for why in reasons {
        println!("verify: skipped: {why}");
    }
}

/// Runs tests, which note in a list what they skip, and counts those that passed.
fn run_tests(line: &str, list: &Path) -> Result<u32, String> {
    println!("verify: {line}");
    let mut child = command(line)
        .env("LINKSCENT_SKIPPED", list)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{line}: {error}"))?;
    let mut ran = 0;
    for line in BufReader::new(child.stdout.take().ok_or("no output")?).lines() {
        let line = line.map_err(|error| error.to_string())?;
        println!("{line}");
        let passed = line.split_once(". ").map(|parts| parts.1);
        let passed = passed.filter(|_| line.starts_with("test result:"));
        let passed = passed.and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
        ran += passed.unwrap_or(0);
    }
    let ended = child.wait().map_err(|error| error.to_string())?;
    if !ended.success() {
        return Err(format!("failed: {line}"));
    }
    Ok(ran)
}

/// Looks whether a dependency has a known fault. Where the list of faults cannot be had,
/// that is said, and the rest goes on.
fn advisories() -> Result<(), String> {
    let line = "cargo deny --log-level error check advisories";
    println!("verify: {line}");
    let output = command(line)
        .output()
        .map_err(|error| format!("{line}: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(());
    }
    if said.contains("failed to fetch advisory database") {
        println!("verify: not checked for known faults: their list cannot be reached from here");
        return Ok(());
    }
    Err(format!("failed: {line}\n{said}"))
}

/// What cargo says of the workspace and all that it depends on.
fn metadata() -> Result<Value, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--all-features"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

/// The Rust version that is declared must be one that all dependencies build with.
fn declared_version() -> Result<(), String> {
    println!("verify: the declared Rust version");
    let metadata = metadata()?;
    let packages = metadata["packages"]
        .as_array()
        .map_or(&[][..], Vec::as_slice);
    let version = |package: &Value| -> Option<Vec<u32>> {
        let parts = package["rust_version"].as_str()?.split('.');
        let mut parts: Vec<u32> = parts.filter_map(|part| part.parse().ok()).collect();
        parts.resize(3, 0);
        Some(parts)
    };
    let own = packages
        .iter()
        .find(|package| package["name"] == "linkscent")
        .and_then(version)
        .ok_or("no Rust version is declared")?;
    for package in packages {
        if let Some(needed) = version(package).filter(|needed| *needed > own) {
            let name = &package["name"];
            return Err(format!(
                "{name} needs Rust {needed:?}, and {own:?} is declared"
            ));
        }
    }
    Ok(())
}

/// A command whose words hold no spaces, in which the linter compiles the project's own packages, so
/// that nothing is compiled for it alone. Everything is built once here, so what would make the
/// next build of it faster is left out, and what only a debugger needs. What cargo says
/// of this program is left out too: build scripts would run again for it.
fn command(line: &str) -> Command {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    for (name, _) in std::env::vars_os() {
        let of_package = ["CARGO_PKG_", "CARGO_MANIFEST_"];
        let text = name.to_string_lossy();
        if of_package.iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command.args(words).env("CARGO_INCREMENTAL", "0");
    command.env("CARGO_PROFILE_DEV_DEBUG", "0");
    // Of a test that fails its words are read, which a long trace would push out of sight.
    command.env("RUST_BACKTRACE", "0");
    // Laws are tried on the same cases each time; on others, and on many more, by night.
    command.env("PROPTEST_RNG_SEED", "1");
    command.env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver");
    command
}

fn step(line: &str) -> Result<(), String> {
    println!("verify: {line}");
    match command(line).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: {line}")),
        Err(error) => Err(format!("{line}: {error}")),
    }
}

fn has(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let cargo = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cargo/bin"));
    std::env::split_paths(&path)
        .chain(cargo)
        .any(|folder| folder.join(program).is_file())
}

fn install() -> Result<(), String> {
    let missing: Vec<&str> = DEBIAN
        .iter()
        .filter(|(program, _)| !has(program))
        .map(|(_, package)| *package)
        .collect();
    if !missing.is_empty() {
        let packages = missing.join(" ");
        let by_hand = |_| format!("install them: sudo apt-get install {packages}");
        step("apt-get update -qq").map_err(by_hand)?;
        step(&format!(
            "apt-get install -y -qq --no-install-recommends {packages}"
        ))
        .map_err(by_hand)?;
    }
    step("rustup target add wasm32-unknown-unknown")
}

/// Installs a program from the registry, unless it is there. They do little, so what would make them
/// faster costs more than it brings.
fn install_program(name: &str) -> Result<(), String> {
    if has(name) {
        return Ok(());
    }
    step(&format!(
        "nice cargo install --locked --quiet --debug {name}"
    ))
}
