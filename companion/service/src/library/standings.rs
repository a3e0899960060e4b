//! What is known of the library's pages beside their words: how likely they are what is looked
//! for, what the person said of them, when they were found. A search is ordered, narrowed and
//! counted by it.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use linkscent_core::critics;
use linkscent_core::web_graph::Relevance;
use linkscent_core::wire::api::LibraryLabel;
use linkscent_library::{Query, Standing, Standings, key_of, of_key};

use crate::Library;
use crate::LibraryQuery;
use crate::ServiceError;
use linkscent_store::Topic;
use linkscent_store::clock;

/// Milliseconds.
const DAY: i64 = 24 * 60 * 60 * 1_000;
/// Of pages of which the person said nothing.
const UNDECIDED: &str = "undecided";
/// Of pages that a browser kept as they were read.
const BROWSED: &str = "browsed";

/// A page.
struct Known {
    probability: f64,
    is_target: bool,
    is_new: bool,
    /// Milliseconds since 1970.
    time: i64,
    /// Which of the sets of labels it has.
    labels: u32,
}

/// Pages by their keys, of a topic or of all.
#[derive(Default)]
pub(crate) struct KnownPages {
    pages: HashMap<u64, Known>,
    /// Crawls that are what browsers kept.
    readings: HashSet<i64>,
    /// Field and value of each label.
    labels: Vec<(&'static str, String)>,
    label_numbers: HashMap<(&'static str, String), u32>,
    /// Labels that pages have together.
    sets: Vec<Box<[u32]>>,
    set_numbers: HashMap<Box<[u32]>, u32>,
}

impl KnownPages {
    /// Whether a page came since the person looked last.
    pub(crate) fn is_new(&self, key: u64) -> bool {
        self.pages.get(&key).is_some_and(|known| known.is_new)
    }

    /// Whether a browser kept it as it was read.
    fn is_reading(&self, key: u64) -> bool {
        self.readings.contains(&of_key(key).0)
    }

    /// When a page was read, as dates are written.
    pub(crate) fn read(&self, key: u64) -> String {
        let known = self.pages.get(&key);
        known.map_or(String::new(), |known| clock::date(known.time))
    }

    /// Every page's probability, by its key.
    pub(crate) fn probabilities(&self) -> impl Iterator<Item = (u64, f64)> {
        self.pages
            .iter()
            .map(|(key, known)| (*key, known.probability))
    }

    /// Labels with the numbers of pages that have them, fields apart.
    pub(crate) fn named(&self, counts: &BTreeMap<u32, usize>) -> Vec<LibraryLabel> {
        let labels = counts.iter().filter_map(|(number, pages)| {
            let (field, name) = self.labels.get(*number as usize)?;
            Some(LibraryLabel {
                field: (*field).to_owned(),
                name: name.clone(),
                pages: *pages,
            })
        });
        let mut labels: Vec<LibraryLabel> = labels.collect();
        labels.sort_by(|a, b| (&a.field, &a.name).cmp(&(&b.field, &b.name)));
        labels
    }

    fn label(&mut self, field: &'static str, value: &str) -> u32 {
        let label = (field, value.to_owned());
        if let Some(number) = self.label_numbers.get(&label) {
            return *number;
        }
        let number = self.labels.len() as u32;
        self.labels.push(label.clone());
        self.label_numbers.insert(label, number);
        number
    }

    fn set(&mut self, labels: Vec<u32>) -> u32 {
        let labels = labels.into_boxed_slice();
        if let Some(number) = self.set_numbers.get(&labels) {
            return *number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(labels.clone());
        self.set_numbers.insert(labels, number);
        number
    }
}

/// The pages that one search may find.
pub(crate) struct Eligible {
    known: Arc<KnownPages>,
    /// All that were read, not the finds alone.
    all: bool,
    new: bool,
    for_program: bool,
    /// Labels that a page has to have, or must not have.
    labels: Vec<(u32, bool)>,
    /// Something is asked for that no page has.
    is_none: bool,
}

impl Eligible {
    pub(crate) fn new(known: Arc<KnownPages>, query: &LibraryQuery, asked: &Query) -> Self {
        let (mut labels, mut is_none) = (Vec::new(), false);
        for condition in asked.conditions() {
            let label = (condition.field, condition.value);
            match known.label_numbers.get(&label) {
                Some(number) => labels.push((*number, condition.is_not)),
                None => is_none |= !condition.is_not,
            }
        }
        Self {
            known,
            all: query.all,
            new: query.new,
            for_program: query.for_program,
            labels,
            is_none,
        }
    }
}

impl Standings for Eligible {
    fn standing(&self, key: u64) -> Option<Standing<'_>> {
        let page = self.known.pages.get(&key)?;
        let is_asked = (self.all || page.is_target) && (!self.new || page.is_new);
        let is_hidden = self.for_program && self.known.is_reading(key);
        if self.is_none || !is_asked || is_hidden {
            return None;
        }
        let labels = self.known.sets.get(page.labels as usize)?;
        let has = |(label, is_not): &(u32, bool)| labels.contains(label) != *is_not;
        self.labels.iter().all(has).then_some(Standing {
            probability: page.probability,
            labels,
        })
    }
}

impl Library {
    /// Works out what is known of pages, of a topic or of all.
    pub(crate) async fn known_pages(
        &self,
        topic: Option<&Topic>,
    ) -> Result<KnownPages, ServiceError> {
        let mut known = KnownPages::default();
        let mut crawls: HashMap<i64, i64> = HashMap::new();
        let mut topics: BTreeMap<i64, (String, u32)> = BTreeMap::new();
        for crawl in self
            .context
            .store
            .crawls(topic.map(|topic| topic.id))
            .await?
        {
            if let Entry::Vacant(new) = topics.entry(crawl.topic) {
                let of = self.context.topic(crawl.topic).await?;
                let name = known.label("topic", &of.name.to_lowercase().replace('"', ""));
                new.insert((self.context.critic_of(&of).await?, name));
            }
            if crawl.is_reading() {
                known.readings.insert(crawl.id);
            }
            crawls.insert(crawl.id, crawl.topic);
        }
        let mut said: HashMap<u64, Vec<u32>> = HashMap::new();
        for id in topics.keys() {
            said.extend(self.said_of(*id, &mut known).await?);
        }
        let (undecided, new) = (known.label("is", UNDECIDED), known.label("is", "new"));
        let browsed = known.label("is", BROWSED);
        let mut dates: HashMap<i64, [u32; 2]> = HashMap::new();
        for row in self
            .context
            .store
            .standings(topic.map(|topic| topic.id))
            .await?
        {
            let of = crawls.get(&row.crawl).copied().unwrap_or_default();
            let dates = *dates.entry(row.time / DAY).or_insert_with(|| {
                let date = clock::date(row.time);
                [7, 10].map(|length| known.label("found", date.get(..length).unwrap_or_default()))
            });
            let key = key_of(row.crawl, row.number);
            let mut labels = said.remove(&key).unwrap_or_else(|| vec![undecided]);
            labels.extend(dates);
            labels.extend(row.is_new.then_some(new));
            labels.extend(known.readings.contains(&row.crawl).then_some(browsed));
            let (critic, name) = topics
                .get(&of)
                .map_or(("", None), |(critic, name)| (&**critic, Some(*name)));
            labels.extend(name);
            labels.sort_unstable();
            labels.dedup();
            let page = Known {
                probability: critics::probability(critic, Relevance::new(row.relevance)),
                is_target: row.is_target,
                is_new: row.is_new,
                time: row.time,
                labels: known.set(labels),
            };
            known.pages.insert(key, page);
        }
        Ok(known)
    }

    /// Labels of the pages of which the person said something, by the keys of their copies.
    async fn said_of(
        &self,
        topic: i64,
        known: &mut KnownPages,
    ) -> Result<HashMap<u64, Vec<u32>>, ServiceError> {
        let mut labels: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let mut marked: HashSet<String> = HashSet::new();
        for mark in self.context.store.marks(topic).await? {
            let verdict = if mark.target {
                "relevant"
            } else {
                "irrelevant"
            };
            let label = known.label("is", verdict);
            labels.entry(mark.address.clone()).or_default().push(label);
            marked.insert(mark.address);
        }
        for (address, annotations) in self.context.store.annotations(topic).await? {
            let of_page = labels.entry(address).or_default();
            of_page.extend(annotations.tags.iter().map(|tag| known.label("tag", tag)));
            if !annotations.note.is_empty() {
                of_page.push(known.label("is", "noted"));
            }
        }
        let of = self.context.topic(topic).await?;
        for (address, kind) in self.topics.subtopics(&of).await?.of_targets {
            let label = known.label("kind", &kind.to_lowercase().replace('"', ""));
            labels.entry(address).or_default().push(label);
        }
        let undecided = known.label("is", UNDECIDED);
        let addresses: Vec<String> = labels.keys().cloned().collect();
        let copies = self
            .context
            .store
            .copies(topic, &addresses)
            .await?
            .into_iter();
        let said = copies.filter_map(|copy| {
            let mut labels = labels.get(&copy.address)?.clone();
            if !marked.contains(&copy.address) {
                labels.push(undecided);
            }
            Some((key_of(copy.crawl, copy.number), labels))
        });
        Ok(said.collect())
    }
}
