//! Files of taxonomies that were cut off, damaged, or made on purpose.

use std::collections::BTreeMap;

use super::super::{HEADER, ModelError, with_checksum};
use super::*;
use crate::address::Address;
use crate::critics::taxonomy::{ClassPage, TaxonomyError};
use crate::strategies::{Rng, SplitMix};

fn taxonomy() -> Taxonomy {
    let class = |name: &str| {
        let pages = (0..4).map(|number| ClassPage {
            address: Address::parse(&format!("http://{name}.test/{number}")).ok(),
            words: vec![(name.to_owned(), 3), (format!("word{number}"), 1)],
        });
        (format!("Top/{name}"), pages.collect())
    };
    let classes = BTreeMap::from(["bees", "ships", "trains"].map(class));
    Taxonomy::of(classes).unwrap().0
}

#[test]
fn a_taxonomy_comes_back_and_no_truncation_does() {
    let file = write_taxonomy(&taxonomy()).unwrap();
    assert_eq!(read_taxonomy(&file).unwrap(), taxonomy());
    for length in 0..file.len() {
        let cut = read_taxonomy(&file[..length]).unwrap_err();
        let expected = if length < HEADER {
            "not a Linkscent model file"
        } else {
            "bytes long"
        };
        assert!(cut.to_string().contains(expected), "{length}: {cut}");
    }
    // One that was cut on purpose, so that its header fits, names the part that is cut.
    for length in HEADER..file.len() {
        let cut = read_taxonomy(&with_checksum(&file[..length])).unwrap_err();
        assert!(cut.to_string().contains("part"), "{length}: {cut}");
    }
}

#[test]
fn every_flipped_bit_is_found() {
    let file = write_taxonomy(&taxonomy()).unwrap();
    for bit in 0..8 * file.len() {
        let mut broken = file.clone();
        broken[bit / 8] ^= 1 << (bit % 8);
        let error = read_taxonomy(&broken).unwrap_err();
        if bit / 8 >= HEADER {
            assert!(matches!(error, ModelError::Checksum), "bit {bit}: {error}");
        }
    }
}

/// A file made on purpose has a checksum that fits: whatever its reader says of it, it
/// does not panic, and what it takes makes sense.
#[test]
fn ten_thousand_mutated_files_never_panic_and_errors_name_the_place() {
    let file = write_taxonomy(&taxonomy()).unwrap();
    let mut rng = SplitMix(1);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..10_000 {
        let mut broken = file.clone();
        for _ in 0..=rng.bits() >> 62 {
            let at = HEADER + (rng.bits() >> 16) as usize % (broken.len() - HEADER);
            broken[at] = (rng.bits() >> 32) as u8;
        }
        match read_taxonomy(&with_checksum(&broken)) {
            Ok(taxonomy) => {
                read += 1;
                assert!(taxonomy.nodes().len() >= taxonomy.classes().len());
                assert!(taxonomy.length().is_finite());
                let again = write_taxonomy(&taxonomy).unwrap();
                assert_eq!(read_taxonomy(&again).unwrap(), taxonomy);
            }
            Err(error) => {
                refused += 1;
                let said = error.to_string();
                let names = ["taxonomy", "part", "address"];
                assert!(names.iter().any(|name| said.contains(name)), "{said}");
            }
        }
    }
    assert!(
        read > 100 && refused > 100,
        "{read} read, {refused} refused"
    );
}

#[test]
fn what_a_taxonomy_cannot_be_is_refused_for_what_it_is() {
    let parts = |classes: &[&str], class, length| {
        let mut wire = WireTaxonomy::of(&taxonomy());
        wire.classes = classes.iter().map(ToString::to_string).collect();
        wire.examples
            .iter_mut()
            .for_each(|example| example.class = class);
        wire.length = length;
        let mut sections = Body::default();
        sections.add(SECTION, &wire);
        read_taxonomy(&file_of(KIND_TAXONOMY, &sections).unwrap())
    };
    assert!(parts(&["a", "b"], 1, 20.0).is_ok());
    let many: Vec<String> = (0..1000).map(|number| format!("{number:04}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    for (wrong, said) in [
        (parts(&["a"], 0, 20.0), "needs two classes"),
        (parts(&many, 0, 20.0), "1000 classes are more than"),
        (parts(&["b", "a"], 0, 20.0), "not in order"),
        (parts(&["a", "a"], 0, 20.0), "not in order"),
        (parts(&["a", "b"], 2, 20.0), "names what it does not have"),
        (parts(&["a", "b"], 0, f64::NAN), "no number"),
        (parts(&["a", "b"], 0, 0.0), "no number"),
    ] {
        let error = wrong.unwrap_err();
        assert!(matches!(error, ModelError::Taxonomy(_)), "{error}");
        assert!(error.to_string().contains(said), "{error}");
    }
    let one = TaxonomyError::TooFewClasses(1);
    assert!(
        ModelError::from(one)
            .to_string()
            .starts_with("the taxonomy: ")
    );
    // A file of something else is none.
    let other = file_of(1, &Body::default()).unwrap();
    assert!(matches!(read_taxonomy(&other), Err(ModelError::Kind(1))));
}
