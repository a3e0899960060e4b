//! How far around a link should one read (\[A\] figure 6)? Accuracy of naive
//! Bayes on good and on other links, by `dmax`.

use serde_json::json;

use crate::experiments::Finding;
use crate::experiments::LinkSet;
use crate::experiments::links::Features;
use crate::experiments::links::learn;
use crate::experiments::links_of::SPLITS;
use crate::experiments::links_of::WIDEST;
use crate::report::Section;
use linkscent_charts as chart;

pub(in crate::experiments) fn run(links: &LinkSet) -> Finding {
    let (mut labels, mut rows) = (Vec::new(), Vec::new());
    let mut found: [Vec<f64>; 3] = Default::default();
    for dmax in 0..=WIDEST as i32 {
        let features = Features {
            dmax,
            offsets: true,
        };
        let (mut right, mut all) = ([0.0; 2], [0.0; 2]);
        for split in 0..SPLITS {
            let (train, test) = links.halves(split);
            let counts = learn(&train, features);
            let prior = counts.prior_log_ratio();
            for link in test {
                let evidence = features
                    .of(link)
                    .map(|feature| counts.log_ratio(feature, 0.0));
                let log_odds = prior + evidence.sum::<f64>();
                let class = usize::from(link.is_good);
                all[class] += 1.0;
                right[class] += f64::from(u8::from((log_odds > 0.0) == link.is_good));
            }
        }
        let [negative, positive] = [0, 1].map(|class| right[class] / f64::max(all[class], 1.0));
        let average = f64::midpoint(negative, positive);
        for (line, value) in found.iter_mut().zip([negative, positive, average]) {
            line.push(value);
        }
        labels.push(dmax.to_string());
        rows.push(json!({ "topic": links.name, "dmax": dmax, "negative": negative, "positive": positive, "average": average }));
    }
    let names = [
        "links that lead elsewhere",
        "links to relevant pages",
        "average",
    ];
    let lines = names.into_iter().zip(found);
    let lines: Vec<chart::Line<'_>> = lines
        .map(|(name, values)| chart::Line { name, values })
        .collect();
    Finding {
        rows,
        section: Section {
            title: format!("Accuracy by distance read around a link: {}", links.name),
            body: chart::lines(&labels, &lines),
        },
    }
}
