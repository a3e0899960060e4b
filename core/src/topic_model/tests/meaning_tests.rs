//! What a topic's name and the meaning of words add to the words of marked pages.

use super::*;
use crate::strategies::{Priority, Promise};
use crate::text::Language;
use crate::wire::api::marked_terms;
use crate::wire::{read_model, write_model};

const CASTLE: &str = "The castle was built on a hill; its towers, moat and walls were a fortress.";
const PAINTER: &str = "The painter sold portraits and landscapes in oil to a gallery.";
const VOLCANO: &str = "Lava and ash poured from the crater when the volcano erupted.";

/// A topic model that has read pages of every kind but castles.
fn well_read() -> (TopicModel, SplitMix) {
    let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    let mut rng = SplitMix(3);
    for number in 0..8 {
        for (kind, text) in [KIDNEY, TRAINS, VOLCANO].into_iter().enumerate() {
            let address = format!("http://a.org/{kind}/{number}");
            let text = format!("{text} Number {number}.");
            topic_model.visit(&page(&address, &text, &[]), &[], None, &mut rng);
        }
    }
    (topic_model, rng)
}

fn relevance(topic_model: &TopicModel, text: &str) -> f64 {
    let page = page("http://b.org/new", text, &[]);
    topic_model.judge(&page).relevance.value()
}

#[test]
fn a_name_alone_tells_pages_by_their_words_and_their_meaning() {
    let (mut topic_model, _) = well_read();
    assert_eq!(
        relevance(&topic_model, CASTLE),
        0.0,
        "nothing is looked for"
    );
    assert!(topic_model.name_topic("medieval castles"));
    assert!(
        !topic_model.name_topic("medieval castles"),
        "nothing changed"
    );
    let named = relevance(&topic_model, CASTLE);
    let alike = relevance(
        &topic_model,
        "Knights defended the fortress from its stone ramparts.",
    );
    let other = relevance(&topic_model, TRAINS);
    assert!(named > 3.0 * other, "{named} {other}");
    assert!(alike > 2.0 * other, "{alike} {other}");
}

#[test]
fn a_link_in_other_words_of_the_topics_meaning_comes_first() {
    let (mut topic_model, mut rng) = well_read();
    topic_model.mark(&page("http://b.org/c", CASTLE, &[]), Some(Mark::Target));
    let links = [("/x", "ticket platform"), ("/y", "fortified citadel")];
    let visit = topic_model.visit(
        &page("http://a.org/hub", "Welcome", &links),
        &[],
        None,
        &mut rng,
    );
    let priority = |n: usize| visit.outlinks[n].1.priority().unwrap();
    assert!(priority(1) > priority(0));
}

#[test]
fn likeness_to_a_target_ranks_a_link_as_long_as_little_was_found() {
    let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    let mut rng = SplitMix(3);
    topic_model.visit(
        &page("http://b.org/c", CASTLE, &[]),
        &[],
        Some(Mark::Target),
        &mut rng,
    );
    let links = [("/x", "moat towers"), ("/y", "ticket office")];
    let hub = page("http://a.org/hub", "Welcome", &links);
    let start = topic_model.visit(&hub, &[], None, &mut rng).outlinks;
    let like = |topic_model: &TopicModel, n: usize| {
        let all = topic_model.explain(&start[n].0);
        all.parts[0]
            .parts
            .last()
            .map_or(f64::NAN, |part| part.value)
    };
    let first = [like(&topic_model, 0), like(&topic_model, 1)];
    assert!(first[0] > first[1] + 0.5, "{first:?}");
    let via = std::slice::from_ref(&start[1].0);
    let mut read = |text: &str, count: usize| {
        for number in 0..count {
            let found = page(&format!("http://a.org/{}/{number}", text.len()), text, &[]);
            topic_model.visit(&found, via, None, &mut rng);
        }
        like(&topic_model, 0)
    };
    let not_found = read(TRAINS, 20);
    assert!((0.8..1.2).contains(&(not_found / first[0])), "{first:?}");
    // Ten that say what the target says.
    let later = read(CASTLE, 10);
    assert!((0.4..0.6).contains(&(later / not_found)), "{later}");
    // It is no evidence: neither what is expected of the link nor what is promised has it.
    let priority = topic_model.score(&start[0].0).priority().unwrap();
    assert!((priority.value() - priority.log_odds() - later).abs() < 1e-9);
    let expected = topic_model.expected(&start[0].0).unwrap().value();
    assert!((1.0 / (1.0 + (-priority.log_odds()).exp()) - expected).abs() < 1e-9);
    let promised = |priority| match topic_model.strategy.promise(priority) {
        Promise::AboveUsual(promised) => promised,
        Promise::Probability(share) => panic!("{share}"),
    };
    assert_eq!(promised(priority), promised(priority.boosted(3.0)));
    let more = Priority::new(0, priority.log_odds() + 3.0);
    assert!((promised(more) - promised(priority) - 3.0).abs() < 1e-9);
}

#[test]
fn a_page_counts_by_the_nearest_of_two_kinds_of_target() {
    let (mut topic_model, _) = well_read();
    topic_model.mark(&page("http://b.org/c", CASTLE, &[]), Some(Mark::Target));
    let alone = relevance(&topic_model, CASTLE);
    topic_model.mark(&page("http://b.org/p", PAINTER, &[]), Some(Mark::Target));
    let [castle, painter] = [CASTLE, PAINTER].map(|text| relevance(&topic_model, text));
    assert!(
        alone > 0.5 && castle > 0.5 && painter > 0.5,
        "{alone} {castle} {painter}"
    );
    assert!(relevance(&topic_model, TRAINS) < 0.2);
}

#[test]
fn what_is_not_meant_is_less_likely_and_the_rest_is_not() {
    let (mut topic_model, _) = well_read();
    topic_model.mark(&page("http://b.org/c", CASTLE, &[]), Some(Mark::Target));
    let sand = "Children build a sand castle with towers on the beach by the sea.";
    let before = [sand, CASTLE].map(|text| relevance(&topic_model, text));
    topic_model.mark(&page("http://b.org/s", sand, &[]), Some(Mark::NotTarget));
    let after = [sand, CASTLE].map(|text| relevance(&topic_model, text));
    assert!(after[0] < before[0], "{before:?} {after:?}");
    assert!(after[1] > 0.5, "{before:?} {after:?}");
}

#[test]
fn names_of_every_kind_do_no_harm() {
    for name in [
        "",
        " ",
        "\u{0}",
        "🏰🏰🏰",
        &"castle ".repeat(100_000),
        "the of and",
        "城",
    ] {
        let (mut topic_model, _) = well_read();
        topic_model.name_topic(name);
        assert!(
            (0.0..=1.0).contains(&relevance(&topic_model, CASTLE)),
            "{name:.20}"
        );
        assert!(topic_model.graph().topic_name.chars().count() <= 201);
    }
}

#[test]
fn a_model_file_keeps_the_name() {
    let (mut topic_model, _) = well_read();
    topic_model.name_topic("castles");
    let file = write_model(&topic_model.knowledge()).unwrap();
    let back = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    assert_eq!(back.graph().topic_name, "castles");
    assert!((relevance(&back, CASTLE) - relevance(&topic_model, CASTLE)).abs() < 1e-9);
}

fn say(topic_model: &mut TopicModel, phrases: &[(&str, bool)]) -> bool {
    let phrases = phrases.iter();
    topic_model.take_phrases(phrases.map(|&(text, wanted)| (text.to_owned(), wanted)))
}

#[test]
fn what_is_said_of_a_topic_counts_like_its_name() {
    let (mut topic_model, _) = well_read();
    topic_model.name_topic("my holidays");
    let before = relevance(&topic_model, CASTLE);
    let fortress = ("old fortresses with walls and towers", true);
    assert!(say(&mut topic_model, &[fortress]));
    assert!(!say(&mut topic_model, &[fortress]), "nothing changed");
    let described = relevance(&topic_model, CASTLE);
    assert!(described > 2.0 * before, "{described} {before}");
    assert!(described > 3.0 * relevance(&topic_model, PAINTER));
    // What it is not takes away from pages like that, and from hardly any others.
    let moat = "The castle hotel has rooms with breakfast, and guests book the castle online.";
    let hotel = relevance(&topic_model, moat);
    assert!(say(
        &mut topic_model,
        &[fortress, ("hotel rooms for guests", false)]
    ));
    let (without, castle) = (
        relevance(&topic_model, moat),
        relevance(&topic_model, CASTLE),
    );
    assert!(without < 0.7 * hotel, "{without} {hotel}");
    assert!(
        (castle - described).abs() < 0.1 * described,
        "{castle} {described}"
    );
    // Taken back, nothing is left of it.
    assert!(say(&mut topic_model, &[fortress]));
    assert_eq!(relevance(&topic_model, moat), hotel);
}

#[test]
fn what_was_said_goes_along_with_the_knowledge_and_has_bounds() {
    let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    say(
        &mut topic_model,
        &[("Norman keeps", true), ("hotels", false)],
    );
    let known = write_model(&topic_model.knowledge().trimmed(10, 10)).unwrap();
    let back = TopicModel::with_knowledge(read_model(&known).unwrap()).unwrap();
    assert_eq!(back.graph().phrases, topic_model.graph().phrases);
    assert_eq!(
        back.graph().topic_meaning,
        topic_model.graph().topic_meaning
    );
    let many = (0..2 * MOST_PHRASES).map(|number| (format!("word{number}"), true));
    topic_model.take_phrases(many.chain([("y".repeat(5_000), true), (String::new(), false)]));
    let said = &topic_model.graph().phrases;
    assert_eq!(said.len(), MOST_PHRASES);
    assert!(
        said.keys()
            .all(|text| text.chars().count() <= 1_001 && !text.is_empty())
    );
}

#[test]
fn a_name_is_read_in_the_language_of_the_targets() {
    const SCHLOSS: &str = "Das Schloss wurde auf einem Hügel über dem Fluss gebaut; seine Türme, \
        der Graben und die Mauern schützten die Bewohner vor den Feinden, die aus dem Tal kamen.";
    const BAHN: &str = "Die Fahrkarten für den Zug werden am Schalter verkauft, und der Fahrplan \
        hängt auf dem Bahnsteig neben der Uhr, an der die Reisenden auf die Abfahrt warten.";
    let (mut topic_model, mut rng) = well_read();
    topic_model.name_topic("Schlösser in Bayern");
    let known = |topic_model: &TopicModel, word: &str| {
        let id = topic_model.graph().vocabulary.id(word);
        id.is_some_and(|id| topic_model.graph().topic_meaning.name_terms().contains(&id))
    };
    assert_eq!(
        topic_model.graph().topic_meaning.language(),
        Language::English
    );
    assert!(
        !known(&topic_model, "schloss"),
        "nothing tells the language yet"
    );
    for number in 0..4 {
        let address = format!("http://a.org/bahn/{number}");
        topic_model.visit(&page(&address, BAHN, &[]), &[], None, &mut rng);
    }
    topic_model.mark(&page("http://b.org/c", SCHLOSS, &[]), Some(Mark::Target));
    assert_eq!(
        topic_model.graph().topic_meaning.language(),
        Language::German
    );
    // The plural is that word, too, and what says nothing in German is no word of the name.
    assert!(known(&topic_model, "schloss") && known(&topic_model, "bay"));
    assert_eq!(topic_model.graph().topic_meaning.name_terms().len(), 2);
    let links = [("/x", "Fahrplan der Bahn"), ("/y", "Das Schloss am See")];
    let hub = page("http://a.org/hub", BAHN, &links);
    let visit = topic_model.visit(&hub, &[], None, &mut rng);
    let reason = topic_model.reason(&visit.outlinks[1].0);
    assert!(
        reason.contains("“Schloss” is in your topic's name"),
        "{reason}"
    );
    // English vectors would call this close in meaning to the name: it is spelled a little like it.
    let hub = page("http://a.org/other", BAHN, &[("/z", "Feindschaft")]);
    let visit = topic_model.visit(&hub, &[], None, &mut rng);
    let reason = topic_model.reason(&visit.outlinks[0].0);
    assert!(reason.contains("say little of your topic"), "{reason}");
    // A word of the target is told, though it is too long for a vector.
    let both = [("/w", "Weiter zu den Bewohnern")];
    let hub = page("http://a.org/way", BAHN, &both);
    let visit = topic_model.visit(&hub, &[], None, &mut rng);
    let reason = topic_model.reason(&visit.outlinks[0].0);
    assert!(reason.contains("“Bewohnern” is in your target"), "{reason}");
    // Another program that is told the terms of a target alone knows it as soon as it reads pages.
    let file = write_model(&topic_model.knowledge()).unwrap();
    let back = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    assert_eq!(back.graph().topic_meaning.language(), Language::German);
    let (mut told, mut rng) = well_read();
    told.name_topic("Schlösser in Bayern");
    let target = page("http://b.org/c", SCHLOSS, &[]);
    let words = target.heaviest_words(100);
    let terms = marked_terms(&words, &mut told.graph.vocabulary);
    told.mark_all(&[(target.address.clone(), terms, Some(Mark::Target))]);
    assert_eq!(told.graph().topic_meaning.language(), Language::English);
    let file = write_model(&told.knowledge()).unwrap();
    let mut told = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    told.visit(&target, &[], None, &mut rng);
    told.judge_again();
    assert_eq!(told.graph().topic_meaning.language(), Language::German);
    // Without a target it is read as most of the pages that were read last.
    topic_model.mark(&page("http://b.org/c", SCHLOSS, &[]), None);
    assert_eq!(
        topic_model.graph().topic_meaning.language(),
        Language::German
    );
    for number in 0..5 {
        let address = format!("http://c.org/{number}");
        topic_model.visit(&page(&address, TRAINS, &[]), &[], None, &mut rng);
    }
    topic_model.judge_again();
    assert_eq!(
        topic_model.graph().topic_meaning.language(),
        Language::English
    );
    assert!(!known(&topic_model, "schloss"));
}

#[test]
fn a_page_counts_by_the_nearest_subtopic_that_was_said() {
    let keep = "Knights defended the castle from its towers and stone ramparts.";
    let garden = "The castle gardener planted roses, tulips and hedges along the paths.";
    let (mut topic_model, _) = well_read();
    let address = |path: &str| Address::parse(&format!("http://b.org{path}")).unwrap();
    topic_model.mark(&page("http://b.org/keep", keep, &[]), Some(Mark::Target));
    topic_model.mark(
        &page("http://b.org/garden", garden, &[]),
        Some(Mark::Target),
    );
    assert_eq!(topic_model.belief().subtopics, [], "they are alike enough");
    let together = [keep, garden].map(|text| relevance(&topic_model, text));
    let subtopics = || [(address("/garden"), "castle gardens".to_owned())];
    assert!(topic_model.take_subtopics(subtopics()));
    assert!(!topic_model.take_subtopics(subtopics()), "nothing changed");
    let apart = [keep, garden].map(|text| relevance(&topic_model, text));
    assert!(
        apart[0] > together[0] && apart[1] > together[1],
        "{apart:?} {together:?}"
    );
    let subtopic = |name: &str, path: &str| Subtopic {
        name: name.to_owned(),
        pages: vec![address(path)],
    };
    let both = [subtopic("castle gardens", "/garden"), subtopic("", "/keep")];
    assert_eq!(topic_model.belief().subtopics, both);
    // A model file has them, and taking them back leaves no trace.
    let file = write_model(&topic_model.knowledge()).unwrap();
    let read = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    assert_eq!(read.belief().subtopics, both);
    assert!(topic_model.take_subtopics([]));
    let again = [keep, garden].map(|text| relevance(&topic_model, text));
    assert_eq!(again, together);
    assert_eq!(topic_model.belief().subtopics, []);
}
