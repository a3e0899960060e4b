use super::*;
use crate::strategies::Rng;
use crate::strategies::{LinkScore, MemberScores};

fn link(target: &str) -> Candidate {
    Candidate::seed(Address::parse(target).unwrap())
}

fn add(frontier: &mut Frontier, target: &str, value: f64) {
    frontier.add(link(target), Priority::new(0, value));
}

/// Two pages, each by two links, and the order in which they are taken.
fn order_by(policy: LinkPolicy, rescored: bool) -> Vec<String> {
    let mut frontier = Frontier::new(policy, None);
    let scores = [("a", 0.5), ("b", 0.4), ("c", 0.3), ("b", 0.7), ("c", 0.6)];
    for (name, value) in scores {
        let mut link = link(&format!("http://{name}.org/"));
        link.tie = value as f32;
        frontier.add(link, Priority::new(0, value));
    }
    if rescored {
        frontier.rescore(|link| LinkScore::Follow(Priority::new(0, f64::from(link.tie))));
    }
    drain(&mut frontier)
        .iter()
        .map(|address| address[7..8].to_owned())
        .collect()
}

fn with_members(own: f64, first: f64, second: f64) -> Priority {
    Priority::new(0, own).with_members(MemberScores::new([first, second, 0.0, 0.0]))
}

#[test]
fn a_page_is_worth_its_first_its_best_or_its_mean_link() {
    for rescored in [false, true] {
        assert_eq!(order_by(LinkPolicy::First, rescored), ["a", "b", "c"]);
        assert_eq!(order_by(LinkPolicy::Maximum, rescored), ["b", "c", "a"]);
        assert_eq!(order_by(LinkPolicy::Mean, rescored), ["b", "a", "c"]);
        assert_eq!(order_by(LinkPolicy::Both, rescored), ["b", "c", "a"]);
    }
}

fn pop(frontier: &mut Frontier) -> Option<FrontierEntry> {
    let target = frontier.best_open()?.links[0].target.clone();
    frontier.take(&target)
}

fn drain(frontier: &mut Frontier) -> Vec<String> {
    std::iter::from_fn(|| pop(frontier))
        .map(|page| page.links[0].target.to_string())
        .collect()
}

#[test]
fn the_best_link_of_an_open_host_comes_first() {
    let mut frontier = Frontier::default();
    add(&mut frontier, "http://a.org/1", 0.1);
    add(&mut frontier, "http://a.org/2", 0.9);
    add(&mut frontier, "http://b.org/1", 0.5);
    add(&mut frontier, "http://a.org/1", 0.7);
    add(&mut frontier, "http://a.org/1", 0.2);
    frontier.close("a.org");
    assert_eq!(drain(&mut frontier), ["http://b.org/1"]);
    frontier.open("a.org");
    assert_eq!(drain(&mut frontier), ["http://a.org/2", "http://a.org/1"]);
    assert!(frontier.is_empty());
}

#[test]
fn pages_are_taken_by_the_ranking_whose_turn_it_is() {
    let mut frontier = Frontier::new(LinkPolicy::Both, None).with_arms(ArmRule {
        members: &["one", "two"],
        explores: true,
    });
    let pages = [
        ("a.org/own", [9.0, 1.0, 1.0], 0.1),
        ("a.org/one", [1.0, 9.0, 2.0], 0.2),
        ("b.org/two", [2.0, 2.0, 9.0], 0.3),
        ("b.org/tie", [3.0, 3.0, 3.0], 0.9),
    ];
    for (name, values, tie) in pages {
        let mut link = link(&format!("http://{name}"));
        link.tie = tie;
        frontier.add(link, with_members(values[0], values[1], values[2]));
    }
    let taken = |frontier: &mut Frontier, arm| {
        let is_held = |page: &FrontierEntry| page.links[0].target.clone();
        let before: Vec<Address> = frontier.best(9).into_iter().map(is_held).collect();
        let by = before.iter().map(|target| frontier.taken_by(arm, target));
        let by: Vec<Arm> = by.collect();
        let (taken_by, page) = frontier.best_by(arm).unwrap();
        let (taken_by, target) = (taken_by, page.links[0].target.clone());
        let page = frontier.take(&target).unwrap();
        let place = before
            .iter()
            .position(|target| *target == page.links[0].target);
        assert_eq!(by[place.unwrap()], taken_by);
        let name = page.links[0].target.path_and_query().to_owned();
        frontier.add(page.links[0].clone(), page.priority);
        name
    };
    let bandit = [Arm::Primary, Arm::Member(0), Arm::Member(1), Arm::Explore];
    for (arm, name) in bandit.into_iter().zip(["/own", "/one", "/two", "/tie"]) {
        assert_eq!(taken(&mut frontier, arm), name);
    }
    frontier.close("b.org");
    assert_eq!(taken(&mut frontier, Arm::Member(1)), "/one");
    assert_eq!(taken(&mut frontier, Arm::Explore), "/one");
    frontier.pin(vec![link("http://a.org/seed")]);
    assert_eq!(taken(&mut frontier, Arm::Member(0)), "/seed");
    let score = |link: &Candidate| {
        let tie = f64::from(link.tie);
        LinkScore::Follow(with_members(0.0, -tie, tie))
    };
    frontier.take(&link("http://a.org/seed").target);
    frontier.open("b.org");
    frontier.rescore(score);
    assert_eq!(taken(&mut frontier, Arm::Member(0)), "/own");
    assert_eq!(taken(&mut frontier, Arm::Member(1)), "/tie");
}

#[test]
fn pinned_pages_come_before_all_and_survive_scoring() {
    let mut frontier = Frontier::default();
    add(&mut frontier, "http://a.org/1", 1e30);
    frontier.pin(vec![link("http://a.org/seed")]);
    frontier.rescore(|_| LinkScore::Reject);
    assert_eq!(drain(&mut frontier), ["http://a.org/seed"]);
}

#[test]
fn rescoring_keeps_closed_hosts_closed() {
    let mut frontier = Frontier::default();
    add(&mut frontier, "http://a.org/1", 0.1);
    add(&mut frontier, "http://b.org/1", 0.2);
    frontier.close("b.org");
    frontier.rescore(|link| {
        let host_b = link.target.host() == "b.org";
        LinkScore::Follow(Priority::new(0, f64::from(u8::from(host_b))))
    });
    assert_eq!(drain(&mut frontier), ["http://a.org/1"]);
    assert_eq!(frontier.forget_host("b.org"), 1);
}

#[test]
fn a_batch_is_worked_off_before_what_was_found_meanwhile() {
    let mut frontier = Frontier::new(LinkPolicy::First, Some(Batch { size: 2, levels: 2 }));
    let pages = [
        ("a", 0, 0.1),
        ("b", 0, 0.2),
        ("c", 0, 0.3),
        ("d", 1, 9.0),
        ("z", 2, 0.0),
    ];
    for (name, queue, value) in pages {
        let link = link(&format!("http://a.org/{name}"));
        frontier.add(link, Priority::new(queue, value));
    }
    let mut taken = Vec::new();
    while let Some(page) = pop(&mut frontier) {
        taken.push(page.links[0].target.path_and_query().to_owned());
        if taken.len() == 1 {
            add(&mut frontier, "http://a.org/new", 7.0);
        }
    }
    assert_eq!(taken, ["/c", "/b", "/d", "/new", "/a", "/z"]);
}

#[test]
fn queues_are_served_in_order() {
    let mut frontier = Frontier::default();
    frontier.add(link("http://a.org/late"), Priority::new(1, 9.0));
    frontier.add(link("http://a.org/soon"), Priority::new(0, -9.0));
    assert_eq!(
        drain(&mut frontier),
        ["http://a.org/soon", "http://a.org/late"]
    );
}

#[test]
fn every_link_is_kept_where_it_is_asked_for_and_changes_no_order() {
    for policy in [LinkPolicy::Maximum, LinkPolicy::Both] {
        let frontiers = [false, true].map(|every_link| {
            let mut frontier = Frontier::new(policy, None).keeping(every_link);
            for number in 0..150 {
                let mut one = link("http://a.org/");
                one.tie = number as f32;
                // The best link comes late.
                let value = f64::from(number % 50);
                frontier.add(one, Priority::new(0, value));
            }
            frontier
        });
        let [mut few, mut every] = frontiers;
        let address = Address::parse("http://a.org/").unwrap();
        let worth = |frontier: &Frontier| frontier.get(&address).unwrap().priority;
        assert_eq!(worth(&few), worth(&every), "{policy:?}");
        every.rescore(|link| LinkScore::Follow(Priority::new(0, f64::from(link.tie))));
        assert_eq!(every.kept.more, EVERY_LINK - needed(policy));
        assert_eq!(pop(&mut every).unwrap().links.len(), EVERY_LINK);
        assert_eq!(pop(&mut few).unwrap().links.len(), needed(policy));
        assert_eq!((few.kept.all, few.kept.more), (0, 0));
        assert_eq!((every.kept.all, every.kept.more), (0, 0));
    }
}

#[test]
fn where_many_links_are_kept_a_page_gets_a_better_one_in_place_of_its_last() {
    let mut frontier = Frontier::new(LinkPolicy::Maximum, None);
    let pages = MOST_LINKS / 2;
    for page in 0..pages {
        let target = format!("http://h{}.test/{page}", page % 50);
        for value in [1.0, 2.0] {
            frontier.add(link(&target), Priority::new(0, value));
        }
    }
    assert_eq!(frontier.kept.all, MOST_LINKS);
    let target = Address::parse("http://h7.test/7").unwrap();
    for (value, best) in [(0.0, 2.0), (3.0, 3.0), (1.0, 3.0)] {
        frontier.add(link(target.as_str()), Priority::new(0, value));
        let page = frontier.get(&target).unwrap();
        assert_eq!(page.links.len(), 2);
        assert_eq!(page.priority, Priority::new(0, best));
    }
    assert_eq!(frontier.kept.all, MOST_LINKS);
    // A page that is new has its link, and once one is gone there is room for another.
    frontier.add(link("http://new.test/"), Priority::new(0, 1.0));
    assert_eq!(frontier.kept.all, MOST_LINKS + 1);
    for gone in ["http://h1.test/1", "http://new.test/"] {
        frontier.take(&Address::parse(gone).unwrap()).unwrap();
    }
    frontier.add(link(target.as_str()), Priority::new(0, 1.0));
    assert_eq!(frontier.get(&target).unwrap().links.len(), 3);
}

fn many(frontier: &mut Frontier, pages: u64) {
    for n in 0..pages {
        let value = (n * 7_919 % pages) as f64;
        add(frontier, &format!("http://h{}.test/{n}", n % 50), value);
    }
}

fn number(target: &Address) -> u64 {
    target.path_and_query()[1..].parse().unwrap()
}

#[test]
fn many_pages_are_scored_in_parts_the_best_of_an_earlier_model_first() {
    let mut frontier = Frontier::default();
    many(&mut frontier, 5_000);
    frontier.close("h7.test");
    let scored = std::cell::RefCell::new(Vec::new());
    let upside_down = |link: &Candidate| {
        let n = number(&link.target);
        scored.borrow_mut().push(n);
        LinkScore::Follow(Priority::new(0, -((n * 7_919 % 5_000) as f64)))
    };
    frontier.rescore(upside_down);
    assert!(scored.borrow().is_empty(), "no page pays for all of them");
    frontier.rescore_part(upside_down);
    let worth = |n: u64| n * 7_919 % 5_000;
    let first: Vec<u64> = scored.take();
    assert!(
        first
            .iter()
            .take(64)
            .map(|&n| worth(n))
            .eq((4_936..5_000).rev())
    );
    assert!(first.len() <= 64 + 100);
    for part in 0..100 {
        frontier.rescore_part(upside_down);
        assert!(scored.borrow().len() <= 228, "part {part}");
        scored.borrow_mut().clear();
    }
    // All are in the new order, those of the closed host too.
    let order = frontier.best(5_000);
    let order = order
        .iter()
        .map(|page| worth(number(&page.links[0].target)));
    assert!(order.eq(0..5_000));
    frontier.rescore_part(upside_down);
    assert!(scored.borrow().is_empty(), "nothing is left to score");
    // What the new model rejects goes when its turn comes, and nothing else.
    let is_odd = |link: &Candidate| number(&link.target) % 2 == 1;
    let rejects_odd = |link: &Candidate| {
        if is_odd(link) {
            LinkScore::Reject
        } else {
            LinkScore::Follow(Priority::new(0, 1.0))
        }
    };
    frontier.rescore(rejects_odd);
    for _ in 0..100 {
        frontier.rescore_part(rejects_odd);
    }
    assert_eq!(frontier.len(), 2_500);
    assert!(
        frontier
            .best(5_000)
            .iter()
            .all(|page| !is_odd(&page.links[0]))
    );
}

#[test]
fn pages_that_came_meanwhile_are_not_scored_twice_and_turns_go_on() {
    let mut frontier = Frontier::default();
    many(&mut frontier, 3_000);
    let score = |_: &Candidate| LinkScore::Follow(Priority::new(0, 0.0));
    // A new model each ten parts: the turns begin where they ended.
    for model in 0..12 {
        frontier.rescore(score);
        for part in 0..10 {
            let new = format!("/{model}/");
            for n in 0..60 {
                add(
                    &mut frontier,
                    &format!("http://new.test{new}{part}-{n}"),
                    9e9,
                );
            }
            frontier.rescore_part(|link| {
                let path = link.target.path_and_query();
                assert!(!path.starts_with(&new), "{path} was scored by this model");
                score(link)
            });
        }
    }
    let earliest = frontier.waiting.values().map(|page| page.model).min();
    assert!(earliest > Some(0), "each had its turn by some model");
    // And however many come meanwhile, each has its turn by the last one.
    frontier.rescore(score);
    for part in 0..120 {
        for n in 0..60 {
            add(&mut frontier, &format!("http://late.test/{part}-{n}"), 9e9);
        }
        frontier.rescore_part(score);
    }
    let models = frontier.waiting.values().map(|page| page.model);
    assert!(models.min() == Some(frontier.model));
}

#[test]
fn the_best_page_of_each_host_is_scored_first_too() {
    let mut frontier = Frontier::default();
    for n in 0..2_000 {
        add(
            &mut frontier,
            &format!("http://best.test/{n}"),
            f64::from(5_000 + n),
        );
    }
    for n in 0..2_000 {
        add(
            &mut frontier,
            &format!("http://h{}.test/{n}", n % 40),
            f64::from(n),
        );
    }
    let score = |link: &Candidate| LinkScore::Follow(Priority::new(0, f64::from(link.tie)));
    frontier.rescore(score);
    frontier.rescore_part(score);
    let of_this_model = |host: &str| {
        let pages = frontier.waiting.iter();
        let of_host = pages.filter(|(target, _)| target.host() == host);
        of_host
            .filter(|(_, page)| page.model == frontier.model)
            .count()
    };
    assert!(of_this_model("best.test") >= 64);
    assert!((0..40).all(|n| of_this_model(&format!("h{n}.test")) > 0));
}

#[test]
fn beyond_the_most_that_may_wait_bad_pages_go() {
    let mut frontier = Frontier::default();
    frontier.pin(vec![link("http://seed.test/0")]);
    let mut rng = crate::strategies::SplitMix(1);
    for n in 0..MOST_WAITING + 20_000 {
        add(
            &mut frontier,
            &format!("http://h{}.test/{n}", n % 50),
            rng.unit(),
        );
    }
    assert_eq!(frontier.len(), MOST_WAITING);
    assert!(frontier.get(&link("http://seed.test/0").target).is_some());
    // None of those that went was among the better half, but for one in 2^20.
    let better = |page: &&&FrontierEntry| page.priority.value() > 0.5;
    let kept = frontier.best(MOST_WAITING);
    let kept = kept.iter().filter(better).count();
    let mut rng = crate::strategies::SplitMix(1);
    let came = (0..MOST_WAITING + 20_000)
        .filter(|_| rng.unit() > 0.5)
        .count();
    // The seed counts too.
    assert!(kept >= came, "{kept} of {came}");
}

#[test]
fn a_sample_has_the_best_and_a_share_of_the_others() {
    let mut frontier = Frontier::default();
    many(&mut frontier, 50_000);
    let (best, others, share) = frontier.sample();
    assert_eq!(best.len(), SAMPLED_BEST);
    assert!(
        others.len() <= 1_000 && (share - 0.02).abs() < 0.005,
        "{share}"
    );
    let sum =
        |pages: &[&FrontierEntry]| -> f64 { pages.iter().map(|page| page.priority.value()).sum() };
    let estimate = sum(&best) + sum(&others) / share;
    let truth: f64 = (0..50_000).map(f64::from).sum();
    assert!((estimate / truth - 1.0).abs() < 0.03, "{estimate} {truth}");
    let mut few = Frontier::default();
    many(&mut few, 300);
    let (best, others, _) = few.sample();
    assert_eq!((best.len(), others.len()), (300, 0));
}
