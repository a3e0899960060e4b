use std::fs;
use std::path::Path;

use crate::files::{FileError, TOKENIZER, WEIGHTS};
use crate::{SentenceModel, add, is_there};

/// A folder with files of these names and lengths, empty of meaning.
fn folder(files: &[(&str, u64)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, length) in files {
        let file = fs::File::create(folder.path().join(name)).unwrap();
        file.set_len(*length).unwrap();
    }
    folder
}

fn refusal(from: &Path, to: &Path) -> String {
    let error = add(from, to).unwrap_err();
    assert!(!is_there(to), "nothing is left behind");
    assert!(matches!(
        SentenceModel::read(to),
        Err(FileError::Missing(_))
    ));
    error.to_string()
}

#[test]
fn files_that_are_missing_cut_off_or_of_another_model_are_named() {
    let (weights, tokenizer) = (WEIGHTS.name, TOKENIZER.name);
    let own = tempfile::tempdir().unwrap();
    let own = own.path().join("models");
    let empty = folder(&[]);
    let said = refusal(empty.path(), &own);
    assert!(
        said.contains("is missing") && said.contains(tokenizer),
        "{said}"
    );
    let cut = folder(&[(weights, WEIGHTS.bytes), (tokenizer, TOKENIZER.bytes - 1)]);
    let said = refusal(cut.path(), &own);
    assert!(said.contains("has 466246 bytes"), "{said}");
    let other = folder(&[(weights, WEIGHTS.bytes), (tokenizer, TOKENIZER.bytes)]);
    let said = refusal(other.path(), &own);
    assert!(
        said.contains("of another model") && said.contains(tokenizer),
        "{said}"
    );
    let said = refusal(&own.join("nowhere"), &own);
    assert!(said.contains("nowhere"), "{said}");
}

#[test]
fn a_damaged_model_that_was_added_is_refused() {
    let own = folder(&[(WEIGHTS.name, 12), (TOKENIZER.name, TOKENIZER.bytes)]);
    assert!(is_there(own.path()));
    assert!(matches!(
        SentenceModel::read(own.path()),
        Err(FileError::Checksum(_))
    ));
}
