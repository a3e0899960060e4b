//! `cargo verify`: everything that must hold before a change is taken:
//! formatting, lints, licences, and all tests, in real browsers too. Installs
//! what is missing, or says exactly what to install.

use std::path::Path;
use std::process::{Command, ExitCode};

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
    step("cargo", &["fmt", "--all", "--check"])?;
    let native = [
        "linkscent-core",
        "linkscent",
        "linkscent-pack",
        "linkscent-tests",
    ];
    let mut lint = vec!["clippy", "--quiet", "--all-targets", "--all-features"];
    lint.extend(native.iter().flat_map(|package| ["--package", package]));
    lint.extend(["--", "-D", "warnings"]);
    step("cargo", &lint)?;
    let wasm = ["--target", "wasm32-unknown-unknown", "--", "-D", "warnings"];
    step(
        "cargo",
        &[
            &["clippy", "--quiet", "--package", "linkscent-extension"],
            &wasm[..],
        ]
        .concat(),
    )?;
    step(
        "cargo",
        &[
            "deny",
            "--log-level",
            "error",
            "check",
            "licenses",
            "bans",
            "sources",
        ],
    )?;
    step(
        "cargo",
        &["test", "--package", "linkscent-core", "--all-features"],
    )?;
    step("cargo", &["test", "--package", "linkscent"])?;
    // One browser at a time: the tests wait for conditions, but two cores are
    // quickly busy.
    step(
        "cargo",
        &[
            "test",
            "--package",
            "linkscent-tests",
            "--",
            "--test-threads=1",
        ],
    )
}

fn step(program: &str, arguments: &[&str]) -> Result<(), String> {
    println!("verify: {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: {program} {}", arguments.join(" "))),
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
        let by_hand = format!("install them: sudo apt-get install {}", missing.join(" "));
        let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
        arguments.extend(&missing);
        step("apt-get", &["update", "-qq"]).map_err(|_| by_hand.clone())?;
        step("apt-get", &arguments).map_err(|_| by_hand)?;
    }
    for program in CARGO {
        if !has(program) {
            step("cargo", &["install", "--locked", "--quiet", program])?;
        }
    }
    step("rustup", &["target", "add", "wasm32-unknown-unknown"])
}
