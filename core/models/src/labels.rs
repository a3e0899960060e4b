//! The words that tell groups apart: for each group the terms that its items hold more
//! often than the rest do, the surest first, by the log-likelihood ratio G² (Dunning
//! 1993, "Accurate methods for the statistics of surprise and coincidence").
//!
//! Left out: which words are worth showing at all (stop words, the forms of one word),
//! and a bound below which a difference may be chance. A G² above 3.84 would be rarer
//! than once in twenty by chance alone, but the best of thousands of terms passes that.

/// The terms of an item and how often it has each.
pub type Terms<'a> = &'a [(u32, f64)];

/// A term and how much of it there is in a group.
struct Counted {
    term: u32,
    count: f64,
    /// Items of the group that hold it.
    items: usize,
}

/// The terms that tell each group best from all others, at most so many, best first;
/// of equally good ones the lower number comes first.
///
/// Counts that are not above 0, or not finite, are passed over, and those of a term
/// named more than once in an item are added up. Terms that fewer than two items of a
/// group hold are passed over there, unless the group has one item. A group beside
/// which there is nothing has no terms.
pub fn labels(groups: &[Vec<Terms>], most: usize) -> Vec<Vec<u32>> {
    let counted: Vec<Vec<Counted>> = groups.iter().map(|items| count(items)).collect();
    let mut rows: Vec<(u32, f64)> = counted
        .iter()
        .flatten()
        .map(|row| (row.term, row.count))
        .collect();
    rows.sort_by_key(|row| row.0);
    let mut sums: Vec<(u32, f64)> = Vec::new();
    for (term, count) in rows {
        match sums.last_mut().filter(|last| last.0 == term) {
            Some(last) => last.1 += count,
            None => sums.push((term, count)),
        }
    }
    let all: f64 = sums.iter().map(|row| row.1).sum();
    let of_term = |term: u32| {
        let place = sums.binary_search_by_key(&term, |row| row.0);
        place.map_or(0.0, |place| sums[place].1)
    };
    let best = |(rows, items): (&Vec<Counted>, &Vec<Terms>)| {
        let here: f64 = rows.iter().map(|row| row.count).sum();
        let common = rows.iter().filter(|row| row.items >= items.len().min(2));
        let mut scored: Vec<(f64, u32)> = common
            .map(|row| {
                let rest = of_term(row.term) - row.count;
                (surprise([row.count, here], [rest, all - here]), row.term)
            })
            .filter(|row| row.0 > 0.0)
            .collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.iter().take(most).map(|row| row.1).collect()
    };
    counted.iter().zip(groups).map(best).collect()
}

/// The terms of a group, by ascending number.
fn count(items: &[Terms]) -> Vec<Counted> {
    let mut rows: Vec<(u32, usize, f64)> = Vec::new();
    for (item, terms) in items.iter().enumerate() {
        let valid = terms.iter().filter(|row| row.1 > 0.0 && row.1.is_finite());
        rows.extend(valid.map(|&(term, count)| (term, item, count)));
    }
    rows.sort_by_key(|row| (row.0, row.1));
    let mut counted: Vec<Counted> = Vec::new();
    let mut before = None;
    for (term, item, count) in rows {
        let is_new = before != Some((term, item));
        before = Some((term, item));
        match counted.last_mut().filter(|last| last.term == term) {
            Some(last) => {
                last.count += count;
                last.items += usize::from(is_new);
            }
            None => counted.push(Counted {
                term,
                count,
                items: 1,
            }),
        }
    }
    counted
}

/// G² of a term: how surely its share differs between two texts, each given by the
/// count of the term and that of all terms. Below 0 where the share in the first is
/// the lower one; 0 where it is the same, or one of them is empty.
fn surprise([a, in_first]: [f64; 2], [b, in_second]: [f64; 2]) -> f64 {
    if in_first <= 0.0 || in_second <= 0.0 {
        return 0.0;
    }
    let share = (a + b) / (in_first + in_second);
    let part = |count: f64, expected: f64| {
        let is_counted = count > 0.0 && expected > 0.0;
        if is_counted {
            count * (count / expected).ln()
        } else {
            0.0
        }
    };
    let ratio = part(a, in_first * share)
        + part(b, in_second * share)
        + part(in_first - a, in_first * (1.0 - share))
        + part(in_second - b, in_second * (1.0 - share));
    let sign = if a * in_second > b * in_first {
        1.0
    } else {
        -1.0
    };
    sign * (2.0 * ratio).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SplitMix};

    type Item = Vec<(u32, f64)>;

    fn best(groups: &[Vec<Item>], most: usize) -> Vec<Vec<u32>> {
        let slices = groups.iter().map(|items| items.iter().map(Vec::as_slice));
        labels(&slices.map(Iterator::collect).collect::<Vec<_>>(), most)
    }

    #[test]
    fn the_ratio_is_that_of_a_worker_calculation() {
        // "the swiss", first in Dunning's table of bigrams: cells 110, 2442, 111, 29114.
        let ratio = surprise([110.0, 110.0 + 2_442.0], [111.0, 111.0 + 29_114.0]);
        assert!((ratio - 270.72).abs() < 0.01, "{ratio}");
        // 3 of 4 beside 1 of 4, expected 2 each: 2 (2 * 3 ln 1.5 + 2 * 1 ln 0.5).
        let worker = 12.0 * 1.5f64.ln() + 4.0 * 0.5f64.ln();
        assert!((surprise([3.0, 4.0], [1.0, 4.0]) - worker).abs() < 1e-12);
        assert!((surprise([1.0, 4.0], [3.0, 4.0]) + worker).abs() < 1e-12);
        // 2 of 2 beside 0 of 2, expected 1 each: 8 ln 2.
        let ratio = surprise([2.0, 2.0], [0.0, 2.0]);
        assert!((ratio - 8.0 * 2f64.ln()).abs() < 1e-12);
        assert_eq!(surprise([2.0, 4.0], [4.0, 8.0]), 0.0);
        assert_eq!(surprise([2.0, 4.0], [0.0, 0.0]), 0.0);
    }

    #[test]
    fn labels_are_common_to_a_group_and_rare_beside_it() {
        let groups = [
            // 9 is everywhere, 5 only in one item, 1 is the group's.
            vec![
                vec![(1, 6.0), (9, 3.0), (5, 8.0)],
                vec![(1, 5.0), (9, 3.0), (4, 1.0)],
                vec![(1, 4.0), (9, 3.0), (4, 1.0)],
            ],
            vec![vec![(2, 4.0), (9, 4.0)], vec![(2, 1.0), (9, 2.0), (1, 1.0)]],
            vec![vec![(7, 1.0), (6, 1.0), (9, 0.5)]],
            vec![],
        ];
        let expected: [&[u32]; 4] = [&[1, 4], &[2, 9], &[6, 7], &[]];
        assert_eq!(best(&groups, 5), expected);
        assert_eq!(best(&groups, 1), [vec![1], vec![2], vec![6], vec![]]);
        assert_eq!(best(&groups[..1], 5), [[0; 0]], "nothing to tell from");
        assert!(best(&[], 5).is_empty());
        // Said twice in one item is not two items, and no counts are no terms.
        let odd = [
            vec![
                vec![(1, 1.0), (1, 1.0), (2, 1.0)],
                vec![(2, f64::NAN), (3, 1.0), (3, -1.0)],
            ],
            vec![vec![(4, 1.0), (5, 0.0), (6, f64::INFINITY)]],
        ];
        assert_eq!(best(&odd, 5), [vec![], vec![4]]);
    }

    /// The same from the words as they stand, a term at a time: as mutual information
    /// of term and group, times twice the count of all.
    fn by_brute_force(groups: &[Vec<Item>], most: usize) -> Vec<Vec<u32>> {
        let sum = |groups: &[&Vec<Item>], is_so: &dyn Fn(u32) -> bool| -> f64 {
            let rows = groups.iter().copied().flatten().flatten();
            rows.filter(|row| is_so(row.0)).map(|row| row.1).sum()
        };
        let mut labels = Vec::new();
        for (number, group) in groups.iter().enumerate() {
            let others = groups.iter().enumerate().filter(|row| row.0 != number);
            let others: Vec<&Vec<Item>> = others.map(|row| row.1).collect();
            let mut scored = Vec::new();
            for term in 0..40 {
                let with = |item: &&Item| item.iter().any(|row| row.0 == term);
                if group.iter().filter(with).count() < group.len().min(2) {
                    continue;
                }
                let is = |other: u32| other == term;
                let is_not = |other: u32| other != term;
                let cells = [
                    [sum(&[group], &is), sum(&[group], &is_not)],
                    [sum(&others, &is), sum(&others, &is_not)],
                ];
                let rows = cells.map(|row| row[0] + row[1]);
                let columns = [0, 1].map(|column| cells[0][column] + cells[1][column]);
                let all = rows[0] + rows[1];
                let mut information = 0.0;
                for row in 0..2 {
                    for column in 0..2 {
                        let p = cells[row][column] / all;
                        if p > 0.0 {
                            let alone = rows[row] / all * (columns[column] / all);
                            information += p * (p / alone).ln();
                        }
                    }
                }
                if cells[0][0] / rows[0] > cells[1][0] / rows[1] {
                    scored.push((2.0 * all * information, term));
                }
            }
            scored.sort_by(|a, b| b.0.total_cmp(&a.0));
            labels.push(scored.iter().take(most).map(|row| row.1).collect());
        }
        labels
    }

    #[test]
    fn labels_are_those_of_brute_force() {
        let mut rng = SplitMix(6);
        for _ in 0..40 {
            let mut number = |below: usize| (rng.unit() * below as f64) as usize;
            let mut groups: Vec<Vec<Item>> = Vec::new();
            for group in 0..2 + number(4) {
                let mut items = Vec::new();
                for _ in 0..=number(6) {
                    let own = (0..5).map(|_| (group * 5 + number(7)) as u32);
                    let own: Vec<u32> = own.collect();
                    let any = (0..8).map(|_| number(40) as u32);
                    let terms: Vec<u32> = own.into_iter().chain(any).collect();
                    // Fractions, so that no two are equally good but by chance.
                    let counts = terms
                        .into_iter()
                        .map(|term| (term, 0.5 + number(1_000) as f64 / 300.0));
                    items.push(counts.collect());
                }
                groups.push(items);
            }
            let found = best(&groups, 4);
            assert_eq!(found, by_brute_force(&groups, 4));
            assert!(found.iter().any(|labels| !labels.is_empty()));
        }
    }
}
