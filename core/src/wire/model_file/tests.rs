use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::address::Address;
use crate::dom::Builder;
use crate::dom::LeafRange;
use crate::forms::FormWords;
use crate::page::Page;
use crate::strategies::{Rng, SplitMix};
use crate::text::Language;
use crate::topic_model::TopicModel;
use crate::web_graph::Mark;

fn page(address: &str, words: &str, link: &str) -> Page {
    let mut builder = Builder::new();
    builder.leaf(words);
    builder.leaf("dialysis centres nearby");
    builder.link(link, LeafRange { first: 1, end: 2 });
    Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
}

fn knowledge() -> Knowledge {
    knowledge_of("apprentice")
}

fn knowledge_of(strategy: &str) -> Knowledge {
    let mut topic_model = TopicModel::new("topic", strategy).unwrap();
    let mut rng = SplitMix(7);
    let first = page("http://a.org/", "kidney and dialysis", "/b");
    let visit = topic_model.visit(&first, &[], Some(Mark::Target), &mut rng);
    let link = visit.outlinks[0].0.clone();
    let second = page("http://a.org/b", "railway timetable", "/c");
    topic_model.visit(&second, &[link], Some(Mark::NotTarget), &mut rng);
    let words = FormWords::of_text("departure airport", Language::English);
    topic_model.mark_form(&first.address, "get /find q", words.clone(), Some(true));
    let mut knowledge = topic_model.knowledge();
    let place = (second.address.clone(), "get /trains from,to".to_owned());
    knowledge.graph.remember_form(place, words);
    let other = (
        "bees".to_owned(),
        crate::critics::NamedTopic::of(topic_model.graph()),
    );
    knowledge.sources.topics.extend([other]);
    knowledge
}

fn same(a: &Knowledge, b: &Knowledge) {
    assert_eq!(a.graph.marks, b.graph.marks);
    let pages = |knowledge: &Knowledge| knowledge.graph.pages().cloned().collect::<Vec<_>>();
    assert_eq!(pages(a), pages(b));
    assert!(a.graph.vocabulary.rows().eq(b.graph.vocabulary.rows()));
    assert!(a.graph.forms().eq(b.graph.forms()));
    assert_eq!(a.graph.form_marks, b.graph.form_marks);
    assert_eq!(a.sources.topics, b.sources.topics);
    assert_eq!(a.learned, b.learned);
    assert_eq!(a.arrivals, b.arrivals);
    assert_eq!((&a.critic, &a.strategy), (&b.critic, &b.strategy));
}

#[test]
fn everything_comes_back() {
    for strategy in [
        "apprentice",
        "intelligent",
        "ache",
        "ensemble",
        "hub",
        "info-spiders",
        "q-linear",
        "reinforcement",
        "topic-pagerank",
    ] {
        let before = knowledge_of(strategy);
        let after = read_model(&write_model(&before).unwrap()).unwrap();
        same(&before, &after);
        assert!(TopicModel::with_knowledge(after).is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ProptestConfig::default().cases / 8))]

    /// Whatever pages were read and marked.
    #[test]
    fn what_was_learned_from_any_pages_comes_back(
        pages in vec(("[a-z]{1,6}", any::<String>(), proptest::option::of(any::<bool>())), 1..8),
    ) {
        let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
        let mut rng = SplitMix(7);
        for (name, words, marked) in pages {
            let page = page(&format!("http://a.org/{name}"), &words, "/b");
            let mark = marked.map(|is_target| if is_target { Mark::Target } else { Mark::NotTarget });
            topic_model.visit(&page, &[], mark, &mut rng);
        }
        let before = topic_model.knowledge();
        let file = write_model(&before).unwrap();
        let after = read_model(&file).unwrap();
        same(&before, &after);
        prop_assert_eq!(write_model(&after).unwrap(), file);
    }
}

#[test]
fn every_truncation_is_an_error() {
    let file = write_model(&knowledge()).unwrap();
    for length in 0..file.len() {
        assert!(read_model(&file[..length]).is_err(), "{length} bytes");
    }
    let mut longer = file.clone();
    longer.push(0);
    assert!(matches!(
        read_model(&longer),
        Err(ModelError::Length { .. })
    ));
}

/// Damage is found by the checksum; a file made on purpose has a fitting one,
/// so the body's reader is tried with it repaired.
#[test]
fn ten_thousand_mutated_files_never_panic() {
    let file = write_model(&knowledge()).unwrap();
    let mut rng = SplitMix(1);
    let mut read = 0;
    for _ in 0..10_000 {
        let mut broken = file.clone();
        for _ in 0..=rng.bits() >> 62 {
            let at = HEADER + (rng.bits() >> 16) as usize % (broken.len() - HEADER);
            broken[at] = (rng.bits() >> 32) as u8;
        }
        if broken != file {
            assert!(matches!(read_model(&broken), Err(ModelError::Checksum)));
        }
        let checksum = crc32fast::hash(&broken[HEADER..]).to_le_bytes();
        broken[HEADER - 4..HEADER].copy_from_slice(&checksum);
        if let Ok(knowledge) = read_model(&broken) {
            read += 1;
            TopicModel::with_knowledge(knowledge);
        }
    }
    assert!(
        read > 0,
        "no mutation got past the reader: the test shows nothing"
    );
}

/// A file with this body and a header that fits.
fn with_body(body: &[u8]) -> Vec<u8> {
    let mut file = write_model(&knowledge()).unwrap()[..HEADER].to_vec();
    file[11..19].copy_from_slice(&(body.len() as u64).to_le_bytes());
    file[19..HEADER].copy_from_slice(&crc32fast::hash(body).to_le_bytes());
    file.extend_from_slice(body);
    file
}

#[test]
fn a_part_that_is_not_known_is_left_aside_and_one_that_lacks_is_named() {
    let before = knowledge_of("ensemble");
    let file = write_model(&before).unwrap();
    let mut body = Body(file[HEADER..].to_vec());
    body.add("of-the-future", &(7, "kidneys"));
    same(&before, &read_model(&with_body(&body.0)).unwrap());
    let mut twice = Body(body.0.clone());
    twice.add("of-the-future", &8);
    let error = read_model(&with_body(&twice.0)).unwrap_err();
    assert!(error.to_string().contains("twice"), "{error}");
    let mut many = Body::default();
    (0..300).for_each(|number| many.add(&number.to_string(), &number));
    let error = read_model(&with_body(&many.0)).unwrap_err();
    assert!(error.to_string().contains("too many parts"), "{error}");
    let mut alone = Body::default();
    for (name, bytes) in Sections::of_body(&body.0).unwrap().iter() {
        if name != "pages" {
            alone.add_bytes(name, bytes);
        }
    }
    let error = read_model(&with_body(&alone.0)).unwrap_err();
    assert!(error.to_string().contains("no part “pages”"), "{error}");
}

#[test]
fn what_a_strategy_learned_is_checked_by_the_strategy() {
    let mut knowledge = knowledge_of("ensemble");
    assert!(knowledge.learned.parts().count() >= 4);
    knowledge.learned = knowledge.learned.with_part("intelligent", vec![255; 9]);
    let error = read_model(&write_model(&knowledge).unwrap()).unwrap_err();
    assert!(matches!(error, ModelError::Learned(_)), "{error}");
    assert!(TopicModel::with_knowledge(knowledge).is_none());
}

#[test]
fn headers_say_what_is_wrong() {
    let file = write_model(&knowledge()).unwrap();
    let with = |at: usize, byte: u8| {
        let mut other = file.clone();
        other[at] = byte;
        read_model(&other).unwrap_err().to_string()
    };
    assert_eq!(with(0, b'X'), "this is not a Linkscent model file");
    assert!(with(8, 9).contains("update it"));
    assert!(with(10, 7).contains("kind 7"));
}

/// Files of every version that was ever released lie beside this test.
/// `KEEP_MODEL=1` writes one of today's version, when it is new.
#[test]
fn old_versions_go_on_loading() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/wire/model_file");
    if std::env::var_os("KEEP_MODEL").is_some() {
        let file = write_model(&knowledge_of("ensemble")).unwrap();
        std::fs::write(folder.join(format!("version-{VERSION}.model")), file).unwrap();
    }
    for version in 1..=VERSION {
        let path = folder.join(format!("version-{version}.model"));
        let knowledge = read_model(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(knowledge.graph.marks.len(), 2);
        assert_eq!(knowledge.strategy, "ensemble", "the default of its time");
        let forms = usize::from(version >= 3);
        assert_eq!(knowledge.graph.form_marks.len(), forms);
        assert_eq!(knowledge.arrivals.len(), 1);
        let learners: Vec<&str> = knowledge.learned.parts().map(|part| part.0).collect();
        let expected: &[&str] = match version {
            1..=3 => &["apprentice"],
            _ => &["ache", "apprentice", "ensemble", "intelligent"],
        };
        assert_eq!(learners, expected, "version {version}");
        assert!(TopicModel::with_knowledge(knowledge).is_some());
    }
}
