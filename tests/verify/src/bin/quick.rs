//! `cargo quick`: formatting, lints and unit tests of what was edited since the last commit.
//!
//! Of each package with an edited file, the lints run over the whole package, and the unit tests
//! of the edited modules. What other packages make of the edit only `cargo verify` tells.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use linkscent_verify::run_linted;
use serde_json::Value;

fn main() -> ExitCode {
    let begun = Instant::now();
    match quick() {
        Ok(()) => {
            println!("quick: all is well, after {} s", begun.elapsed().as_secs());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("quick: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn quick() -> Result<(), String> {
    run("cargo", &["fmt", "--all", "--check"])?;
    let edited = edited()?;
    let touched = touched(&edited, &packages()?);
    if touched.is_empty() {
        println!("quick: no file of a package was edited");
        return Ok(());
    }
    for (package, modules) in &touched {
        println!("quick: {package}");
        let tests = ["test", "--quiet", "--all-features", "--lib", "--bins"];
        let mut tests = [&tests[..], &["--package", package, "--"]].concat();
        tests.extend(modules.iter().map(String::as_str));
        println!("quick: cargo {}", tests.join(" "));
        run_linted(Command::new("cargo").args(&tests))?;
    }
    Ok(())
}

/// Returns the files that differ from the last commit, new ones too, from the root of the project.
fn edited() -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for arguments in [
        &["diff", "--name-only", "HEAD"][..],
        &["ls-files", "--others", "--exclude-standard"],
    ] {
        let output = Command::new("git").args(arguments).output();
        let output = output.map_err(|error| format!("git: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        files.extend(text.lines().map(str::to_owned));
    }
    Ok(files)
}

/// Returns each package of the workspace with its folder, from the root of the project.
fn packages() -> Result<Vec<(String, String)>, String> {
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("metadata: {error}"))?;
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    Ok(packages
        .filter_map(|package| {
            let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
            let folder = folder.strip_prefix(root).ok()?.to_str()?;
            Some((package["name"].as_str()?.to_owned(), folder.to_owned()))
        })
        .collect())
}

/// Returns the packages that edited files lie in, with the modules whose tests run. No module means
/// all tests of the package.
fn touched(edited: &[String], packages: &[(String, String)]) -> BTreeMap<String, BTreeSet<String>> {
    let mut touched: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut whole = BTreeSet::new();
    for file in edited {
        let inside = |folder: &String| {
            let rest = file.strip_prefix(folder.as_str())?;
            rest.strip_prefix('/').or(folder.is_empty().then_some(rest))
        };
        let holder = packages
            .iter()
            .filter_map(|(name, folder)| Some((folder.len(), name, inside(folder)?)))
            .max();
        let Some((_, name, rest)) = holder else {
            continue;
        };
        let modules = touched.entry(name.clone()).or_default();
        match module_of(rest) {
            Some(module) => drop(modules.insert(module)),
            None => drop(whole.insert(name.clone())),
        }
    }
    for name in whole {
        touched.insert(name, BTreeSet::new());
    }
    touched
}

/// Returns the module that a file of a package is, for files with unit tests of their own.
fn module_of(file: &str) -> Option<String> {
    let path = file.strip_prefix("src/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let path = path.strip_suffix("/tests").unwrap_or(path);
    (!matches!(path, "lib" | "main")).then(|| path.replace('/', "::"))
}

fn run(program: &str, arguments: &[&str]) -> Result<(), String> {
    println!("quick: {program} {}", arguments.join(" "));
    let status = Command::new(program).args(arguments).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("failed: {program} {}", arguments.join(" "))),
        Err(error) => Err(format!("{program}: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edited_files_are_tested_where_they_lie() {
        let named = |name: &str, folder: &str| (name.to_owned(), folder.to_owned());
        let packages = [named("core", "core"), named("models", "core/models")];
        let edited = |files: &[&str]| -> BTreeMap<String, BTreeSet<String>> {
            let files: Vec<String> = files.iter().map(ToString::to_string).collect();
            touched(&files, &packages)
        };
        let found = edited(&[
            "core/src/crawl/scope.rs",
            "core/src/text/mod.rs",
            "README.md",
        ]);
        let modules: Vec<&String> = found["core"].iter().collect();
        assert_eq!(
            (found.len(), modules),
            (1, vec![&"crawl::scope".to_owned(), &"text".to_owned()])
        );
        assert!(edited(&["core/models/src/lib.rs"])["models"].is_empty());
        // A manifest touches all of its package, whatever else was edited.
        assert!(edited(&["core/Cargo.toml", "core/src/topic_model/tests.rs"])["core"].is_empty());
        assert_eq!(
            module_of("src/topic_model/tests.rs").as_deref(),
            Some("topic_model")
        );
        assert_eq!(module_of("benches/crawl.rs"), None);
    }
}
