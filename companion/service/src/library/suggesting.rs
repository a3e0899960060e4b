//! How what is being typed into a search field may go on: words of titles that would be found,
//! and names of what pages can be narrowed by.

use std::collections::HashMap;

use crate::Library;
use crate::LibraryQuery;
use crate::ServiceError;
use linkscent_store::Topic;

/// Suggestions that are made.
const MOST: usize = 8;
/// Pages whose titles are looked at.
const PAGES: usize = 100;
/// Letters of a word before it is completed.
const LEAST: usize = 2;

impl Library {
    /// Whole questions that begin as the one that is being typed, likeliest first. Only its last
    /// word is completed; there are none where that is in quotes, or too short.
    pub async fn suggest(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
    ) -> Result<Vec<String>, ServiceError> {
        let text = query.text.trim_start();
        let at = text.rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let (before, word) = text.split_at(at);
        if before.matches('"').count() % 2 == 1 || word.contains('"') {
            return Ok(Vec::new());
        }
        let (not, word) = match word.strip_prefix('-') {
            Some(word) => ("-", word),
            None => ("", word),
        };
        let ends = match word.split_once(':') {
            Some(("title", word)) => {
                let ends = self.words_of_titles(topic, query, before, word).await?;
                ends.into_iter().map(|end| format!("title:{end}")).collect()
            }
            Some((field, value)) => {
                let asked = LibraryQuery {
                    text: before.to_owned(),
                    ..query.clone()
                };
                self.values(topic, &asked, field, value).await?
            }
            None => self.words_of_titles(topic, query, before, word).await?,
        };
        let whole = ends.into_iter().map(|end| format!("{before}{not}{end}"));
        Ok(whole.filter(|whole| *whole != text).take(MOST).collect())
    }

    /// Words that begin so in titles of what would be found, commonest first.
    async fn words_of_titles(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
        before: &str,
        beginning: &str,
    ) -> Result<Vec<String>, ServiceError> {
        let beginning = beginning.to_lowercase();
        let is_word = beginning.chars().all(char::is_alphanumeric);
        if beginning.chars().count() < LEAST || !is_word {
            return Ok(Vec::new());
        }
        let asked = LibraryQuery {
            text: format!("{before}title:{beginning}*"),
            skip: 0,
            ..query.clone()
        };
        let (found, _) = self.find(topic, &asked, PAGES).await?;
        let mut counts: HashMap<String, usize> = HashMap::new();
        for hit in &found.hits {
            let title = hit.title.to_lowercase();
            let words = title.split(|sign: char| !sign.is_alphanumeric());
            for word in words.filter(|word| word.starts_with(&beginning)) {
                *counts.entry(word.to_owned()).or_default() += 1;
            }
        }
        Ok(commonest(counts))
    }

    /// Conditions on a field whose value begins so, among what is found without it.
    async fn values(
        &self,
        topic: Option<&Topic>,
        query: &LibraryQuery,
        field: &str,
        beginning: &str,
    ) -> Result<Vec<String>, ServiceError> {
        let (found, known) = self.find(topic, query, 0).await?;
        let counts: Vec<(String, usize)> = match field {
            "site" => found.sites,
            "lang" => found.languages,
            _ => {
                let labels = known.named(&found.labels).into_iter();
                let labels = labels.filter(|label| label.field == field);
                labels.map(|label| (label.name, label.pages)).collect()
            }
        };
        let beginning = beginning.to_lowercase();
        let values = counts.into_iter();
        let values = values.filter(|(value, _)| value.starts_with(&beginning));
        let conditions = values.map(|(value, pages)| (condition(field, &value), pages));
        Ok(commonest(conditions.collect()))
    }
}

/// A condition as it is typed.
pub fn condition(field: &str, value: &str) -> String {
    if value.contains(char::is_whitespace) {
        format!("{field}:\"{value}\"")
    } else {
        format!("{field}:{value}")
    }
}

fn commonest(counts: HashMap<String, usize>) -> Vec<String> {
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.into_iter().map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Annotation;
    use crate::fixtures::{crawled, words};

    #[tokio::test(flavor = "multi_thread")]
    async fn the_last_word_is_completed_by_what_would_be_found() {
        let folder = tempfile::tempdir().unwrap();
        let (service, topic, _) = crawled(folder.path()).await;
        service.library.catch_up(|_| {}).await.unwrap();
        let suggested = async |text: &str| {
            let made = service.library.suggest(Some(&topic), &words(text)).await;
            made.unwrap()
        };
        let titles = service
            .library
            .search(Some(&topic), &words(""))
            .await
            .unwrap();
        let title = titles.pages[0].title.to_lowercase();
        let word = title.split(|sign: char| !sign.is_alphanumeric());
        let word = word.max_by_key(|word| word.len()).unwrap();
        let beginning = &word[..word.len() - 1];
        assert!(word.len() > 3, "{title}");
        let made = suggested(beginning).await;
        assert!(made.contains(&word.to_owned()), "{made:?} of {beginning}");
        let made = suggested(&format!("-title:{beginning}")).await;
        assert!(made.contains(&format!("-title:{word}")), "{made:?}");
        // Nothing is proposed that finds nothing.
        assert!(suggested(&format!("nonesuch {beginning}")).await.is_empty());
        for none in ["", "x", "\"honey be", "zzzz", "***"] {
            assert!(suggested(none).await.is_empty(), "{none}");
        }
        assert_eq!(suggested("site:ho").await[0], "site:host0.test");
        assert!(
            suggested("is:un")
                .await
                .contains(&"is:undecided".to_owned())
        );

        let keys = service
            .annotations
            .found_keys(Some(&topic), &words("honey"))
            .await;
        let tag = Annotation::read("tag", "To read").unwrap();
        service
            .annotations
            .annotate(&keys.unwrap(), &tag)
            .await
            .unwrap();
        assert_eq!(suggested("honey tag:t").await, ["honey tag:to-read"]);
        assert_eq!(condition("kind", "round towers"), "kind:\"round towers\"");
        assert_eq!(suggested("topic:b").await, ["topic:bees"]);
        assert!(suggested("topic:bees").await.is_empty(), "it stands there");
        let of_topic = service
            .library
            .search(None, &words("topic:bees honey"))
            .await;
        assert!(of_topic.unwrap().total > 0);
        let of_none = service.library.search(None, &words("topic:wasps")).await;
        assert_eq!(of_none.unwrap().total, 0);
    }
}
