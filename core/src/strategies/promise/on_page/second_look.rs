//! The likeliest links of a page, read once more by a sentence model: it tells apart what mere words
//! do not, and is too slow for all links of a page.

use super::around::{Standing, most};
use super::{
    BY_NAME, BY_TARGETS, Cue, Look, READ_BY_BOTH, READ_BY_NAME, READ_BY_TARGETS, mean_of_nearest,
};
use crate::meaning::VectorsOf;
use crate::page::Page;
use crate::web_graph::WebGraph;

/// Links that are read, the likeliest.
const MOST_READ: usize = 50;
/// Links of which it is taken that they are what the page has of the topic.
const LEADERS: usize = 5;
/// Characters of a link that are read.
const MOST_CHARACTERS: usize = 200;

/// What a sentence model is to read of a page and its topic.
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

    /// Looks again; `targets` are vectors of how marked pages begin, as far as those are at hand.
    /// Links whose text the model cannot read stay as they were at first look, and so do all where it
    /// knows neither the name nor targets.
    pub fn read(&self, look: &mut Look, vectors_of: &VectorsOf<'_>, targets: &[Vec<f32>]) {
        let mut vectors = vectors_of(&self.texts());
        vectors.resize(self.name.len() + self.links.len(), None);
        let links = vectors.split_off(self.name.len());
        let name = sum(vectors.iter().flatten());
        let read = self.links.iter().zip(links);
        let read = read.filter_map(|((at, _), vector)| Some((*at, vector?)));
        let read: Vec<(usize, Vec<f32>)> = read.collect();
        let to_name = name.map(|name| Near::of(&read, |link| cosine(link, &name)));
        let to_targets = (!targets.is_empty()).then(|| {
            let near = |link: &[f32]| {
                let cosines = targets.iter().map(|target| cosine(link, target));
                mean_of_nearest(cosines)
            };
            Near::of(&read, near)
        });
        let leaders = sum(read.iter().take(LEADERS).map(|link| &link.1)).unwrap_or_default();
        for (number, (at, vector)) in read.iter().enumerate() {
            let set = match (look.sets[*at], &to_name, &to_targets) {
                (BY_TARGETS, _, Some(_)) => READ_BY_TARGETS,
                (BY_TARGETS, _, None) | (_, None, _) => return,
                (BY_NAME, Some(_), _) | (_, Some(_), None) => READ_BY_NAME,
                (_, Some(_), Some(_)) => READ_BY_BOTH,
            };
            look.sets[*at] = set;
            let cues = &mut look.cues[*at];
            if let Some(near) = &to_name {
                cues[Cue::SentenceToName] = near.cosines[number];
                cues[Cue::SentenceBelowBest] = near.cosines[number] - near.most;
                cues[Cue::SentenceStanding] = near.standing.of_value(near.cosines[number]);
            }
            if let Some(near) = &to_targets {
                cues[Cue::SentenceToTargets] = near.cosines[number];
                cues[Cue::SentenceBelowBestToTargets] = near.cosines[number] - near.most;
                cues[Cue::SentenceToTargetsStanding] = near.standing.of_value(near.cosines[number]);
            }
            cues[Cue::SentenceToLeaders] = cosine(vector, &leaders);
        }
        let both = |number: usize| {
            let near = [&to_name, &to_targets].into_iter().flatten();
            near.map(|near| near.cosines[number]).sum::<f64>()
        };
        let mut ranked: Vec<usize> = (0..read.len()).collect();
        ranked.sort_by(|a, b| both(*b).total_cmp(&both(*a)));
        for (rank, place) in ranked.into_iter().enumerate() {
            look.cues[read[place].0][Cue::SentenceRank] = (rank as f64).ln_1p();
        }
    }
}

/// How near links lie to something, and how they stand to each other in that.
struct Near {
    cosines: Vec<f64>,
    most: f64,
    standing: Standing,
}

impl Near {
    fn of(links: &[(usize, Vec<f32>)], near: impl Fn(&[f32]) -> f64) -> Self {
        let cosines: Vec<f64> = links.iter().map(|link| near(&link.1)).collect();
        Self {
            most: most(&cosines),
            standing: Standing::of(&cosines),
            cosines,
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
    use crate::features::PageTerms;
    use crate::meaning::{Told, ToldTarget, TopicMeaning};
    use crate::text::{Language, Vocabulary};

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

    fn meaning_of_a_target() -> TopicMeaning {
        let vocabulary = Vocabulary::default();
        let terms = PageTerms::default();
        let target = ToldTarget {
            terms: &terms,
            subtopic: None,
        };
        TopicMeaning::of(&Told {
            wanted: Vec::new(),
            unwanted: Vec::new(),
            targets: vec![target],
            not_targets: Vec::new(),
            unmarked: Vec::new(),
            vocabulary: &vocabulary,
            language: Language::default(),
        })
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
        second.read(&mut look, &vectors, &[]);
        let known = |at: usize, cue: Cue| look.cues()[at][cue];
        assert_eq!(known(1, Cue::SentenceToName), 1.0);
        assert_eq!(known(1, Cue::SentenceRank), 0.0);
        assert_eq!(known(0, Cue::SentenceBelowBest), -1.0);
        assert!(known(0, Cue::SentenceRank) > 0.0 && known(0, Cue::SentenceStanding) < 0.0);
        let is_second: Vec<bool> = (0..4).map(|at| look.is_second(at)).collect();
        assert_eq!(is_second, [true, true, false, true]);
    }

    #[test]
    fn marked_pages_tell_what_a_name_does_not() {
        let (page, mut graph) = (page(&["Trains", "The keep"]), named(""));
        graph.topic_meaning = meaning_of_a_target();
        let mut look = Look::first(&page, &graph).unwrap();
        let second = SecondLook::of(&page, &graph, &look).unwrap();
        second.read(&mut look, &vectors, &[]);
        assert!(!look.is_second(1), "nothing is known of the targets");
        second.read(&mut look, &vectors, &[vec![1.0, 0.0], vec![0.0, 1.0]]);
        assert!(look.is_second(1));
        assert_eq!(look.cues()[1][Cue::SentenceToTargets], 0.5);
        assert_eq!(look.cues()[1][Cue::SentenceToName], 0.0);
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
            second.read(&mut look, model, &[]);
            assert_eq!(look.cues(), first.cues());
        }
        assert!(Look::first(&page, &named("")).is_none());
    }
}
