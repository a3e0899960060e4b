//! What a crawl gives to see besides its figures: the words that an apprentice learned, and
//! the pages whose links led farthest.

use std::collections::BTreeMap;

use linkscent_core::features::OffsetTerm;
use linkscent_core::models::TwoClassCounts;
use linkscent_core::strategies::Saved;
use linkscent_core::topic_model::Knowledge;

use super::figures::Insight;
use super::scenario::Scenario;
use super::visits::Visit;

/// Pages named whose links led to most relevant pages.
const SOURCES: usize = 5;
/// Words shown for and against, of what an apprentice learned.
const TOP_FEATURES: usize = 12;

/// The counts an apprentice gets from all links that a crawl followed.
pub(super) fn counts_of(knowledge: &Knowledge) -> TwoClassCounts {
    let mut counts = TwoClassCounts::default();
    for arrival in &knowledge.arrivals {
        for link in &arrival.via {
            counts.add(
                link.context
                    .counts()
                    .map(|(feature, n)| (feature.to_bits(), n)),
                arrival.judgment.relevance.is_high(),
            );
        }
    }
    counts
}

/// What an apprentice learned: the words at offsets that speak most.
pub(super) fn learned(knowledge: &Knowledge) -> Insight {
    if knowledge.learned.owner() != TwoClassCounts::LEARNER {
        return Insight::new();
    }
    let known_terms = knowledge.graph.vocabulary.len();
    let Ok(Some(counts)) = knowledge.learned.read::<TwoClassCounts>(known_terms) else {
        return Insight::new();
    };
    let (rows, (high, low)) = counts.rows();
    let mut strongest: Vec<(f64, String)> = rows
        .into_iter()
        .map(|(bits, seen)| {
            let feature = OffsetTerm::from_bits(bits);
            let word = knowledge.graph.vocabulary.surface(feature.term());
            let log_ratio = counts.log_ratio(bits, 0.0);
            let times = f64::from(seen.high.max(seen.low));
            let line = format!("{word} at {:+}", feature.offset().0);
            (
                log_ratio * times.ln_1p(),
                format!("{line} ({log_ratio:+.1})"),
            )
        })
        .collect();
    strongest.sort_by(|a, b| b.0.total_cmp(&a.0));
    let list = |rows: &mut dyn Iterator<Item = &(f64, String)>| -> String {
        let words: Vec<&str> = rows.take(TOP_FEATURES).map(|row| row.1.as_str()).collect();
        words.join(", ")
    };
    vec![
        format!("links learned from: {high} to relevant pages, {low} to others"),
        format!("for: {}", list(&mut strongest.iter())),
        format!("against: {}", list(&mut strongest.iter().rev())),
    ]
}

/// The pages whose links led to the most relevant pages.
pub(super) fn best_sources(scenario: &Scenario, visits: &[Visit]) -> Insight {
    let mut sources: BTreeMap<u32, [usize; 2]> = BTreeMap::new();
    for visit in visits {
        if let Some(via) = visit.via {
            let [all, good] = sources.entry(via).or_default();
            *all += 1;
            *good += usize::from(scenario.topic.labels[visit.page as usize].counts());
        }
    }
    let mut best: Vec<(u32, [usize; 2])> = sources.into_iter().collect();
    best.sort_by_key(|&(page, [_, good])| (std::cmp::Reverse(good), page));
    let lines = best.iter().filter(|(_, [_, good])| *good > 0).take(SOURCES);
    let lines = lines.map(|(page, [all, good])| {
        let title = scenario.web.pages[*page as usize].title();
        format!("“{title}” ({good} of {all})")
    });
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return Insight::new();
    }
    vec![format!(
        "pages whose links led to most relevant pages, of those followed: {}",
        lines.join(", ")
    )]
}
