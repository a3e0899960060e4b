//! The searchable forms of pages, and the person's word on them.

use super::TopicModel;
use crate::address::Address;
use crate::critics::FoundForm;
use crate::forms::FormWords;
use crate::page::Page;
use crate::web_graph::MarkedForm;

impl TopicModel {
    /// The searchable forms of a page.
    pub fn forms(&self, page: &Page) -> Vec<FoundForm> {
        self.form_filter.find(page)
    }

    /// Marks a form, or takes the mark back: whether it leads to a database that
    /// is looked for. False if nothing changed.
    pub fn mark_form(
        &mut self,
        page: &Address,
        name: &str,
        words: FormWords,
        is_wanted: Option<bool>,
    ) -> bool {
        let place = (page.clone(), name.to_owned());
        self.mark_forms([(place, words, is_wanted)])
    }

    /// The same for many forms, each with its page and its name; what hangs on the
    /// marks is learned once for all of them.
    pub fn mark_forms(
        &mut self,
        marks: impl IntoIterator<Item = ((Address, String), FormWords, Option<bool>)>,
    ) -> bool {
        let mut changed = false;
        for (place, words, is_wanted) in marks {
            let before = self.graph.form_marks.get(&place).map(|form| form.is_wanted);
            if before == is_wanted {
                continue;
            }
            changed = true;
            match is_wanted {
                Some(is_wanted) => {
                    let form = MarkedForm { is_wanted, words };
                    self.graph.form_marks.insert(place, form);
                }
                None => {
                    self.graph.form_marks.remove(&place);
                }
            }
        }
        if changed {
            self.refresh_critic();
        }
        changed
    }
}
