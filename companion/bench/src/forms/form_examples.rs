//! Annotated forms to learn from: pages in a WARC file with a line of JSON each
//! that says what their forms are for, and forms by their domain.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_core::address::Address;
use linkscent_core::forms::{FormKind, FormShape, FormWords};
use linkscent_core::page::Page;
use serde::Deserialize;

use linkscent_archive::page::build;
use linkscent_archive::warc::Reader;

/// A form of a known kind.
pub struct FormExample {
    /// The page it stands on.
    pub page: String,
    /// Its place among the page's forms, from 0.
    pub place: usize,
    /// The registered domain of the site; forms of one site look alike.
    pub site: String,
    /// What it is for.
    pub kind: FormKind,
    /// What it looks like.
    pub shape: FormShape,
    /// Its words.
    pub words: FormWords,
}

/// Forms of known kinds, and what was left out.
pub struct AnnotatedForms {
    /// In the order of the pages.
    pub forms: Vec<FormExample>,
    /// Forms to be skipped or not annotated.
    pub unlabelled: usize,
    /// Pages on which another number of forms was annotated than is found.
    pub mismatched: usize,
}

#[derive(Deserialize)]
struct Annotation {
    url: String,
    domain: String,
    forms: Vec<AnnotatedForm>,
}

#[derive(Deserialize)]
struct AnnotatedForm {
    index: usize,
    type_code: String,
}

/// The kind behind a code; `None` for forms without a word on them.
fn kind(code: &str) -> Option<FormKind> {
    Some(match code {
        "s" => FormKind::Search,
        "l" => FormKind::Login,
        "r" => FormKind::Registration,
        "p" => FormKind::PasswordRecovery,
        "c" => FormKind::Contact,
        "m" => FormKind::MailingList,
        "b" => FormKind::Order,
        "-" | "X" => return None,
        _ => FormKind::Other,
    })
}

/// Reads `pages.warc.gz` and `annotations.jsonl` of a folder, whose lines follow
/// the pages.
pub fn read(folder: &Path) -> Result<AnnotatedForms> {
    let path = folder.join("annotations.jsonl");
    let text = std::fs::read_to_string(&path);
    let text = text.with_context(|| format!("reading {}", path.display()))?;
    let mut examples = AnnotatedForms {
        forms: Vec::new(),
        unlabelled: 0,
        mismatched: 0,
    };
    let records = Reader::open(&folder.join("pages.warc.gz"))?;
    let pages = records.filter(|record| !matches!(record, Ok(record) if record.kind != "response"));
    for ((number, line), record) in text.lines().enumerate().zip(pages) {
        let place = || format!("{}, line {}", path.display(), number + 1);
        let annotation: Annotation = serde_json::from_str(line).with_context(place)?;
        let record = record?;
        ensure!(
            record.target == annotation.url,
            "{}: the page at this place is {}",
            place(),
            record.target
        );
        let response = record.response().with_context(place)?;
        let address = Address::parse(&annotation.url).with_context(place)?;
        let (page, _) = build(address, &response.body, response.content_type.as_deref());
        examples.add(&page, annotation);
    }
    Ok(examples)
}

impl AnnotatedForms {
    fn add(&mut self, page: &Page, annotation: Annotation) {
        if page.forms().len() != annotation.forms.len() {
            self.mismatched += 1;
            return;
        }
        for annotated in annotation.forms {
            let form = page.forms().get(annotated.index);
            let (Some(kind), Some(form)) = (kind(&annotated.type_code), form) else {
                self.unlabelled += 1;
                continue;
            };
            self.forms.push(FormExample {
                page: annotation.url.clone(),
                place: annotated.index,
                site: annotation.domain.clone(),
                kind,
                shape: FormShape::of(form),
                words: FormWords::of(page, form),
            });
        }
    }
}

/// Each site's fold; sites in order take turns.
pub fn folds<'a>(sites: impl Iterator<Item = &'a str>, folds: u32) -> BTreeMap<&'a str, u32> {
    let sites: BTreeSet<&str> = sites.collect();
    sites.into_iter().zip((0..folds).cycle()).collect()
}

/// A searchable form of a known domain.
pub struct DomainExample {
    /// The site it stands on; for forms written by hand one of its own.
    pub site: String,
    /// What its database is about.
    pub domain: String,
    /// Its page and its place there among the annotated forms; `None` if it was written by
    /// hand.
    pub place: Option<(String, usize)>,
    /// What it looks like.
    pub shape: FormShape,
    /// Its words.
    pub words: FormWords,
}

/// Forms that a list names by page, place on the page and domain, separated by
/// tabs, a line each; lines that start with `#` say something else.
pub fn listed_domains(list: &Path, examples: &AnnotatedForms) -> Result<Vec<DomainExample>> {
    let text = std::fs::read_to_string(list);
    let text = text.with_context(|| format!("reading {}", list.display()))?;
    let known: BTreeMap<(&str, usize), &FormExample> = examples
        .forms
        .iter()
        .map(|example| ((example.page.as_str(), example.place), example))
        .collect();
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.is_empty() {
            continue;
        }
        let place = || format!("{}, line {}", list.display(), number + 1);
        let fields: Vec<&str> = line.split('\t').collect();
        let [page, form, domain] = fields[..] else {
            anyhow::bail!("{}: page, form and domain are wanted: {line:?}", place());
        };
        let form: usize = form.parse().with_context(place)?;
        let example = known.get(&(page, form));
        let example = example.with_context(|| format!("{}: there is no such form", place()))?;
        found.push(DomainExample {
            site: example.site.clone(),
            domain: domain.to_owned(),
            place: Some((page.to_owned(), form)),
            shape: example.shape.clone(),
            words: example.words.clone(),
        });
    }
    Ok(found)
}

/// The first form of every HTML file in a folder's folders, whose names are
/// the domains.
pub fn written_domains(folder: &Path) -> Result<Vec<DomainExample>> {
    let mut found = Vec::new();
    for domain in sorted(folder)? {
        let name = domain.file_name().unwrap_or_default().to_string_lossy();
        for file in sorted(&domain)? {
            let body = std::fs::read(&file)?;
            let site = format!("{name}-{}", file.file_stem().unwrap_or_default().display());
            let address = Address::parse(&format!("http://{site}.test/"))?;
            let (page, _) = build(address, &body, Some("text/html; charset=utf-8"));
            let form = page.forms().first();
            let form = form.with_context(|| format!("{} holds no form", file.display()))?;
            found.push(DomainExample {
                words: FormWords::of(&page, form),
                shape: FormShape::of(form),
                place: None,
                site,
                domain: name.to_string(),
            });
        }
    }
    Ok(found)
}

fn sorted(folder: &Path) -> Result<BTreeSet<std::path::PathBuf>> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.with_context(|| format!("reading {}", folder.display()))?;
    let paths: std::io::Result<BTreeSet<_>> = entries.map(|entry| Ok(entry?.path())).collect();
    Ok(paths?)
}
