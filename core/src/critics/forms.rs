//! The form filter (\[D\] 3.4, methods 2.4): which forms of a page lead to a
//! database, and which of those to one that is looked for. As a critic, a page is
//! what is looked for if it holds such a form.

use serde::{Deserialize, Serialize};

use super::{Critic, Topic};
use crate::address::Address;
use crate::codec::{CodecError, Loader, SaveError, Saver};
use crate::dom::Form;
use crate::features::PageTerms;
use crate::forms::{FormDomain, FormKinds, FormWords};
use crate::page::Page;
use crate::text::{TermId, shorten};
use crate::web_graph::{FormPlace, Judgment, Relevance, WebGraph, is_same_form};

/// Fields that are named.
const MOST_NAMED: usize = 8;

/// A searchable form that was found on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundForm {
    /// Its place among the page's forms, from 0.
    pub place: usize,
    /// What it is called by on its page: method, action and field names.
    pub name: String,
    /// Where it sends what is entered, as written.
    pub action: String,
    /// The fields that are seen, by what their attributes call them.
    pub fields: Vec<String>,
    /// How sure it is that it leads to a database, 0..=1.
    pub searchable: f64,
    /// How sure it is that the database is one looked for; `None` where no form
    /// was marked.
    pub wanted: Option<f64>,
    /// Its words.
    pub words: FormWords,
}

impl FoundForm {
    /// How sure it is altogether, 0..=1.
    pub fn confidence(&self) -> f64 {
        self.searchable * self.wanted.unwrap_or(1.0)
    }

    /// Whether it leads to a database that is looked for.
    pub fn is_wanted(&self) -> bool {
        self.wanted.is_none_or(|share| share >= 0.5)
    }
}

/// What a form is called by on its page, short enough to be kept.
fn name_of(form: &Form) -> String {
    let first = |naming: &str| naming.split(' ').next().unwrap_or_default().to_owned();
    let fields: Vec<String> = form
        .fields
        .iter()
        .map(|field| first(&field.naming))
        .collect();
    let name = format!("{} {} {}", form.method, form.action, fields.join(","));
    shorten(&name, 300)
}

/// Tells forms apart; knows the domain as far as forms were marked.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct FormFilter {
    domain: Option<FormDomain>,
}

impl FormFilter {
    /// Learns the domain from the forms that were marked, against those that were
    /// marked as others and those that were seen and not marked.
    pub fn refresh(&mut self, known: &WebGraph) {
        let marked = known.form_marks.values();
        let mut examples: Vec<(&FormWords, bool)> =
            marked.map(|form| (&form.words, form.is_wanted)).collect();
        self.domain = None;
        if examples.iter().any(|example| example.1) {
            // A site's search box is the same form on all its pages.
            let is_marked = |place: &FormPlace| {
                let mut marked = known.form_marks.keys();
                marked.any(|marked| marked.0 == place.0 || is_same_form(marked, place))
            };
            let unmarked = known.forms().filter(|(place, _)| !is_marked(place));
            examples.extend(unmarked.map(|(_, words)| (words, false)));
            self.domain = Some(FormDomain::train(&examples));
        }
    }

    /// What tells forms that are looked for from others; `None` where none was marked.
    pub fn domain(&self) -> Option<&FormDomain> {
        self.domain.as_ref()
    }

    /// The searchable forms of a page, in document order.
    pub fn find(&self, page: &Page) -> Vec<FoundForm> {
        let kinds = FormKinds::shipped();
        let numbered = page.forms().iter().enumerate();
        let searchable = numbered.filter_map(|(place, form)| {
            let verdict = kinds.judge(form);
            verdict.is_searchable().then_some((place, form, verdict))
        });
        searchable
            .map(|(place, form, verdict)| {
                let words = FormWords::of(page, form);
                FoundForm {
                    place,
                    name: name_of(form),
                    action: shorten(&form.action, 300),
                    fields: fields_of(form),
                    searchable: verdict.searchable,
                    wanted: self
                        .domain
                        .as_ref()
                        .map(|domain| domain.probability(&words)),
                    words,
                }
            })
            .collect()
    }
}

fn fields_of(form: &Form) -> Vec<String> {
    let is_seen = |kind: &str| !["hidden", "submit", "button", "image", "reset"].contains(&kind);
    let seen = form.fields.iter().filter(|field| is_seen(&field.kind));
    let named = seen.filter(|field| !field.naming.is_empty());
    let first = named.map(|field| field.naming.split(' ').next().unwrap_or_default());
    first
        .take(MOST_NAMED)
        .map(|name| shorten(name, 40))
        .collect()
}

/// The form filter as a critic.
#[derive(Default, Serialize, Deserialize)]
pub struct Forms {
    filter: FormFilter,
    /// Of pages marked as a whole, for what single words are worth.
    marked: Topic,
}

impl Critic for Forms {
    fn name(&self) -> &'static str {
        "forms"
    }

    fn judge(&self, page: &Page, terms: &PageTerms, _: &[Address], known: &WebGraph) -> Judgment {
        let found = self.filter.find(page);
        let best = found.iter().map(FoundForm::confidence).fold(0.0, f64::max);
        let marked = self.marked.judge_terms(terms, known).unwrap_or_default();
        Judgment {
            relevance: Relevance::new(best),
            is_target: found.iter().any(FoundForm::is_wanted),
            ..marked
        }
    }

    fn judge_terms(&self, _: &PageTerms, _: &WebGraph) -> Option<Judgment> {
        None
    }

    fn word_weight(&self, term: TermId) -> f64 {
        self.marked.word_weight(term)
    }

    fn refresh(&mut self, known: &WebGraph) {
        self.filter.refresh(known);
        self.marked.refresh(known);
    }

    fn save(&self, to: &mut Saver<'_>) -> Result<(), SaveError> {
        to.put(self)
    }

    fn load(&mut self, from: &mut Loader<'_>) -> Result<(), CodecError> {
        *self = from.take()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::{Builder, Field, LeafRange};
    use crate::strategies::SplitMix;
    use crate::topic_model::TopicModel;

    fn page(address: &str, action: &str, text: &str) -> Page {
        let mut builder = Builder::new();
        builder.leaf(text);
        builder.form(Form {
            action: action.to_owned(),
            method: "get".to_owned(),
            naming: "search".to_owned(),
            fields: vec![Field {
                kind: "text".to_owned(),
                naming: "q search".to_owned(),
                ..Field::default()
            }],
            leaves: LeafRange { first: 0, end: 1 },
        });
        Page::new(Address::parse(address).unwrap(), builder.finish().unwrap())
    }

    #[test]
    fn the_same_box_on_another_page_does_not_speak_against_itself() {
        let mut topic_model = TopicModel::new("forms", "best-first").unwrap();
        let flights = |n: u32| {
            page(
                &format!("http://a.test/{n}"),
                "/fly",
                "Flights and airports",
            )
        };
        let books = page("http://b.test/", "/books", "Authors and titles");
        for page in [flights(1), flights(2), flights(3), books.clone()] {
            topic_model.visit(&page, &[], None, &mut SplitMix(1));
        }
        assert_eq!(topic_model.graph().forms().count(), 2);
        let form = topic_model.forms(&flights(2)).remove(0);
        topic_model.mark_form(&flights(2).address, &form.name, form.words, Some(true));
        assert!(topic_model.forms(&flights(3))[0].is_wanted());
        assert!(!topic_model.forms(&books)[0].is_wanted());
        assert!(topic_model.judge(&flights(9)).is_target && !topic_model.judge(&books).is_target);
    }

    #[test]
    fn predicates_ask_for_forms_of_this_and_of_other_topics() {
        let flights = page("http://a.test/", "/fly", "Flights and airports");
        let books = page("http://b.test/", "/books", "Authors and titles");
        let rng = &mut SplitMix(1);
        let read = |critic: &str, topics| {
            let critic = crate::critics::described(critic, topics).unwrap();
            let strategy = crate::strategies::named("best-first").unwrap();
            TopicModel::joining(critic, strategy, crate::text::Vocabulary::default())
        };
        let mut own = read("form wanted", crate::critics::Sources::default());
        for page in [&flights, &books] {
            own.visit(page, &[], None, rng);
        }
        let is_target = |topic_model: &TopicModel| {
            [&flights, &books].map(|page| topic_model.judge(page).is_target)
        };
        assert_eq!(is_target(&own), [false, false], "nothing is marked");
        let form = own.forms(&flights).remove(0);
        own.mark_form(&flights.address, &form.name, form.words, Some(true));
        assert_eq!(is_target(&own), [true, false]);
        let topics = crate::critics::NamedTopics::from([(
            "air".to_owned(),
            crate::critics::NamedTopic::of(own.graph()),
        )]);
        let other = read(
            "form about \"air\" and not text has \"war\"",
            crate::critics::Sources {
                topics,
                ..crate::critics::Sources::default()
            },
        );
        assert_eq!(is_target(&other), [true, false]);
        let nobody = read("form about \"air\"", crate::critics::Sources::default());
        assert_eq!(is_target(&nobody), [false, false]);
    }
}
