//! How well forms of one domain are told from all other forms, searchable ones of other
//! domains and such as ask no database (\[D\] 3.4): both steps of the filter, on forms of
//! sites that were held out.

use std::collections::{BTreeMap, BTreeSet};

use linkscent_core::forms::{FormDomain, FormKind, FormKinds, FormShape, FormWords};
use serde::Serialize;

use crate::forms::form_examples::AnnotatedForms;
use crate::forms::form_examples::DomainExample;
use crate::forms::form_examples::folds;

/// A form of a known kind, and of a known domain if it is one of those that are looked for.
#[derive(Clone, Copy)]
struct KnownForm<'a> {
    site: &'a str,
    kind: FormKind,
    domain: Option<&'a str>,
    shape: &'a FormShape,
    words: &'a FormWords,
}

/// Forms of a domain, and what was taken for one.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DomainFigures {
    /// The domain.
    pub domain: String,
    /// Forms of it.
    pub relevant: u32,
    /// Those of them that were found.
    pub found: u32,
    /// Those that the first step took for no searchable form.
    pub not_searchable: u32,
    /// Searchable forms of other domains that were taken for its own.
    pub other_domains: u32,
    /// Forms of other kinds that were taken for its own.
    pub other_kinds: u32,
}

/// Of all forms that were taken for relevant ones, the share that is relevant; of all relevant
/// ones, the share that was found; the harmonic mean of both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Retrieval {
    /// Precision.
    pub precision: f64,
    /// Recall.
    pub recall: f64,
    /// F1.
    pub f1: f64,
}

impl DomainFigures {
    /// Precision, recall and F1; 0 where nothing was found.
    pub fn retrieval(&self) -> Retrieval {
        let found = f64::from(self.found);
        let taken = f64::from(self.found + self.other_domains + self.other_kinds);
        let share = |of: f64| if of > 0.0 { found / of } else { 0.0 };
        let relevant = f64::from(self.relevant);
        Retrieval {
            precision: share(taken),
            recall: share(relevant),
            f1: 2.0 * share(taken + relevant),
        }
    }

    /// All domains taken together.
    pub fn sum(figures: &[Self]) -> Self {
        let mut sum = Self {
            domain: "all".to_owned(),
            ..Self::default()
        };
        for one in figures {
            sum.relevant += one.relevant;
            sum.found += one.found;
            sum.not_searchable += one.not_searchable;
            sum.other_domains += one.other_domains;
            sum.other_kinds += one.other_kinds;
        }
        sum
    }

    /// The mean of the domains' F1.
    pub fn macro_f1(figures: &[Self]) -> f64 {
        let sum: f64 = figures.iter().map(|one| one.retrieval().f1).sum();
        sum / figures.len().max(1) as f64
    }

    fn count(&mut self, form: KnownForm<'_>, is_searchable: bool, is_taken: bool) {
        let is_relevant = form.domain == Some(self.domain.as_str());
        if is_relevant {
            self.relevant += 1;
            self.found += u32::from(is_taken);
            self.not_searchable += u32::from(!is_searchable);
        } else if is_taken && form.kind == FormKind::Search {
            self.other_domains += 1;
        } else if is_taken {
            self.other_kinds += 1;
        }
    }
}

/// Figures of every domain, in the order of their names: once with both steps, once with the
/// second alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FilterFigures {
    /// All forms that were judged.
    pub forms: usize,
    /// A form is taken if it looks searchable and its words are of the domain.
    pub both_steps: Vec<DomainFigures>,
    /// A form is taken if its words are of the domain.
    pub words_alone: Vec<DomainFigures>,
}

/// All annotated forms, those of known domains among them, and those that were written by
/// hand.
fn known_forms<'a>(
    annotated: &'a AnnotatedForms,
    of_domains: &'a [DomainExample],
) -> Vec<KnownForm<'a>> {
    let listed: BTreeMap<(&str, usize), &str> = of_domains
        .iter()
        .filter_map(|form| {
            let (page, place) = form.place.as_ref()?;
            Some(((page.as_str(), *place), form.domain.as_str()))
        })
        .collect();
    let forms = annotated.forms.iter().map(|form| KnownForm {
        site: &form.site,
        kind: form.kind,
        domain: listed.get(&(form.page.as_str(), form.place)).copied(),
        shape: &form.shape,
        words: &form.words,
    });
    let written = of_domains.iter().filter(|form| form.place.is_none());
    let written = written.map(|form| KnownForm {
        site: &form.site,
        kind: FormKind::Search,
        domain: Some(&form.domain),
        shape: &form.shape,
        words: &form.words,
    });
    forms.chain(written).collect()
}

/// Judges the forms of each fold by what those of the others teach. A searchable form of no
/// domain that is named is one of other domains.
pub fn cross_validate(
    annotated: &AnnotatedForms,
    of_domains: &[DomainExample],
    count: u32,
) -> FilterFigures {
    let forms = known_forms(annotated, of_domains);
    let folds = folds(forms.iter().map(|form| form.site), count);
    let names: BTreeSet<&str> = of_domains.iter().map(|form| form.domain.as_str()).collect();
    let empty = |name: &&str| DomainFigures {
        domain: (*name).to_owned(),
        ..DomainFigures::default()
    };
    let mut both_steps: Vec<DomainFigures> = names.iter().map(empty).collect();
    let mut words_alone = both_steps.clone();
    for left_out in 0..count {
        let (asked, taught): (Vec<KnownForm>, Vec<KnownForm>) =
            forms.iter().partition(|form| folds[form.site] == left_out);
        let shapes: Vec<(&FormShape, FormKind)> =
            taught.iter().map(|form| (form.shape, form.kind)).collect();
        let kinds = FormKinds::train(&shapes);
        for (place, name) in names.iter().enumerate() {
            let searchable = taught.iter().filter(|form| form.kind == FormKind::Search);
            let words: Vec<(&FormWords, bool)> = searchable
                .map(|form| (form.words, form.domain == Some(*name)))
                .collect();
            let domain = FormDomain::train(&words);
            for &form in &asked {
                let is_searchable = kinds.judge_shape(form.shape).is_searchable();
                let is_of_domain = domain.margin(form.words) > 0.0;
                both_steps[place].count(form, is_searchable, is_searchable && is_of_domain);
                words_alone[place].count(form, true, is_of_domain);
            }
        }
    }
    FilterFigures {
        forms: forms.len(),
        both_steps,
        words_alone,
    }
}

impl FilterFigures {
    /// A table for people.
    pub fn print(&self) {
        print_lines!(
            "\nforms of one domain against all {} forms, of held-out sites:\n",
            self.forms
        );
        print_line!(
            "{:>12} {:>8} {:>6} {:>10} {:>13} {:>11} {:>9} {:>6} {:>6}",
            "domain",
            "relevant",
            "found",
            "overlooked",
            "other domains",
            "other kinds",
            "precision",
            "recall",
            "F1"
        );
        let all = DomainFigures::sum(&self.both_steps);
        for row in self.both_steps.iter().chain([&all]) {
            let Retrieval {
                precision,
                recall,
                f1,
            } = row.retrieval();
            print_line!(
                "{:>12} {:>8} {:>6} {:>10} {:>13} {:>11} {precision:>9.3} {recall:>6.3} {f1:>6.3}",
                row.domain,
                row.relevant,
                row.found,
                row.not_searchable,
                row.other_domains,
                row.other_kinds
            );
        }
        let alone = DomainFigures::sum(&self.words_alone).retrieval();
        print_lines!(
            "\nmean F1 {:.3}; by words alone, without the tree, {:.3} (all together: precision \
             {:.3}, recall {:.3}, F1 {:.3})",
            DomainFigures::macro_f1(&self.both_steps),
            DomainFigures::macro_f1(&self.words_alone),
            alone.precision,
            alone.recall,
            alone.f1
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_by_hand() {
        // Of 8 relevant forms 6 are found, with 2 of other domains and 1 of another kind.
        let row = DomainFigures {
            domain: "jobs".to_owned(),
            relevant: 8,
            found: 6,
            not_searchable: 1,
            other_domains: 2,
            other_kinds: 1,
        };
        let Retrieval {
            precision,
            recall,
            f1,
        } = row.retrieval();
        assert!((precision - 6.0 / 9.0).abs() < 1e-12 && (recall - 0.75).abs() < 1e-12);
        assert!((f1 - 2.0 * precision * recall / (precision + recall)).abs() < 1e-12);
        let nothing = DomainFigures::default().retrieval();
        assert_eq!(
            (nothing.precision, nothing.recall, nothing.f1),
            (0.0, 0.0, 0.0)
        );
        let rows = [row.clone(), DomainFigures::default()];
        assert!((DomainFigures::macro_f1(&rows) - f1 / 2.0).abs() < 1e-12);
        assert_eq!(DomainFigures::sum(&rows).found, 6);
    }

    #[test]
    fn each_form_counts_where_it_belongs() {
        let (shape, words) = (FormShape::default(), FormWords::default());
        let form = |kind, domain| KnownForm {
            site: "a.test",
            kind,
            domain,
            shape: &shape,
            words: &words,
        };
        let mut jobs = DomainFigures {
            domain: "jobs".to_owned(),
            ..DomainFigures::default()
        };
        let search = FormKind::Search;
        jobs.count(form(search, Some("jobs")), true, true);
        jobs.count(form(search, Some("jobs")), true, false);
        jobs.count(form(search, Some("jobs")), false, false);
        jobs.count(form(search, Some("books")), true, true);
        jobs.count(form(search, None), true, true);
        jobs.count(form(search, None), true, false);
        jobs.count(form(FormKind::Login, None), true, true);
        jobs.count(form(FormKind::Login, None), false, false);
        let expected = DomainFigures {
            domain: "jobs".to_owned(),
            relevant: 3,
            found: 1,
            not_searchable: 1,
            other_domains: 2,
            other_kinds: 1,
        };
        assert_eq!(jobs, expected);
    }
}
