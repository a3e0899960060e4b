//! Forms as what a topic file looks for: of a kind, or searchable ones of a domain
//! (\[D\] 3.4).
//!
//! ```toml
//! name = "jobs"
//! [forms]
//! most_pages = 5                       # no box that stands on every page of a site
//! like = ["http://a.test/vacancies"]   # their searchable forms make the domain
//! unlike = ["http://b.test/catalogue"]
//! ```
//!
//! In place of `like`, `about = "jobs"` asks for the forms of another topic file beside this
//! one, `jobs.toml`; where that names no forms, the words of its pages tell.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context, Result, bail};
use linkscent_core::critics::NamedTopic;
use linkscent_core::dom::Form;
use linkscent_core::forms::{FormKind, FormKinds, FormWords};
use linkscent_core::page::Page;
use linkscent_core::strategies::SplitMix;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use serde::Deserialize;

use crate::topic::Label;
use crate::web::EvalWeb;

/// Pages, evenly over the web, whose words and forms stand for all others.
const BACKGROUND: usize = 500;
/// How likely a form of a domain is one.
const WANTED: f64 = 0.5;

/// Forms that are looked for.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WantedForms {
    /// A kind as predicates call it, such as `login`; `search` if it is not said.
    pub kind: Option<String>,
    /// Pages on which the same form (host, action and field names) may stand; any number if
    /// it is not said.
    pub most_pages: Option<usize>,
    /// Addresses of pages whose searchable forms are of the domain.
    pub like: Vec<String>,
    /// Addresses of pages whose searchable forms are of others. Where none is given, all
    /// other forms of the web count as such, also those that nobody has recognised yet.
    pub unlike: Vec<String>,
    /// The topic file whose forms are looked for.
    pub about: Option<String>,
}

/// Which pages of a web are looked for, and the examples by which that was said.
pub(crate) struct WantedPages {
    pub(crate) labels: Vec<Label>,
    pub(crate) examples: Vec<u32>,
}

impl WantedForms {
    fn kind(&self) -> Result<FormKind> {
        let name = self.kind.as_deref().unwrap_or("search");
        let kind = FormKind::named(name).with_context(|| format!("{name}: no kind of forms"))?;
        if self.about.is_some() && !self.like.is_empty() {
            bail!("give like or about, not both: each makes a domain");
        }
        if self.like.is_empty() && !self.unlike.is_empty() {
            bail!("what forms are unlike says little: give pages with like ones, too");
        }
        let has_domain = self.about.is_some() || !self.like.is_empty();
        if has_domain && kind != FormKind::Search {
            bail!("only forms of the kind search have a domain");
        }
        Ok(kind)
    }

    /// The pages of a web that hold such a form. `about` is the topic of that name.
    pub(crate) fn on(&self, web: &EvalWeb, about: Option<NamedTopic>) -> Result<WantedPages> {
        let kind = self.kind()?;
        let domain = match about {
            None if !self.like.is_empty() => Some(self.frozen(web)?),
            about => about,
        };
        let kinds = FormKinds::shipped();
        let is_wanted = |page: &Page, form: &Form| {
            let is_of_domain =
                |domain: &NamedTopic| domain.form(&FormWords::of(page, form)) >= WANTED;
            kinds.judge(form).kind == kind && domain.as_ref().is_none_or(is_of_domain)
        };
        let of_page = |page: &Page| -> BTreeSet<String> {
            let wanted = page.forms().iter().filter(|form| is_wanted(page, form));
            wanted.map(|form| identity(page, form)).collect()
        };
        let forms: Vec<BTreeSet<String>> = web.pages.iter().map(of_page).collect();
        let mut pages: HashMap<&str, usize> = HashMap::new();
        for form in forms.iter().flatten() {
            *pages.entry(form).or_default() += 1;
        }
        let most = self.most_pages.unwrap_or(usize::MAX);
        let label = |forms: &BTreeSet<String>| {
            let is_rare = |form: &String| pages[form.as_str()] <= most;
            Label {
                relevance: f64::from(u8::from(forms.iter().any(is_rare))),
                ..Label::default()
            }
        };
        Ok(WantedPages {
            labels: forms.iter().map(label).collect(),
            examples: self.like.iter().filter_map(|page| web.find(page)).collect(),
        })
    }

    /// What the forms of `like` and `unlike` make; without the latter, against forms of all
    /// the web.
    pub(crate) fn frozen(&self, web: &EvalWeb) -> Result<NamedTopic> {
        if self.like.is_empty() {
            bail!("these forms make no domain: give pages with like ones");
        }
        let mut topic_model = if self.unlike.is_empty() {
            background(web)?
        } else {
            unknowing()?
        };
        for (pages, is_wanted) in [(&self.like, true), (&self.unlike, false)] {
            for address in pages {
                let page = web.find(address);
                let page = page.with_context(|| format!("this web has no page {address}"))?;
                let page = &web.pages[page as usize];
                let forms = topic_model.forms(page);
                if forms.is_empty() {
                    bail!("{address} holds no searchable form");
                }
                topic_model.mark_forms(forms.into_iter().map(|form| {
                    let place = (page.address.clone(), form.name);
                    (place, form.words, Some(is_wanted))
                }));
            }
        }
        Ok(NamedTopic::of(topic_model.graph()))
    }
}

/// What the words of pages make, against those of the web.
pub(crate) fn of_pages(web: &EvalWeb, examples: &[u32]) -> Result<NamedTopic> {
    let mut topic_model = background(web)?;
    for &page in examples {
        topic_model.mark(&web.pages[page as usize], Some(Mark::Target));
    }
    Ok(NamedTopic::of(topic_model.graph()))
}

fn unknowing() -> Result<TopicModel> {
    TopicModel::new("topic", "breadth-first").context("no such critic or strategy")
}

/// A topic model that has seen pages of all the web.
fn background(web: &EvalWeb) -> Result<TopicModel> {
    let mut topic_model = unknowing()?;
    let step = web.pages.len().div_ceil(BACKGROUND).max(1);
    for page in web.pages.iter().step_by(step) {
        topic_model.visit(page, &[], None, &mut SplitMix(1));
    }
    Ok(topic_model)
}

/// What makes two forms the same: host, action and the names of their fields.
fn identity(page: &Page, form: &Form) -> String {
    let first = |naming: &str| naming.split(' ').next().unwrap_or_default().to_owned();
    let fields: Vec<String> = form
        .fields
        .iter()
        .map(|field| first(&field.naming))
        .collect();
    format!(
        "{} {} {}",
        page.address.host(),
        form.action,
        fields.join(",")
    )
}
