//! Model files and taxonomies. Unless it begins with the sign of a file, an input is a body: which kind
//! and version, then bytes, to which the header that fits is made.
//!
//! Promises: what is read can be written, and what is written is read back as the same bytes; a
//! topic model made of it judges and scores pages by finite numbers.

use linkscent_core::dom::html;
use linkscent_core::page::Page;
use linkscent_core::rng::SplitMix;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::{read_model, read_taxonomy, write_model, write_taxonomy};

use super::{Seeds, page_address};
use crate::input::Input;

const SIGN: &[u8] = b"LNKSCENT";
/// Bytes of a header.
const HEADER: usize = 23;

pub fn run(data: &[u8]) {
    if data.starts_with(SIGN) {
        check(data);
        return;
    }
    let mut input = Input::new(data);
    let version = input.choice(&[5, 1, 2, 3, 4]);
    let kind = input.choice(&[1, 2]);
    check(&with_header(version, kind, input.rest()));
}

fn with_header(version: u16, kind: u8, body: &[u8]) -> Vec<u8> {
    let mut file = SIGN.to_vec();
    file.extend(version.to_le_bytes());
    file.push(kind);
    file.extend((body.len() as u64).to_le_bytes());
    file.extend(crc32fast::hash(body).to_le_bytes());
    file.extend(body);
    file
}

fn check(file: &[u8]) {
    if let Ok(taxonomy) = read_taxonomy(file) {
        let written = write_taxonomy(&taxonomy).expect("what was read can be written");
        let again = read_taxonomy(&written).expect("what was written can be read");
        assert_eq!(write_taxonomy(&again).ok(), Some(written));
    }
    let Ok(knowledge) = read_model(file) else {
        return;
    };
    let written = write_model(&knowledge).expect("what was read can be written");
    let again = read_model(&written).expect("what was written can be read");
    let rewritten = write_model(&again).expect("what was read can be written");
    assert!(
        rewritten == written,
        "the model is another when it is read again"
    );
    if let Some(mut topic_model) = TopicModel::with_knowledge(knowledge) {
        use_topic_model(&mut topic_model);
        let learned =
            write_model(&topic_model.knowledge()).expect("what was learned can be written");
        read_model(&learned).expect("what was learned can be read");
    }
}

/// Visits two pages, one by a link of the other.
fn use_topic_model(topic_model: &mut TopicModel) {
    let mut random = SplitMix(1);
    let first = page(
        "/",
        "<title>Bees</title><p>kidney dialysis <a href=/b>bees and honey</a>",
    );
    let visit = topic_model.visit(&first, &[], None, &mut random);
    assert!(visit.judgment.log_odds.is_finite() && visit.judgment.similarity.is_finite());
    let mut via = Vec::new();
    for (link, score) in visit.outlinks {
        if let Some(priority) = score.priority() {
            let probability = topic_model.probability(&link, priority);
            assert!((0.0..=1.0).contains(&probability), "{probability}");
        }
        let _ = topic_model.explain(&link);
        via.push(link);
    }
    let second = page("/b", "<title>Honey</title><p>railway timetable");
    topic_model.visit(&second, &via, Some(Mark::Target), &mut random);
}

fn page(path: &str, body: &str) -> Page {
    let address = page_address().join(path).expect("an address");
    Page::new(address, html::parse(body))
}

pub fn seeds() -> Seeds {
    let file_of = |critic: &str, strategy: &str| {
        let mut topic_model = TopicModel::new(critic, strategy).expect("known by name");
        let mut random = SplitMix(7);
        let first = page(
            "/a",
            "<title>kidney</title><p>dialysis <a href=/b>centres</a><form action=/s><input name=q></form>",
        );
        let visit = topic_model.visit(&first, &[], Some(Mark::Target), &mut random);
        let links: Vec<_> = visit.outlinks.into_iter().map(|row| row.0).collect();
        topic_model.visit(
            &page("/b", "<p>railway"),
            &links,
            Some(Mark::NotTarget),
            &mut random,
        );
        write_model(&topic_model.knowledge()).expect("a model is written")
    };
    let body_of = |critic: &str, strategy: &str| {
        let file = file_of(critic, strategy);
        [b"00", &file[HEADER..]].concat()
    };
    vec![
        ("file", file_of("topic", "apprentice")),
        ("apprentice", body_of("topic", "apprentice")),
        ("intelligent", body_of("topic", "intelligent")),
        ("ache", body_of("topic", "ache")),
        ("ensemble", body_of("topic", "ensemble")),
        (
            "predicate",
            body_of("topic >= 0.5 and links > 0", "best-first"),
        ),
    ]
}
