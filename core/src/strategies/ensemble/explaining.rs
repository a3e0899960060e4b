//! Why the ensemble scores a link as it does, member by member: the parts add up to
//! the score.

use super::signals::{SIGNALS, Signal, SignalGroup, TABLE};
use super::{Ensemble, Instance};
use crate::strategies::{Candidate, Cue, Explanation, Known, Strategy};

/// Words named in an explanation.
const NAMED_WORDS: usize = 6;

impl Ensemble {
    /// What [`super::Signals::prior_log_odds`] joins, and likeness to the targets; the words behind it
    /// are the apprentice's.
    fn explain_prior(
        &self,
        link: &Candidate,
        instance: &Instance,
        known: Known<'_>,
    ) -> Explanation {
        let words = if self.options.without == Some(SignalGroup::Apprentice) {
            Explanation::given("apprentice", 0.0)
        } else {
            self.apprentice.explain(link, known)
        };
        let remembered = instance.signals.of(Signal::Remembered);
        let others = instance.offset - words.value - remembered;
        Explanation::sum(
            "before anything was learned",
            vec![
                Explanation::given(
                    "what its page, its meaning and the distance to a target say",
                    others,
                ),
                words,
                Explanation::given("what earlier crawls read there", remembered),
                Explanation::given(
                    "how like the targets its words and a page before it are, as long as little was found",
                    self.early(instance),
                ),
            ],
        )
    }

    /// See [`Strategy::explain`].
    pub(super) fn explained(&self, link: &Candidate, known: Known<'_>) -> Explanation {
        let instance = self.instance(link, &self.of_page(link, known), known);
        let trust = self.trust();
        let mut parts = vec![self.explain_prior(link, &instance, known)];
        for (row, &(feature, value)) in TABLE.iter().zip(&instance.features) {
            let weight = trust * self.model.weight(feature);
            if weight != 0.0 {
                parts.push(Explanation::given(row.name, value * weight));
            }
        }
        let mut words: Vec<Explanation> = link
            .context
            .counts()
            .zip(&instance.features[SIGNALS..])
            .map(|((feature, _), &(number, value))| {
                let seen = self.apprentice.seen(feature);
                let word = known.graph.vocabulary.surface(feature.term());
                let label = format!("{word} at offset {}", feature.offset().0);
                let cue = Cue {
                    feature,
                    high: seen.high,
                    low: seen.low,
                };
                Explanation::given(label, value * trust * self.model.weight(number)).about(cue)
            })
            .collect();
        words.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
        words.truncate(NAMED_WORDS);
        let named: f64 = parts.iter().chain(&words).map(|part| part.value).sum();
        let all = instance.offset + self.learned(&instance) + self.early(&instance);
        parts.extend(words);
        parts.push(Explanation::given(
            "other words near it, what they mean, and its address",
            all - named,
        ));
        Explanation::sum("log-odds of a good page", parts)
    }
}
