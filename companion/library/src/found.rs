//! Searching: the best pages for a query, how many there are, and on which sites and in which
//! languages.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Instant;

use linkscent_core::budget::QUERY;
use linkscent_core::text::Language;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, StrColumn};
use tantivy::query::{BooleanQuery, Occur, Query as Asked, TermQuery, Weight};
use tantivy::schema::{IndexRecordOption, Value};
use tantivy::{
    DocAddress, DocId, Score, Searcher, SegmentOrdinal, SegmentReader, TERMINATED, TantivyDocument,
    Term,
};

use super::expansion::failed;
use super::meaning::{Packed, cosine, packed};
use super::{Fields, Library, Query, Result};

/// Sites and languages that are told of one search at most.
const MOST_SUBTOPICS: usize = 20;

/// Number of pages between two looks at the clock.
const CLOCK_EVERY: usize = 1_024;

/// What a cosine of one between query and page counts, in units of BM25.
pub const MEANING: f32 = 5.0;

/// What pages are shown first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Those that say most of the query; without a query those likeliest to be looked for.
    #[default]
    Best,
    /// Those likeliest to be looked for.
    Likeliest,
    /// Those read last.
    Newest,
}

/// What is known elsewhere of a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing<'a> {
    /// How likely it is what is looked for.
    pub probability: f64,
    /// Numbers of what is said of it; how many pages have each is counted.
    pub labels: &'a [u32],
}

/// Knows pages by their keys.
pub trait Standings: Send + Sync {
    /// What is known of a page; nothing where it is not to be found.
    fn standing(&self, key: u64) -> Option<Standing<'_>>;
}

/// How likely pages are what is looked for, and no more.
impl<F: Fn(u64) -> Option<f64> + Send + Sync> Standings for F {
    fn standing(&self, key: u64) -> Option<Standing<'_>> {
        self(key).map(|probability| Standing {
            probability,
            labels: &[],
        })
    }
}

/// What is asked for.
pub struct Search {
    /// In words.
    pub query: Query,
    /// Of one topic.
    pub topic: Option<i64>,
    /// Which pages may be found, and what is known of them.
    pub standings: Arc<dyn Standings>,
    /// What comes first.
    pub order: Order,
    /// What it counts that a page means much the same, against what its words do;
    /// [`MEANING`] is usual.
    pub meaning: f32,
    /// So many pages at most.
    pub most: usize,
    /// After so many others.
    pub skip: usize,
}

/// A page that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// See [`super::key_of`].
    pub key: u64,
    /// Its address.
    pub address: String,
    /// Its title.
    pub title: String,
    /// Its site.
    pub site: String,
    /// The language it is in.
    pub language: Language,
    /// How much of the query it says.
    pub score: f32,
    /// How likely it is what is looked for.
    pub probability: f64,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// How many pages in all.
    pub total: usize,
    /// Those that are shown.
    pub hits: Vec<Hit>,
    /// Sites with the most of them, and how many; at most twenty.
    pub sites: Vec<(String, usize)>,
    /// Their languages, by code, and how many.
    pub languages: Vec<(String, usize)>,
    /// What else is said of them, by number, and of how many.
    pub labels: BTreeMap<u32, usize>,
    /// No page has all of the words: these have some.
    pub is_relaxed: bool,
}

impl Library {
    /// Searches. Fails if that takes more time or memory than a search may
    /// ([`LibraryError::OverBudget`](super::LibraryError::OverBudget)).
    pub fn search(&self, search: &Search) -> Result<Found> {
        self.search_since(search, Instant::now())
    }

    /// Searches, with the time that is left to a search that began then.
    pub(crate) fn search_since(&self, search: &Search, begun: Instant) -> Result<Found> {
        let (searcher, notes) = self.searcher()?;
        let mut languages: Vec<Language> = notes
            .languages
            .iter()
            .filter_map(|code| Language::from_code(code))
            .collect();
        if languages.is_empty() {
            languages.push(Language::English);
        }
        let found = self.ask(&searcher, search, &languages, (false, begun))?;
        if found.total > 0 || search.query.is_empty() {
            return Ok(found);
        }
        let relaxed = self.ask(&searcher, search, &languages, (true, begun))?;
        Ok(Found {
            is_relaxed: relaxed.total > 0,
            ..relaxed
        })
    }

    fn ask(
        &self,
        searcher: &Searcher,
        search: &Search,
        languages: &[Language],
        (any, begun): (bool, Instant),
    ) -> Result<Found> {
        let mut asked: Vec<(Occur, Box<dyn Asked>)> = vec![(
            Occur::Must,
            search.query.asked(&self.fields, languages, any)?,
        )];
        if let Some(topic) = search.topic {
            let term = Term::from_field_u64(self.fields.topic, topic.unsigned_abs());
            let of_topic = TermQuery::new(term, IndexRecordOption::Basic);
            let unscored = tantivy::query::ConstScoreQuery::new(Box::new(of_topic), 0.0);
            asked.push((Occur::Must, Box::new(unscored)));
        }
        let order = match search.order {
            Order::Best if search.query.words().is_empty() => Order::Likeliest,
            order => order,
        };
        let words = search.query.words();
        let collector = Counting {
            standings: Arc::clone(&search.standings),
            meaning: (!words.is_empty()).then(|| (packed(&words), search.meaning)),
            order,
            most: search.skip.saturating_add(search.most),
            begun,
        };
        let counted = searcher.search(&BooleanQuery::new(asked), &collector)?;
        let shown = counted.best.into_iter().skip(search.skip);
        let hits = shown
            .take(search.most)
            .map(|ranked| hit(searcher, self.fields, &ranked))
            .collect::<Result<_>>()?;
        Ok(Found {
            total: counted.total,
            hits,
            sites: most_common(counted.sites),
            languages: most_common(counted.languages),
            labels: counted.labels,
            is_relaxed: false,
        })
    }
}

fn most_common(counts: BTreeMap<String, usize>) -> Vec<(String, usize)> {
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts.truncate(MOST_SUBTOPICS);
    counts
}

fn hit(searcher: &Searcher, fields: Fields, ranked: &Ranked) -> Result<Hit> {
    let page: TantivyDocument = searcher.doc(ranked.page)?;
    let text = |field| {
        let value = page.get_first(field).and_then(|value| value.as_str());
        value.unwrap_or_default().to_owned()
    };
    let columns = searcher
        .segment_reader(ranked.page.segment_ord)
        .fast_fields();
    let word = |field| -> Result<String> {
        let mut text = String::new();
        if let Some(column) = columns.str(field)?
            && let Some(number) = column.ords().first(ranked.page.doc_id)
        {
            column
                .ord_to_str(number, &mut text)
                .map_err(tantivy::TantivyError::from)?;
        }
        Ok(text)
    };
    Ok(Hit {
        key: ranked.key,
        address: text(fields.address),
        title: text(fields.title),
        site: word("site")?,
        language: Language::from_code(&word("language")?).unwrap_or(Language::English),
        score: ranked.score,
        probability: ranked.probability,
    })
}

/// A page that was met, and what it is ranked by.
#[derive(Debug, Clone)]
struct Ranked {
    page: DocAddress,
    key: u64,
    score: Score,
    probability: f64,
}

impl Ranked {
    /// Better ones come first; of equals those that were read last.
    fn compare(&self, other: &Self, order: Order) -> Ordering {
        let by_probability = other.probability.total_cmp(&self.probability);
        let by_score = other.score.total_cmp(&self.score);
        let newest = other.key.cmp(&self.key);
        match order {
            Order::Best => by_score.then(by_probability).then(newest),
            Order::Likeliest => by_probability.then(by_score).then(newest),
            Order::Newest => newest,
        }
    }
}

#[derive(Default)]
struct Counted {
    total: usize,
    best: Vec<Ranked>,
    sites: BTreeMap<String, usize>,
    languages: BTreeMap<String, usize>,
    labels: BTreeMap<u32, usize>,
}

/// Counts all pages that may be found, and keeps the best.
struct Counting {
    standings: Arc<dyn Standings>,
    /// What the query means, and what that counts.
    meaning: Option<(Packed, f32)>,
    order: Order,
    most: usize,
    /// When the search began.
    begun: Instant,
}

struct CountingSegment {
    segment: SegmentOrdinal,
    standings: Arc<dyn Standings>,
    meaning: Option<(Packed, f32)>,
    order: Order,
    most: usize,
    keys: Column<u64>,
    meanings: Column<u64>,
    sites: Option<StrColumn>,
    languages: Option<StrColumn>,
    total: usize,
    best: Vec<Ranked>,
    of_site: HashMap<u64, usize>,
    of_language: HashMap<u64, usize>,
    of_label: HashMap<u32, usize>,
}

impl Collector for Counting {
    type Fruit = Counted;
    type Child = CountingSegment;

    fn for_segment(
        &self,
        segment: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<CountingSegment> {
        let columns = reader.fast_fields();
        Ok(CountingSegment {
            segment,
            standings: Arc::clone(&self.standings),
            meaning: self.meaning,
            order: self.order,
            most: self.most,
            keys: columns.u64("key")?,
            meanings: columns.u64("meaning")?,
            sites: columns.str("site")?,
            languages: columns.str("language")?,
            total: 0,
            best: Vec::new(),
            of_site: HashMap::new(),
            of_language: HashMap::new(),
            of_label: HashMap::new(),
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    /// Goes through the pages of a segment, as long as there is time.
    fn collect_segment(
        &self,
        weight: &dyn Weight,
        number: SegmentOrdinal,
        reader: &SegmentReader,
    ) -> tantivy::Result<tantivy::Result<Counted>> {
        let mut segment = self.for_segment(number, reader)?;
        let alive = reader.alive_bitset();
        let mut pages = weight.scorer(reader, 1.0)?;
        let (mut page, mut met) = (pages.doc(), 0_usize);
        while page != TERMINATED {
            if met % CLOCK_EVERY == 0 {
                QUERY.check_time(self.begun.elapsed()).map_err(failed)?;
            }
            if alive.is_none_or(|alive| alive.is_alive(page)) {
                segment.collect(page, pages.score());
            }
            page = pages.advance();
            met += 1;
        }
        Ok(segment.harvest())
    }

    fn merge_fruits(&self, parts: Vec<tantivy::Result<Counted>>) -> tantivy::Result<Counted> {
        let mut all = Counted::default();
        for part in parts {
            let part = part?;
            all.total += part.total;
            all.best.extend(part.best);
            for (site, count) in part.sites {
                *all.sites.entry(site).or_default() += count;
            }
            for (language, count) in part.languages {
                *all.languages.entry(language).or_default() += count;
            }
            for (label, count) in part.labels {
                *all.labels.entry(label).or_default() += count;
            }
        }
        all.best.sort_by(|a, b| a.compare(b, self.order));
        all.best.truncate(self.most);
        Ok(all)
    }
}

impl CountingSegment {
    /// Brings the best back to as many as are asked for.
    fn trim(&mut self) {
        self.best.sort_by(|a, b| a.compare(b, self.order));
        self.best.truncate(self.most);
    }
}

impl SegmentCollector for CountingSegment {
    type Fruit = tantivy::Result<Counted>;

    fn collect(&mut self, doc: DocId, score: Score) {
        let Some(key) = self.keys.first(doc) else {
            return;
        };
        let Some(standing) = self.standings.standing(key) else {
            return;
        };
        self.total += 1;
        for label in standing.labels {
            *self.of_label.entry(*label).or_default() += 1;
        }
        let probability = standing.probability;
        let number = |column: &Option<StrColumn>| column.as_ref()?.ords().first(doc);
        if let Some(site) = number(&self.sites) {
            *self.of_site.entry(site).or_default() += 1;
        }
        if let Some(language) = number(&self.languages) {
            *self.of_language.entry(language).or_default() += 1;
        }
        let means = self.meaning.map_or(0.0, |(meaning, weight)| {
            weight * cosine(&meaning, self.meanings.values_for_doc(doc)).max(0.0)
        });
        self.best.push(Ranked {
            page: DocAddress::new(self.segment, doc),
            key,
            score: score + means,
            probability,
        });
        if self.best.len() >= self.most.max(500).saturating_mul(2) {
            self.trim();
        }
    }

    fn harvest(mut self) -> tantivy::Result<Counted> {
        self.trim();
        let named = |column: &Option<StrColumn>, counts: &HashMap<u64, usize>| {
            let mut named = BTreeMap::new();
            for (number, count) in counts {
                let mut name = String::new();
                if let Some(column) = column {
                    column.ord_to_str(*number, &mut name)?;
                }
                named.insert(name, *count);
            }
            Ok::<_, tantivy::TantivyError>(named)
        };
        Ok(Counted {
            total: self.total,
            best: self.best,
            sites: named(&self.sites, &self.of_site)?,
            languages: named(&self.languages, &self.of_language)?,
            labels: self.of_label.into_iter().collect(),
        })
    }
}
