//! Every program of the project prints by this crate alone: a file that prints another way could
//! send a stranger's characters to a terminal.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

/// Ways to a terminal that escape nothing.
const OTHER_WAYS: [&str; 10] = [
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "dbg!",
    "stdout",
    "stderr",
    "get_matches",
    "set_hook",
    "take_hook",
];

/// Folders of source that the product is built from, below the project's root.
const SOURCES: [&str; 12] = [
    "core/src",
    "core/models/src",
    "companion/src",
    "companion/archive/src",
    "companion/bench/src",
    "companion/documents/src",
    "companion/library/src",
    "companion/output/src",
    "companion/sentences/src",
    "companion/server/src",
    "companion/service/src",
    "companion/store/src",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Rust files below a folder, but for those of tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy();
        if name == "tests" || name == "fixtures" || name.ends_with("_tests") {
            continue;
        }
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// The ways to a terminal in a text: whole words outside of comments.
fn ways(text: &str) -> Vec<(usize, &'static str)> {
    let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        for way in OTHER_WAYS {
            let here = code.match_indices(way).any(|(at, _)| {
                let before = code[..at].chars().next_back();
                let after = code[at + way.len()..].chars().next();
                let is_call = way.ends_with('!') || after == Some('(');
                // A method of this name says where a program that is started writes to.
                let is_method = before == Some('.') && matches!(way, "stdout" | "stderr");
                !before.is_some_and(is_word) && is_call && !is_method
            });
            if here {
                found.push((number + 1, way));
            }
        }
    }
    found
}

#[test]
fn nothing_is_printed_but_by_the_sinks() {
    let sinks = ["terminal.rs", "file.rs", "panics.rs"];
    let mut checked = 0;
    let mut wrong = Vec::new();
    for folder in SOURCES {
        let mut found = Vec::new();
        files(&root().join(folder), &mut found);
        for file in found {
            let is_sink = folder == "companion/output/src"
                && sinks
                    .iter()
                    .any(|sink| file.ends_with(Path::new("src").join(sink)));
            if is_sink {
                continue;
            }
            checked += 1;
            let text = read_to_string(&file).unwrap();
            // Tests within a file come last.
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            for (line, way) in ways(code) {
                wrong.push(format!("{}:{line}: {way}", file.display()));
            }
        }
    }
    assert!(checked > 400, "{checked} files");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn other_ways_are_found_and_those_of_this_crate_are_none() {
    for (code, way) in [
        ("    println!(\"{title}\");", "println!"),
        ("let out = io::stdout().lock();", "stdout"),
        ("Box::new(std::io::stderr())", "stderr"),
        ("let found = command.get_matches();", "get_matches"),
        ("dbg!(title)", "dbg!"),
    ] {
        assert_eq!(ways(code), [(1, way)], "{code}");
    }
    for code in [
        "print_line!(\"{title}\");",
        "file_on_stdout()",
        "// println!(\"x\")",
        "command.try_get_matches()",
        ".stdout(Stdio::piped())",
        "print_json(&title)?;",
    ] {
        assert_eq!(ways(code), [], "{code}");
    }
}

/// What takes several lines is made of the program's own text: where it quotes others, they are
/// wrapped.
#[test]
fn blocks_of_lines_are_few() {
    let mut blocks = Vec::new();
    for folder in SOURCES {
        let mut found = Vec::new();
        files(&root().join(folder), &mut found);
        for file in found {
            let text = read_to_string(&file).unwrap();
            let count = text.matches("print_lines!(").count();
            if count > 0 && folder == "companion/src" {
                let name = file.file_stem().unwrap().to_string_lossy().into_owned();
                blocks.push((name, count));
            }
        }
    }
    blocks.sort();
    let known = [("demo".to_owned(), 2), ("inspect".to_owned(), 1)];
    assert_eq!(blocks, known, "does a title in it stand on one line?");
}
