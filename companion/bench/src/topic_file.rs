//! A topic of one's own: a small TOML file that names example pages, or words
//! in the titles of examples, or a file of labels, or nodes of a taxonomy with
//! the classes that it has, or a predicate, or forms of a kind or of a domain, see
//! [`WantedForms`].
//!
//! ```toml
//! name = "wild bees"
//! examples = ["http://bees.test/mason", "http://bees.test/nesting"]
//! ```
//!
//! ```toml
//! name = "wild bees"
//! focus = ["Top/Science/Bees"]
//! [[class]]
//! name = "Top/Science/Bees/Wild"
//! pages = ["http://bees.test/mason"]
//! [[class]]
//! name = "Top/Recreation/Trains"
//! pages = ["http://trains.test/"]
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use linkscent_core::address::Address;
use linkscent_core::critics::{NamedTopic, NamedTopics};
use linkscent_core::forms::FormWords;
use linkscent_core::page::Page;
use linkscent_core::predicate::{Condition, Predicate, Relevances, Seen};
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_core::web_graph::MOST_BACKLINKS;
use serde::Deserialize;

use super::own_critic::{self, CriticExample, ExampleClass};
use super::topic::{Label, Topic};
use super::web::EvalWeb;
use crate::forms::form_topic;
use crate::forms::form_topic::WantedForms;

/// Pages that words in titles pick at most.
const MOST_PICKED: usize = 60;
/// Pages a crawl starts from.
const SEEDS: usize = 5;

/// A topic as its file describes it. One of `examples`, `keywords`, `labels`, `focus`,
/// `predicate` and `forms` is given.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopicFile {
    /// Its name.
    pub name: String,
    /// Addresses of pages that are what is looked for.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Addresses of pages that are not; some are drawn where none is named.
    #[serde(default)]
    pub others: Vec<String>,
    /// Pages with one of these words in their title are examples.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// A file of labels, as the bench has them; seen from this file's folder.
    pub labels: Option<PathBuf>,
    /// Addresses that are left out of the score besides.
    #[serde(default)]
    pub held_out: Vec<String>,
    /// Nodes of the taxonomy that are the topic, with all below them.
    #[serde(default)]
    pub focus: Vec<String>,
    /// The classes of the taxonomy.
    #[serde(default, rename = "class")]
    pub classes: Vec<ClassOfPages>,
    /// Pages of which this holds are what is looked for, such as
    /// `title has "bees" and links > 3`.
    pub predicate: Option<String>,
    /// Pages with such a form are what is looked for.
    pub forms: Option<WantedForms>,
}

/// A class of a taxonomy.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClassOfPages {
    /// Its node, such as `Top/Science/Bees`.
    pub name: String,
    /// Addresses of its pages.
    pub pages: Vec<String>,
}

impl TopicFile {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path);
        let text = text.with_context(|| format!("reading {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("reading {}", path.display()))
    }

    /// The topic on a web: every page judged by our own critic, or labelled by
    /// the file.
    pub fn on(&self, web: &EvalWeb, folder: &Path, random_seed: u64) -> Result<Topic> {
        let mut topic = match (&self.labels, &self.predicate, &self.forms) {
            (Some(labels), None, None) => {
                Topic::read_labels(&self.name, &folder.join(labels), web)?
            }
            (None, Some(predicate), None) => {
                self.by_predicate(predicate, web, folder, random_seed)?
            }
            (None, None, Some(forms)) => self.by_forms(forms, web, folder, random_seed)?,
            (None, None, None) => self.judged(web, random_seed)?,
            _ => bail!(
                "{}: give only one of labels, predicate and forms",
                self.name
            ),
        };
        for address in &self.held_out {
            if let Some(page) = web.find(address) {
                topic.labels[page as usize].example.get_or_insert(false);
            }
        }
        let examples: Vec<u32> = topic.examples().take(SEEDS).collect();
        topic.seeds.insert("examples".to_owned(), examples);
        Ok(topic)
    }

    /// Pages of which a predicate holds. A few of them are examples, for
    /// strategies that want some, and do not count.
    fn by_predicate(
        &self,
        text: &str,
        web: &EvalWeb,
        folder: &Path,
        random_seed: u64,
    ) -> Result<Topic> {
        let predicate: Predicate = text
            .parse()
            .with_context(|| format!("predicate {text:?}"))?;
        let others = Others::read(&predicate, web, folder, random_seed)?;
        let mut sources: Vec<Vec<Address>> = vec![Vec::new(); web.pages.len()];
        for ((page, links), number) in web.pages.iter().zip(&web.links).zip(0..) {
            for &target in links.iter().filter(|&&target| target != number) {
                // As many as a crawl knows.
                let sources = &mut sources[target as usize];
                if sources.len() < MOST_BACKLINKS {
                    sources.push(page.address.clone());
                }
            }
        }
        let label = |(page, linked_from): (&Page, &Vec<Address>)| {
            let holds = predicate.holds(Seen {
                page,
                linked_from,
                relevances: &others,
            });
            Label {
                relevance: f64::from(u8::from(holds)),
                log_odds: if holds { 1.0 } else { -1.0 },
                example: None,
            }
        };
        let labels: Vec<Label> = web.pages.iter().zip(&sources).map(label).collect();
        self.with_examples(labels, &[], random_seed)
    }

    /// Pages with forms of a kind or of a domain.
    fn by_forms(
        &self,
        wanted: &WantedForms,
        web: &EvalWeb,
        folder: &Path,
        random_seed: u64,
    ) -> Result<Topic> {
        let about = wanted.about.as_deref();
        let about = about.map(|name| Self::beside(name, folder)?.frozen(web, folder, random_seed));
        let found = wanted.on(web, about.transpose()?);
        let found = found.with_context(|| self.name.clone())?;
        self.with_examples(found.labels, &found.examples, random_seed)
    }

    /// The topic file of that name in the same folder: “bees” is `bees.toml`.
    fn beside(name: &str, folder: &Path) -> Result<Self> {
        Self::read(&folder.join(format!("{name}.toml")))
    }

    /// What it says of pages and forms it was not shown: by the forms it names, or else by the
    /// words of its examples.
    fn frozen(&self, web: &EvalWeb, folder: &Path, random_seed: u64) -> Result<NamedTopic> {
        if let Some(forms) = &self.forms {
            return forms.frozen(web).with_context(|| self.name.clone());
        }
        let examples = if self.labels.is_some() {
            self.on(web, folder, random_seed)?.chosen(true)
        } else {
            self.critic_examples(web, random_seed)?.0.pages(true)
        };
        form_topic::of_pages(web, &examples)
    }

    /// A topic of pages that are settled; these are examples, or a few of those found.
    fn with_examples(
        &self,
        mut labels: Vec<Label>,
        examples: &[u32],
        random_seed: u64,
    ) -> Result<Topic> {
        let mut found: Vec<u32> = (0..labels.len() as u32).collect();
        found.retain(|&page| labels[page as usize].is_relevant());
        if found.is_empty() {
            bail!("{}: this holds of no page of this web", self.name);
        }
        let mut rng = SplitMix(random_seed);
        for &example in examples {
            labels[example as usize].example = Some(true);
        }
        // Of few pages most are to be found.
        let drawn = SEEDS.min(found.len().div_ceil(4));
        let drawn = if examples.is_empty() { drawn } else { 0 };
        for _ in 0..drawn {
            let place = (rng.unit() * found.len() as f64) as usize;
            labels[found.swap_remove(place) as usize].example = Some(true);
        }
        Ok(Topic {
            name: self.name.clone(),
            labels,
            told: None,
            classes: None,
            seeds: BTreeMap::new(),
            missing: 0,
        })
    }

    fn judged(&self, web: &EvalWeb, random_seed: u64) -> Result<Topic> {
        let (examples, missing) = self.critic_examples(web, random_seed)?;
        let judged = own_critic::judge(web, &examples);
        Ok(Topic {
            name: self.name.clone(),
            labels: judged.labels,
            told: None,
            classes: judged.classes,
            seeds: BTreeMap::new(),
            missing,
        })
    }

    /// What our critic is taught on a web, and how many of the pages that the
    /// file names the web lacks.
    pub fn critic_examples(
        &self,
        web: &EvalWeb,
        random_seed: u64,
    ) -> Result<(CriticExample, usize)> {
        let mut missing = Vec::new();
        let mut find = |addresses: &[String]| -> Vec<u32> {
            let mut found = Vec::new();
            for address in addresses {
                match web.find(address) {
                    Some(page) => found.push(page),
                    None => missing.push(address.clone()),
                }
            }
            found
        };
        let mut examples = find(&self.examples);
        examples.extend(self.picked(web));
        examples.sort_unstable();
        examples.dedup();
        let mut examples = CriticExample::two(examples, find(&self.others));
        let is_focus = |name: &str| {
            let mut nodes = self.focus.iter();
            nodes.any(|node| {
                let below = name.strip_prefix(node.as_str());
                below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
            })
        };
        examples
            .classes
            .extend(self.classes.iter().map(|class| ExampleClass {
                name: class.name.clone(),
                is_focus: is_focus(&class.name),
                pages: find(&class.pages),
            }));
        examples.classes.retain(|class| !class.pages.is_empty());
        if examples.pages(true).is_empty() {
            self.explain_nothing(&missing)?;
        }
        Ok((examples.complete(web, random_seed), missing.len()))
    }

    /// Why there is no example.
    fn explain_nothing(&self, missing: &[String]) -> Result<()> {
        let name = &self.name;
        if !self.focus.is_empty() && missing.is_empty() {
            let classes: Vec<&str> = self.classes.iter().map(|one| one.name.as_str()).collect();
            bail!(
                "{name}: no class stands at {:?}; there are {classes:?}",
                self.focus
            );
        }
        if missing.is_empty() {
            bail!(
                "the topic {name:?} names no page: give examples, keywords, labels, a predicate, \
                 or focus and classes"
            );
        }
        bail!("{name}: none of its examples is in this web: {missing:?}")
    }

    /// Pages whose title has one of the keywords.
    fn picked(&self, web: &EvalWeb) -> Vec<u32> {
        let keywords: Vec<String> = self
            .keywords
            .iter()
            .map(|word| word.to_lowercase())
            .collect();
        let has_keyword = |title: &str| {
            let title = title.to_lowercase();
            let mut words = title.split(|letter: char| !letter.is_alphanumeric());
            words.any(|word| keywords.iter().any(|keyword| keyword == word))
        };
        let numbered = web.pages.iter().zip(0..);
        let picked =
            numbered.filter(|(page, _)| !keywords.is_empty() && has_keyword(&page.title()));
        picked.map(|(_, number)| number).take(MOST_PICKED).collect()
    }
}

/// What other topic files beside a predicate's say of the pages of a web.
struct Others<'a> {
    web: &'a EvalWeb,
    topics: BTreeMap<String, Vec<Label>>,
    forms: NamedTopics,
}

impl<'a> Others<'a> {
    fn read(
        predicate: &Predicate,
        web: &'a EvalWeb,
        folder: &Path,
        random_seed: u64,
    ) -> Result<Self> {
        let (mut topics, mut forms) = (BTreeMap::new(), NamedTopics::new());
        for condition in predicate.conditions() {
            match condition {
                Condition::Topic(Some(name), ..) => {
                    let file = Self::file(name, folder)?;
                    topics.insert(name.clone(), file.on(web, folder, random_seed)?.labels);
                }
                Condition::FormAbout(Some(name)) => {
                    let file = Self::file(name, folder)?;
                    forms.insert(name.clone(), file.frozen(web, folder, random_seed)?);
                }
                Condition::FormAbout(None) => bail!(
                    "“form wanted” asks for forms that were marked, and here none are: ask for \
                     “form about” a topic file with [forms] like"
                ),
                _ => {}
            }
        }
        Ok(Self { web, topics, forms })
    }

    fn file(name: &str, folder: &Path) -> Result<TopicFile> {
        let file = TopicFile::beside(name, folder)?;
        if file.predicate.is_some() {
            bail!("{name}: a predicate cannot ask for a topic that is a predicate itself");
        }
        Ok(file)
    }
}

impl Relevances for Others<'_> {
    fn relevance(&self, page: &Page, topic: Option<&str>) -> Option<f64> {
        let labels = self.topics.get(topic?)?;
        let number = self.web.number(&page.address)?;
        Some(labels[number as usize].relevance)
    }

    fn form(&self, words: &FormWords, topic: Option<&str>) -> Option<f64> {
        Some(self.forms.get(topic?)?.form(words))
    }
}

/// Adds a seed set from a file of addresses, a line each.
pub fn read_seeds(topic: &mut Topic, path: &Path, web: &EvalWeb) -> Result<()> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("reading {}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let seeds: Vec<u32> = lines.filter_map(|line| web.find(line)).collect();
    if seeds.is_empty() {
        bail!("none of the pages in {} is in this web", path.display());
    }
    topic.seeds.insert(seed_set_of(path), seeds);
    Ok(())
}

/// The name of the seed set that a file makes.
pub fn seed_set_of(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests;
