//! A topic of another name, as far as it takes to say how relevant a page is to
//! it, and whether a form leads to a database that it looks for: words with their weights,
//! and a curve. Knows no vocabulary and no pages, so
//! it goes along with a predicate that asks for it, wherever that goes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::features::HEAVIEST_TERMS;
use crate::forms::{FormDomain, FormWords};
use crate::page::Page;
use crate::web_graph::Relevance;

/// Topics by their names.
pub type NamedTopics = BTreeMap<String, NamedTopic>;

/// What [`super::Topic`] says of pages, frozen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NamedTopic {
    /// Log-odds of the words of marked pages.
    pub words: BTreeMap<String, f32>,
    /// Log-odds of any other word.
    pub other: f32,
    /// The score at which a page is as likely good as not.
    pub middle: f64,
    /// How steeply relevance rises there.
    pub slope: f64,
    /// What tells its forms from others, if some were marked.
    pub forms: Option<FormDomain>,
}

impl NamedTopic {
    /// How likely a searchable form leads to a database that the topic looks for, 0..=1: by
    /// its marked forms, or, where there are none, by what the form's words would be worth on
    /// a page.
    pub fn form(&self, words: &FormWords) -> f64 {
        if let Some(domain) = &self.forms {
            return domain.probability(words);
        }
        self.of_words(words.weighed()).value()
    }

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
        let heaviest = counts.into_iter().take(HEAVIEST_TERMS);
        self.of_words(heaviest.map(|(count, position)| {
            let word = read.terms[position].as_str();
            (word, 1.0 + f64::from(count).ln())
        }))
    }

    /// How relevant a text of these words is, each with its weight.
    fn of_words<'a>(&self, words: impl Iterator<Item = (&'a str, f64)>) -> Relevance {
        let (mut sum, mut all) = (0.0, 0.0);
        for (word, weight) in words {
            let known = self.words.get(word);
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
    use crate::strategies::SplitMix;
    use crate::text::Language;
    use crate::topic_model::TopicModel;
    use crate::web_graph::Mark;

    fn page(name: &str, text: &str) -> Page {
        let mut builder = Builder::new();
        builder.leaf(text);
        let address = Address::parse(&format!("http://a.test/{name}")).unwrap();
        Page::new(address, builder.finish().unwrap())
    }

    #[test]
    fn forms_are_told_by_marked_forms_or_else_by_words() {
        let words = |text: &str| FormWords::of_text(text, Language::English);
        let topic = NamedTopic {
            words: BTreeMap::from([("job".to_owned(), 2.0)]),
            other: -1.0,
            middle: 0.5,
            slope: 2.0,
            forms: None,
        };
        // Mean log-odds (2 - 1) / 2 is the middle of the curve.
        assert!((topic.form(&words("jobs salary")) - 0.5).abs() < 1e-12);
        let logistic = 1.0 / (1.0 + (-2.0 * (2.0_f64 - 0.5)).exp());
        assert!((topic.form(&words("job")) - logistic).abs() < 1e-12);
        assert!(topic.form(&FormWords::default()).abs() < 1e-12);
        let (salaries, books) = (words("salary employer"), words("author title"));
        let domain = FormDomain::train(&[(&salaries, true), (&books, false)]);
        let (bias, rows) = domain.rows();
        assert_eq!(
            FormDomain::from_rows(bias, rows.clone()),
            Some(domain.clone())
        );
        let twice = [rows.clone(), rows.clone()].concat();
        assert_eq!(FormDomain::from_rows(bias, twice), None);
        assert_eq!(FormDomain::from_rows(f64::NAN, rows), None);
        let marked = NamedTopic {
            forms: Some(domain),
            ..topic
        };
        assert!(marked.form(&words("employer")) > 0.5 && marked.form(&words("author")) < 0.5);
    }

    #[test]
    fn frozen_it_tells_the_topics_pages_by_their_words() {
        let mut topic_model = TopicModel::new("topic", "best-first").unwrap();
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
            topic_model.visit(&page(name, text), &[], mark, &mut rng);
        }
        let frozen = NamedTopic::of(topic_model.graph());
        let relevance = |text| frozen.relevance(&page("new", text)).value();
        assert!(relevance("bees in hollow stems") > 0.9);
        assert!(relevance("trains and platforms") < 0.1);
        let between = relevance("bees at the station");
        assert!(relevance("trains and platforms") < between);
        assert!(between < relevance("bees in hollow stems"));
    }
}
