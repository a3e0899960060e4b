//! What a person is shown of a page when they are asked about it, or look through pages without
//! having asked for words: the sentences that speak for its topic.

use linkscent_core::budget::QUERY;
use linkscent_core::text::Language;
use linkscent_core::wire::api::SnippetPiece;
use linkscent_library::{Piece, Query, snippet};

use crate::Library;
use crate::ServiceError;
use crate::page_archive;
use linkscent_store::{CrawlRow, Topic};

/// Words of a topic's targets that are looked for on a page: with many, long lists and captions
/// would say most.
const MOST_WORDS: usize = 6;

/// A page that a crawl asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedPage {
    /// The page.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Its sentences that say most of the topic.
    pub snippet: Vec<SnippetPiece>,
}

impl Library {
    /// What a crawl asks about, with what speaks for it. Of a page whose copy cannot be read, its
    /// beginning.
    pub async fn questions(
        &self,
        crawl: &CrawlRow,
        topic: &Topic,
    ) -> Result<Vec<AskedPage>, ServiceError> {
        let mut asked = Vec::new();
        let rows = self.context.store.questions(crawl.id).await?;
        if rows.is_empty() {
            // What the topic is taken for takes a while to be read where much was learned.
            return Ok(asked);
        }
        let telling = self.telling(topic).await?;
        for row in rows {
            let page = page_archive::page(&self.context.store, crawl.id, &row.address).await;
            let telling = telling.clone();
            let reading = tokio::task::spawn_blocking(move || {
                let page = page.ok().flatten()?;
                let passages = page.document().passages();
                Some(speaking(&passages, &telling, page.language))
            });
            let pieces = reading.await.ok().flatten();
            asked.push(AskedPage {
                address: row.address,
                title: row.title,
                snippet: pieces.filter(|found| !found.is_empty()).unwrap_or_else(|| {
                    vec![SnippetPiece {
                        text: row.snippet,
                        is_match: false,
                    }]
                }),
            });
        }
        Ok(asked)
    }

    /// What is looked for on the pages that a search finds: its words, or where it has none and is
    /// one of a topic, those that tell most of it.
    pub(crate) async fn spoken_of(&self, topic: Option<&Topic>, text: &str) -> Query {
        // One that is too long is refused where it is searched by.
        let asked = Query::read(text).unwrap_or_default();
        match topic {
            // A topic whose topic model cannot be made is searched all the same.
            Some(topic) if asked.is_empty() => self.telling(topic).await.unwrap_or(asked),
            _ => asked,
        }
    }

    /// The words that tell most of a topic: those of its name and of its targets.
    pub(crate) async fn telling(&self, topic: &Topic) -> Result<Query, ServiceError> {
        let learned = self.models.learned(topic).await?;
        let words = learned.belief.words.iter().take(MOST_WORDS);
        let words = std::iter::once(&topic.name).chain(words);
        Ok(of_words(words.map(String::as_str)))
    }
}

/// Words as a query, whatever signs stand in them.
fn of_words<'a>(texts: impl Iterator<Item = &'a str>) -> Query {
    let words = texts.flat_map(|text| text.split(|sign: char| !sign.is_alphanumeric()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let fitting = &words[..words.len().min(QUERY.items)];
    Query::read(&fitting.join(" ")).unwrap_or_default()
}

/// The sentences of passages that say most of what was asked.
pub(crate) fn speaking(
    passages: &[String],
    asked: &Query,
    language: Language,
) -> Vec<SnippetPiece> {
    let pieces = snippet(passages, asked, language).into_iter();
    let piece = |Piece { text, is_match }| SnippetPiece { text, is_match };
    pieces.map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::crawled;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_question_shows_the_sentences_that_speak_for_the_topic() {
        let folder = tempfile::tempdir().unwrap();
        let (service, topic, crawl) = crawled(folder.path()).await;
        let (row, _) = service.crawls.crawl(crawl).await.unwrap();
        let log = service.context.store.fetches(crawl).await.unwrap();
        service
            .context
            .store
            .ask(crawl, &log[1].address)
            .await
            .unwrap();
        let telling = service.library.telling(&topic).await.unwrap();
        assert!(
            telling.terms(Language::English).contains("bee"),
            "{telling:?}"
        );
        let asked = service.library.questions(&row, &topic).await.unwrap();
        assert_eq!(asked[0].address, log[1].address);
        let kept = service
            .library
            .kept_page(crawl, log[1].number)
            .await
            .unwrap();
        let expected = speaking(&kept.document().passages(), &telling, kept.language);
        assert_eq!(asked[0].snippet, expected);
        // So it is where a topic's pages are looked through without a word.
        let none = service.library.spoken_of(Some(&topic), " ").await;
        assert_eq!(none, telling);
        let moats = Query::read("moats").unwrap();
        assert_eq!(
            service.library.spoken_of(Some(&topic), "moats").await,
            moats
        );
        assert_eq!(
            service.library.spoken_of(None, "").await,
            Query::read("").unwrap()
        );
    }

    #[test]
    fn a_name_is_words_whatever_signs_stand_in_it() {
        let odd = of_words(["\"lost -castles", "site:of OR (wales"].into_iter());
        assert_eq!(odd, Query::read("lost castles site of OR wales").unwrap());
    }
}
