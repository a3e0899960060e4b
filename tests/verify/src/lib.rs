//! Which packages are checked together, and how they and the extension are linted. This stands apart from
//! the tests, so that `cargo verify` begins before they are built, and what they depend on is built once,
//! with all features.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Lints extensions for Firefox's store.
const WEB_EXT: &str = "web-ext@10.7.0";
/// What it misses in an extension for Chromium: a script beside the service worker, an
/// identifier, and what is declared to Firefox's store; and it does not know the side panel.
const OF_FIREFOX_ALONE: [&str; 4] = [
    "ADDON_ID_REQUIRED",
    "BACKGROUND_SERVICE_WORKER_NOFALLBACK",
    "MANIFEST_PERMISSIONS",
    "MISSING_DATA_COLLECTION_PERMISSIONS",
];

/// Runs a command of cargo with the linter as the compiler of the project's own packages. Fails where it
/// ends with an error or warns of something.
pub fn run_linted(command: &mut Command) -> Result<(), String> {
    let mut child = command
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let mut warnings = 0;
    for line in BufReader::new(child.stderr.take().ok_or("no output")?).lines() {
        let line = line.map_err(|error| error.to_string())?;
        warnings += u32::from(line.starts_with("warning"));
        eprintln!("{line}");
    }
    let ended = child.wait().map_err(|error| error.to_string())?;
    match (ended.success(), warnings) {
        (true, 0) => Ok(()),
        (true, warnings) => Err(format!("{warnings} warnings")),
        (false, _) => Err("it failed".to_owned()),
    }
}

/// The packages that are tested natively. Built together with the same
/// features, nothing is built twice.
pub const PACKAGES: [&str; 18] = [
    "linkscent-models",
    "linkscent-core",
    "linkscent-archive",
    "linkscent-bench",
    "linkscent-charts",
    "linkscent-documents",
    "linkscent-library",
    "linkscent-output",
    "linkscent-sentences",
    "linkscent-server",
    "linkscent-service",
    "linkscent-store",
    "linkscent",
    "linkscent-extension",
    "linkscent-pack",
    "linkscent-tests",
    "linkscent-fuzz",
    "linkscent-verify",
];

/// The linter of Firefox's store, installed below a target folder; why it cannot be had.
pub fn store_linter(target: &Path) -> Result<PathBuf, String> {
    let tools = target.join("npm");
    let linter = tools.join("node_modules/.bin/web-ext");
    if linter.exists() {
        return Ok(linter);
    }
    let installed = Command::new("npm")
        .args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"])
        .arg(&tools)
        .arg(WEB_EXT)
        .status();
    match installed {
        Ok(status) if status.success() => Ok(linter),
        Ok(status) => Err(format!("npm: {status}")),
        Err(error) => Err(format!("it takes Node 20 with npm: {error}")),
    }
}

/// Lints an unpacked extension for Firefox, which it has nothing to say of.
pub fn lint_for_firefox(linter: &Path, extension: &Path) -> Result<(), String> {
    let codes = lint(linter, extension)?;
    if codes.is_empty() {
        return Ok(());
    }
    Err(format!("the extension for Firefox: {codes:?}"))
}

/// Lints an unpacked extension for Chromium by the same program. It knows the rules of Firefox alone,
/// so four messages are expected, and no other one.
pub fn lint_for_chromium(linter: &Path, extension: &Path) -> Result<(), String> {
    let codes = lint(linter, extension)?;
    if codes == OF_FIREFOX_ALONE.map(str::to_owned).into() {
        return Ok(());
    }
    Err(format!("the extension for Chromium: {codes:?}"))
}

/// The codes of what the linter has to say.
fn lint(linter: &Path, extension: &Path) -> Result<BTreeSet<String>, String> {
    let output = Command::new(linter)
        .args(["lint", "--no-input", "--output", "json", "--source-dir"])
        .arg(extension)
        .output()
        .map_err(|error| format!("{}: {error}", linter.display()))?;
    let said: Value = serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("what the linter said: {error}"))?;
    codes(&said).ok_or_else(|| format!("what the linter said is no list of messages: {said}"))
}

/// The codes of all messages in a report; `None` where it is no report.
fn codes(report: &Value) -> Option<BTreeSet<String>> {
    let mut codes = BTreeSet::new();
    for kind in ["errors", "warnings", "notices"] {
        for message in report[kind].as_array()? {
            codes.insert(message["code"].as_str()?.to_owned());
        }
    }
    Some(codes)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_report_is_read_whole_or_not_at_all() {
        let report =
            json!({ "errors": [{ "code": "A" }], "warnings": [], "notices": [{ "code": "B" }] });
        assert_eq!(codes(&report), Some(["A", "B"].map(str::to_owned).into()));
        for other in [
            json!({}),
            json!({ "errors": [], "warnings": [] }),
            json!("no"),
        ] {
            assert_eq!(codes(&other), None, "{other}");
        }
    }
}
