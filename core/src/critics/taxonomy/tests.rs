use super::*;
use crate::critics::taxonomy::Rates;

fn page(at: &str, words: &[(&str, u32)]) -> ClassPage {
    let words = words.iter().map(|&(word, count)| (word.to_owned(), count));
    ClassPage {
        address: Address::parse(at).ok(),
        words: words.collect(),
    }
}

/// Six pages a class, each with words of its class and one that all classes have.
fn classes(names: &[&str]) -> BTreeMap<String, Vec<ClassPage>> {
    let class = |name: &&str| {
        let last = name.rsplit('/').next().unwrap();
        let pages = (0..6).map(|number| {
            let own = format!("{last}{}", number % 3);
            let words = [(own.as_str(), 3), (last, 2), ("page", 4)];
            page(&format!("http://{last}.test/{number}"), &words)
        });
        ((*name).to_owned(), pages.collect())
    };
    names.iter().map(class).collect()
}

#[test]
fn classes_are_told_apart_and_how_well_is_known() {
    let (taxonomy, held_out) = Taxonomy::of(classes(&["Bees", "Ships", "Trains"])).unwrap();
    assert_eq!(taxonomy.classes(), ["Bees", "Ships", "Trains"]);
    assert_eq!(taxonomy.examples().len(), 18);
    assert_eq!((held_out.pages, held_out.right), (18, 18));
    // All that is held out is foretold: the more words a page counts as, the better.
    assert!(taxonomy.length() > 100.0, "{}", taxonomy.length());
    // Where words say nothing of classes, no word should count.
    let mut mixed = classes(&["Bees", "Ships"]);
    for (number, page) in mixed.values_mut().flatten().enumerate() {
        let word = ["tide", "moss", "lamp", "rope"][(number * 7 + number / 5) % 4];
        page.words = vec![(word.to_owned(), 3)];
    }
    let (taxonomy, held_out) = Taxonomy::of(mixed).unwrap();
    assert_eq!(taxonomy.length(), 1.0);
    assert!(held_out.right <= 8, "{held_out:?}");
}

/// `Pr(c|u)` by hand: two classes of one page each, "hive" 3 and 1, "sea" 0 and 2.
#[test]
fn probabilities_are_those_of_naive_bayes_over_pages_of_one_length() {
    let two = BTreeMap::from([
        ("A".to_owned(), vec![page("http://a.test/", &[("hive", 3)])]),
        (
            "B".to_owned(),
            vec![page("http://b.test/", &[("hive", 1), ("sea", 2)])],
        ),
    ]);
    let (taxonomy, held_out) = Taxonomy::of(two).unwrap();
    assert_eq!(held_out, HeldOut::default(), "no class has a page to spare");
    assert_eq!(taxonomy.length(), USUAL_LENGTH);
    let bayes = taxonomy.taught(|_| true);
    // Mixed with 300 words drawn from both: hive 4 of 6, sea 2 of 6.
    let rate = |count: f64, own: f64, all: f64| (count + 300.0 * all / 6.0) / (own + 300.0);
    let hive = [rate(3.0, 3.0, 4.0), rate(1.0, 3.0, 4.0)];
    let sea = [rate(0.0, 3.0, 2.0), rate(2.0, 3.0, 2.0)];
    // A page of "hive hive sea" that counts as six words, of which a fourth is unknown.
    let joint = |class: usize| hive[class].powf(6.0 * 0.5) * sea[class].powf(6.0 * 0.25);
    let expected = joint(0) / (joint(0) + joint(1));
    let found = Rates::of(&bayes, &[(0, 2), (1, 1), (99, 1)]).log_posteriors(6.0);
    assert!(
        (found[0].exp() - expected).abs() < 1e-12,
        "{found:?} {expected}"
    );
    assert!((found[0].exp() + found[1].exp() - 1.0).abs() < 1e-12);
}

#[test]
fn every_node_has_the_pages_below_it() {
    let names = ["Top/Arts/Film", "Top/Bees", "Top/Bees/Wild"];
    let (taxonomy, _) = Taxonomy::of(classes(&names)).unwrap();
    let nodes: Vec<(&str, u32)> = taxonomy.nodes().into_iter().collect();
    let expected = [
        ("Top", 18),
        ("Top/Arts", 6),
        ("Top/Arts/Film", 6),
        ("Top/Bees", 12),
        ("Top/Bees/Wild", 6),
    ];
    assert_eq!(nodes, expected);
    assert!(is_under("Top/Bees/Wild", "Top/Bees") && is_under("Top", "Top"));
    assert!(!is_under("Top/Beesnot", "Top/Bees"));
}

#[test]
fn a_forgotten_page_goes_with_the_words_that_only_it_had() {
    let mut named = classes(&["Bees", "Ships"]);
    let canary = page("http://clinic.test/canary", &[("canary", 2), ("page", 1)]);
    named.get_mut("Bees").unwrap().push(canary);
    let (taxonomy, _) = Taxonomy::of(named).unwrap();
    let gone = Address::parse("http://clinic.test/canary").unwrap();
    assert!(taxonomy.mentions(|page| *page == gone));
    let left = taxonomy.without(|page| *page == gone);
    assert!(!left.mentions(|page| *page == gone));
    assert!(!left.words().iter().any(|word| word == "canary"));
    assert_eq!(left.examples().len(), 12);
    let again = Taxonomy::from_parts(
        left.classes().to_vec(),
        left.words().to_vec(),
        left.examples().to_vec(),
        left.length(),
    );
    assert_eq!(again.as_ref(), Ok(&left));
    // The others say of themselves what they said before.
    let words = |taxonomy: &Taxonomy, number: usize| -> Vec<(String, u32)> {
        let rows = taxonomy.examples()[number].words.iter();
        rows.map(|&(word, count)| (taxonomy.words()[word as usize].clone(), count))
            .collect()
    };
    assert_eq!(words(&left, 0), words(&taxonomy, 0));
    assert_eq!(words(&left, 6), words(&taxonomy, 7));
}

#[test]
fn what_makes_no_taxonomy_is_refused() {
    let refused = |classes| Taxonomy::of(classes).unwrap_err();
    assert_eq!(refused(BTreeMap::new()), TaxonomyError::TooFewClasses(0));
    let mut one = classes(&["Bees", "Ships"]);
    for page in one.get_mut("Ships").unwrap() {
        page.words.clear();
    }
    assert_eq!(refused(one), TaxonomyError::TooFewClasses(1));
    let many: Vec<String> = (0..=MOST_CLASSES).map(|n| format!("c{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let refusal = refused(classes(&many));
    assert_eq!(refusal, TaxonomyError::TooManyClasses(MOST_CLASSES + 1));
    let (good, _) = Taxonomy::of(classes(&["Bees", "Ships"])).unwrap();
    let parts = |classes: &[&str], word: u32, class: u16, length: f64| {
        let classes = classes.iter().map(ToString::to_string).collect();
        let example = Example {
            address: None,
            class,
            words: vec![(word, 1)],
        };
        Taxonomy::from_parts(classes, good.words().to_vec(), vec![example], length)
    };
    let both = ["Bees", "Ships"];
    assert!(parts(&both, 0, 1, 20.0).is_ok());
    assert!(parts(&["Ships", "Bees"], 0, 1, 20.0).is_err());
    assert!(parts(&["Bees", "Bees"], 0, 1, 20.0).is_err());
    assert!(parts(&both, 999, 1, 20.0).is_err());
    assert!(parts(&both, 0, 2, 20.0).is_err());
    assert!(parts(&both, 0, 1, f64::NAN).is_err());
    assert!(parts(&both, 0, 1, 0.0).is_err());
}
