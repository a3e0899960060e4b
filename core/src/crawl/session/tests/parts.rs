use std::collections::BTreeSet;

use super::*;
use crate::crawl::Part;

/// Pages of ten hosts: each links to the next two of its own and to one of the next host.
fn page_of(at: &Address) -> Outcome {
    let number = |text: &str| -> u64 { text.parse().unwrap_or(0) };
    let host = number(
        at.host()
            .trim_start_matches("host")
            .trim_end_matches(".org"),
    );
    let n = number(&at.path_and_query()[1..]);
    let mut builder = Builder::new();
    builder.leaf(&words(100 * host + n, 8));
    let mut links = vec![format!("http://host{}.org/{n}", (host + 1) % 10)];
    links.extend(
        [2 * n + 1, 2 * n + 2]
            .iter()
            .filter(|next| **next < 12)
            .map(|next| format!("/{next}")),
    );
    for href in links {
        let first = builder.next_leaf();
        builder.leaf("go on");
        let end = first + 1;
        builder.link(&href, LeafRange { first, end });
    }
    let page = Page::new(at.clone(), builder.finish().unwrap());
    Outcome::Page(Box::new(page), 100 * host + n)
}

fn parts(of: u32) -> Vec<Session> {
    let begin = |number| {
        let seed = Seed {
            address: address("http://host0.org/0"),
            mark: Some(Mark::Target),
        };
        let topic_model = TopicModel::new("topic", "ensemble").unwrap();
        let session = Session::new(topic_model, limits(1_000), vec![seed]);
        session.for_part(Part::new(number, of).unwrap())
    };
    (0..of).map(begin).collect()
}

/// Has sessions crawl in turns and tell each other until nobody has anything left; the pages that
/// each asked for.
fn run_all(sessions: &mut [Session], answer: impl Fn(&Address) -> Outcome) -> Vec<Vec<Address>> {
    let mut asked = vec![Vec::new(); sessions.len()];
    loop {
        for (session, asked) in sessions.iter_mut().zip(&mut asked) {
            let (log, reason) = run(session, &answer);
            assert_eq!(reason, StopReason::FrontierEmpty);
            asked.extend(log.into_iter().map(|row| row.0));
        }
        let news: Vec<_> = sessions.iter_mut().map(Session::news).collect();
        if news.iter().all(Option::is_none) {
            return asked;
        }
        for (teller, news) in news.iter().enumerate() {
            for (number, session) in sessions.iter_mut().enumerate() {
                if let Some(news) = news.as_ref().filter(|_| number != teller) {
                    session.hear(news);
                }
            }
        }
    }
}

#[test]
fn together_they_ask_for_every_page_once() {
    let alone = run_all(&mut parts(1), page_of).remove(0);
    let all: BTreeSet<&Address> = alone.iter().collect();
    assert_eq!((alone.len(), all.len()), (120, 120));
    let mut sessions = parts(3);
    let asked = run_all(&mut sessions, page_of);
    let together: Vec<&Address> = asked.iter().flatten().collect();
    assert_eq!(together.len(), 120);
    assert_eq!(together.into_iter().collect::<BTreeSet<_>>(), all);
    for (number, asked) in (0..).zip(&asked) {
        let part = Part::new(number, 3).unwrap();
        assert!(asked.iter().all(|page| part.asks_for(page)));
        assert!(!asked.is_empty(), "each has some of the hosts");
    }
    for session in &sessions {
        assert_eq!(
            session.topic_model().graph().pages().count(),
            120,
            "each knows all pages"
        );
        let seed = address("http://host0.org/0");
        assert_eq!(
            session.topic_model().graph().mark(&seed),
            Some(Mark::Target)
        );
    }
}

#[test]
fn a_redirect_to_another_ones_host_is_followed_there() {
    let answer = |at: &Address| {
        let goal = address("http://host1.org/0");
        if at.host() == "host0.org" {
            return Outcome::Redirect(goal);
        }
        page_of(at)
    };
    for of in [1, 3] {
        let mut sessions = parts(of);
        let asked = run_all(&mut sessions, answer);
        let all: BTreeSet<&Address> = asked.iter().flatten().collect();
        assert_eq!(all.len(), 120, "of {of}");
        // What the person said of the seed holds for where it leads.
        let goal = address("http://host1.org/0");
        for session in &sessions {
            assert_eq!(
                session.topic_model().graph().mark(&goal),
                Some(Mark::Target)
            );
        }
    }
}

#[test]
fn one_that_shares_its_crawl_is_not_saved() {
    let mut file = Vec::new();
    let session = parts(2).remove(0);
    let saved = session.save(&mut crate::codec::Saver::new(&mut file));
    assert!(saved.unwrap_err().to_string().contains("part of a crawl"));
}

#[test]
fn a_seed_is_the_owners_and_added_pages_too() {
    let mut sessions = parts(3);
    let waiting: usize = sessions.iter().map(Session::waiting).sum();
    assert_eq!(waiting, 1);
    for session in &mut sessions {
        session.add_seed(&address("http://host5.org/3"));
    }
    let waiting: usize = sessions.iter().map(Session::waiting).sum();
    assert_eq!(waiting, 2);
    assert!(
        session(5, "ensemble").news().is_none(),
        "one alone tells nobody"
    );
}
