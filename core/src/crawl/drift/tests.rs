use super::*;
use crate::strategies::{Rng, SplitMix};

/// The page at which the first alarm comes, and its cause, where pages are
/// targets at a rate that depends on their number.
fn first_alarm(
    seed: u64,
    pages: u32,
    signal: impl Fn(u32, &mut SplitMix) -> PageSignal<'static>,
) -> Option<(u32, DriftCause)> {
    let (mut drift, mut rng) = (Drift::default(), SplitMix(seed));
    drift.examples(2.0);
    (0..pages).find_map(|page| {
        let alarm = drift.page(signal(page, &mut rng))?;
        Some((page, alarm.cause))
    })
}

fn found(rate: f64, rng: &mut SplitMix) -> PageSignal<'static> {
    let is_target = rng.unit() < rate;
    PageSignal {
        is_target,
        log_odds: if is_target { 1.0 } else { -0.5 },
        expected: Some(rate),
        ..PageSignal::default()
    }
}

#[test]
fn an_exhausted_topic_is_told_within_150_pages() {
    for rate in [0.15, 0.3, 0.6] {
        let late = (0..20).map(|seed| {
            let alarm = first_alarm(seed, 1_000, |page, rng| {
                found(if page < 400 { rate } else { 0.0 }, rng)
            });
            let (page, cause) = alarm.unwrap_or_else(|| panic!("{rate}: no alarm"));
            assert_eq!(cause, DriftCause::Exhausted);
            assert!(page >= 400, "{rate}: at page {page} for nothing");
            page - 400
        });
        let latest = late.max().unwrap();
        assert!(latest <= 150, "{rate}: {latest} pages late");
    }
}

#[test]
fn ordinary_crawls_raise_no_alarm() {
    for seed in 0..20 {
        for rate in [0.05, 0.2, 0.5] {
            // The harvest falls slowly, as it does everywhere.
            let slowly = |page: u32, rng: &mut SplitMix| {
                found(rate * (1.0 - f64::from(page) / 3_000.0), rng)
            };
            assert_eq!(first_alarm(seed, 1_500, slowly), None, "{rate} {seed}");
        }
    }
}

#[test]
fn stuffed_pages_are_told() {
    let (mut drift, mut rng) = (Drift::default(), SplitMix(1));
    drift.examples(2.0);
    let alarm = (0..300).find_map(|page| {
        let (host, log_odds) = if page < 200 {
            ("good.test", 1.5)
        } else {
            ("spam.test", 4.0)
        };
        let alarm = drift.page(PageSignal {
            host,
            log_odds,
            guiraud_index: Some(4.5),
            ..found(0.4, &mut rng)
        })?;
        Some((page, alarm))
    });
    let (page, alarm) = alarm.unwrap();
    assert_eq!((page, alarm.cause), (203, DriftCause::Spam));
    assert_eq!(alarm.hosts, ["spam.test".into()]);
    let rich = first_alarm(1, 500, |_, rng| PageSignal {
        log_odds: 4.0,
        guiraud_index: Some(8.0),
        ..found(0.4, rng)
    });
    assert_eq!(rich, None, "another kind of pages than the examples");
    let poor = first_alarm(1, 500, |page, rng| PageSignal {
        is_target: true,
        guiraud_index: Some(if page < 100 { 9.0 } else { 2.5 }),
        ..found(0.4, rng)
    });
    assert_eq!(poor, Some((103, DriftCause::Spam)));
}

#[test]
fn what_was_told_before_is_told_again_more_and_more_seldom() {
    let (mut drift, mut rng) = (Drift::default(), SplitMix(1));
    let told: Vec<u32> = (0..3_000)
        .filter(|page| {
            // More and more doubtful, so that no doubt becomes usual.
            let doubt = if page % 400 < 300 { 0.01 } else { 0.5 };
            let alarm = drift.page(PageSignal {
                expected: Some(doubt),
                ..found(0.4, &mut rng)
            });
            alarm.is_some_and(|alarm| alarm.cause == DriftCause::Unsure)
        })
        .collect();
    let gaps: Vec<u32> = told.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(told.len() > 2 && gaps[0] >= 300, "{told:?}");
    assert!(gaps.windows(2).all(|pair| pair[1] > pair[0]), "{told:?}");
}

#[test]
fn other_hosts_that_lure_are_told_as_soon_as_the_first() {
    let (mut drift, mut rng) = (Drift::default(), SplitMix(1));
    let hosts = ["a.test", "b.test", "c.test"];
    let told = (0..900).filter_map(|page| {
        let alarm = drift.page(PageSignal {
            host: hosts[page / 300],
            guiraud_index: Some(2.0),
            ..found(0.4, &mut rng)
        });
        Some((page, alarm?.hosts))
    });
    let told: Vec<_> = told.collect();
    let pages: Vec<usize> = told.iter().map(|row| row.0).collect();
    assert_eq!(pages, [3, 303, 603]);
    assert!(told[2].1.contains(&"c.test".into()), "{told:?}");
}

#[test]
fn a_large_site_with_a_few_stuffed_pages_is_no_lure() {
    let (mut drift, mut rng) = (Drift::default(), SplitMix(1));
    let alarm = (0..100).find_map(|page| {
        let is_stuffed = page % 5 == 0;
        drift.page(PageSignal {
            host: if page % 10 == 0 {
                "farm.test"
            } else {
                "large.test"
            },
            guiraud_index: Some(if is_stuffed { 2.0 } else { 9.0 }),
            ..found(0.4, &mut rng)
        })
    });
    assert_eq!(alarm.unwrap().hosts, ["farm.test".into()]);
}

#[test]
fn a_lure_does_not_hide_that_the_topic_is_exhausted() {
    let (mut drift, mut rng) = (Drift::default(), SplitMix(2));
    drift.examples(2.0);
    let alarms = (0..700).filter_map(|page| {
        let rate = if page < 300 { 0.4 } else { 0.0 };
        drift.page(PageSignal {
            log_odds: if page < 290 { 1.0 } else { 4.0 },
            guiraud_index: Some(4.5),
            ..found(rate, &mut rng)
        })
    });
    let causes: Vec<DriftCause> = alarms.map(|alarm| alarm.cause).collect();
    assert_eq!(causes[0], DriftCause::Spam);
    assert!(causes.contains(&DriftCause::Exhausted), "{causes:?}");
}

#[test]
fn beliefs_that_grow_unsure_are_told() {
    let alarm = first_alarm(1, 500, |page, rng| PageSignal {
        expected: Some(if page < 300 { 0.05 } else { 0.5 }),
        ..found(0.4, rng)
    });
    let (page, cause) = alarm.unwrap();
    assert_eq!(cause, DriftCause::Unsure);
    assert!((300..400).contains(&page), "{page}");
    assert!((entropy(0.5) - 1.0).abs() < 1e-12 && entropy(0.0).abs() < 1e-12);
}

#[test]
fn the_turnover_is_the_share_of_new_features() {
    let mut drift = Drift::default();
    drift.trained(vec![1, 2, 3, 4]);
    assert!(drift.turnover.abs() < 1e-12);
    drift.trained(vec![4, 3, 9, 8]);
    assert!((drift.turnover - 0.5).abs() < 1e-12);
    let alarm = DriftAlarm {
        cause: DriftCause::Exhausted,
        usual: 0.25,
        turnover: 0.5,
        hosts: Vec::new(),
    };
    let said = alarm.to_string();
    assert!(
        said.contains("25 of 100") && said.contains("50 %"),
        "{said}"
    );
}
