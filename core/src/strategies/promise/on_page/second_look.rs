//! The likeliest links of a page, read once more by a sentence model: it tells apart what mere words
//! do not, and is too slow for all links of a page.

use super::around::{Standing, most};
use super::{BY_BOTH, BY_NAME, Cue, Look, READ_BY_BOTH, READ_BY_NAME};
use crate::meaning::VectorsOf;
use crate::page::Page;
use crate::web_graph::WebGraph;

/// Links that are read, the likeliest.
const MOST_READ: usize = 50;
/// Links of which it is taken that they are what the page has of the topic.
const LEADERS: usize = 5;
/// Characters of a link that are read.
const MOST_CHARACTERS: usize = 200;

/// What a sentence model is to read, for a topic that has a name.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondLook {
    name: Vec<String>,
    /// Places of links among the outlinks, the likeliest first, and what they say.
    links: Vec<(usize, String)>,
}

impl SecondLook {
    /// By how likely the links are at first look; none where there is nothing to read.
    pub fn of(page: &Page, graph: &WebGraph, look: &Look) -> Option<Self> {
        let name: Vec<String> = graph.wanted().map(str::to_owned).collect();
        let by_name = |set: &usize| [BY_NAME, BY_BOTH].contains(set);
        if name.is_empty() || !look.sets.iter().all(by_name) {
            return None;
        }
        let likely = (0..look.sets.len()).map(|at| (look.link(at).probability(), at));
        let mut likely: Vec<(f64, usize)> = likely.collect();
        likely.sort_by(|a, b| b.0.total_cmp(&a.0));
        let texts = likely.into_iter().filter_map(|(_, at)| {
            let text = page.anchor_text(&page.outlinks[at]);
            let text: String = text.chars().take(MOST_CHARACTERS).collect();
            text.contains(char::is_alphanumeric).then_some((at, text))
        });
        let links: Vec<(usize, String)> = texts.take(MOST_READ).collect();
        (!links.is_empty()).then_some(Self { name, links })
    }

    /// All that is to be read: the name, what was said of it, and links.
    pub fn texts(&self) -> Vec<&str> {
        let links = self.links.iter().map(|link| &link.1);
        self.name.iter().chain(links).map(String::as_str).collect()
    }

    /// Looks again. Links whose text the model cannot read, and all where it cannot read the name,
    /// stay as they were at first look.
    pub fn read(&self, look: &mut Look, vectors_of: &VectorsOf<'_>) {
        let mut vectors = vectors_of(&self.texts());
        vectors.resize(self.name.len() + self.links.len(), None);
        let links = vectors.split_off(self.name.len());
        let Some(name) = sum(vectors.iter().flatten()) else {
            return;
        };
        let read = self.links.iter().zip(links);
        let read = read.filter_map(|((at, _), vector)| Some((*at, vector?)));
        let read: Vec<(usize, Vec<f32>)> = read.collect();
        let near: Vec<f64> = read.iter().map(|link| cosine(&link.1, &name)).collect();
        let (most, standing) = (most(&near), Standing::of(&near));
        let leaders = sum(read.iter().take(LEADERS).map(|link| &link.1)).unwrap_or_default();
        for ((at, vector), near) in read.iter().zip(&near) {
            let cues = &mut look.cues[*at];
            cues[Cue::SentenceToName] = *near;
            cues[Cue::SentenceBelowBest] = near - most;
            cues[Cue::SentenceStanding] = standing.of_value(*near);
            cues[Cue::SentenceToLeaders] = cosine(vector, &leaders);
            look.sets[*at] = match look.sets[*at] {
                BY_NAME => READ_BY_NAME,
                _ => READ_BY_BOTH,
            };
        }
        let mut ranked: Vec<usize> = (0..read.len()).collect();
        ranked.sort_by(|a, b| near[*b].total_cmp(&near[*a]));
        for (rank, place) in ranked.into_iter().enumerate() {
            look.cues[read[place].0][Cue::SentenceRank] = (rank as f64).ln_1p();
        }
    }
}

/// Of vectors that are as long as the first.
fn sum<'a>(vectors: impl Iterator<Item = &'a Vec<f32>>) -> Option<Vec<f32>> {
    vectors.fold(None, |sum, vector| {
        let Some(mut sum) = sum else {
            return Some(vector.clone());
        };
        for (own, more) in sum.iter_mut().zip(vector) {
            *own += more;
        }
        Some(sum)
    })
}

fn cosine(one: &[f32], other: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let lengths = (dot(one, one) * dot(other, other)).sqrt();
    if lengths < 1e-9 {
        return 0.0;
    }
    f64::from(dot(one, other) / lengths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::dom::{Builder, LeafRange};

    fn page(links: &[&str]) -> Page {
        let mut builder = Builder::new();
        for (number, text) in links.iter().enumerate() {
            let first = builder.next_leaf();
            builder.leaf(text);
            let end = first + 1;
            builder.link(&format!("/{number}"), LeafRange { first, end });
        }
        let address = Address::parse("http://a.test/").unwrap();
        Page::new(address, builder.finish().unwrap())
    }

    fn named(name: &str) -> WebGraph {
        let mut graph = WebGraph::default();
        name.clone_into(&mut graph.topic_name);
        graph.topic_meaning = graph.meaning_of_topic();
        graph
    }

    /// A model to which keeps are castles.
    fn vectors(texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let of = |text: &&str| match *text {
            "Castles" | "The keep" => Some(vec![1.0, 0.0]),
            "…" => None,
            _ => Some(vec![0.0, 1.0]),
        };
        texts.iter().map(of).collect()
    }

    #[test]
    fn what_the_model_says_is_known_of_each_link_that_it_read() {
        let (page, graph) = (page(&["Trains", "The keep", "", "Buses"]), named("Castles"));
        let mut look = Look::first(&page, &graph).unwrap();
        let second = SecondLook::of(&page, &graph, &look).unwrap();
        assert_eq!(second.texts().len(), 4, "a link without text is not read");
        assert_eq!(second.texts()[0], "Castles");
        second.read(&mut look, &vectors);
        let known = |at: usize, cue: Cue| look.cues()[at][cue];
        assert_eq!(known(1, Cue::SentenceToName), 1.0);
        assert_eq!(known(1, Cue::SentenceRank), 0.0);
        assert_eq!(known(0, Cue::SentenceBelowBest), -1.0);
        assert!(known(0, Cue::SentenceRank) > 0.0 && known(0, Cue::SentenceStanding) < 0.0);
        let is_second: Vec<bool> = (0..4).map(|at| look.is_second(at)).collect();
        assert_eq!(is_second, [true, true, false, true]);
    }

    #[test]
    fn of_many_links_the_likeliest_are_read() {
        let mut texts = vec!["Trains"; 99];
        texts[98] = "Castles";
        let (page, graph) = (page(&texts), named("Castles"));
        let look = Look::first(&page, &graph).unwrap();
        let second = SecondLook::of(&page, &graph, &look).unwrap();
        assert_eq!(second.texts().len(), 1 + MOST_READ);
        assert_eq!(second.texts()[1], "Castles");
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_was() {
        let (page, graph) = (page(&["Trains", "…"]), named("Castles"));
        let first = Look::first(&page, &graph).unwrap();
        let nothing = |texts: &[&str]| vec![None; texts.len()];
        let fewer = |_: &[&str]| Vec::new();
        for model in [&nothing as &VectorsOf<'_>, &fewer] {
            let mut look = first.clone();
            let second = SecondLook::of(&page, &graph, &look).unwrap();
            second.read(&mut look, model);
            assert_eq!(look.cues(), first.cues());
        }
        assert!(Look::first(&page, &named("")).is_none());
    }
}
