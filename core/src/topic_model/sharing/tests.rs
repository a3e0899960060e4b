use super::*;
use crate::codec;
use crate::page::Page;
use crate::strategies::SplitMix;
use crate::topic_model::Visit;
use crate::topic_model::tests::{KIDNEY, TRAINS, page};
use crate::web_graph::Mark;

/// Pages of two kinds, each with a link to the next and one elsewhere.
fn web() -> Vec<Page> {
    let page_of = |n: usize| {
        let (next, kind) = (n + 1, if n.is_multiple_of(3) { KIDNEY } else { TRAINS });
        let anchor = if next.is_multiple_of(3) {
            "dialysis for patients"
        } else {
            "railway stations"
        };
        let (next, other) = (format!("/{next}"), format!("http://b.org/{n}"));
        page(
            &format!("http://a.org/{n}"),
            &format!("{kind} page{n}"),
            &[(&next, anchor), (&other, "station archive")],
        )
    };
    (0..60).map(page_of).collect()
}

fn topic_model(strategy: &str) -> TopicModel {
    let mut topic_model = TopicModel::new("topic", strategy).unwrap();
    let target = page("http://a.org/k", KIDNEY, &[]);
    topic_model.visit(&target, &[], Some(Mark::Target), &mut SplitMix(1));
    topic_model
}

/// Has a topic model read pages one after the other, each by the link on the one before; what it
/// has to tell of them.
fn read(topic_model: &mut TopicModel, pages: &[Page], links: &mut Vec<Candidate>) -> News {
    let (mut rng, mut told, mut via) = (SplitMix(2), Vec::new(), Vec::new());
    for page in pages {
        let visit: Visit = topic_model.visit(page, &via, None, &mut rng);
        told.push((page.address.clone(), std::mem::take(&mut via)));
        let mut outlinks = visit.outlinks.into_iter().map(|row| row.0);
        via.extend(outlinks.next());
        links.extend(outlinks);
    }
    topic_model.news(&told, links, &[])
}

#[test]
fn who_hears_of_pages_scores_links_like_who_read_them() {
    for strategy in ["best-first", "apprentice", "intelligent"] {
        let (mut reader, mut listener) = (topic_model(strategy), topic_model(strategy));
        // The same words have other numbers there.
        listener.graph.vocabulary.intern("zebra", "Zebras");
        let (mut links, pages) = (Vec::new(), web());
        let news = read(&mut reader, &pages, &mut links);
        let news: News = codec::decode(&codec::encode(&news)).unwrap();
        let heard = listener.hear(&news, |page| page.as_str().ends_with('7'));
        for page in &pages {
            let (own, heard) = (
                reader.graph.page(&page.address),
                listener.graph.page(&page.address),
            );
            assert_eq!(own.unwrap().unmarked, heard.unwrap().unmarked);
        }
        assert_eq!(heard.links.len(), 6, "those that were asked for");
        for (link, _) in &heard.links {
            let own = links.iter().find(|own| own.target == link.target).unwrap();
            let numbers = |link: &Candidate| link.context.features()[0].term();
            assert_ne!(numbers(own), numbers(link));
            let score = |topic_model: &TopicModel, link| {
                topic_model.score(link).priority().unwrap().value()
            };
            let (own, heard) = (score(&reader, own), score(&listener, link));
            assert!((own - heard).abs() < 1e-9, "{strategy}: {own} and {heard}");
        }
        assert_eq!(
            listener.log.arrivals().len(),
            reader.log.arrivals().len(),
            "it can be learned again"
        );
    }
}

#[test]
fn the_ensemble_learns_from_what_others_read() {
    let (mut reader, mut listener, deaf) = (
        topic_model("ensemble"),
        topic_model("ensemble"),
        topic_model("ensemble"),
    );
    let mut links = Vec::new();
    let news = read(&mut reader, &web(), &mut links);
    assert_eq!(listener.hear(&news, |_| false).learned, Learned::Rebuilt);
    let good = |topic_model: &mut TopicModel| {
        let at = page(
            "http://a.org/hub",
            "Welcome",
            &[("/x", "dialysis for patients"), ("/y", "railway stations")],
        );
        let visit = topic_model.visit(&at, &[], None, &mut SplitMix(9));
        let score = |n: usize| visit.outlinks[n].1.priority().unwrap().value();
        score(0) - score(1)
    };
    let (by_reading, by_hearing) = (good(&mut reader), good(&mut listener));
    let before = good(&mut { deaf });
    // Links to pages that were known already teach words to who read them alone.
    let off = (by_reading - by_hearing).abs();
    assert!(
        off < 0.25 * (by_reading - before).abs(),
        "{before}, then {by_hearing} by hearing and {by_reading} by reading"
    );
}

#[test]
fn what_was_heard_before_changes_nothing() {
    let (mut reader, mut listener) = (topic_model("apprentice"), topic_model("apprentice"));
    let news = read(&mut reader, &web(), &mut Vec::new());
    listener.hear(&news, |_| true);
    let before = listener.strategy().state();
    let seen = listener.graph.vocabulary.documents_seen();
    assert_eq!(listener.hear(&news, |_| false).learned, Learned::Nothing);
    assert!(listener.strategy().state() == before);
    assert_eq!(listener.graph.vocabulary.documents_seen(), seen);
}

#[test]
fn marks_are_heard_of_too() {
    let mut reader = TopicModel::new("topic", "apprentice").unwrap();
    let mut listener = TopicModel::new("topic", "apprentice").unwrap();
    let target = page("http://c.org/", KIDNEY, &[]);
    reader.visit(&target, &[], Some(Mark::Target), &mut SplitMix(1));
    let news = reader.news(&[(target.address.clone(), Vec::new())], &[], &[]);
    assert_eq!(listener.hear(&news, |_| true).learned, Learned::Rebuilt);
    assert_eq!(listener.graph.mark(&target.address), Some(Mark::Target));
    let kidney = page("http://d.org/", "Dialysis for kidney patients.", &[]);
    let score = |topic_model: &TopicModel| topic_model.judge(&kidney).relevance;
    assert_eq!(score(&listener), score(&reader));
}

#[test]
fn words_that_were_not_sent_are_left_out() {
    let mut reader = topic_model("ensemble");
    let mut links = Vec::new();
    let news = read(&mut reader, &web(), &mut links);
    let broken = News {
        words: Vocabulary::default(),
        ..news
    };
    let mut listener = topic_model("ensemble");
    let heard = listener.hear(&broken, |_| true);
    assert_eq!(heard.links.len(), 60);
    assert!(
        heard
            .links
            .iter()
            .all(|row| row.0.context.features().is_empty())
    );
}
