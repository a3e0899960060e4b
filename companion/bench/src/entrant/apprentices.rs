//! Forms of the apprentice that only experiments ask for (\[A\] 2.2.3, 3.5-3.8, 4).

use linkscent_core::strategies::{
    Apprentice, ApprenticeOptions, LinkPolicy, PlainApprentice, PlainOptions, Strategy,
};

use super::{Entrant, Regime, online, recall};
use crate::teaching::{Teacher, Teaching};

/// Share of a batch that is learned from where only what surprised is.
const SURPRISING: f64 = 0.5;
/// Of so many batches one is chosen by what would teach most.
const ONE_OF: u32 = 4;

/// The forms.
pub(super) static APPRENTICES: [Entrant; 19] = [
    online("apprentice-first", |every| {
        let policy = LinkPolicy::First;
        variant(every, |options| ApprenticeOptions { policy, ..options })
    }),
    online("apprentice-mean", |every| {
        let policy = LinkPolicy::Mean;
        variant(every, |options| ApprenticeOptions { policy, ..options })
    }),
    online("apprentice-maximum", |every| {
        let policy = LinkPolicy::Maximum;
        variant(every, |options| ApprenticeOptions { policy, ..options })
    }),
    online("apprentice-co-citation", |every| {
        let co_citation = true;
        variant(every, |options| ApprenticeOptions {
            co_citation,
            ..options
        })
    }),
    online("apprentice-anchor", |every| {
        let window = 0;
        variant(every, |options| ApprenticeOptions { window, ..options })
    }),
    online("apprentice-window-2", |every| {
        let window = 2;
        variant(every, |options| ApprenticeOptions { window, ..options })
    }),
    online("apprentice-every-link", |every| {
        let every_link = true;
        variant(every, |options| ApprenticeOptions {
            every_link,
            ..options
        })
    }),
    online("apprentice-plain-first", |every| {
        plain(every, |options| PlainOptions {
            policy: LinkPolicy::First,
            ..options
        })
    }),
    online("apprentice-plain-surprising", |every| {
        plain(every, |options| PlainOptions {
            taught_share: SURPRISING,
            ..options
        })
    }),
    Entrant {
        name: "apprentice-every-pair",
        regime: Regime::EveryPair(|counts| Box::new(Apprentice::fixed(counts))),
    },
    Entrant {
        name: "apprentice-plain-offline",
        regime: Regime::EveryPair(|counts| Box::new(PlainApprentice::fixed(counts))),
    },
    recall("apprentice-plain-recall", false, |counts| {
        Box::new(PlainApprentice::fixed(counts))
    }),
    recall("apprentice-recall-elsewhere", true, |counts| {
        Box::new(Apprentice::fixed(counts))
    }),
    online("taught-by-relevance", |every| {
        taught(every, Teacher::Relevance, None)
    }),
    online("taught-by-uncertainty", |every| {
        taught(every, Teacher::Uncertainty, None)
    }),
    online("taught-by-information", |every| {
        taught(every, Teacher::Information, None)
    }),
    online("taught-again-by-relevance", |every| {
        taught(every, Teacher::Relevance, Some(ONE_OF))
    }),
    online("taught-again-by-uncertainty", |every| {
        taught(every, Teacher::Uncertainty, Some(ONE_OF))
    }),
    online("taught-again-by-information", |every| {
        taught(every, Teacher::Information, Some(ONE_OF))
    }),
];

fn variant(
    every: u32,
    change: impl Fn(ApprenticeOptions) -> ApprenticeOptions,
) -> Box<dyn Strategy> {
    let options = change(ApprenticeOptions::default());
    Box::new(Apprentice::every(every).with_options(options))
}

fn plain(every: u32, change: impl Fn(PlainOptions) -> PlainOptions) -> Box<dyn Strategy> {
    let options = change(PlainOptions::default());
    Box::new(PlainApprentice::every(every).with_options(options))
}

fn taught(every: u32, by: Teacher, again: Option<u32>) -> Box<dyn Strategy> {
    Box::new(Teaching::new(every, by, again))
}
