//! What topic models of one topic that read different pages tell each other: the pages, from which links
//! they were reached and how they are marked, and links whose pages another reads. Each learns from all of it, in the order
//! in which it hears; what was learned is not averaged.
//!
//! Left out: links between pages that others read, beyond those that led somewhere, so that
//! statistics of all links to a page are those of one topic model; and the words of a page beyond its
//! heaviest.

use serde::{Deserialize, Serialize};

use super::TopicModel;
use super::learning::is_due;
use crate::address::Address;
use crate::strategies::{Candidate, Learned, LinkScore};
use crate::text::Vocabulary;
use crate::translation::Translation;
use crate::web_graph::{KnownPage, Mark, MarkedPage, WebGraph};

/// What one topic model tells others, in words of its own.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct News {
    /// The words of all that follows.
    words: Vocabulary,
    /// Pages that were read, in their order, each with the links by which it was reached.
    pages: Vec<(KnownPage, Vec<Candidate>)>,
    /// Those of them that the person marked.
    marks: Vec<(Address, MarkedPage)>,
    /// Links to pages that were not read.
    links: Vec<Candidate>,
    /// Pages to which others redirect.
    redirected: Vec<Redirected>,
}

/// A page to which others redirect that are not the same session's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Redirected {
    /// The page.
    pub target: Address,
    /// The links by which the first page was reached, as if they led to this one.
    pub links: Vec<Candidate>,
    /// What the person said of the first page before.
    pub mark: Option<Mark>,
    /// Redirects on the way so far.
    pub redirects: u8,
}

impl News {
    /// Pages that were read.
    pub fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Links to pages that were not.
    pub fn links(&self) -> usize {
        self.links.len()
    }
}

/// What hearing of others' pages changed.
#[derive(Debug)]
pub struct Heard {
    /// The links that were asked for, each with its score.
    pub links: Vec<(Candidate, LinkScore)>,
    /// The pages that were asked for to which others redirect.
    pub redirected: Vec<Redirected>,
    /// Whether links seen before are to be scored again.
    pub learned: Learned,
}

impl TopicModel {
    /// Tells of pages that it read, each with the links by which they were reached, and of links
    /// that others may follow. A page that is no longer remembered is passed over.
    pub fn news(
        &self,
        read: &[(Address, Vec<Candidate>)],
        links: &[Candidate],
        redirected: &[Redirected],
    ) -> News {
        let mut words = Vocabulary::default();
        let mut telling = Translation {
            from: &self.graph.vocabulary,
            into: &mut words,
        };
        let (mut told, mut marks) = (Vec::with_capacity(read.len()), Vec::new());
        for (address, via) in read {
            if let Some(page) = self.graph.page(address) {
                told.push(told_page(&mut telling, page, via));
            }
            if let Some(marked) = self.graph.marks.get(address) {
                let terms = telling.terms(&marked.terms);
                marks.push((address.clone(), MarkedPage { terms, ..*marked }));
            }
        }
        let links = links.iter().map(|link| telling.link(link)).collect();
        let redirected = redirected.iter();
        let redirected = redirected.map(|page| told_redirect(&mut telling, page));
        News {
            redirected: redirected.collect(),
            pages: told,
            marks,
            links,
            words,
        }
    }

    /// Learns from pages that another topic model read, and scores those of its links that `takes` asks
    /// for. Pages that this one knows are passed over.
    pub fn hear(&mut self, news: &News, takes: impl Fn(&Address) -> bool) -> Heard {
        let mut learned = Learned::Nothing;
        for (page, via) in &news.pages {
            if self.graph.page(&page.address).is_none() {
                learned = learned.max(self.hear_of_page(page, via, &news.words));
            }
        }
        let marks = news.marks.iter().map(|(address, marked)| {
            let terms = hearing(&mut self.graph, &news.words).terms(&marked.terms);
            (address, terms, marked.mark)
        });
        let marks: Vec<_> = marks.collect();
        let marks = marks.iter();
        if self.put_marks(marks.map(|(address, terms, mark)| (*address, terms, Some(*mark)))) {
            learned = Learned::Rebuilt;
        }
        if is_due(&self.graph, self.refreshed_at) {
            self.refresh_critic();
            learned = Learned::Rebuilt;
        }
        let links = news.links.iter().filter(|link| takes(&link.target));
        let links: Vec<Candidate> = links
            .map(|link| hearing(&mut self.graph, &news.words).link(link))
            .collect();
        let redirected = news.redirected.iter().filter(|page| takes(&page.target));
        let redirected: Vec<Redirected> = redirected
            .map(|page| told_redirect(&mut hearing(&mut self.graph, &news.words), page))
            .collect();
        // They stand on many pages, and a strategy scores those of one at a time.
        let links = links.into_iter().map(|link| {
            let score = self.score(&link);
            (link, score)
        });
        Heard {
            links: links.collect(),
            redirected,
            learned,
        }
    }

    fn hear_of_page(&mut self, page: &KnownPage, via: &[Candidate], words: &Vocabulary) -> Learned {
        let (page, via) = told_page(&mut hearing(&mut self.graph, words), page, via);
        if page.counted {
            self.graph.vocabulary.count_document(&page.terms.damped());
        }
        let (address, unmarked) = (page.address.clone(), page.unmarked);
        self.graph.remember(KnownPage {
            judgment: unmarked.marked(self.graph.mark(&address)),
            ..page
        });
        self.learn(&address, &via, unmarked)
    }
}

fn hearing<'a>(graph: &'a mut WebGraph, words: &'a Vocabulary) -> Translation<'a> {
    Translation {
        from: words,
        into: &mut graph.vocabulary,
    }
}

fn told_redirect(words: &mut Translation<'_>, page: &Redirected) -> Redirected {
    Redirected {
        links: page.links.iter().map(|link| words.link(link)).collect(),
        ..page.clone()
    }
}

fn told_page(
    words: &mut Translation<'_>,
    page: &KnownPage,
    via: &[Candidate],
) -> (KnownPage, Vec<Candidate>) {
    let told = KnownPage {
        terms: words.terms(&page.terms),
        ..page.clone()
    };
    (told, via.iter().map(|link| words.link(link)).collect())
}

#[cfg(test)]
mod tests;
