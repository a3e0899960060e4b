//! Every known backlink counts, whatever a frontier keeps of the links.

use super::*;
use crate::strategies::names;
use crate::wire::{read_model, write_model};

/// A topic model by `backlinks >= least` that has read 20 pages with a link to one page, and that
/// page.
fn linked_twenty_times(strategy: &str, least: usize) -> (TopicModel, Page) {
    let mut topic_model = TopicModel::new(&format!("backlinks >= {least}"), strategy).unwrap();
    let mut rng = SplitMix(5);
    for number in 0..20 {
        let address = format!("http://hub.org/{number}");
        let hub = page(&address, KIDNEY, &[("/end", "more"), (&address, "here")]);
        topic_model.visit(&hub, &[], None, &mut rng);
        // Read twice, it is still one page.
        topic_model.visit(&hub, &[], None, &mut rng);
    }
    (topic_model, page("http://hub.org/end", TRAINS, &[]))
}

#[test]
fn every_known_backlink_counts_under_every_strategy() {
    for strategy in names() {
        for (least, holds) in [(20, true), (21, false)] {
            let (mut topic_model, end) = linked_twenty_times(strategy, least);
            assert_eq!(topic_model.judge(&end).is_target, holds, "{strategy}");
            // Also where it is reached by one link alone.
            let visit = topic_model.visit(&end, &[], None, &mut SplitMix(6));
            assert_eq!(visit.judgment.is_target, holds, "{strategy}");
        }
    }
}

#[test]
fn backlinks_are_kept_and_forgotten_with_the_pages_they_stand_on() {
    let (topic_model, end) = linked_twenty_times("apprentice", 1);
    let backlinks = |topic_model: &TopicModel| topic_model.graph().backlinks(&end.address).count();
    assert_eq!(backlinks(&topic_model), 20);
    let file = write_model(&topic_model.knowledge()).unwrap();
    let again = TopicModel::with_knowledge(read_model(&file).unwrap()).unwrap();
    assert_eq!(backlinks(&again), 20);
    // A browser is sent the newest pages, with their links.
    let few = TopicModel::with_knowledge(topic_model.knowledge().trimmed(5, 5)).unwrap();
    assert_eq!(backlinks(&few), 5);
    let forget = |topic_model: &TopicModel, page: &str| {
        let mut gone = ToForget::default();
        gone.pages.insert(Address::parse(page).unwrap());
        TopicModel::with_knowledge(topic_model.knowledge().forget(&gone)).unwrap()
    };
    let mut read = topic_model;
    read.visit(&end, &[], None, &mut SplitMix(6));
    let after = forget(&read, "http://hub.org/7");
    assert_eq!(backlinks(&after), 19);
    assert_eq!(backlinks(&forget(&after, "http://hub.org/end")), 0);
    // A link on a page that the file lacks is damage.
    let mut knowledge = read.knowledge();
    knowledge.graph.put_backlinks(end.address.key(), &[0]);
    assert!(!knowledge.graph.put_backlinks(end.address.key(), &[999]));
}

#[test]
fn nobody_keeps_backlinks_who_does_not_ask_for_them() {
    let mut topic_model = TopicModel::new("topic", "apprentice").unwrap();
    let hub = page("http://hub.org/", KIDNEY, &[("/end", "more")]);
    topic_model.visit(&hub, &[], None, &mut SplitMix(5));
    assert_eq!(topic_model.graph().backlink_rows().count(), 0);
}
