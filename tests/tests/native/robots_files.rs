//! Real robots.txt files, and files that are made to stall a matcher.

use std::collections::HashMap;
use std::io::Read;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use linkscent_core::crawl::Robots;
use linkscent_tests::{material, skipped};

/// Names the folder of real files: `tests/test_data` in the source distribution of the Python
/// package `protego` 0.7.0.
const FILES: &str = "LINKSCENT_ROBOTS_FILES";
/// One decision over a hostile file takes at most so long, ten times what is aimed at in a release
/// build.
const SLOWEST_DECISION: Duration = Duration::from_millis(200);

fn path_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    rest.find('/').map_or("/", |at| &rest[at..])
}

#[test]
fn real_files_are_read_as_googles_matcher_reads_them() -> Result<()> {
    let Some(material) = material() else {
        return Ok(());
    };
    let Some(folder) = std::env::var_os(FILES).map(PathBuf::from) else {
        skipped("LINKSCENT_ROBOTS_FILES names no folder of real robots.txt files");
        return Ok(());
    };
    let answers = material.join("suites/protego_corpus_google_oracle_114446.tsv.gz");
    let mut rows = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(answers)?).read_to_string(&mut rows)?;
    let begun = Instant::now();
    let mut parsed: HashMap<(&str, &str), Robots> = HashMap::new();
    let (mut read, mut allowed_wrongly, mut denied_wrongly) = (0, Vec::new(), Vec::new());
    for row in rows.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, agent, url, answer] = columns[..] else {
            anyhow::bail!("{row:?} has not four columns");
        };
        let robots = match parsed.entry((file, agent)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => {
                let bytes = std::fs::read(folder.join(file)).with_context(|| file.to_owned())?;
                place.insert(Robots::parse(&bytes, agent))
            }
        };
        read += 1;
        match (robots.allows(path_of(url)), answer == "1") {
            (true, false) => allowed_wrongly.push(row),
            (false, true) => denied_wrongly.push(row),
            _ => {}
        }
    }
    println!(
        "{read} decisions over {} files in {:.1} s: {} wrongly allowed, {} wrongly denied",
        parsed.len(),
        begun.elapsed().as_secs_f64(),
        allowed_wrongly.len(),
        denied_wrongly.len()
    );
    ensure!(
        allowed_wrongly.is_empty() && denied_wrongly.is_empty(),
        "wrongly allowed:\n{}\nwrongly denied:\n{}",
        allowed_wrongly.join("\n"),
        denied_wrongly.join("\n")
    );
    Ok(())
}

#[test]
fn no_file_stalls_the_matcher() -> Result<()> {
    let stars = "*a".repeat(20);
    let mut file = "User-agent: *\n".to_owned();
    for number in 0..40 {
        file += &format!("Disallow: /{stars}*b{number}$\n");
    }
    let robots = Robots::parse(file.as_bytes(), "linkscent");
    let path = format!("/{}", "a".repeat(2_000));
    let begun = Instant::now();
    ensure!(robots.allows(&path), "no rule ends as this path does");
    let took = begun.elapsed();
    println!("40 rules of 21 stars over a path of 2,001 bytes: {took:?}");
    ensure!(took < SLOWEST_DECISION, "{took:?}");
    ensure!(!robots.allows(&format!("{path}b7")), "rule 7 matches");
    Ok(())
}
