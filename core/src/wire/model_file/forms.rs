//! Forms, and other topics that a predicate asks for, in a model file.

use serde::{Deserialize, Serialize};

use super::ModelError;
use super::graph::address;
use crate::critics::{NamedTopic, NamedTopics};
use crate::forms::{FormDomain, FormWords};
use crate::web_graph::{FormPlace, MarkedForm, WebGraph};

#[derive(Serialize, Deserialize)]
pub(super) struct WireTopic {
    name: String,
    words: Vec<(String, f32)>,
    other: f32,
    middle: f64,
    slope: f64,
}

#[derive(Serialize, Deserialize)]
pub(super) struct WireForm {
    page: String,
    name: String,
    own: Vec<String>,
    around: Vec<String>,
}

/// Topics with their words.
pub(super) fn topics(topics: &NamedTopics) -> Vec<WireTopic> {
    let topics = topics.iter().map(|(name, topic)| WireTopic {
        name: name.clone(),
        words: topic.words.clone().into_iter().collect(),
        other: topic.other,
        middle: topic.middle,
        slope: topic.slope,
    });
    topics.collect()
}

/// Back from [`topics`].
pub(super) fn into_topics(rows: Vec<WireTopic>) -> Result<NamedTopics, ModelError> {
    let mut topics = NamedTopics::new();
    for topic in rows {
        let mut numbers = topic.words.iter().map(|row| row.1);
        let are_numbers = numbers.all(f32::is_finite)
            && topic.other.is_finite()
            && topic.middle.is_finite()
            && topic.slope.is_finite();
        if !are_numbers {
            return Err(ModelError::Content("a topic's weight is no number"));
        }
        let named = NamedTopic {
            words: topic.words.into_iter().collect(),
            other: topic.other,
            middle: topic.middle,
            slope: topic.slope,
            forms: None,
        };
        topics.insert(topic.name, named);
    }
    Ok(topics)
}

/// What tells the forms of topics from others, by the topic's name: a bias, and words with how
/// rare they are and what they weigh.
pub(super) type WireDomains = Vec<(String, f64, Vec<(String, f64, f64)>)>;

/// The domains of those topics that have one.
pub(super) fn domains(topics: &NamedTopics) -> WireDomains {
    let topics = topics.iter();
    let domains = topics.filter_map(|(name, topic)| {
        let (bias, rows) = topic.forms.as_ref()?.rows();
        Some((name.clone(), bias, rows))
    });
    domains.collect()
}

/// Puts the domains of forms into their topics.
pub(super) fn put_domains(
    topics: &mut NamedTopics,
    domains: WireDomains,
) -> Result<(), ModelError> {
    for (name, bias, rows) in domains {
        let domain = FormDomain::from_rows(bias, rows);
        let domain = domain.ok_or(ModelError::Content("a domain of forms is none"))?;
        let topic = topics.get_mut(&name);
        let topic = topic.ok_or(ModelError::Content("forms of a topic that is not there"))?;
        topic.forms = Some(domain);
    }
    Ok(())
}

/// The searchable forms of a graph.
pub(super) fn forms(graph: &WebGraph) -> Vec<WireForm> {
    let forms = graph.forms();
    forms
        .map(|(place, words)| WireForm::of(place, words))
        .collect()
}

/// Puts forms into a graph.
pub(super) fn put_forms(graph: &mut WebGraph, forms: Vec<WireForm>) -> Result<(), ModelError> {
    for form in forms {
        let (place, words) = form.into_form()?;
        graph.remember_form(place, words);
    }
    Ok(())
}

/// The marked forms, and whether each is wanted.
pub(super) fn marked_forms(graph: &WebGraph) -> Vec<(WireForm, bool)> {
    let marked = graph.form_marks.iter();
    marked
        .map(|(place, form)| (WireForm::of(place, &form.words), form.is_wanted))
        .collect()
}

/// Marks forms in a graph.
pub(super) fn put_marked_forms(
    graph: &mut WebGraph,
    forms: Vec<(WireForm, bool)>,
) -> Result<(), ModelError> {
    for (form, is_wanted) in forms {
        let (place, words) = form.into_form()?;
        let marked = MarkedForm { is_wanted, words };
        graph.form_marks.insert(place, marked);
    }
    Ok(())
}

impl WireForm {
    fn of(place: &FormPlace, words: &FormWords) -> Self {
        Self {
            page: place.0.to_string(),
            name: place.1.clone(),
            own: words.own().to_vec(),
            around: words.around().to_vec(),
        }
    }

    fn into_form(self) -> Result<(FormPlace, FormWords), ModelError> {
        let words = FormWords::new(self.own, self.around);
        Ok(((address(&self.page)?, self.name), words))
    }
}
