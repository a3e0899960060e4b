//! A topic of another name, as far as it takes to say how relevant a page is to
//! it: words with their weights, and a curve. Knows no vocabulary and no pages, so
//! it goes along with a predicate that asks for it, wherever that goes.

use std::collections::BTreeMap;

use crate::page::Page;
use crate::web_graph::{HEAVIEST_TERMS, Relevance};

/// Topics by their names.
pub type NamedTopics = BTreeMap<String, NamedTopic>;

/// What [`super::Topic`] says of pages, frozen.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NamedTopic {
    /// Log-odds of the words of marked pages.
    pub words: BTreeMap<String, f32>,
    /// Log-odds of any other word.
    pub other: f32,
    /// The score at which a page is as likely good as not.
    pub middle: f64,
    /// How steeply relevance rises there.
    pub slope: f64,
}

impl NamedTopic {
    /// How relevant a page is.
    pub fn relevance(&self, page: &Page) -> Relevance {
        if page.is_stuffed() {
            return Relevance::new(0.0);
        }
        let read = page.words();
        let mut counts: Vec<(u32, usize)> = (0..read.terms.len()).map(|n| (0, n)).collect();
        for position in read.all() {
            counts[position as usize].0 += 1;
        }
        counts.sort_unstable_by_key(|&(count, position)| (std::cmp::Reverse(count), position));
        let (mut sum, mut all) = (0.0, 0.0);
        for (count, position) in counts.into_iter().take(HEAVIEST_TERMS) {
            let weight = 1.0 + f64::from(count).ln();
            let known = self.words.get(&read.terms[position]);
            sum += weight * f64::from(known.copied().unwrap_or(self.other));
            all += weight;
        }
        if all == 0.0 {
            return Relevance::new(0.0);
        }
        let above = sum / all - self.middle;
        Relevance::new(1.0 / (1.0 + (-self.slope * above).exp()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::dom::Builder;
    use crate::guide::Guide;
    use crate::strategies::SplitMix;
    use crate::web_graph::Mark;

    fn page(name: &str, text: &str) -> Page {
        let mut builder = Builder::new();
        builder.leaf(text);
        let address = Address::parse(&format!("http://a.test/{name}")).unwrap();
        Page::new(address, builder.finish().unwrap())
    }

    #[test]
    fn frozen_it_says_what_the_topic_says() {
        let mut guide = Guide::new("topic", "best-first").unwrap();
        let mut rng = SplitMix(1);
        let texts = [
            ("1", "mason bees nest in hollow stems", Some(Mark::Target)),
            (
                "2",
                "wild bees collect pollen for their nest",
                Some(Mark::Target),
            ),
            ("3", "trains leave the station at nine", None),
            ("4", "a railway station with two platforms", None),
        ];
        for (name, text, mark) in texts {
            guide.visit(&page(name, text), &[], mark, &mut rng);
        }
        let frozen = guide.frozen_topic();
        for text in [
            "bees in hollow stems",
            "trains and platforms",
            "bees at the station",
        ] {
            let page = page("new", text);
            let (live, cold) = (guide.judge(&page).relevance, frozen.relevance(&page));
            assert!(
                (live.value() - cold.value()).abs() < 1e-4,
                "{text}: {live:?} {cold:?}"
            );
        }
    }
}
