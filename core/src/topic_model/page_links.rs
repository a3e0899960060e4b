//! The links of a page that a person reads: how likely each leads to a good page.
//!
//! Where pages are judged by what they mean, a link is seen beside the others of its page
//! ([`on_page`]), the likeliest ones a second time where a sentence model is at hand; what the
//! strategy has learned comes on top. For other critics, and for strategies that know
//! probabilities themselves, each link is seen alone ([`promise`]).

use super::{TopicModel, Visit};
use crate::meaning::VectorsOf;
use crate::page::Page;
use crate::strategies::promise::on_page::{Look, OnPage, SecondLook};
use crate::strategies::{Candidate, LinkScore, Promise, promise};
use crate::web_graph::Mark;

/// How likely the links of a page lead to good pages, in the order of its outlinks.
#[derive(Debug, Clone, Default)]
pub struct PageLinks {
    links: Vec<Option<PageLink>>,
    /// The links beside each other, where they are seen so.
    look: Option<Look>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct PageLink {
    pub probability: f64,
    pub basis: Basis,
}

/// What a probability rests on.
#[derive(Debug, Clone, Copy)]
pub(super) enum Basis {
    /// What the person said of the page behind the link.
    Mark(Mark),
    /// The link beside the others of its page.
    OnPage(OnPage),
    /// The link alone.
    Alone,
}

impl PageLinks {
    /// How likely a link leads to a good page, 0..=1; none for one that is not to be followed.
    pub fn probability(&self, outlink: usize) -> Option<f64> {
        Some(self.link(outlink)?.probability)
    }

    pub(super) fn link(&self, outlink: usize) -> Option<PageLink> {
        *self.links.get(outlink)?
    }
}

impl TopicModel {
    /// How likely each link of a page that was visited leads to a good page.
    pub fn page_links(&self, page: &Page, visit: &Visit) -> PageLinks {
        let by_meaning = self.critic.goes_by_meaning();
        let look = by_meaning.then(|| Look::first(page, &self.graph));
        self.of_look(visit, look.flatten())
    }

    /// The same links, the likeliest of them read by a sentence model; `targets` are vectors of how
    /// the topic's marked pages begin, as far as they are at hand.
    pub fn look_again(
        &self,
        page: &Page,
        visit: &Visit,
        links: PageLinks,
        vectors_of: &VectorsOf<'_>,
        targets: &[Vec<f32>],
    ) -> PageLinks {
        let mut look = links.look;
        if let Some(look) = &mut look
            && let Some(second) = SecondLook::of(page, &self.graph, look)
        {
            second.read(look, vectors_of, targets);
        }
        self.of_look(visit, look)
    }

    fn of_look(&self, visit: &Visit, look: Option<Look>) -> PageLinks {
        let links = visit.outlinks.iter().enumerate();
        let links = links.map(|(outlink, (link, score))| {
            let on_page = look.as_ref().map(|look| look.link(outlink));
            self.page_link(link, *score, on_page)
        });
        PageLinks {
            links: links.collect(),
            look,
        }
    }

    fn page_link(
        &self,
        link: &Candidate,
        score: LinkScore,
        on_page: Option<OnPage>,
    ) -> Option<PageLink> {
        let promise = self.strategy.promise(score.priority()?);
        let with = |probability, basis| Some(PageLink { probability, basis });
        match (self.graph.mark(&link.target), promise, on_page) {
            (Some(Mark::Target), ..) => with(1.0, Basis::Mark(Mark::Target)),
            (Some(Mark::NotTarget), ..) => with(0.0, Basis::Mark(Mark::NotTarget)),
            (None, Promise::AboveUsual(_), Some(on_page)) => {
                let on_page = on_page.with_learned(promise);
                with(on_page.probability(), Basis::OnPage(on_page))
            }
            (None, ..) => with(
                promise::probability(link, promise, self.known()),
                Basis::Alone,
            ),
        }
    }
}
