//! `cargo verify`: everything that must hold before a change is taken:
//! formatting, lints, licences, and all tests, in real browsers too. Installs
//! what is missing, or says exactly what to install.

use std::path::Path;
use std::process::{Command, ExitCode};

use linkscent_tests::companion::PACKAGES;

const DEBIAN: [(&str, &str); 3] = [
    ("chromium", "chromium"),
    ("chromedriver", "chromium-driver"),
    ("firefox-esr", "firefox-esr"),
];
const CARGO: [&str; 2] = ["geckodriver", "cargo-deny"];

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
    install()?;
    let native = PACKAGES
        .map(|package| format!("--package {package}"))
        .join(" ");
    step("cargo fmt --all --check")?;
    step(&format!(
        "cargo clippy --quiet --all-targets --all-features {native} -- -D warnings"
    ))?;
    step(
        "cargo clippy --quiet --package linkscent-extension --target wasm32-unknown-unknown -- -D warnings",
    )?;
    step("cargo deny --log-level error check licenses bans sources")?;
    // All packages together, so that what they share is built once. One browser
    // at a time: the tests wait for conditions, but two cores are quickly busy.
    step(&format!(
        "cargo test --all-features {native} -- --test-threads=1"
    ))
}

/// Runs a command whose words hold no spaces.
fn step(line: &str) -> Result<(), String> {
    println!("verify: {line}");
    let mut words = line.split(' ');
    let program = words.next().unwrap_or_default();
    match Command::new(program).args(words).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: {line}")),
        Err(error) => Err(format!("{program}: {error}")),
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
    for program in CARGO {
        if !has(program) {
            step(&format!("cargo install --locked --quiet {program}"))?;
        }
    }
    step("rustup target add wasm32-unknown-unknown")
}
