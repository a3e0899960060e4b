//! What stands around links (\[A\] figure 9)? By offset: the sum of the rates of `<t,d>` there
//! (9a), and how many elements of the most frequent tags begin there (9b).
//!
//! \[A\] takes rates relative to all terms at the same offset, whose sum would be 1 everywhere;
//! drawn is the parameter of its eq. 1 with all links as one class. An element is found at
//! the offset of its first leaf; links themselves are left out, as in \[A\].

use std::collections::BTreeMap;

use anyhow::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::json;

use crate::experiments::Finding;
use crate::experiments::Instance;
use crate::experiments::Subject;
use crate::experiments::links_of::WIDEST;
use crate::report::Section;
use linkscent_charts as chart;

/// Leaves looked at on both sides, for tags.
const NEAR: i32 = 5;
/// Tags with a curve.
const TAGS: usize = 11;

/// The sum of `(1 + n(t,d)) / (|T| + N)` over the terms at each offset, from the least one.
fn rates(links: &[Instance]) -> Vec<f64> {
    let wide = WIDEST as i32;
    let mut counts: FxHashMap<(u32, i32), f64> = FxHashMap::default();
    for word in links.iter().flat_map(|link| &link.words) {
        *counts.entry(*word).or_default() += 1.0;
    }
    let all = counts.len() as f64 + counts.values().sum::<f64>();
    let mut sums = vec![0.0; 2 * wide as usize + 1];
    for ((_, offset), count) in counts {
        sums[(offset + wide) as usize] += (1.0 + count) / all.max(1.0);
    }
    sums
}

pub(in crate::experiments) fn run(subject: &Subject<'_>) -> Result<Finding> {
    let wide = WIDEST as i32;
    let links = &subject.links().links;
    let sums = rates(links);
    let labels: Vec<String> = (-wide..=wide).map(|offset| offset.to_string()).collect();
    let mut rows: Vec<_> = labels
        .iter()
        .zip(&sums)
        .map(|(offset, sum)| json!({ "topic": subject.name, "offset": offset, "rate": sum }))
        .collect();
    let sources: FxHashSet<u32> = links.iter().map(|link| link.source).collect();
    let trees = subject.web.tags(|page| sources.contains(&page))?;
    let mut starts: FxHashMap<u32, Vec<(&str, u32)>> = FxHashMap::default();
    for (&page, tree) in &trees {
        let elements = tree.elements().filter(|(name, _)| *name != "a");
        // In the order of their first leaf, though a table is moved about in its tree.
        let mut elements: Vec<(&str, u32)> = elements.collect();
        elements.sort_by_key(|row| row.1);
        starts.insert(page, elements);
    }
    let mut tags: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for link in links {
        let elements = starts.get(&link.source).map_or(&[][..], Vec::as_slice);
        let first = link.leaves.first.saturating_sub(NEAR as u32);
        let from = elements.partition_point(|row| row.1 < first);
        let near = elements[from..].iter();
        for &(name, leaf) in near.take_while(|row| row.1 < link.leaves.end + NEAR as u32) {
            let offset = link.leaves.offset_of(leaf).0;
            let counts = tags
                .entry(name)
                .or_insert_with(|| vec![0.0; 2 * NEAR as usize + 1]);
            if offset != 0 && offset.abs() <= NEAR {
                counts[(offset + NEAR) as usize] += 1.0;
            }
        }
    }
    let mut tags: Vec<(&str, Vec<f64>)> = tags.into_iter().collect();
    tags.sort_by(|a, b| b.1.iter().sum::<f64>().total_cmp(&a.1.iter().sum()));
    tags.truncate(TAGS);
    rows.extend(tags.iter().map(
        |(tag, counts)| json!({ "topic": subject.name, "tag": tag, "from_offset": -NEAR, "elements": counts }),
    ));
    let near: Vec<String> = (-NEAR..=NEAR).map(|offset| offset.to_string()).collect();
    let tags = tags.into_iter();
    let lines: Vec<chart::Line<'_>> = tags
        .map(|(name, values)| chart::Line { name, values })
        .collect();
    Ok(Finding {
        rows,
        section: Section {
            title: format!("Words and tags by their offset: {}", subject.name),
            body: format!(
                "{}<p class=\"muted\">Sum of the rates of words at an offset; 0 is the link itself.</p>\
                 {}<p class=\"muted\">Elements by the offset of their first leaf, links left out.</p>",
                chart::bars(&labels, &sums),
                chart::lines(&near, &lines)
            ),
        },
    })
}
