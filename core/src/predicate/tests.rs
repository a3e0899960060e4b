use super::*;
use crate::address::Address;
use crate::dom::{Builder, Field, Form, LeafRange};
use crate::forms::FormWords;
use crate::page::Page;
use crate::rng::{Rng, SplitMix};

fn page() -> Page {
    let mut builder = Builder::new();
    builder.title("Wild Bees of the North");
    builder.leaf("Mason bees nest in hollow stems, and wild-bee hotels help them.");
    let first = builder.next_leaf();
    builder.leaf("more");
    builder.link(
        "http://b.test/hotel",
        LeafRange {
            first,
            end: first + 1,
        },
    );
    builder.form(Form {
        action: "/search".to_owned(),
        method: "get".to_owned(),
        naming: "search".to_owned(),
        fields: vec![Field {
            kind: "text".to_owned(),
            naming: "q search".to_owned(),
            ..Field::default()
        }],
        leaves: LeafRange { first: 0, end: 0 },
    });
    let address = Address::parse("http://a.test/bees/mason?id=7").unwrap();
    Page::new(address, builder.finish().unwrap())
}

struct Bees;

impl Relevances for Bees {
    fn relevance(&self, _: &Page, topic: Option<&str>) -> Option<f64> {
        match topic {
            None => Some(0.4),
            Some("bees") => Some(0.75),
            Some(_) => None,
        }
    }

    fn form(&self, words: &FormWords, topic: Option<&str>) -> Option<f64> {
        let has_bees = words.own().iter().any(|word| word == "bee");
        match topic {
            None => Some(0.4),
            Some("bees") => Some(if has_bees { 0.7 } else { 0.2 }),
            Some(_) => None,
        }
    }
}

fn holds(text: &str) -> bool {
    let page = page();
    let from = [Address::parse("http://hub.test/").unwrap()];
    let seen = Seen {
        page: &page,
        linked_from: &from,
        relevances: &Bees,
    };
    let predicate: Predicate = text.parse().unwrap();
    assert_eq!(
        predicate.holds(seen),
        predicate.explain(seen).holds,
        "{text}"
    );
    predicate.holds(seen)
}

#[test]
fn conditions_hold_or_not() {
    for yes in [
        r#"title has "wild BEES""#,
        r#"title is "wild bees of the north""#,
        r#"text has "wild bee""#,
        r#"text regex "nest .. hollow""#,
        r#"url glob "*a.test/bees/*""#,
        r#"path has "mason""#,
        r#"host is "a.test""#,
        r#"language is "en""#,
        r#"form about "bees" or not form wanted"#,
        "size > 40 and size <= 500",
        "links = 1",
        r#"links to "*b.test*""#,
        r#"linked from "http://hub.*""#,
        r#"topic "bees" >= 0.75 and topic < 0.5"#,
        r#"not topic "trains" < 1"#,
        r#"form is "search""#,
        r#"not title has "wasps" and (host is "x" or links >= 1)"#,
    ] {
        assert!(holds(yes), "{yes}");
    }
    for no in [
        r#"title has "bee""#,
        r#"title has "bees wild""#,
        r#"text regex "NEST""#,
        r#"url glob "a.test*""#,
        "links > 1",
        r#"links to "*c.test*""#,
        "topic > 0.4",
        r#"form is "login""#,
        r#"not (host is "a.test")"#,
        r#"host is "x" and links = 1 or links = 2"#,
    ] {
        assert!(!holds(no), "{no}");
    }
}

#[test]
fn it_says_what_held_and_where() {
    let page = page();
    let seen = Seen {
        page: &page,
        linked_from: &[],
        relevances: &(),
    };
    let predicate: Predicate = r#"text has "hollow stems" and links > 3"#.parse().unwrap();
    let found = predicate.explain(seen);
    assert!(!found.holds);
    assert!(found.parts[0].holds && found.parts[0].place.contains("hollow stems"));
    assert_eq!(
        (found.parts[1].holds, found.parts[1].place.as_str()),
        (false, "1")
    );
}

/// An expression that engines that go back and forth take ages for.
#[test]
fn no_expression_is_catastrophic() {
    let mut builder = Builder::new();
    builder.leaf(&"a".repeat(100_000));
    let address = Address::parse("http://a.test/").unwrap();
    let page = Page::new(address, builder.finish().unwrap());
    let predicate: Predicate = r#"text regex "^(a+)+(a|aa)+$b""#.parse().unwrap();
    let seen = Seen {
        page: &page,
        linked_from: &[],
        relevances: &(),
    };
    assert!(!predicate.holds(seen));
    // The largest expression that is taken looks at the beginning of a text alone.
    let mut builder = Builder::new();
    builder.leaf(&format!("{}needle", "b".repeat(300 << 10)));
    let address = Address::parse("http://a.test/").unwrap();
    let page = Page::new(address, builder.finish().unwrap());
    let seen = Seen {
        page: &page,
        ..seen
    };
    let at_the_end: Predicate = r#"text regex "needle""#.parse().unwrap();
    assert!(!at_the_end.holds(seen));
    let huge = r#"text regex "((a{999}){999}){999}""#.parse::<Predicate>();
    assert!(huge.unwrap_err().message.contains("too large"));
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    for (text, place, said) in [
        (r#"titel has "x""#, 1, "is “title” meant?"),
        (r#"title hass "x""#, 7, "is “has” meant?"),
        ("title has bees", 11, "a text in quotes"),
        (
            r#"title has "x" host is "y""#,
            15,
            "“and” or “or” is wanted",
        ),
        (r#"(title has "x""#, 1, "never closed"),
        (r#"title has "x"#, 11, "no closing quote"),
        ("links > many", 9, "a number is wanted"),
        ("links 7", 7, "<, <=, ="),
        (r#"text regex "[""#, 12, "no regular expression"),
        ("title has \"x\" and", 18, "a condition is wanted here"),
        ("", 1, "a condition is wanted here"),
        ("size > 99999999999999999999", 8, "too large"),
        ("héé % 2", 5, "means nothing"),
        ("banana", 1, "there are url, host"),
    ] {
        let error = text.parse::<Predicate>().unwrap_err();
        assert_eq!(error.position, place, "{text}: {error}");
        assert!(error.message.contains(said), "{text}: {error}");
    }
    let many = vec![r#"text regex "a""#; 17].join(" or ");
    let error = many.parse::<Predicate>().unwrap_err();
    assert!(error.message.contains("more than 16 regular"), "{error}");
    let long = format!("title has \"{}\"", "a".repeat(10_000));
    let error = long.parse::<Predicate>().unwrap_err();
    assert!(error.message.contains("longer than 10000"), "{error}");
    let deep = "(".repeat(100_000);
    assert!(deep.parse::<Predicate>().is_err());
    let deep = "not ".repeat(2_000);
    assert!(
        deep.parse::<Predicate>()
            .unwrap_err()
            .message
            .contains("levels")
    );
}

fn random(rng: &mut SplitMix, depth: usize) -> Predicate {
    let pick = |rng: &mut SplitMix, below: u64| rng.bits() % below;
    let parts = |rng: &mut SplitMix| -> Vec<Predicate> {
        (0..2 + pick(rng, 2))
            .map(|_| random(rng, depth + 1))
            .collect()
    };
    match pick(rng, if depth > 3 { 6 } else { 9 }) {
        0 => Predicate::Condition(Condition::Number(
            NumberOf::Size,
            Comparison::AtMost,
            rng.bits(),
        )),
        1 => Predicate::Condition(Condition::Language("de".to_owned())),
        2 => {
            let pattern = Pattern::glob("a\\b\"c*?").unwrap();
            Predicate::Condition(Condition::LinkedFrom(pattern))
        }
        3 => {
            let test = TextTest::Has("wei\\rd \"words\" π".to_owned());
            Predicate::Condition(Condition::Text(TextOf::Path, test))
        }
        4 => {
            let name = (pick(rng, 2) == 0).then(|| "wild \"bees\"".to_owned());
            let share = pick(rng, 101) as f64 / 100.0;
            Predicate::Condition(Condition::Topic(name, Comparison::AtLeast, share))
        }
        5 => {
            let kind = FormKind::ALL[pick(rng, 8) as usize].0;
            let name = (pick(rng, 2) == 0).then(|| "wild \"bees\"".to_owned());
            Predicate::Condition(match pick(rng, 2) {
                0 => Condition::Form(kind),
                _ => Condition::FormAbout(name),
            })
        }
        6 => Predicate::And(parts(rng)),
        7 => Predicate::Or(parts(rng)),
        _ => Predicate::Not(Box::new(random(rng, depth + 1))),
    }
}

#[test]
fn languages_are_named_by_their_codes() {
    let kept = |text: &str| crate::critics::as_asked(text).map_err(|error| error.to_string());
    for (asked, kept_as) in [("ja-JP", "ja"), ("NB", "no"), ("zh", "zh")] {
        let asked = format!("language is \"{asked}\" and links > 3");
        let kept_as = format!("language is \"{kept_as}\" and links > 3");
        assert_eq!(kept(&asked), Ok(kept_as));
    }
    let refused = kept("links > 3 and language is \"Japanese\"").unwrap_err();
    assert!(refused.contains("“japanese” is no language"), "{refused}");
    assert!(refused.contains("28"), "{refused}");
    // One that was kept by an earlier version is still read.
    assert!(crate::critics::as_kept("not language is \"xx\"").is_ok());
}

#[test]
fn what_is_written_is_read_back() {
    let mut rng = SplitMix(8);
    for _ in 0..500 {
        let predicate = random(&mut rng, 0);
        let written = predicate.to_string();
        assert_eq!(
            written.parse::<Predicate>().as_ref(),
            Ok(&predicate),
            "{written}"
        );
    }
}
