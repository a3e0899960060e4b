//! What is highlighted on real pages: reasons go with verdicts, and both stay when other pages
//! are read.

use std::collections::BTreeSet;

use anyhow::Result;
use linkscent_bench::person::scent::{self, Brings, ReadPage};
use linkscent_bench::sentences::Sentences;
use linkscent_core::page::Page;
use linkscent_core::strategies::SplitMix;
use linkscent_core::topic_model::{Reason, TopicModel};
use linkscent_core::wire::views::{PageView, grade};

/// Probabilities below which a link is unlikely, and from which on it is as likely as not.
const UNLIKELY: f64 = 0.15;
const EVEN: f64 = 0.4;
/// Pages that are read in between, and every how manieth page is looked at again.
const READ_BETWEEN: usize = 20;
const LOOKED_AT: usize = 10;

fn speaks_for(reason: &Reason) -> bool {
    match reason {
        Reason::SaysMuch(_) | Reason::Word(..) | Reason::Near { .. } => true,
        Reason::SaysLittle(_) | Reason::LittleSpeaks => false,
        other => panic!("no page is marked and no strategy describes: {other:?}"),
    }
}

/// What is wrong with a verdict and its reasons, if anything.
fn contradiction(probability: f64, reasons: &[Reason]) -> Option<&'static str> {
    let good = reasons.iter().filter(|reason| speaks_for(reason)).count();
    let bad = reasons.len() - good;
    match reasons.first() {
        None => Some("no reason"),
        Some(_) if probability < UNLIKELY && good > 0 => Some("unlikely, and yet"),
        Some(_) if probability >= EVEN && bad > 0 => Some("likely, and yet"),
        Some(first) if grade(probability) > 0 && !speaks_for(first) => Some("shown for nothing"),
        Some(_) => None,
    }
}

#[test]
fn reasons_go_with_verdicts() -> Result<()> {
    let Some(shared) = linkscent_tests::material() else {
        return Ok(());
    };
    let model = Sentences::default();
    for brings in [(true, 0), (true, 1), (true, 2), (false, 2)] {
        let (name, marks) = brings;
        let brings = Brings {
            name,
            marks,
            description: false,
        };
        let mut links = 0;
        let mut wrong = Vec::new();
        scent::each_read(&shared, brings, Some(&model), &mut |read: ReadPage| {
            for (at, link) in read.page.outlinks.iter().enumerate() {
                let Some(probability) = read.links.probability(at) else {
                    continue;
                };
                let reasons =
                    read.topic_model
                        .reasons_on_page(&read.page, &read.visit, &read.links, at);
                links += 1;
                if let Some(contradiction) = contradiction(probability, &reasons) {
                    wrong.push(format!(
                        "{} {}: {contradiction}: {probability:.2} {reasons:?}",
                        read.id, link.place
                    ));
                }
            }
            Ok(())
        })?;
        assert!(links > 5_000, "{links}");
        assert!(
            wrong.is_empty(),
            "{} of {links}:\n{}",
            wrong.len(),
            wrong[..wrong.len().min(10)].join("\n")
        );
    }
    Ok(())
}

#[test]
fn highlights_stay_when_other_pages_are_read() -> Result<()> {
    let Some(shared) = linkscent_tests::material() else {
        return Ok(());
    };
    let brings = Brings {
        name: true,
        marks: 2,
        description: false,
    };
    let mut read: Vec<ReadPage> = Vec::new();
    scent::each_read(&shared, brings, None, &mut |page| {
        read.push(page);
        Ok(())
    })?;
    let pages: Vec<Box<Page>> = read.iter().map(|read| read.page.clone()).collect();
    let (mut shown, mut changed) = (0, 0);
    for (at, looked_at) in read.iter_mut().enumerate().step_by(LOOKED_AT) {
        let before = highlighted(&looked_at.page, &mut looked_at.topic_model);
        let others = (1..=READ_BETWEEN).map(|step| &pages[(at + step) % pages.len()]);
        for other in others {
            looked_at
                .topic_model
                .visit(other, &[], None, &mut SplitMix(0));
        }
        let after = highlighted(&looked_at.page, &mut looked_at.topic_model);
        shown += before.len();
        changed += before.symmetric_difference(&after).count();
    }
    eprintln!("{changed} of {shown} highlights changed");
    assert!(shown > 20, "{shown}");
    assert!(10 * changed <= shown, "{changed} of {shown} changed");
    Ok(())
}

/// Places of the links that are highlighted.
fn highlighted(page: &Page, topic_model: &mut TopicModel) -> BTreeSet<usize> {
    let visit = topic_model.visit(page, &[], None, &mut SplitMix(0));
    let view = PageView::of(page, &visit, topic_model);
    view.links
        .iter()
        .take(view.most)
        .map(|link| link.place)
        .collect()
}
