//! How well does our own critic agree with the frozen one? It is taught by the
//! same example pages and judges all others.

use serde_json::json;

use super::{Finding, Subject, roc_auc};
use crate::own_critic::{self, CriticExample};
use crate::report::Section;
use crate::topic::Label;

/// So many of the pages, evenly spaced.
fn evenly(pages: &[u32], count: usize) -> Vec<u32> {
    let places = (0..count).map(|place| place * pages.len() / count);
    places.map(|place| pages[place]).collect()
}

pub(super) fn run(subject: &Subject<'_>) -> Finding {
    let (web, topic) = (subject.web, subject.topic);
    let (examples, others) = (topic.chosen(true), topic.chosen(false));
    let mut rows = Vec::new();
    let mut body = String::from(
        "<table><thead><tr><th>Examples</th><th>ROC AUC</th><th>Accuracy</th><th>Found relevant</th><th>How sure it says it is</th></tr></thead><tbody>",
    );
    for count in [1, 2, 3, 5, examples.len()] {
        let count = count.min(examples.len());
        let examples = CriticExample::two(evenly(&examples, count), others.clone());
        let ours = own_critic::judge(web, &examples).labels;
        let sure = own_critic::confidence(web, &examples).filter(|_| !examples.is_enough());
        let judged = topic.labels.iter().zip(&ours);
        let judged = judged.filter(|(frozen, _)| frozen.example.is_none());
        // A critic of few pages ranks by all its evidence; one of many is nearly always quite sure.
        let by_words = examples.is_enough();
        let rank = |ours: &Label| {
            if by_words {
                ours.log_odds
            } else {
                ours.relevance
            }
        };
        let pairs: Vec<(f64, bool, bool)> = judged
            .map(|(frozen, ours)| (rank(ours), ours.is_relevant(), frozen.is_relevant()))
            .collect();
        let mut scored: Vec<(f64, bool)> = pairs.iter().map(|row| (row.0, row.2)).collect();
        let auc = roc_auc(&mut scored);
        let agreed = pairs.iter().filter(|row| row.1 == row.2).count();
        let accuracy = agreed as f64 / pairs.len().max(1) as f64;
        let said = pairs.iter().filter(|row| row.1).count();
        let really = pairs.iter().filter(|row| row.2).count();
        body.push_str(&format!(
            "<tr><td>{count}</td><td>{auc:.3}</td><td>{accuracy:.3}</td><td>{said} of {really}</td><td>{}</td></tr>",
            sure.map_or(String::new(), |sure| format!("{sure:.2}"))
        ));
        rows.push(json!({
            "topic": subject.name, "examples": count, "auc": auc, "accuracy": accuracy,
            "said_relevant": said, "really_relevant": really, "confidence": sure,
        }));
    }
    body.push_str("</tbody></table>");
    Finding {
        rows,
        section: Section {
            title: format!("Our own critic beside the frozen one: {}", subject.name),
            body,
        },
    }
}
