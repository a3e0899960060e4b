//! A map of a topic: the pages that were found and those on the ways there, laid out by links and
//! by what they say, groups named by their words.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use linkscent_core::models::labels::labels;
use linkscent_core::models::layout::{Edge, LayoutParams, layout};
use linkscent_core::strategies::SplitMix;

use crate::Library;
use crate::ServiceError;
use crate::learning::topic_model;
use linkscent_store::{LookRow, Topic};

/// Pages on a map at most: finds first, then the last of the others.
pub const MOST_ON_MAP: usize = 5_000;
/// Pages that say the most alike are joined with each page.
const ALIKE: usize = 4;
/// What alike is at least, as a cosine.
const LEAST_ALIKE: f64 = 0.15;
/// Terms of more pages than this share say nothing of what is alike.
const COMMON: f64 = 0.2;
/// Terms of a page that are compared.
const HEAVIEST: usize = 30;
/// A term of so few pages is never common.
const FEW: f64 = 8.0;
/// What a link counts against two pages that say the same.
const LINK: f64 = 0.6;
/// Words of a group's name.
const WORDS: usize = 3;
/// Pages of a group at least.
const SMALLEST: usize = 3;

/// A page on a map.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPage {
    /// Its address.
    pub address: String,
    /// Where it lies, 0..=1 both.
    pub place: [f64; 2],
    /// Whether it is what is looked for.
    pub is_find: bool,
    /// Which page led to it.
    pub from: Option<usize>,
    /// The group it is of.
    pub group: Option<usize>,
}

/// A map.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TopicMap {
    /// Its pages.
    pub pages: Vec<MapPage>,
    /// What its groups are called.
    pub groups: Vec<String>,
}

/// The map that was drawn last, and of which topic in which state.
pub(crate) type LastMap = Arc<tokio::sync::Mutex<Option<((i64, u64), TopicMap)>>>;

/// Words of a page by weight, of length 1.
type Words = Vec<(u32, f64)>;

impl Library {
    /// The map of a topic, by what its crawls kept.
    pub async fn map(&self, topic: &Topic) -> Result<TopicMap, ServiceError> {
        // One is drawn at a time, and shown again as long as nothing has changed.
        let mut last = self.last_map.lock().await;
        let of = (topic.id, *self.context.supervisor.changes().borrow());
        if let Some((_, map)) = last.as_ref().filter(|(last, _)| *last == of) {
            return Ok(map.clone());
        }
        let looks = self.context.store.looks(topic.id).await?;
        let mut topic_model = topic_model::of(&self.context.store, topic, None, None).await?;
        let drawing = tokio::task::spawn_blocking(move || {
            let known = topic_model.graph().pages();
            let words = known.map(|page| {
                let rows = page.terms.rows().iter();
                let counts = rows.map(|(term, count)| (term.0, f64::from(*count)));
                (page.address.to_string(), counts.collect::<Words>())
            });
            let words: HashMap<String, Words> = words.collect();
            let mut map = draw(&looks, &words);
            let vocabulary = topic_model.vocabulary_mut();
            let named = named_groups(&map.pages, &words);
            map.groups = named
                .into_iter()
                .map(|terms| {
                    let words = terms.into_iter();
                    let words =
                        words.map(|term| vocabulary.surface(linkscent_core::text::TermId(term)));
                    words.collect::<Vec<_>>().join(", ")
                })
                .collect();
            map
        });
        let map: TopicMap = drawing.await.map_err(anyhow::Error::from)?;
        *last = Some((of, map.clone()));
        Ok(map)
    }
}

/// Pages, where they lie and in which groups; groups have no names yet.
fn draw(looks: &[LookRow], words: &HashMap<String, Words>) -> TopicMap {
    let mut pages = chosen(looks, MOST_ON_MAP);
    let all: Vec<Words> = pages
        .iter()
        .map(|page| words.get(&page.address).cloned().unwrap_or_default())
        .collect();
    let mut edges = alike(&all);
    let links = pages.iter().enumerate();
    edges.extend(links.filter_map(|(to, page)| {
        let from = page.from?;
        let weight = LINK;
        Some(Edge { from, to, weight })
    }));
    let places = layout(
        pages.len(),
        &edges,
        &LayoutParams::default(),
        &mut SplitMix(1),
    );
    for (page, place) in pages.iter_mut().zip(places) {
        page.place = place;
    }
    let groups = groups(pages.len(), &edges);
    for (page, group) in pages.iter_mut().zip(groups) {
        page.group = group;
    }
    TopicMap {
        pages,
        groups: Vec::new(),
    }
}

/// The pages of a map, at most so many: finds, and what lies on the ways there; then the newest of the others.
fn chosen(looks: &[LookRow], most: usize) -> Vec<MapPage> {
    let mut last: BTreeMap<&str, &LookRow> = BTreeMap::new();
    for look in looks.iter().filter(|look| look.came) {
        last.insert(&look.address, look);
    }
    let mut on_map: BTreeSet<&str> = BTreeSet::new();
    for (address, look) in &last {
        let mut at = look.is_target.then_some(*address);
        while let Some(page) = at.filter(|page| on_map.len() < most && on_map.insert(page)) {
            at = last.get(page).and_then(|look| look.from.as_deref());
            at = at.filter(|from| last.contains_key(from));
        }
    }
    let mut others: Vec<&&LookRow> = last.values().collect();
    others.sort_by_key(|look| std::cmp::Reverse(look.time));
    for look in others {
        if on_map.len() >= most {
            break;
        }
        on_map.insert(&look.address);
    }
    let places: HashMap<&str, usize> = on_map.iter().zip(0..).map(|(page, n)| (*page, n)).collect();
    on_map
        .iter()
        .filter_map(|address| last.get(address))
        .map(|look| MapPage {
            address: look.address.clone(),
            place: [0.5; 2],
            is_find: look.is_target,
            from: look
                .from
                .as_deref()
                .and_then(|from| places.get(from).copied())
                .filter(|from| places.get(&*look.address) != Some(from)),
            group: None,
        })
        .collect()
}

/// Joins each page with those that say the most alike.
fn alike(pages: &[Words]) -> Vec<Edge> {
    let mut holders: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (page, words) in pages.iter().enumerate() {
        for (term, _) in words {
            holders.entry(*term).or_default().push(page);
        }
    }
    let most = (COMMON * pages.len() as f64).max(FEW);
    let weight = |term: &u32, count: f64| {
        let pages_with = holders.get(term).map_or(1, Vec::len) as f64;
        let rarity = (1.0 + pages.len() as f64 / pages_with).ln();
        if pages_with > most {
            0.0
        } else {
            (1.0 + count).ln() * rarity
        }
    };
    let weighted: Vec<Words> = pages
        .iter()
        .map(|words| {
            let mut words: Words = words
                .iter()
                .map(|(term, count)| (*term, weight(term, *count)))
                .collect();
            words.retain(|(_, weight)| *weight > 0.0);
            words.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            words.truncate(HEAVIEST);
            let length = words.iter().map(|(_, weight)| weight * weight).sum::<f64>();
            let length = length.sqrt().max(f64::MIN_POSITIVE);
            for (_, weight) in &mut words {
                *weight /= length;
            }
            words
        })
        .collect();
    let mut heavy: HashMap<u32, Vec<(usize, f64)>> = HashMap::new();
    for (page, words) in weighted.iter().enumerate() {
        for (term, weight) in words {
            heavy.entry(*term).or_default().push((page, *weight));
        }
    }
    let mut edges = Vec::new();
    for (page, words) in weighted.iter().enumerate() {
        let mut near: HashMap<usize, f64> = HashMap::new();
        for (term, weight) in words {
            for (other, theirs) in heavy.get(term).into_iter().flatten() {
                *near.entry(*other).or_default() += weight * theirs;
            }
        }
        near.remove(&page);
        let mut near: Vec<(usize, f64)> = near.into_iter().collect();
        near.retain(|(_, cosine)| *cosine >= LEAST_ALIKE);
        near.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(ALIKE);
        edges.extend(near.into_iter().map(|(to, cosine)| Edge {
            from: page,
            to,
            weight: cosine.min(1.0),
        }));
    }
    edges
}

/// Groups by label propagation: each page takes the label that most of its neighbours have, by
/// weight, until nothing changes. Small ones are none.
fn groups(pages: usize, edges: &[Edge]) -> Vec<Option<usize>> {
    let mut neighbours: Vec<Vec<(usize, f64)>> = vec![Vec::new(); pages];
    for edge in edges {
        neighbours[edge.from].push((edge.to, edge.weight));
        neighbours[edge.to].push((edge.from, edge.weight));
    }
    let mut label: Vec<usize> = (0..pages).collect();
    for _ in 0..30 {
        let mut has_changed = false;
        for page in 0..pages {
            let mut weights: BTreeMap<usize, f64> = BTreeMap::new();
            for (other, weight) in &neighbours[page] {
                *weights.entry(label[*other]).or_default() += weight;
            }
            let best = weights
                .into_iter()
                .max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
            if let Some((best, _)) = best
                && best != label[page]
            {
                label[page] = best;
                has_changed = true;
            }
        }
        if !has_changed {
            break;
        }
    }
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    for label in &label {
        *sizes.entry(*label).or_default() += 1;
    }
    sizes.retain(|_, size| *size >= SMALLEST);
    let mut order: Vec<usize> = sizes.keys().copied().collect();
    order.sort_by_key(|label| (std::cmp::Reverse(sizes[label]), *label));
    let numbers: HashMap<usize, usize> = order.into_iter().zip(0..).collect();
    label
        .iter()
        .map(|label| numbers.get(label).copied())
        .collect()
}

/// The terms that tell each group from the others.
fn named_groups(pages: &[MapPage], words: &HashMap<String, Words>) -> Vec<Vec<u32>> {
    let count = pages.iter().filter_map(|page| page.group).max();
    let mut groups: Vec<Vec<&[(u32, f64)]>> = vec![Vec::new(); count.map_or(0, |last| last + 1)];
    for page in pages {
        if let (Some(group), Some(words)) = (page.group, words.get(&page.address)) {
            groups[group].push(words);
        }
    }
    labels(&groups, WORDS)
}

#[cfg(test)]
mod tests;
