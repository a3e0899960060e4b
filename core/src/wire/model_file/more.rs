//! What model files hold since version 3, behind what they held before: what the
//! critic said of pages, marks aside; other topics that a predicate asks for;
//! forms.

use serde::{Deserialize, Serialize};

use super::{ModelError, WireJudgment, address};
use crate::critics::{NamedTopic, NamedTopics};
use crate::forms::FormWords;
use crate::guide::Knowledge;
use crate::web_graph::{FormPlace, Judgment, MarkedForm};

#[derive(Default, Serialize, Deserialize)]
pub(super) struct WireMore {
    /// By page, in the order of the pages.
    unmarked: Vec<WireJudgment>,
    topics: Vec<WireTopic>,
    forms: Vec<WireForm>,
    marked_forms: Vec<(WireForm, bool)>,
}

#[derive(Serialize, Deserialize)]
struct WireTopic {
    name: String,
    words: Vec<(String, f32)>,
    other: f32,
    middle: f64,
    slope: f64,
}

#[derive(Serialize, Deserialize)]
struct WireForm {
    page: String,
    name: String,
    own: Vec<String>,
    around: Vec<String>,
}

impl WireMore {
    pub(super) fn of(knowledge: &Knowledge) -> Self {
        let graph = &knowledge.graph;
        let topics = knowledge.topics.iter().map(|(name, topic)| WireTopic {
            name: name.clone(),
            words: topic.words.clone().into_iter().collect(),
            other: topic.other,
            middle: topic.middle,
            slope: topic.slope,
        });
        let marked = graph.form_marks.iter();
        let marked = marked.map(|(place, form)| (WireForm::of(place, &form.words), form.is_wanted));
        Self {
            unmarked: graph
                .pages()
                .map(|page| WireJudgment::of(page.unmarked))
                .collect(),
            topics: topics.collect(),
            forms: graph
                .forms()
                .map(|(place, words)| WireForm::of(place, words))
                .collect(),
            marked_forms: marked.collect(),
        }
    }

    /// The judgments, page by page, and the rest into `knowledge`.
    pub(super) fn into_knowledge(
        self,
        knowledge: &mut Knowledge,
    ) -> Result<Vec<Judgment>, ModelError> {
        for form in self.forms {
            let (place, words) = form.into_form()?;
            knowledge.graph.remember_form(place, words);
        }
        for (form, is_wanted) in self.marked_forms {
            let (place, words) = form.into_form()?;
            let marked = MarkedForm { is_wanted, words };
            knowledge.graph.form_marks.insert(place, marked);
        }
        knowledge.topics = NamedTopics::new();
        for topic in self.topics {
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
            };
            knowledge.topics.insert(topic.name, named);
        }
        let judgments = self.unmarked.into_iter();
        Ok(judgments.map(WireJudgment::into_judgment).collect())
    }
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
