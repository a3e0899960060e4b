//! Every known backlink counts, whatever a frontier keeps of the links.

use super::*;
use crate::strategies::names;
use crate::wire::{read_model, write_model};

/// A guide by `backlinks >= least` that has read 20 pages with a link to one page, and that
/// page.
fn linked_twenty_times(strategy: &str, least: usize) -> (Guide, Page) {
    let mut guide = Guide::new(&format!("backlinks >= {least}"), strategy).unwrap();
    let mut rng = SplitMix(5);
    for number in 0..20 {
        let address = format!("http://hub.org/{number}");
        let hub = page(&address, KIDNEY, &[("/end", "more"), (&address, "here")]);
        guide.visit(&hub, &[], None, &mut rng);
        // Read twice, it is still one page.
        guide.visit(&hub, &[], None, &mut rng);
    }
    (guide, page("http://hub.org/end", TRAINS, &[]))
}

#[test]
fn every_known_backlink_counts_under_every_strategy() {
    for strategy in names() {
        for (least, holds) in [(20, true), (21, false)] {
            let (mut guide, end) = linked_twenty_times(strategy, least);
            assert_eq!(guide.judge(&end).is_target, holds, "{strategy}");
            // Also where it is reached by one link alone.
            let visit = guide.visit(&end, &[], None, &mut SplitMix(6));
            assert_eq!(visit.judgment.is_target, holds, "{strategy}");
        }
    }
}

#[test]
fn backlinks_are_kept_and_forgotten_with_the_pages_they_stand_on() {
    let (guide, end) = linked_twenty_times("apprentice", 1);
    let backlinks = |guide: &Guide| guide.graph().backlinks(&end.address).count();
    assert_eq!(backlinks(&guide), 20);
    let file = write_model(&guide.knowledge()).unwrap();
    let again = Guide::with_knowledge(read_model(&file).unwrap()).unwrap();
    assert_eq!(backlinks(&again), 20);
    // A browser is sent the newest pages, with their links.
    let few = Guide::with_knowledge(guide.knowledge().trimmed(5, 5)).unwrap();
    assert_eq!(backlinks(&few), 5);
    let forget = |guide: &Guide, page: &str| {
        let mut gone = ToForget::default();
        gone.pages.insert(Address::parse(page).unwrap());
        Guide::with_knowledge(guide.knowledge().forget(&gone)).unwrap()
    };
    let mut read = guide;
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
    let mut guide = Guide::new("topic", "apprentice").unwrap();
    let hub = page("http://hub.org/", KIDNEY, &[("/end", "more")]);
    guide.visit(&hub, &[], None, &mut SplitMix(5));
    assert_eq!(guide.graph().backlink_rows().count(), 0);
}
