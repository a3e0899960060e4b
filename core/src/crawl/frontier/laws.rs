//! What holds of a frontier whatever is done to it.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const HOSTS: u8 = 4;
const PAGES: u8 = 6;

#[derive(Debug, Clone)]
enum Step {
    Add(u8, u8, u8),
    Take,
    Close(u8),
    Open(u8),
    Forget(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..HOSTS, 0..PAGES, any::<u8>()).prop_map(|(host, page, value)| Step::Add(host, page, value)),
        4 => Just(Step::Take),
        1 => (0..HOSTS).prop_map(Step::Close),
        1 => (0..HOSTS).prop_map(Step::Open),
        1 => (0..HOSTS).prop_map(Step::Forget),
    ];
    vec(step, 0..80)
}

fn host(number: u8) -> String {
    format!("h{number}.org")
}

fn waiting(model: &BTreeMap<(u8, u8), u8>, open: [bool; HOSTS as usize]) -> Option<u8> {
    let values = model.iter().filter(|row| open[usize::from(row.0.0)]);
    values.map(|row| *row.1).max()
}

proptest! {
    /// Against a table of pages with their best values: the best page of an open host is taken, once, and
    /// as many wait as were added and neither taken nor forgotten.
    #[test]
    fn the_best_page_of_an_open_host_is_taken_once(steps in steps()) {
        let mut frontier = Frontier::new(LinkPolicy::Maximum, None);
        let mut model: BTreeMap<(u8, u8), u8> = BTreeMap::new();
        let mut open = [true; HOSTS as usize];
        for step in steps {
            match step {
                Step::Add(at, page, value) => {
                    let target = Address::parse(&format!("http://{}/{page}", host(at))).unwrap();
                    frontier.add(Candidate::seed(target), Priority::new(0, f64::from(value)));
                    let best = model.entry((at, page)).or_default();
                    *best = value.max(*best);
                }
                Step::Take => {
                    let expected = waiting(&model, open);
                    let target = frontier.best_open().map(|page| page.links[0].target.clone());
                    prop_assert_eq!(target.is_some(), expected.is_some());
                    let Some(target) = target else { continue };
                    prop_assert!(frontier.take(&target).is_some());
                    prop_assert!(frontier.take(&target).is_none(), "taken twice");
                    let at: u8 = target.host()[1..2].parse().unwrap();
                    let page: u8 = target.path_and_query()[1..].parse().unwrap();
                    prop_assert!(open[usize::from(at)]);
                    prop_assert_eq!(model.remove(&(at, page)), expected);
                }
                Step::Close(at) => {
                    frontier.close(&host(at));
                    open[usize::from(at)] = false;
                }
                Step::Open(at) => {
                    frontier.open(&host(at));
                    open[usize::from(at)] = true;
                }
                Step::Forget(at) => {
                    let pages = model.keys().filter(|page| page.0 == at).count();
                    prop_assert_eq!(frontier.forget_host(&host(at)), pages);
                    model.retain(|page, _| page.0 != at);
                }
            }
            prop_assert_eq!(frontier.len(), model.len());
        }
    }
}
