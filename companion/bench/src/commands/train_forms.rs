//! `linkscent-lab forms`: which forms ask a database, and which database; how
//! well that is told on forms of sites that were not taught, step by step and, where domains
//! are named, by both together.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use linkscent_core::forms::{
    FormDomain, FormKind, FormKinds, FormShape, FormWords, common_features,
};
use linkscent_output::print_json;
use serde_json::json;

use crate::forms::form_examples;
use crate::forms::form_examples::DomainExample;
use crate::forms::form_examples::FormExample;
use crate::forms::form_examples::folds;
use crate::forms::form_filter;

/// Train what tells forms apart, and report how well it does on sites that were
/// held out.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  linkscent-lab forms --material ../shared/forms --domains domains.tsv")]
pub struct TrainForms {
    /// Folder with `pages.warc.gz` and `annotations.jsonl`.
    #[arg(long)]
    material: PathBuf,
    /// List of search forms with their domains: page, place on the page, domain.
    #[arg(long)]
    domains: Option<PathBuf>,
    /// Folder of forms written by hand, a folder a domain.
    #[arg(long)]
    written: Option<PathBuf>,
    /// Parts, by site, of which each is held out once.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(2..))]
    folds: u32,
    /// Write the tree that all forms make to this file.
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Write what is learned from, a line of JSON a form, for other programs.
    #[arg(long)]
    export: Option<PathBuf>,
    /// Print one JSON object in place of sentences.
    #[arg(long)]
    json: bool,
}

/// Forms of held-out sites by what they are (rows) and were said to be
/// (columns), kinds or domains in the order of their names.
pub struct Confusion(pub Vec<Vec<u32>>);

impl Confusion {
    fn new(classes: usize) -> Self {
        Self(vec![vec![0; classes]; classes])
    }

    /// Share of forms rightly told.
    pub fn accuracy(&self) -> f64 {
        let right: u32 = (0..self.0.len()).map(|class| self.0[class][class]).sum();
        let all: u32 = self.0.iter().flatten().sum();
        f64::from(right) / f64::from(all.max(1))
    }

    /// Harmonic mean of precision and recall of one class.
    pub fn f1(&self, class: usize) -> f64 {
        let right = f64::from(self.0[class][class]);
        let is: u32 = self.0[class].iter().sum();
        let said: u32 = self.0.iter().map(|row| row[class]).sum();
        2.0 * right / f64::from((is + said).max(1))
    }

    /// The mean of the classes' F1.
    pub fn macro_f1(&self) -> f64 {
        let classes = 0..self.0.len();
        classes.map(|class| self.f1(class)).sum::<f64>() / self.0.len().max(1) as f64
    }

    /// One class against all others: first the others, then the class.
    pub fn against_rest(&self, class: usize) -> Self {
        let mut two = Self::new(2);
        for (is, row) in self.0.iter().enumerate() {
            for (said, count) in row.iter().enumerate() {
                two.0[usize::from(is == class)][usize::from(said == class)] += count;
            }
        }
        two
    }
}

/// How kinds are told on held-out sites.
pub fn cross_validate_kinds(forms: &[FormExample], count: u32) -> Confusion {
    let folds = folds(forms.iter().map(|form| form.site.as_str()), count);
    let mut confusion = Confusion::new(FormKind::ALL.len());
    for left_out in 0..count {
        let taught = forms
            .iter()
            .filter(|form| folds[form.site.as_str()] != left_out);
        let taught: Vec<(&FormShape, FormKind)> =
            taught.map(|form| (&form.shape, form.kind)).collect();
        let kinds = FormKinds::train(&taught);
        for form in forms
            .iter()
            .filter(|form| folds[form.site.as_str()] == left_out)
        {
            let said = kinds.judge_shape(&form.shape).kind;
            confusion.0[form.kind as usize][said as usize] += 1;
        }
    }
    confusion
}

/// How domains are told on held-out sites: that of the greatest margin, of one
/// classifier a domain. Also their names.
pub fn cross_validate_domains(forms: &[DomainExample], count: u32) -> (Vec<String>, Confusion) {
    let names: BTreeSet<&str> = forms.iter().map(|form| form.domain.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let folds = folds(forms.iter().map(|form| form.site.as_str()), count);
    let mut confusion = Confusion::new(names.len());
    let place = |domain: &str| names.iter().position(|name| *name == domain).unwrap_or(0);
    for left_out in 0..count {
        let domains: Vec<FormDomain> = names
            .iter()
            .map(|name| {
                let taught = forms
                    .iter()
                    .filter(|form| folds[form.site.as_str()] != left_out);
                let taught: Vec<(&FormWords, bool)> = taught
                    .map(|form| (&form.words, form.domain == *name))
                    .collect();
                FormDomain::train(&taught)
            })
            .collect();
        for form in forms
            .iter()
            .filter(|form| folds[form.site.as_str()] == left_out)
        {
            let margins = domains.iter().map(|domain| domain.margin(&form.words));
            let best = margins.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
            confusion.0[place(&form.domain)][best.map_or(0, |best| best.0)] += 1;
        }
    }
    (names.into_iter().map(str::to_owned).collect(), confusion)
}

impl TrainForms {
    /// Trains and reports.
    pub fn run(self) -> Result<()> {
        let examples = form_examples::read(&self.material)?;
        let kinds = cross_validate_kinds(&examples.forms, self.folds);
        let mut domain_forms = Vec::new();
        if let Some(list) = &self.domains {
            domain_forms.extend(form_examples::listed_domains(list, &examples)?);
        }
        if let Some(folder) = &self.written {
            domain_forms.extend(form_examples::written_domains(folder)?);
        }
        let domains =
            (!domain_forms.is_empty()).then(|| cross_validate_domains(&domain_forms, self.folds));
        let filter = (!domain_forms.is_empty())
            .then(|| form_filter::cross_validate(&examples, &domain_forms, self.folds));
        if let Some(path) = &self.export {
            self.export(path, &examples.forms, &domain_forms)?;
        }
        let all: Vec<_> = examples
            .forms
            .iter()
            .map(|form| (&form.shape, form.kind))
            .collect();
        let tree = FormKinds::train(&all);
        if let Some(path) = &self.keep {
            std::fs::write(path, tree.write())
                .with_context(|| format!("writing {}", path.display()))?;
        }
        let searchable = kinds.against_rest(FormKind::Search as usize);
        if self.json {
            let said = json!({
                "forms": examples.forms.len(), "unlabelled": examples.unlabelled,
                "mismatched_pages": examples.mismatched, "nodes": tree.size(),
                "searchable": { "accuracy": searchable.accuracy(), "f1": searchable.f1(1) },
                "kinds": { "accuracy": kinds.accuracy(), "macro_f1": kinds.macro_f1(),
                    "confusion": kinds.0 },
                "domains": domains.map(|(names, confusion)| json!({
                    "names": names, "forms": domain_forms.len(),
                    "accuracy": confusion.accuracy(), "macro_f1": confusion.macro_f1(),
                    "confusion": confusion.0,
                })),
                "filter": filter,
            });
            print_json(&said)?;
            return Ok(());
        }
        print_lines!(
            "{} annotated forms ({} without a word on them, {} pages that do not fit), {} folds by site\n",
            examples.forms.len(),
            examples.unlabelled,
            examples.mismatched,
            self.folds
        );
        print_line!(
            "searchable or not: accuracy {:.3}, F1 of searchable {:.3}",
            searchable.accuracy(),
            searchable.f1(1)
        );
        print_line!(
            "which kind: accuracy {:.3}, mean F1 {:.3}",
            kinds.accuracy(),
            kinds.macro_f1()
        );
        print_confusion(&FormKind::ALL.map(|kind| kind.1.to_owned()), &kinds);
        if let Some((names, confusion)) = domains {
            print_lines!(
                "\nwhich domain, of {} forms: accuracy {:.3}, mean F1 {:.3}",
                domain_forms.len(),
                confusion.accuracy(),
                confusion.macro_f1()
            );
            print_confusion(&names, &confusion);
        }
        if let Some(filter) = filter {
            filter.print();
        }
        if let Some(path) = &self.keep {
            print_lines!("\nThe tree, {} nodes: {}", tree.size(), path.display());
        }
        Ok(())
    }

    /// For comparison with other programs.
    fn export(
        &self,
        path: &PathBuf,
        forms: &[FormExample],
        domains: &[DomainExample],
    ) -> Result<()> {
        let file = std::fs::File::create(path);
        let mut file =
            std::io::BufWriter::new(file.with_context(|| format!("writing {}", path.display()))?);
        let kind_folds = folds(forms.iter().map(|form| form.site.as_str()), self.folds);
        let shapes: Vec<&FormShape> = forms.iter().map(|form| &form.shape).collect();
        let features = common_features(&shapes);
        for form in forms {
            let values = features.iter().map(|name| (name, form.shape.get(name)));
            let shape: BTreeMap<&String, f32> = values.filter(|row| row.1 != 0.0).collect();
            let line = json!({
                "fold": kind_folds[form.site.as_str()], "kind": form.kind.name(), "shape": shape,
            });
            writeln!(file, "{line}")?;
        }
        let domain_folds = folds(domains.iter().map(|form| form.site.as_str()), self.folds);
        for form in domains {
            let line = json!({
                "fold": domain_folds[form.site.as_str()], "domain": form.domain,
                "words": form.words.own(), "around": form.words.around(),
            });
            writeln!(file, "{line}")?;
        }
        file.flush()?;
        Ok(())
    }
}

/// A row a class, the columns in the same order, with each class's F1.
fn print_confusion(names: &[String], confusion: &Confusion) {
    print_line!("");
    for (class, (name, row)) in names.iter().zip(&confusion.0).enumerate() {
        let counts: String = row.iter().map(|count| format!("{count:>5}")).collect();
        print_line!("{name:>20} {counts}   F1 {:.3}", confusion.f1(class));
    }
}
