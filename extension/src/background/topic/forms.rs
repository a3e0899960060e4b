//! Forms that lead to databases: shown in the popup, marked there, kept like the
//! marks on pages.

use linkscent_core::page::Page;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::Snapshot;
use linkscent_core::wire::api::{Event, EventKind};

use super::Topics;
use crate::ports::World;
use crate::problem::Problem;
use crate::shown::FormLine;
use crate::store::Change;

/// Forms of one page that are shown.
const MOST_FORMS: usize = 5;

impl<W: World> Topics<W> {
    /// Marks a form of the page, or with `None` takes the mark back.
    pub(in crate::background) async fn mark_form(
        &self,
        snapshot: &Snapshot,
        place: usize,
        wanted: Option<bool>,
    ) -> Result<(), Problem> {
        let settings = self.context.store.settings().await?;
        let topic = settings.current.ok_or(Problem::NoTopic)?;
        let page = snapshot.to_page()?;
        let mut topic_model = self.topic_models.take_topic_model(&topic).await?;
        let found = topic_model.forms(&page).into_iter();
        let form = found.into_iter().find(|form| form.place == place);
        let form = form.ok_or(Problem::NoForm)?;
        let event = self.context.event(
            &topic,
            self.context.world.now(),
            EventKind::Form {
                address: page.address.to_string(),
                form: form.name.clone(),
                wanted,
                words: form.words.own().to_vec(),
                around: form.words.around().to_vec(),
            },
        );
        topic_model.mark_form(&page.address, &form.name, form.words, wanted);
        let mut marks = self.context.store.form_marks().await?;
        marks.retain(|mark| !is_same_form(mark, &event));
        if wanted.is_some() {
            marks.push(event.clone());
        }
        let mut change = Change::default();
        change.form_marks(&marks)?;
        change.send(&event)?;
        self.topic_models
            .keep_topic_model(topic, topic_model, &mut change)?;
        self.context.store.apply(change).await?;
        Ok(self.context.store.trim().await?)
    }
}

/// The searchable forms of a page, with their marks.
pub(in crate::background) fn form_lines(topic_model: &TopicModel, page: &Page) -> Vec<FormLine> {
    let found = topic_model.forms(page).into_iter().take(MOST_FORMS);
    let line = found.map(|form| {
        let confidence = form.confidence();
        let place = (page.address.clone(), form.name);
        FormLine {
            place: form.place,
            fields: form.fields,
            confidence,
            mark: topic_model
                .graph()
                .form_marks
                .get(&place)
                .map(|mark| mark.is_wanted),
        }
    });
    line.collect()
}

/// Whether two marks are on the same form.
fn is_same_form(a: &Event, b: &Event) -> bool {
    let place = |event: &Event| match &event.what {
        EventKind::Form { address, form, .. } => Some((address.clone(), form.clone())),
        _ => None,
    };
    a.topic == b.topic && place(a) == place(b)
}
