//! Where around a link do telling words stand (\[A\] figure 8)? Mean information
//! gain of `<t,d>` about the class, by offset `d`.

use rustc_hash::FxHashMap;
use serde_json::json;

use crate::experiments::Finding;
use crate::experiments::LinkSet;
use crate::experiments::links_of::WIDEST;
use crate::report::Section;
use linkscent_charts as chart;

pub(in crate::experiments) fn run(links: &LinkSet) -> Finding {
    let wide = WIDEST as i32;
    let all = &links.links;
    let good = all.iter().filter(|link| link.is_good).count() as f64;
    // (term, offset) -> links with it: leading elsewhere, leading to good pages.
    let mut seen: FxHashMap<(u32, i32), [f64; 2]> = FxHashMap::default();
    for link in all {
        let mut words = link.words.clone();
        words.sort_unstable();
        words.dedup();
        for word in words {
            seen.entry(word).or_default()[usize::from(link.is_good)] += 1.0;
        }
    }
    let mut sums = vec![(0.0, 0.0); 2 * wide as usize + 1];
    for ((_, offset), [elsewhere, to_good]) in seen {
        let place = &mut sums[(offset + wide) as usize];
        place.0 += gain(to_good, elsewhere, good, all.len() as f64 - good);
        place.1 += 1.0;
    }
    let values: Vec<f64> = sums
        .iter()
        .map(|(sum, n)| sum / f64::max(*n, 1.0))
        .collect();
    let labels: Vec<String> = (-wide..=wide).map(|offset| offset.to_string()).collect();
    let rows = labels.iter().zip(&values).map(|(offset, bits)| {
        json!({ "topic": links.name, "offset": offset, "mean_information_gain": bits })
    });
    Finding {
        rows: rows.collect(),
        section: Section {
            title: format!("Information gain of words by their offset: {}", links.name),
            body: format!(
                "{}<p class=\"muted\">Bits, mean over all words at an offset; 0 is the link itself.</p>",
                chart::bars(&labels, &values)
            ),
        },
    }
}

/// Bits that knowing whether a word is there tells about the class; `a` good
/// and `b` other links have it, of `good` and `other` in all.
fn gain(a: f64, b: f64, good: f64, other: f64) -> f64 {
    let entropy = |x: f64, y: f64| -> f64 {
        let part = |share: f64| {
            if share > 0.0 {
                -share * share.log2()
            } else {
                0.0
            }
        };
        let all = x + y;
        if all == 0.0 {
            0.0
        } else {
            part(x / all) + part(y / all)
        }
    };
    let all = good + other;
    let with = a + b;
    entropy(good, other)
        - with / all * entropy(a, b)
        - (all - with) / all * entropy(good - a, other - b)
}

#[cfg(test)]
mod tests {
    use crate::experiments::features::information_gain::gain;

    #[test]
    fn gains_by_hand() {
        assert!((gain(5.0, 0.0, 5.0, 5.0) - 1.0).abs() < 1e-12);
        assert!(gain(1.0, 1.0, 5.0, 5.0).abs() < 1e-12);
        assert!(gain(0.0, 0.0, 5.0, 5.0).abs() < 1e-12);
    }
}
