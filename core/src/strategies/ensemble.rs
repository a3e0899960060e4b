//! The strategy that joins the others (METHODS "Ensemble"): one logistic model,
//! learned online, over what the members say of a link as it stood before the page
//! was fetched, over statistics of site, page template and inlinks, and over the
//! words near the link and in its address themselves.

use rustc_hash::FxHashMap;

use super::intelligent::{Factors, Intelligent, IntelligentCounts};
use super::recent::Recent;
use super::{
    Apprentice, Arrival, Candidate, Cue, Draw, Explanation, Known, Learned, LinkPolicy, LinkScore,
    Passing, Priority, Saved, Strategy,
};
use crate::address::Address;
use crate::models::{Ftrl, Rates, TwoClassCounts, WeightState};
use crate::web_graph::Judgment;

/// Arrivals between two scorings of the whole frontier.
const BATCH: u32 = 100;
/// Of the first arrivals so many are enough for one.
const FIRST_SHARE: u32 = 4;
/// Links to a page that are learned from.
const LEARNED_LINKS: usize = 3;
/// Pages by which a site's or a template's rate is drawn towards the usual one.
const SMOOTHING: f64 = 4.0;
/// How much is made of what is thought beforehand.
const PRIOR: f64 = 1.0;
/// Weights that are kept.
const MOST_WEIGHTS: usize = 60_000;
/// Sites, and templates, from which on those of one page are let go.
const MOST_GROUPS: usize = 20_000;
/// Words named in an explanation.
const NAMED_WORDS: usize = 6;
/// Numbers are cut off at so many standard deviations.
const FARTHEST: f64 = 4.0;

const RATES: Rates = Rates {
    alpha: 0.1,
    beta: 1.0,
    l1: 0.2,
    l2: 1.0,
};

/// What the numbers are called, in their order.
const NAMES: [&str; NUMBERS] = [
    "any link",
    "relevance of the page with the link",
    "its log-odds per word",
    "its similarity to a target",
    "relevance of the page before it",
    "apprentice",
    "interest ratio of the page's words",
    "interest ratio of URL tokens",
    "interest ratio of links",
    "interest ratio of siblings",
    "the site so far",
    "pages with such an address so far",
    "relevant pages that link there",
    "share of relevant pages among those that link there",
    "pages that link there",
    "words of the anchor, to the critic",
    "clicks from the seed",
];
const NUMBERS: usize = 17;

/// A bit that the numbers of words have and those of [`NAMES`] have not.
const FIRST_WORD: u32 = 1 << 10;

/// Rates of a group of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Group {
    /// Pages fetched.
    pub pages: f64,
    /// Good ones among them.
    pub good: f64,
}

/// Pages that link to one.
#[derive(Debug, Clone, Copy, Default)]
struct Inlinks {
    all: f64,
    relevance: f64,
    relevant: f64,
}

/// Mean and spread of a number so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Spread {
    /// Links looked at.
    pub count: f64,
    /// Their mean.
    pub mean: f64,
    /// Squares of what they were off the mean, summed up.
    pub squares: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let off = value - self.mean;
        self.mean += off / self.count;
        self.squares += off * (value - self.mean);
    }

    fn standardised(&self, value: f64) -> f64 {
        if self.count < 2.0 {
            return 0.0;
        }
        let deviation = (self.squares / self.count).sqrt().max(1e-6);
        ((value - self.mean) / deviation).clamp(-FARTHEST, FARTHEST)
    }
}

/// What it knows from one crawl to the next: all but which pages link where.
#[derive(Debug, Clone, PartialEq)]
pub struct EnsembleState {
    /// The model's weights.
    pub weights: Vec<(u32, WeightState)>,
    /// The apprentice's counts.
    pub apprentice: TwoClassCounts,
    /// The interest ratios' counts.
    pub ratios: IntelligentCounts,
    /// By host.
    pub sites: FxHashMap<Box<str>, Group>,
    /// By host and path up to the last part.
    pub templates: FxHashMap<Box<str>, Group>,
    /// By number of [`NAMES`].
    pub spreads: Vec<Spread>,
    /// All pages.
    pub all: Group,
}

/// See the module.
#[derive(Debug, Clone)]
pub struct Ensemble {
    model: Ftrl,
    apprentice: Apprentice,
    ratios: Intelligent,
    sites: FxHashMap<Box<str>, Group>,
    templates: FxHashMap<Box<str>, Group>,
    inlinks: Recent<Inlinks>,
    spreads: [Spread; NUMBERS],
    all: Group,
    batch: u32,
    since_rebuilt: u32,
}

impl Ensemble {
    /// One that has the whole frontier scored anew after every `batch` arrivals.
    pub fn every(batch: u32) -> Self {
        Self {
            model: Ftrl::new(RATES),
            apprentice: Apprentice::every(batch),
            ratios: Intelligent::every(batch, Factors::ALL),
            sites: FxHashMap::default(),
            templates: FxHashMap::default(),
            inlinks: Recent::default(),
            spreads: [Spread::default(); NUMBERS],
            all: Group::default(),
            batch: batch.max(1),
            since_rebuilt: 0,
        }
    }

    /// One that goes on from what was kept; what does not fit is begun anew.
    pub fn with_state(state: EnsembleState) -> Self {
        let mut ensemble = Self::default();
        if let Some(model) = Ftrl::from_rows(RATES, state.weights) {
            ensemble.model = model;
        }
        for (spread, kept) in ensemble.spreads.iter_mut().zip(state.spreads) {
            *spread = kept;
        }
        ensemble.apprentice = Apprentice::with_counts(state.apprentice);
        ensemble.ratios = Intelligent::with_counts(state.ratios);
        (ensemble.sites, ensemble.templates) = (state.sites, state.templates);
        ensemble.all = state.all;
        ensemble
    }

    fn usual(&self) -> f64 {
        (self.all.good + 0.5) / (self.all.pages + 1.0)
    }

    fn log_rate(&self, group: Option<&Group>) -> f64 {
        let group = group.copied().unwrap_or_default();
        let usual = self.usual();
        ((group.good + SMOOTHING * usual) / (group.pages + SMOOTHING) / usual).ln()
    }

    /// What is known of a link, in the order of [`NAMES`].
    fn numbers(&self, link: &Candidate, known: Known<'_>) -> [f64; NUMBERS] {
        let mut steps = link.trail.steps();
        let page = steps
            .next()
            .and_then(|step| known.graph.page(&step.address));
        let judgment = page.map(|page| page.judgment).unwrap_or_default();
        let before = steps.next().map_or(0.0, |step| step.relevance.value());
        let apprentice = self.apprentice.score(link, known).priority();
        let ratios = self.ratios.log_ratios(link, known);
        let inlinks = self.inlinks.get(&link.target).copied().unwrap_or_default();
        let (mut anchor, mut words) = (0.0, 1.0);
        for (feature, count) in link.context.counts() {
            if feature.offset().0 == 0 && !feature.is_of_page() {
                anchor += f64::from(count) * known.critic.word_weight(feature.term());
                words += f64::from(count);
            }
        }
        [
            1.0,
            judgment.relevance.value(),
            judgment.log_odds,
            judgment.similarity,
            before,
            apprentice.map_or(0.0, Priority::value),
            ratios[0],
            ratios[1],
            ratios[2],
            ratios[3],
            self.log_rate(self.sites.get(link.target.host())),
            self.log_rate(self.templates.get(template(&link.target))),
            inlinks.relevant.ln_1p(),
            (inlinks.relevance + 0.5) / (inlinks.all + 1.0),
            inlinks.all.ln_1p(),
            anchor / words,
            f64::from(link.trail.len()),
        ]
    }

    /// The instance that the model learns and judges.
    fn instance(&self, link: &Candidate, known: Known<'_>) -> (Vec<(u32, f64)>, f64) {
        let numbers = self.numbers(link, known);
        let offset = before_learning(&numbers);
        let mut instance = Vec::with_capacity(NUMBERS + link.context.features().len() + 8);
        for (place, &value) in numbers.iter().enumerate() {
            let value = if place == 0 {
                1.0
            } else {
                self.spreads[place].standardised(value)
            };
            instance.push((place as u32, value));
        }
        words(link, &mut instance);
        (instance, offset)
    }

    fn log_odds(&self, link: &Candidate, known: Known<'_>) -> f64 {
        let (instance, offset) = self.instance(link, known);
        offset + self.model.log_odds(&instance)
    }

    fn count(&mut self, target: &Address, is_good: bool) {
        let good = f64::from(u8::from(is_good));
        for groups in [&mut self.sites, &mut self.templates] {
            if groups.len() > MOST_GROUPS {
                // Groups of a single page tell least.
                groups.retain(|_, group| group.pages > 1.0);
            }
        }
        let site = self.sites.entry(target.host().into()).or_default();
        (site.pages, site.good) = (site.pages + 1.0, site.good + good);
        let template = self.templates.entry(template(target).into()).or_default();
        (template.pages, template.good) = (template.pages + 1.0, template.good + good);
        (self.all.pages, self.all.good) = (self.all.pages + 1.0, self.all.good + good);
    }
}

/// What is thought of a link before anything was learned: that good pages link to
/// good pages, and by words that the critic knows.
fn before_learning(numbers: &[f64; NUMBERS]) -> f64 {
    PRIOR * (numbers[1] + numbers[2] + numbers[5])
}

/// The words near a link and in its address, hashed, of length 2 together.
fn words(link: &Candidate, instance: &mut Vec<(u32, f64)>) {
    let first = instance.len();
    for (feature, count) in link.context.counts() {
        let near = 1.0 / (1.0 + f64::from(feature.offset().0.abs()));
        let number = feature.to_bits().wrapping_mul(0x9e37_79b1);
        instance.push((word_number(number, 0), near * f64::from(count).sqrt()));
    }
    for token in link.target.words() {
        instance.push((word_number(hashed(&token), 1), 1.0));
    }
    let squares: f64 = instance[first..].iter().map(|cell| cell.1 * cell.1).sum();
    let length = squares.sqrt().max(1e-9);
    for cell in &mut instance[first..] {
        cell.1 /= length / 2.0;
    }
}

/// The number of a word's feature: never one of a number's, and odd for addresses.
fn word_number(hash: u32, place: u32) -> u32 {
    (hash << 1) | FIRST_WORD | place
}

/// FNV-1a: the same on every machine.
fn hashed(token: &str) -> u32 {
    token.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Host and path up to the last part.
fn template(address: &Address) -> &str {
    let text = address.without_scheme();
    let path = text.split('?').next().unwrap_or(text);
    path.rfind('/').map_or(path, |end| &path[..end])
}

impl Strategy for Ensemble {
    fn name(&self) -> &'static str {
        "ensemble"
    }

    fn policy(&self) -> LinkPolicy {
        LinkPolicy::Both
    }

    fn score(&self, link: &Candidate, known: Known<'_>) -> LinkScore {
        LinkScore::Follow(Priority::new(0, self.log_odds(link, known)))
    }

    fn read(&mut self, passing: &Passing<'_>, _: Known<'_>) {
        let relevance = passing.judgment.relevance;
        for outlink in &passing.page.outlinks {
            let mut inlinks = self
                .inlinks
                .get(&outlink.target)
                .copied()
                .unwrap_or_default();
            inlinks.all += 1.0;
            inlinks.relevance += relevance.value();
            inlinks.relevant += f64::from(u8::from(relevance.is_high()));
            self.inlinks.keep(outlink.target.clone(), inlinks);
        }
    }

    fn learn(&mut self, arrival: &Arrival<'_>, known: Known<'_>, draw: &mut dyn Draw) -> Learned {
        let links = &arrival.via[..arrival.via.len().min(LEARNED_LINKS)];
        let Some(first) = links.first() else {
            return Learned::Nothing;
        };
        let is_good = arrival.judgment.relevance.is_high();
        let importance = 1.0 / links.len() as f64;
        for link in links {
            let numbers = self.numbers(link, known);
            for (spread, value) in self.spreads.iter_mut().zip(numbers) {
                spread.add(value);
            }
            let (instance, offset) = self.instance(link, known);
            self.model.learn(&instance, offset, is_good, importance);
        }
        self.count(&first.target, is_good);
        self.apprentice.learn(arrival, known, draw);
        self.ratios.learn(arrival, known, draw);
        self.since_rebuilt += 1;
        let early = self.all.pages < f64::from(self.batch);
        let due = self.since_rebuilt >= self.batch
            || (early && self.since_rebuilt >= (self.batch / FIRST_SHARE).max(1));
        if !due {
            return Learned::Refined;
        }
        self.since_rebuilt = 0;
        Learned::Rebuilt
    }

    /// Of what members say only the words are learned: they know the page already.
    fn learn_from_known(&mut self, link: &Candidate, judgment: Judgment, known: Known<'_>) {
        let mut instance = Vec::new();
        instance.push((0, 1.0));
        words(link, &mut instance);
        self.model
            .learn(&instance, 0.0, judgment.relevance.is_high(), 0.5);
        self.apprentice.learn_from_known(link, judgment, known);
    }

    fn explain(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let (instance, offset) = self.instance(link, known);
        let mut parts = vec![Explanation::given("before anything was learned", offset)];
        for (name, &(feature, value)) in NAMES.iter().zip(&instance) {
            let weight = self.model.weight(feature);
            if weight != 0.0 {
                parts.push(Explanation::given(*name, value * weight));
            }
        }
        let mut words: Vec<Explanation> = link
            .context
            .counts()
            .zip(&instance[NUMBERS..])
            .map(|((feature, _), &(number, value))| {
                let seen = self.apprentice.seen(feature);
                let word = known.graph.vocabulary.surface(feature.term());
                let label = format!("{word} at offset {}", feature.offset().0);
                let cue = Cue {
                    feature,
                    high: seen.high,
                    low: seen.low,
                };
                Explanation::given(label, value * self.model.weight(number)).about(cue)
            })
            .collect();
        words.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        words.truncate(NAMED_WORDS);
        let named: f64 = parts.iter().chain(&words).map(|part| part.value).sum();
        let all = offset + self.model.log_odds(&instance);
        parts.extend(words);
        parts.push(Explanation::given(
            "other words near it and in its address",
            all - named,
        ));
        Explanation::sum("log-odds of a good page", parts)
    }

    fn saved(&self) -> Saved {
        let Saved::Apprentice(apprentice) = self.apprentice.saved() else {
            return Saved::Nothing;
        };
        let Saved::Intelligent(ratios) = self.ratios.saved() else {
            return Saved::Nothing;
        };
        let mut weights = self.model.rows();
        if weights.len() > MOST_WEIGHTS {
            // Those used most are those that tell most.
            weights.sort_by(|a, b| b.1.n.total_cmp(&a.1.n).then(a.0.cmp(&b.0)));
            weights.truncate(MOST_WEIGHTS);
            weights.sort_unstable_by_key(|row| row.0);
        }
        Saved::Ensemble(Box::new(EnsembleState {
            weights,
            apprentice,
            ratios,
            sites: self.sites.clone(),
            templates: self.templates.clone(),
            spreads: self.spreads.to_vec(),
            all: self.all,
        }))
    }
}

impl Default for Ensemble {
    fn default() -> Self {
        Self::every(BATCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::dom::DomOffset;
    use crate::features::{LinkContext, OffsetTerm};
    use crate::text::TermId;

    #[test]
    fn words_never_take_the_place_of_numbers() {
        for hash in [0, 1, 7, 1 << 31, (1 << 31) + 5, u32::MAX] {
            for place in [0, 1] {
                let number = word_number(hash, place);
                assert!(number >= NUMBERS as u32, "{hash} {place}: {number}");
                assert_eq!(number % 2, place, "{hash}");
            }
        }
        for term in [0, 1, 77, (1 << 26) - 1, (1 << 27) - 1] {
            let feature = OffsetTerm::new(TermId(term), DomOffset(5));
            let address = format!("http://a{term}.test/page/{term}?q=zzz");
            let link = Candidate {
                context: LinkContext::new(vec![feature, OffsetTerm::of_page(TermId(term))]),
                ..Candidate::seed(Address::parse(&address).unwrap())
            };
            let mut instance = Vec::new();
            words(&link, &mut instance);
            assert!(instance.iter().all(|cell| cell.0 >= NUMBERS as u32));
            let squares: f64 = instance.iter().map(|cell| cell.1 * cell.1).sum();
            assert!((squares - 4.0).abs() < 1e-9);
        }
    }

    #[test]
    fn pages_of_one_template_share_host_and_folder() {
        let of = |text: &str| template(&Address::parse(text).unwrap()).to_owned();
        assert_eq!(
            of("http://a.test/people/x?tab=1/2"),
            of("https://a.test/people/y")
        );
        assert_ne!(of("http://a.test/people/x"), of("http://a.test/papers/x"));
    }
}
