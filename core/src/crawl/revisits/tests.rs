use super::*;
use crate::rng::{Rng, SplitMix};

const HOUR: Millis = 3_600_000;

fn address(site: usize, page: usize) -> Address {
    Address::parse(&format!("http://site{site}.test/{page}")).unwrap()
}

/// A page of a web that changes by known laws.
struct Law {
    /// Chance that it changes in an hour.
    changes: f64,
    /// Chance that a change brings a new target.
    brings: f64,
    /// Targets that stand there and were not found; the page shows the newest ten.
    waiting: u32,
    has_changed: bool,
}

fn chance(rng: &mut SplitMix) -> f64 {
    rng.unit()
}

/// A web of so many pages on sites of 50. Most pages hardly ever change; one of 25 changes about
/// once a day, one of ten once a week. Half of the lively ones bring nothing (clocks,
/// advertisements), and of those that hardly change none does. Where lists of targets are, some
/// targets were found before, and here and there elsewhere, too.
fn laws(size: usize, rng: &mut SplitMix) -> Vec<(Watched, Law)> {
    let mut pages = Vec::new();
    for place in 0..size {
        let (site, page) = (place / 50, place % 50);
        let site_factor = [0.3, 0.6, 1.2, 2.0][site % 4];
        let kind = chance(rng);
        let a_day = if kind < 0.04 {
            1.0
        } else if kind < 0.14 {
            1.0 / 7.0
        } else {
            1.0 / 200.0
        };
        let is_list = kind < 0.14 && chance(rng) < 0.5;
        let brings = if is_list { 0.6 * chance(rng) } else { 0.0 };
        let led_to = if is_list && chance(rng) < 0.6 {
            3
        } else {
            u32::from(chance(rng) < 0.1)
        };
        let law = Law {
            changes: site_factor * a_day / 24.0,
            brings,
            waiting: 0,
            has_changed: false,
        };
        pages.push((Watched::new(address(site, page), 0, led_to), law));
    }
    pages
}

/// New targets and requests of four weeks of looking at 30 pages each six hours.
fn watch(
    seed: u64,
    size: usize,
    mut choose: impl FnMut(&[Watched], Millis, u64) -> Vec<usize>,
) -> (u32, u32) {
    let mut rng = SplitMix(seed);
    let (mut pages, mut laws): (Vec<Watched>, Vec<Law>) = laws(size, &mut rng).into_iter().unzip();
    let (mut found, mut requests) = (0, 0);
    for hour in 1..=28 * 24 {
        for law in &mut laws {
            if chance(&mut rng) < law.changes {
                law.has_changed = true;
                law.waiting += u32::from(chance(&mut rng) < law.brings);
                law.waiting = law.waiting.min(10);
            }
        }
        if hour % 6 != 0 {
            continue;
        }
        let now = hour * HOUR;
        for place in choose(&pages, now, hour / 6).into_iter().take(30) {
            let (page, law) = (&mut pages[place], &mut laws[place]);
            page.look(now, law.has_changed);
            page.news += law.waiting;
            found += law.waiting;
            requests += 1 + law.waiting;
            (law.waiting, law.has_changed) = (0, false);
        }
    }
    (found, requests)
}

/// New targets in a hundred requests, against looking at pages by turns, on ten webs.
fn ratios(size: usize) -> Vec<f64> {
    let mut ratios = Vec::new();
    for seed in 1..=10 {
        let planned = watch(seed, size, |pages, now, _| worth_a_look(pages, now, 30));
        let by_turns = watch(seed, size, |pages, _, round| {
            let first = 30 * round as usize;
            (first..first + 30)
                .map(|place| place % pages.len())
                .collect()
        });
        let rate = |(found, requests): (u32, u32)| 100.0 * f64::from(found) / f64::from(requests);
        println!(
            "{size} pages, web {seed}: {planned:?} {by_turns:?} {:.1} new targets in 100 requests, by turns {:.1}",
            rate(planned),
            rate(by_turns)
        );
        ratios.push(rate(planned) / rate(by_turns));
    }
    ratios.sort_by(f64::total_cmp);
    println!("{size} pages: {ratios:.2?}");
    ratios
}

#[test]
fn twice_as_many_new_targets_come_in_a_hundred_requests_as_by_turns() {
    for size in [500, 1_500, 5_000] {
        let ratios = ratios(size);
        // From 1.75 to 11 over all thirty webs.
        let median = f64::midpoint(ratios[4], ratios[5]);
        assert!(
            median >= 2.0 && ratios[0] >= 1.7,
            "{size} pages: {ratios:.2?}"
        );
    }
}

#[test]
fn nothing_known_is_no_panic_and_ties_go_by_age() {
    assert!(revisits(&[], 7).is_empty());
    let pages = [
        Watched::new(address(0, 1), 20, 0),
        Watched::new(address(0, 2), 10, 0),
        Watched::new(address(0, 3), 30, 0),
    ];
    let order = |now| -> Vec<usize> {
        let all = revisits(&pages, now);
        assert!(all.iter().all(|one| one.news.is_finite()));
        all.into_iter().map(|one| one.page).collect()
    };
    assert_eq!(order(100), [1, 0, 2]);
    assert_eq!(order(0), [1, 0, 2], "a clock that was set back");
}

#[test]
fn a_page_that_brings_more_comes_first_and_its_site_speaks_for_its_neighbours() {
    let mut pages = vec![
        Watched::new(address(0, 1), 0, 1),
        Watched::new(address(0, 2), 0, 1),
        Watched::new(address(1, 1), 0, 1),
        Watched::new(address(1, 2), 0, 1),
    ];
    // The first page of each site was looked at ten times; only that of site 0 brought something.
    for place in [0, 2] {
        for look in 1..=10 {
            pages[place].look(look * HOUR, place == 0);
        }
    }
    pages[0].news = 10;
    for place in [1, 3] {
        pages[place].last = 10 * HOUR;
    }
    let all = revisits(&pages, 11 * HOUR);
    let order: Vec<usize> = all.iter().map(|one| one.page).collect();
    let place = |page| order.iter().position(|one| *one == page).unwrap();
    assert!(place(0) < 2 && place(1) < 2, "{order:?}");
    assert_eq!(place(2), 3, "it never changed: {order:?}");
}
