use super::*;
use crate::dom::{Builder, LeafRange};
use crate::page::Page;
use crate::strategies::{Priority, SplitMix};
use crate::topic_model::TopicModel;
use crate::web_graph::Mark;

const BEES: &str = "bees hive honey pollen swarm beekeeper queen wax";
const TRAINS: &str = "railway trains timetable station platform engine track signal";

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

/// A page that says so and links there.
fn page(at: &str, says: &str, links: &[&str]) -> Page {
    let mut builder = Builder::new();
    builder.leaf(says);
    for link in links {
        let first = builder.next_leaf();
        builder.leaf("more");
        let end = first + 1;
        builder.link(link, LeafRange { first, end });
    }
    Page::new(address(at), builder.finish().unwrap())
}

/// What a crawl about trains knows: a list of the site led on to two pages, one of them of bees.
fn trains() -> TopicModel {
    let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    let mut rng = SplitMix(1);
    let start = page("http://a.test/trains", TRAINS, &["/lists/all"]);
    let visit = topic_model.visit(&start, &[], Some(Mark::Target), &mut rng);
    let list = page(
        "http://a.test/lists/all",
        "list of departments",
        &["/x/bees", "/x/engines"],
    );
    let via: Vec<_> = visit.outlinks.into_iter().map(|row| row.0).collect();
    let visit = topic_model.visit(&list, &via, None, &mut rng);
    for (link, _) in visit.outlinks {
        let says = if link.target.as_str().ends_with("bees") {
            BEES
        } else {
            TRAINS
        };
        let there = page(link.target.as_str(), says, &[]);
        topic_model.visit(&there, &[link], None, &mut rng);
    }
    topic_model
}

fn memory() -> SiteMemory {
    let mut memory = SiteMemory::default();
    trains().knowledge().remembered_by(&mut memory, |_| true);
    memory
}

/// A topic model about bees that has read nothing of that site.
fn bees() -> TopicModel {
    let mut topic_model = TopicModel::new("topic", "ensemble").unwrap();
    let target = page("http://b.test/", &format!("{BEES} {BEES}"), &[]);
    topic_model.visit(&target, &[], Some(Mark::Target), &mut SplitMix(1));
    topic_model
}

#[test]
fn pages_are_judged_for_a_topic_that_they_were_not_read_for() {
    let mut topic_model = bees();
    let words = topic_model.graph().vocabulary.len();
    topic_model.remember_sites(memory());
    let remembered = &topic_model.graph().remembered;
    let worth = |at: &str| remembered.worth(&address(at));
    let [bees, engines] = ["http://a.test/x/bees", "https://a.test/x/engines"].map(worth);
    assert!(
        bees > engines.map(|worth| worth + 0.2),
        "{bees:?} {engines:?}"
    );
    // The list is worth something for what it leads on to.
    let list = worth("http://a.test/lists/all");
    assert!(list > engines, "{list:?} {engines:?}");
    assert_eq!(worth("http://a.test/never"), None);
    let odds = |at: &str| remembered.log_odds(&address(at));
    // Of what was not read, those are best whose folder is.
    assert!(odds("http://a.test/x/bees") > odds("http://a.test/x/other"));
    assert!(odds("http://a.test/x/other") > odds("http://a.test/y/other"));
    assert!(odds("http://a.test/y/other") > odds("http://a.test/x/engines"));
    let (lead, all) = remembered.lead(&address("http://a.test/lists/2"));
    assert_eq!((lead.pages, all.pages), (2.0, 4.0));
    assert_eq!(
        topic_model.graph().vocabulary.len(),
        words,
        "words of pages of another topic stay there"
    );
    assert_eq!(topic_model.knowledge().graph.pages().len(), 1);
}

#[test]
fn links_to_what_is_remembered_are_scored_by_it() {
    let links = ["http://a.test/x/engines", "http://a.test/x/bees"];
    let start = page("http://c.test/", "this and that", &links);
    let ranked = |memory: SiteMemory| {
        let mut topic_model = bees();
        topic_model.remember_sites(memory);
        let visit = topic_model.visit(&start, &[], None, &mut SplitMix(1));
        let scores = visit.outlinks.iter();
        let scores = scores.filter_map(|(_, score)| score.priority());
        scores.map(Priority::value).collect::<Vec<_>>()
    };
    let afresh = ranked(SiteMemory::default());
    let with = ranked(memory());
    assert!((afresh[1] - afresh[0]).abs() < 0.5, "{afresh:?}");
    assert!(with[1] > with[0] + 1.0, "{with:?}");
}

#[test]
fn a_mark_has_what_is_remembered_judged_again() {
    let mut topic_model = bees();
    topic_model.remember_sites(memory());
    let worth = |topic_model: &TopicModel| {
        let at = address("http://a.test/x/bees");
        topic_model.graph().remembered.worth(&at).unwrap()
    };
    let before = worth(&topic_model);
    let target = page("http://b.test/", &format!("{BEES} {BEES}"), &[]);
    topic_model.mark(&target, Some(Mark::NotTarget));
    assert!(
        worth(&topic_model) < before,
        "{before} {}",
        worth(&topic_model)
    );
}

#[test]
fn pages_that_are_not_asked_for_are_passed_over() {
    let mut memory = SiteMemory::default();
    let known = trains().knowledge();
    known.remembered_by(&mut memory, |page| page.folder() != "a.test/x");
    assert_eq!(memory.len(), 2);
    // Nobody is there twice.
    known.remembered_by(&mut memory, |_| true);
    known.remembered_by(&mut memory, |_| true);
    assert_eq!(memory.len(), 4);
}

#[test]
fn sites_are_shown_with_what_led_on() {
    let memory = memory();
    let sites = memory.sites();
    assert_eq!(sites.len(), 1);
    let site = &sites[0];
    assert_eq!((site.host, site.pages), ("a.test", 4));
    // The start is marked; so the page of the same words is a find, too.
    assert_eq!(site.finds, 2);
    let lead = RememberedLead {
        folder: "a.test/lists",
        pages: 2,
        finds: 1,
    };
    assert_eq!(site.leads[0], lead);
    assert_eq!(site.search_form, None);
}
