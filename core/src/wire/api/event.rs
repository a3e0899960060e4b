//! What happened in the browser, as it is logged and sent: marks, forms, classes, links that
//! were followed, and pages that were shown.

use serde::{Deserialize, Serialize};

use super::{LONGEST_NOTE, Visit, as_tag};
use crate::address::Address;
use crate::dom::DomOffset;
use crate::features::{HEAVIEST_TERMS, LinkContext, OffsetTerm, PageTerms};
use crate::page::Page;
use crate::strategies::{Candidate, Step, Trail};
use crate::text::Vocabulary;
use crate::topic_model::{LONGEST_PHRASE, LONGEST_SUBTOPIC, MOST_PASSED_OVER};
use crate::web_graph::{Judgment, KnownPage, MARKED_TERMS, Mark, Relevance};

/// Characters of a topic's name at most.
pub const LONGEST_NAME: usize = 80;
/// Bytes of a marked page's words at most, each with one that parts it from the next.
const MOST_WORDS: usize = 200_000;

/// Whether a topic can be called so: 1 to [`LONGEST_NAME`] characters, no blanks around them.
pub fn is_topic_name(name: &str) -> bool {
    let length = name.chars().count();
    name.trim() == name && (1..=LONGEST_NAME).contains(&length)
}

/// Whether a subtopic can be called so: 1 to [`LONGEST_SUBTOPIC`] characters, no blanks around them.
pub fn is_subtopic_name(name: &str) -> bool {
    let length = name.chars().count();
    name.trim() == name && (1..=LONGEST_SUBTOPIC).contains(&length)
}

/// Something that happened in the browser; sent once, though perhaps twice
/// received: `id` tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Event {
    /// Chosen by the extension, unique.
    pub id: String,
    /// Key of the topic it belongs to: what that was called when it was made.
    pub topic: String,
    /// Milliseconds since 1970.
    pub time: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: EventKind,
}

/// What can happen in the browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum EventKind {
    /// The person marked a page, or took the mark back.
    Mark {
        /// The page.
        address: String,
        /// Its title.
        title: String,
        /// True: target; false: not; null: mark taken back.
        #[cfg_attr(feature = "schema", schema(required))]
        target: Option<bool>,
        /// The page's words with their counts.
        words: Vec<(String, u32)>,
    },
    /// The person said of a form whether it leads to a database that they look
    /// for, or took that back.
    Form {
        /// The page.
        address: String,
        /// What the form is called by on its page.
        form: String,
        /// True: it does; false: it does not; null: taken back.
        #[cfg_attr(feature = "schema", schema(required))]
        wanted: Option<bool>,
        /// The form's words.
        words: Vec<String>,
        /// The commonest words of its page.
        around: Vec<String>,
    },
    /// The person said what class a page is of, or took that back.
    Class {
        /// The page.
        address: String,
        /// Its title.
        title: String,
        /// Path of the class in the topic's taxonomy; null: taken back.
        #[cfg_attr(feature = "schema", schema(required))]
        class: Option<String>,
        /// The page's words with their counts.
        words: Vec<(String, u32)>,
    },
    /// The person said of the topic in words what it is or is not, or took that back.
    Phrase {
        /// A word, a few, or sentences.
        text: String,
        /// True: what they look for; false: it is not; null: taken back.
        #[cfg_attr(feature = "schema", schema(required))]
        wanted: Option<bool>,
    },
    /// The person said of which subtopic of the topic a page is, or took that back.
    #[serde(rename = "facet")]
    Subtopic {
        /// The page.
        address: String,
        /// What the subtopic is called, in 1 to [`LONGEST_SUBTOPIC`](crate::topic_model::LONGEST_SUBTOPIC)
        /// characters; null: taken back.
        #[cfg_attr(feature = "schema", schema(required))]
        #[serde(rename = "facet")]
        subtopic: Option<String>,
    },
    /// The person put a page under a tag, or took it from there.
    Tag {
        /// The page.
        address: String,
        /// See [`as_tag`].
        tag: String,
        /// Whether it is put there, and not taken away.
        on: bool,
    },
    /// The person wrote something about a page.
    Note {
        /// The page.
        address: String,
        /// In up to [`LONGEST_NOTE`] characters; empty: the note is taken away.
        text: String,
    },
    /// The person calls the topic otherwise from now on.
    Name {
        /// In 1 to [`LONGEST_NAME`](super::LONGEST_NAME) characters.
        name: String,
    },
    /// The person removed the topic, or brought it back.
    Remove {
        /// True: removed; false: brought back.
        removed: bool,
        /// Whether all of it is deleted, and not only out of sight.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        for_good: bool,
    },
    /// The person followed a link.
    #[serde(rename = "trail", alias = "click")]
    Click {
        /// The page with the link.
        from: String,
        /// The page it led to.
        to: String,
        /// What the link said.
        anchor: String,
        /// Words near the link, with their DOM offsets.
        context: Vec<(String, i32)>,
        /// How the page it led to was judged, 0..=1.
        relevance: f64,
        /// Some other links of the same page, drawn by chance: a model learns from them what
        /// the person did not follow.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        passed_over: Vec<PassedOver>,
    },
    /// A page was shown.
    Visit(Visit),
}

/// A link that the person saw beside the one they followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PassedOver {
    /// Where it leads.
    pub to: String,
    /// Words near the link, with their DOM offsets.
    pub context: Vec<(String, i32)>,
}

/// The kinds of events, without what they say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventName {
    /// See [`EventKind::Mark`].
    Mark,
    /// See [`EventKind::Form`].
    Form,
    /// See [`EventKind::Class`].
    Class,
    /// See [`EventKind::Phrase`].
    Phrase,
    /// See [`EventKind::Subtopic`].
    Subtopic,
    /// See [`EventKind::Tag`].
    Tag,
    /// See [`EventKind::Note`].
    Note,
    /// See [`EventKind::Name`].
    Name,
    /// See [`EventKind::Remove`].
    Remove,
    /// See [`EventKind::Click`].
    Click,
    /// See [`EventKind::Visit`].
    Visit,
}

impl EventName {
    /// What stands in an event's field `kind`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Mark => "mark",
            Self::Form => "form",
            Self::Class => "class",
            Self::Phrase => "phrase",
            Self::Subtopic => "facet",
            Self::Tag => "tag",
            Self::Note => "note",
            Self::Name => "name",
            Self::Remove => "remove",
            Self::Click => "trail",
            Self::Visit => "visit",
        }
    }
}

impl EventKind {
    /// Which kind it is.
    pub const fn name(&self) -> EventName {
        match self {
            Self::Mark { .. } => EventName::Mark,
            Self::Form { .. } => EventName::Form,
            Self::Class { .. } => EventName::Class,
            Self::Phrase { .. } => EventName::Phrase,
            Self::Subtopic { .. } => EventName::Subtopic,
            Self::Tag { .. } => EventName::Tag,
            Self::Note { .. } => EventName::Note,
            Self::Name { .. } => EventName::Name,
            Self::Remove { .. } => EventName::Remove,
            Self::Click { .. } => EventName::Click,
            Self::Visit(_) => EventName::Visit,
        }
    }
}

impl Event {
    /// Whether it says what can be: every page it names is one of the web, a name of the topic is one,
    /// and nothing is longer than it may be.
    pub fn is_sound(&self) -> bool {
        if let EventKind::Name { name } = &self.what
            && !is_topic_name(name)
        {
            return false;
        }
        if let EventKind::Subtopic {
            subtopic: Some(subtopic),
            ..
        } = &self.what
            && !is_subtopic_name(subtopic)
        {
            return false;
        }
        let is_wrong = match &self.what {
            EventKind::Tag { tag, .. } => as_tag(tag).as_ref() != Some(tag),
            EventKind::Note { text, .. } => text.chars().count() > LONGEST_NOTE,
            EventKind::Phrase { text, .. } => text.chars().count() > LONGEST_PHRASE,
            EventKind::Mark { words, .. } | EventKind::Class { words, .. } => {
                words.iter().map(|(word, _)| word.len() + 1).sum::<usize>() > MOST_WORDS
            }
            _ => false,
        };
        if is_wrong {
            return false;
        }
        let pages = self.pages();
        pages.into_iter().all(|page| Address::parse(page).is_ok())
    }

    /// The pages it names.
    pub fn pages(&self) -> Vec<&str> {
        match &self.what {
            EventKind::Mark { address, .. }
            | EventKind::Form { address, .. }
            | EventKind::Subtopic { address, .. }
            | EventKind::Tag { address, .. }
            | EventKind::Note { address, .. }
            | EventKind::Class { address, .. } => vec![address],
            EventKind::Click {
                from,
                to,
                passed_over,
                ..
            } => {
                let others = passed_over.iter().map(|link| link.to.as_str());
                [from.as_str(), to].into_iter().chain(others).collect()
            }
            EventKind::Visit(visit) => vec![&visit.page],
            EventKind::Phrase { .. } | EventKind::Name { .. } | EventKind::Remove { .. } => {
                Vec::new()
            }
        }
    }
}

impl EventKind {
    /// A mark on a page, with the page's words.
    pub fn mark(page: &Page, target: Option<bool>) -> Self {
        Self::Mark {
            address: page.address.to_string(),
            title: page.title(),
            target,
            words: page.heaviest_words(MARKED_TERMS),
        }
    }

    /// What class a page is of, with the page's words.
    pub fn class(page: &Page, class: Option<String>) -> Self {
        Self::Class {
            address: page.address.to_string(),
            title: page.title(),
            class,
            words: page.heaviest_words(HEAVIEST_TERMS),
        }
    }

    /// A mark on a page that was not read here: its words come when it is fetched.
    pub fn mark_unread(address: &str, target: Option<bool>) -> Self {
        Self::Mark {
            address: address.to_owned(),
            title: String::new(),
            target,
            words: Vec::new(),
        }
    }

    /// A mark on a page of which only what the topic model keeps is left.
    pub fn mark_known(page: &KnownPage, words: &Vocabulary, target: Option<bool>) -> Self {
        let rows = page.terms.rows().iter();
        Self::Mark {
            address: page.address.to_string(),
            title: String::new(),
            target,
            words: rows
                .map(|&(term, count)| (words.term(term).to_owned(), count))
                .collect(),
        }
    }

    /// The link that was followed, its words looked up in `words`; `None` for
    /// a mark, or if an address is none.
    pub fn followed(&self, words: &mut Vocabulary) -> Option<Candidate> {
        let Self::Click {
            from,
            to,
            anchor,
            context,
            ..
        } = self
        else {
            return None;
        };
        link_of(from, to, anchor, context, words)
    }

    /// The links that were passed over beside a followed one, their words looked up in
    /// `words`.
    pub fn passed_over(&self, words: &mut Vocabulary) -> Vec<Candidate> {
        let Self::Click {
            from, passed_over, ..
        } = self
        else {
            return Vec::new();
        };
        let links = passed_over.iter().take(MOST_PASSED_OVER);
        links
            .filter_map(|link| link_of(from, &link.to, "", &link.context, words))
            .collect()
    }

    /// A followed link, with the words near it, and some that were passed over.
    pub fn click(
        link: &Candidate,
        passed_over: &[Candidate],
        from: &Address,
        judgment: Judgment,
        words: &Vocabulary,
    ) -> Self {
        let passed_over = passed_over.iter().map(|link| PassedOver {
            to: link.target.to_string(),
            context: words_near(link, words),
        });
        Self::Click {
            from: from.to_string(),
            to: link.target.to_string(),
            anchor: link.anchor.to_string(),
            context: words_near(link, words),
            relevance: judgment.relevance.value(),
            passed_over: passed_over.collect(),
        }
    }

    /// Says of a followed link which page it really led to, and how that page was judged.
    pub fn arrived(&mut self, page: &Address, judgment: Judgment) {
        if let Self::Click { to, relevance, .. } = self {
            *to = page.to_string();
            *relevance = judgment.relevance.value();
        }
    }
}

fn words_near(link: &Candidate, words: &Vocabulary) -> Vec<(String, i32)> {
    let context = link.context.features().iter();
    context
        .map(|feature| (words.term(feature.term()).to_owned(), feature.offset().0))
        .collect()
}

fn link_of(
    from: &str,
    to: &str,
    anchor: &str,
    context: &[(String, i32)],
    words: &mut Vocabulary,
) -> Option<Candidate> {
    let features = context.iter().filter_map(|(word, offset)| {
        let term = words.intern_term(word)?;
        Some(OffsetTerm::new(term, DomOffset(*offset)))
    });
    let step = Step {
        address: Address::parse(from).ok()?,
        relevance: Relevance::default(),
    };
    Some(Candidate {
        target: Address::parse(to).ok()?,
        anchor: anchor.into(),
        context: LinkContext::new(features.collect()),
        trail: Trail::from_oldest([step]),
        tie: 0.0,
        neighbours: Box::default(),
    })
}

/// The terms of a marked page, from the words its mark was sent with.
pub fn marked_terms(words: &[(String, u32)], vocabulary: &mut Vocabulary) -> PageTerms {
    let known = words
        .iter()
        .filter_map(|(word, count)| Some((vocabulary.intern_term(word)?, (*count).max(1))));
    let mut rows: Vec<_> = known.collect();
    rows.sort_unstable();
    rows.dedup_by_key(|row| row.0);
    PageTerms::from_rows(rows)
}

/// The mark behind an event's `target`.
pub fn mark_of(target: Option<bool>) -> Option<Mark> {
    target.map(|target| {
        if target {
            Mark::Target
        } else {
            Mark::NotTarget
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_names_also_what_was_passed_over_and_brings_little_of_it_back() {
        let link = |number: usize| PassedOver {
            to: format!("http://a.test/{number}"),
            context: vec![("hive".to_owned(), -1)],
        };
        let click = |passed_over| Event {
            id: "1".to_owned(),
            topic: "bees".to_owned(),
            time: 1,
            what: EventKind::Click {
                from: "http://a.test/".to_owned(),
                to: "http://a.test/to".to_owned(),
                anchor: String::new(),
                context: Vec::new(),
                relevance: 0.0,
                passed_over,
            },
        };
        let event = click((0..50).map(link).collect());
        assert_eq!(event.pages().len(), 52, "all of them can be forgotten");
        let mut words = Vocabulary::default();
        let links = event.what.passed_over(&mut words);
        assert_eq!(links.len(), MOST_PASSED_OVER);
        assert_eq!(links[1].target.as_str(), "http://a.test/1");
        assert_eq!(
            links[1].source().map(Address::as_str),
            Some("http://a.test/")
        );
        assert_eq!(links[1].context.features()[0].offset(), DomOffset(-1));
    }
}
