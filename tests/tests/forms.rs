//! Which forms ask a database, and which database: told on real forms of sites
//! that were held out, where they are there.

use anyhow::{Result, ensure};
use linkscent_bench::commands::train_forms::{cross_validate_domains, cross_validate_kinds};
use linkscent_bench::form_examples;
use linkscent_core::forms::{FormKind, FormKinds};
use linkscent_tests::material;

const FOLDS: u32 = 10;

#[test]
fn forms_are_told_apart_on_sites_that_were_held_out() -> Result<()> {
    let Some(material) = material() else {
        return Ok(());
    };
    let examples = form_examples::read(&material.join("forms"))?;
    let kinds = cross_validate_kinds(&examples.forms, FOLDS);
    let searchable = kinds.against_rest(FormKind::Search as usize);
    ensure!(searchable.accuracy() >= 0.95, "{}", searchable.accuracy());
    ensure!(searchable.f1(1) >= 0.9, "{}", searchable.f1(1));

    let root = linkscent_pack::root();
    let list = root.join("companion/bench/topics/form-domains.tsv");
    let mut domains = form_examples::listed_domains(&list, &examples)?;
    domains.extend(form_examples::written_domains(&root.join("tests/forms"))?);
    let (names, confusion) = cross_validate_domains(&domains, FOLDS);
    ensure!(names.len() >= 5);
    ensure!(confusion.macro_f1() >= 0.85, "{}", confusion.macro_f1());

    let all: Vec<_> = examples
        .forms
        .iter()
        .map(|form| (&form.shape, form.kind))
        .collect();
    let trained = FormKinds::train(&all).write();
    ensure!(
        trained == FormKinds::shipped().write(),
        "the tree that ships is not what these forms teach: linkscent train forms --keep"
    );
    Ok(())
}
