//! Every target over its kept corpus, and over as many mutations of it as the check has time for.

use std::panic;
use std::path::Path;

use linkscent_fuzz::mutation::Mutator;
use linkscent_fuzz::{TARGETS, Target, corpus, seeds};

/// Runs a target over its corpus and its mutations; panics with the input if a promise is broken.
fn check(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let files = corpus::read(name).unwrap();
    for (file, data) in &files {
        run(target, data, file);
    }
    let mut mutator = Mutator::new(&files, 20_261_129);
    for number in 0..target.mutations {
        let data = mutator.next_input();
        run(target, &data, &format!("mutation {number}"));
    }
}

fn run(target: &Target, data: &[u8], what: &str) {
    let called = panic::catch_unwind(|| (target.run)(data));
    if let Err(panic) = called {
        let path = std::env::temp_dir().join(format!("fuzz-{}", target.name));
        let kept = std::fs::write(&path, data).map(|()| path.display().to_string());
        eprintln!("{}: {what} broke a promise; it is in {kept:?}", target.name);
        panic::resume_unwind(panic);
    }
}

macro_rules! checked {
    ($($name:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            check(stringify!($name));
        })*

        #[test]
        fn every_target_is_checked() {
            let checked = [$(stringify!($name)),*];
            let targets = TARGETS.map(|target| target.name);
            assert_eq!(checked, targets);
        }
    };
}

checked! {
    address, archive, channel, document, html, list, message, model, pdf, predicate, query, record,
    robots, warc,
}

#[test]
fn every_target_has_seeds_a_small_corpus_and_a_program_of_libfuzzer() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("coverage/fuzz_targets");
    let manifest = std::fs::read_to_string(programs.join("../Cargo.toml")).unwrap();
    let mut all = 0;
    for target in TARGETS {
        let files = corpus::read(target.name).unwrap();
        for (name, _) in seeds(target.name) {
            let name = format!("seed-{name}");
            assert!(
                files.iter().any(|file| file.0 == name),
                "{} lacks {name}",
                target.name
            );
        }
        assert!(files.len() > 3, "{} has {} files", target.name, files.len());
        for (name, data) in &files {
            let length = data.len() as u64;
            assert!(
                length <= corpus::LARGEST_FILE,
                "{}/{name} is too large",
                target.name
            );
            all += length;
        }
        let program = std::fs::read_to_string(programs.join(format!("{}.rs", target.name)));
        let call = format!("run(\"{}\", data)", target.name);
        assert!(
            program.unwrap().contains(&call),
            "{}.rs calls another",
            target.name
        );
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)));
    }
    assert!(all <= corpus::LARGEST, "all corpora have {all} bytes");
}
