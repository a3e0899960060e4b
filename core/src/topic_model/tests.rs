mod backlink_tests;
mod meaning_tests;

use super::*;
use crate::dom::{Builder, LeafRange};
use crate::strategies::SplitMix;
use crate::strategies::{EnsembleState, IntelligentCounts};

/// A page from its text and links, each link a leaf of its own behind the text.
pub(in crate::topic_model) fn page(address: &str, text: &str, links: &[(&str, &str)]) -> Page {
    let mut builder = Builder::new();
    builder.leaf(text);
    for _ in 0..7 {
        builder.leaf("menu imprint contact");
    }
    for (href, anchor) in links {
        let first = builder.next_leaf();
        builder.leaf(anchor);
        builder.link(
            href,
            LeafRange {
                first,
                end: first + 1,
            },
        );
        for _ in 0..7 {
            builder.leaf("");
        }
    }
    Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
}

pub(in crate::topic_model) const KIDNEY: &str =
    "Dialysis cleans the blood when kidneys fail; dialysis centres help kidney patients.";
pub(in crate::topic_model) const TRAINS: &str =
    "The railway timetable lists trains, stations and platforms of the railway.";

fn taught() -> (TopicModel, SplitMix) {
    let mut topic_model = TopicModel::new("topic", "apprentice").unwrap();
    let mut rng = SplitMix(3);
    topic_model.visit(&page("http://a.org/t", TRAINS, &[]), &[], None, &mut rng);
    let kidney = page("http://a.org/k", KIDNEY, &[]);
    topic_model.visit(&kidney, &[], Some(Mark::Target), &mut rng);
    (topic_model, rng)
}

#[test]
fn one_marked_page_already_orders_links_and_says_why() {
    let (mut topic_model, mut rng) = taught();
    let hub = page(
        "http://a.org/",
        "Welcome",
        &[("/x", "railway stations"), ("/y", "dialysis for patients")],
    );
    let visit = topic_model.visit(&hub, &[], None, &mut rng);
    let score = |n: usize| visit.outlinks[n].1.priority().unwrap();
    assert!(score(1) > score(0));
    let reason = topic_model.reason(&visit.outlinks[1].0);
    assert!(
        reason.starts_with("“dialysis” is in your target"),
        "{reason}"
    );
    let why_not = topic_model.reason(&visit.outlinks[0].0);
    assert!(
        why_not.starts_with("its words say little of your topic"),
        "{why_not}"
    );
}

#[test]
fn what_the_topic_is_taken_for_can_be_shown() {
    let (mut topic_model, mut rng) = taught();
    topic_model.name_topic("kidney care");
    let more = page("http://a.org/k2", "Kidney patients come for dialysis.", &[]);
    topic_model.visit(&more, &[], None, &mut rng);
    let belief = topic_model.belief();
    assert_eq!(belief.words[0], "dialysis", "{belief:?}");
    assert!(!belief.words.contains(&"railway".to_owned()), "{belief:?}");
    assert_eq!(belief.subtopics.len(), 0, "one target is of one kind");
    let typical: Vec<&str> = belief.typical.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(typical, ["http://a.org/k2"]);
    assert_eq!(
        TopicModel::new("topic", "ensemble").unwrap().belief(),
        Belief::default()
    );
}

#[test]
fn the_critic_tells_topic_from_rest() {
    let (topic_model, _) = taught();
    let more = page("http://a.org/k2", "Kidney patients come for dialysis.", &[]);
    let other = page("http://a.org/t2", "Timetable of trains", &[]);
    assert!(topic_model.judge(&more).is_target);
    let judged = topic_model.judge(&other);
    assert!(!judged.is_target, "{judged:?}");
}

#[test]
fn a_page_stuffed_with_the_topics_words_is_not_it_unless_the_person_says_so() {
    let (mut topic_model, mut rng) = taught();
    let stuffed = page("http://farm.org/1", &KIDNEY.repeat(20), &[]);
    assert!(stuffed.is_stuffed());
    let kidney = topic_model.graph().vocabulary.id("kidney").unwrap();
    let counted = topic_model.graph().vocabulary.occurrences(kidney);
    assert!(
        !topic_model
            .visit(&stuffed, &[], None, &mut rng)
            .judgment
            .is_target
    );
    assert!(!topic_model.judge(&stuffed).is_target);
    assert_eq!(topic_model.graph().vocabulary.occurrences(kidney), counted);
    topic_model.mark(&stuffed, Some(Mark::Target));
    assert!(topic_model.graph().judgment(&stuffed.address).is_target);
    assert!(
        topic_model
            .visit(&stuffed, &[], None, &mut rng)
            .judgment
            .is_target
    );
    topic_model.mark(&stuffed, None);
    assert!(!topic_model.graph().judgment(&stuffed.address).is_target);
}

#[test]
fn a_farm_of_stuffed_pages_does_not_make_other_pages_look_good() {
    let (mut topic_model, mut rng) = taught();
    for number in 0..40 {
        let stuffed = page(
            &format!("http://farm.org/{number}"),
            &KIDNEY.repeat(20),
            &[],
        );
        topic_model.visit(&stuffed, &[], None, &mut rng);
        let other = page(&format!("http://a.org/t{number}"), TRAINS, &[]);
        let judged = topic_model.visit(&other, &[], None, &mut rng).judgment;
        assert!(!judged.is_target, "{number}: {judged:?}");
    }
    let more = page("http://a.org/k2", "Kidney patients come for dialysis.", &[]);
    assert!(topic_model.judge(&more).is_target);
}

#[test]
fn with_more_targets_the_critic_is_surer() {
    let (mut topic_model, mut rng) = taught();
    assert_eq!(
        topic_model.critic().confidence(),
        Some(0.5),
        "one page tells nothing"
    );
    let mut before = 0.5;
    for number in 0..3 {
        let more = page(&format!("http://a.org/k{number}"), KIDNEY, &[]);
        topic_model.visit(&more, &[], Some(Mark::Target), &mut rng);
        let now = topic_model.critic().confidence().unwrap();
        assert!(now > before && now < 1.0, "{now} after {before}");
        before = now;
    }
}

#[test]
fn the_mark_wins_and_taking_it_back_restores_every_judgment() {
    let (mut topic_model, mut rng) = taught();
    let trains = page("http://a.org/t2", "Timetable of trains", &[]);
    topic_model.visit(&trains, &[], None, &mut rng);
    let judgments = |topic_model: &TopicModel| -> Vec<Judgment> {
        topic_model
            .graph()
            .pages()
            .map(|page| page.judgment)
            .collect()
    };
    topic_model.mark(&trains, Some(Mark::Target));
    topic_model.mark(&trains, None);
    let before = judgments(&topic_model);
    topic_model.mark(&trains, Some(Mark::Target));
    assert!(topic_model.judge(&trains).is_target);
    assert_ne!(judgments(&topic_model), before);
    topic_model.mark(&trains, None);
    assert_eq!(judgments(&topic_model), before);
}

#[test]
fn a_page_marked_when_it_is_first_seen_counts_among_the_words_like_any_other() {
    let state = |mark: Option<Mark>| {
        let (mut topic_model, mut rng) = taught();
        let page = page("http://a.org/t2", "Timetable of trains", &[]);
        topic_model.visit(&page, &[], mark, &mut rng);
        topic_model.mark(&page, None);
        let words = &topic_model.graph().vocabulary;
        (words.documents_seen(), words.occurrences_seen())
    };
    let unmarked = state(None);
    assert_eq!(state(Some(Mark::Target)), unmarked);
    assert_eq!(state(Some(Mark::NotTarget)), unmarked);
}

#[test]
fn links_that_led_to_good_pages_are_believed() {
    let (mut topic_model, mut rng) = taught();
    let links = [("/1", "read further"), ("/2", "sign here")];
    for round in 0..30 {
        let hub = page(&format!("http://a.org/hub{round}"), "Welcome", &links);
        let visit = topic_model.visit(&hub, &[], None, &mut rng);
        let arrive = |n: usize, text: &str| {
            let address = format!("http://a.org/{round}/{n}");
            (page(&address, text, &[]), [visit.outlinks[n].0.clone()])
        };
        let (good, via) = arrive(0, KIDNEY);
        topic_model.visit(&good, &via, None, &mut rng);
        let (bad, via) = arrive(1, TRAINS);
        topic_model.visit(&bad, &via, None, &mut rng);
    }
    let hub = page("http://a.org/last", "Welcome", &links);
    let visit = topic_model.visit(&hub, &[], None, &mut rng);
    let score = |n: usize| visit.outlinks[n].1.priority().unwrap().value();
    assert!(
        score(0) > 0.3 && score(1) < -0.3,
        "{} {}",
        score(0),
        score(1)
    );
    let reason = topic_model.reason(&visit.outlinks[0].0);
    assert!(
        reason.contains("led to a good page 30 of 30 times"),
        "{reason}"
    );
}

#[test]
fn bad_pages_alone_do_not_speak_against_what_it_was_told() {
    let (mut topic_model, mut rng) = (TopicModel::new("topic", "ensemble").unwrap(), SplitMix(3));
    let kidney = page("http://a.org/k", KIDNEY, &[]);
    topic_model.visit(&kidney, &[], Some(Mark::Target), &mut rng);
    let links = [("/1", "dialysis here"), ("/2", "more")];
    let mut learned = |number: usize, text: &str, mark: Mark| {
        let hub = page(&format!("http://a.org/hub{number}"), "Welcome", &links);
        let link = topic_model
            .visit(&hub, &[], None, &mut rng)
            .outlinks
            .remove(0)
            .0;
        let found = page(&format!("http://a.org/found{number}"), text, &[]);
        let via = std::slice::from_ref(&link);
        topic_model.visit(&found, via, Some(mark), &mut rng);
        let all = topic_model.explain(&link);
        all.value - all.parts[0].value
    };
    for number in 0..12 {
        let learned = learned(number, TRAINS, Mark::NotTarget);
        assert!(learned.abs() < 1e-9, "{number}: {learned}");
    }
    let after: Vec<f64> = (12..20)
        .map(|number| learned(number, KIDNEY, Mark::Target))
        .collect();
    assert!(after[7].abs() > 0.1, "{after:?}");
}

#[test]
fn a_page_read_again_teaches_nothing_twice() {
    let (mut topic_model, mut rng) = taught();
    let known = page("http://known.org/", "kidney dialysis clinic", &[]);
    topic_model.visit(&known, &[], None, &mut rng);
    let index = page(
        "http://index.org/",
        "an index of pages",
        &[("http://known.org/", "kidney")],
    );
    let before = topic_model.knowledge().learned;
    topic_model.visit(&index, &[], None, &mut rng);
    let once = topic_model.knowledge().learned;
    assert_ne!(once, before, "a link to a known page teaches");
    topic_model.visit(&index, &[], None, &mut rng);
    assert_eq!(topic_model.knowledge().learned, once);
}

/// Whatever was marked in between: once the marks are the same, so is everything
/// that was learned, and every score.
#[test]
fn a_mark_taken_back_leaves_nothing_behind() {
    let mut rng = SplitMix(3);
    let mut topic_models = [(); 2].map(|()| TopicModel::new("topic", "ensemble").unwrap());
    let hub = page(
        "http://a.org/",
        "bees and honey",
        &[("/1", "one"), ("/2", "two"), ("/3", "three")],
    );
    let texts = ["wild bees", "railway timetables", "honey of bees"];
    let mut seen = Vec::new();
    for topic_model in &mut topic_models {
        let visit = topic_model.visit(&hub, &[], Some(Mark::Target), &mut rng);
        let links: Vec<Candidate> = visit.outlinks.into_iter().map(|row| row.0).collect();
        for (number, link) in links.iter().enumerate() {
            let back = [("/", "back"), ("/4", "honey and bees")];
            let address = format!("http://a.org/{}", number + 1);
            let read = page(&address, texts[number], &back);
            let via = std::slice::from_ref(link);
            seen = topic_model
                .visit(&read, via, None, &mut SplitMix(9))
                .outlinks;
            seen.retain(|row| row.0.target.as_str().ends_with("/4"));
        }
    }
    let marked = page("http://a.org/2", texts[1], &[("/", "back")]);
    let [topic_model, other] = &mut topic_models;
    let first = page("http://a.org/1", texts[0], &[("/", "back")]);
    topic_model.mark(&first, Some(Mark::Target));
    other.mark(&marked, Some(Mark::Target));
    let link = &seen[0].0;
    assert_ne!(
        topic_model.score(link),
        other.score(link),
        "a mark says something"
    );
    other.mark(&first, Some(Mark::Target));
    other.mark(&marked, None);
    assert_eq!(topic_model.score(link), other.score(link));
    assert_eq!(topic_model.strategy().state(), other.strategy().state());
    assert_eq!(topic_model.explain(link), other.explain(link));
    let judged = |topic_model: &TopicModel| -> Vec<Judgment> {
        topic_model
            .graph()
            .pages()
            .map(|page| page.judgment)
            .collect()
    };
    assert_eq!(judged(topic_model), judged(other));
}

/// What was judged while a mark held must not pick the pages that the next curve is
/// laid by: from before any mark, and from before the second.
#[test]
fn a_mark_of_many_pages_ago_leaves_nothing_behind() {
    for first_mark in [None, Some(Mark::Target)] {
        let kidney = page("http://a.org/k", KIDNEY, &[]);
        let trains = page("http://a.org/t", TRAINS, &[]);
        let mut topic_models = [(); 2].map(|()| TopicModel::new("topic", "ensemble").unwrap());
        let mut via = Vec::new();
        for (topic_model, is_marking) in topic_models.iter_mut().zip([false, true]) {
            let mut rng = SplitMix(3);
            topic_model.visit(&kidney, &[], first_mark, &mut rng);
            topic_model.visit(&trains, &[], None, &mut rng);
            if is_marking {
                topic_model.mark(&trains, Some(Mark::Target));
            }
            via.clear();
            for number in 0..60 {
                let text = match number % 3 {
                    0 => format!("{TRAINS} Tracks, signals and tickets {number}."),
                    1 => format!("Kidney patients come for dialysis {number}."),
                    _ => format!("Bees and honey, flowers and hives {number}."),
                };
                let address = format!("http://a.org/{number}");
                let read = page(&address, &text, &[("/next", "go on")]);
                let visit = topic_model.visit(&read, &via, None, &mut rng);
                via = vec![visit.outlinks[0].0.clone()];
            }
            if is_marking {
                let pages = topic_model.graph().pages();
                let good = pages.filter(|page| page.judgment.is_target).count();
                assert!(good > 20, "the mark says something: {good}");
                topic_model.mark(&trains, None);
            }
        }
        let [unmarked, marked] = &mut topic_models;
        let waiting = via.remove(0);
        let judged = |topic_model: &TopicModel| -> Vec<Judgment> {
            topic_model
                .graph()
                .pages()
                .map(|page| page.judgment)
                .collect()
        };
        if first_mark.is_none() {
            assert_eq!(judged(unmarked), judged(marked), "no page is good");
        }
        // What was learned page by page, by what was known at the time, is learned by
        // what is known now.
        unmarked.rebuild();
        assert_eq!(judged(unmarked), judged(marked), "{first_mark:?}");
        assert_eq!(unmarked.critic().confidence(), marked.critic().confidence());
        assert_eq!(unmarked.strategy().state(), marked.strategy().state());
        assert_eq!(unmarked.score(&waiting), marked.score(&waiting));
        assert_eq!(unmarked.explain(&waiting), marked.explain(&waiting));
    }
}

#[test]
fn trimmed_knowledge_is_smaller_and_goes_on() {
    let (mut topic_model, mut rng) = (TopicModel::new("topic", "ensemble").unwrap(), SplitMix(3));
    let mut via = Vec::new();
    for number in 0..40 {
        let next = format!("/{}", number + 1);
        let words = format!("{KIDNEY} word{number}");
        let read = page(
            &format!("http://a.org/{number}"),
            &words,
            &[(&next, "go on")],
        );
        let mark = (number == 0).then_some(Mark::Target);
        let visit = topic_model.visit(&read, &via, mark, &mut rng);
        via = vec![visit.outlinks[0].0.clone()];
    }
    let whole = topic_model.knowledge();
    let trimmed = whole.clone().trimmed(10, 15);
    assert_eq!(
        (trimmed.graph.pages().len(), trimmed.arrivals.len()),
        (10, 15)
    );
    assert!(
        trimmed
            .arrivals
            .iter()
            .all(|past| past.via[0].trail.len() <= 3)
    );
    assert_eq!(
        trimmed.arrivals.last().map(|past| &past.address),
        whole.arrivals.last().map(|past| &past.address)
    );
    let going_on = TopicModel::with_knowledge(trimmed).unwrap();
    assert_eq!(
        going_on.strategy().state(),
        whole.learned,
        "so little is kept whole"
    );
}

#[test]
fn a_strategy_that_takes_over_starts_from_the_log() {
    let mut topic_model = TopicModel::new("topic", "apprentice").unwrap();
    let mut rng = SplitMix(3);
    let hub = page(
        "http://a.org/",
        "bees and honey",
        &[("/1", "one"), ("/2", "two")],
    );
    let visit = topic_model.visit(&hub, &[], Some(Mark::Target), &mut rng);
    let link = visit.outlinks[0].0.clone();
    topic_model.visit(
        &page("http://a.org/1", "wild bees", &[]),
        &[link],
        None,
        &mut rng,
    );
    for strategy in ["intelligent", "ensemble"] {
        let mut knowledge = topic_model.knowledge();
        strategy.clone_into(&mut knowledge.strategy);
        let taken_over = TopicModel::with_knowledge(knowledge).unwrap();
        let (learned, terms) = (
            taken_over.strategy().state(),
            taken_over.graph().vocabulary.len(),
        );
        let pages = if strategy == "intelligent" {
            let counts: Option<IntelligentCounts> = learned.read(terms).unwrap();
            counts.unwrap().all.seen
        } else {
            let state: Option<EnsembleState> = learned.read(terms).unwrap();
            state.unwrap().groups.all.pages
        };
        assert_eq!(pages, 1.0, "{strategy}");
    }
}

#[test]
fn the_question_is_about_a_doubtful_page_on_which_links_hang() {
    let (mut topic_model, mut rng) = taught();
    let mut waiting = Vec::new();
    let texts = [
        ("http://b.org/k", KIDNEY),
        ("http://b.org/t", TRAINS),
        (
            "http://b.org/half",
            "Patients take the railway to their dialysis centres.",
        ),
    ];
    for (address, text) in texts {
        let hub = page("http://c.org/", "Welcome", &[(address, "go on")]);
        let link = topic_model.visit(&hub, &[], None, &mut rng).outlinks[0]
            .0
            .clone();
        let read = page(address, text, &[("/more", "more")]);
        let visit = topic_model.visit(&read, &[link], None, &mut rng);
        waiting.extend(visit.outlinks.into_iter().map(|row| row.0));
    }
    let mut asked = std::collections::BTreeSet::new();
    let question = topic_model.question(waiting.iter(), &asked).unwrap();
    assert!(question.doubt > 0.0 && question.mass > 0.0);
    asked.insert(question.address.clone());
    let next = topic_model.question(waiting.iter(), &asked).unwrap();
    assert_ne!(next.address, question.address);
    assert!(next.value() <= question.value());
    let answered = page("http://b.org/half", texts[2].1, &[]);
    topic_model.mark(&answered, Some(Mark::Target));
    let after = topic_model.question(waiting.iter(), &std::collections::BTreeSet::new());
    assert!(after.is_none_or(|question| question.address != answered.address));
    assert_eq!(topic_model.question(std::iter::empty(), &asked), None);
}
