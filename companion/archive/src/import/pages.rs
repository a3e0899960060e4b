//! The second pass: the pages that were chosen, with their bodies.

use std::path::Path;

use super::source::{Budget, Source};
use super::survey::{Taken, page_of};
use super::{ImportError, Limits, PassedOver, Reason};
use crate::warc::codings::{Coded, undone};
use crate::warc::{Capture, KeptExchange};

/// The pages of an archive, one by one. After an error there may be more: those of other WARC
/// files in the same WACZ.
pub struct Pages<'a> {
    source: Source,
    limits: Limits,
    /// Pages that are to come.
    taken: &'a [Taken],
    /// The capture that comes next, from 0.
    number: u64,
    /// What the pages that come next have in common.
    body: Option<KeptExchange>,
    /// What may still be given of bodies.
    budget: Budget,
    is_over: bool,
    passed_over: PassedOver,
}

impl<'a> Pages<'a> {
    pub(super) fn of(
        path: &Path,
        limits: &Limits,
        taken: &'a [Taken],
    ) -> Result<Self, ImportError> {
        let source = Source::open(path, limits)?;
        Ok(Self {
            budget: source.budget(),
            source,
            limits: *limits,
            taken,
            number: 0,
            body: None,
            is_over: false,
            passed_over: PassedOver::default(),
        })
    }

    /// Pages of the survey that turned out to be none.
    pub fn passed_over(&self) -> &PassedOver {
        &self.passed_over
    }

    /// The next page of the capture that was unpacked last.
    fn same_body(&mut self) -> Option<KeptExchange> {
        let body = self.body.as_ref()?;
        let (page, rest) = self.taken.split_first()?;
        if page.capture + 1 != self.number {
            self.body = None;
            return None;
        }
        self.taken = rest;
        Some(KeptExchange {
            address: page.address.to_string(),
            date: page.date.clone(),
            ..body.clone()
        })
    }

    /// Unpacks a capture, or counts why the pages that are made of it are none.
    fn unpack(&mut self, capture: Capture) {
        match unpacked(capture, &self.limits) {
            Ok(body) => self.body = Some(body),
            Err(reason) => {
                while let Some((page, rest)) = self.taken.split_first()
                    && page.capture < self.number
                {
                    self.passed_over.count(reason);
                    self.taken = rest;
                }
            }
        }
    }
}

fn unpacked(capture: Capture, limits: &Limits) -> Result<KeptExchange, Reason> {
    let (_, head, start) = page_of(&capture, limits)?;
    let body = undone(&capture.record.block[start..], &head, limits.body);
    let mut kept = head;
    kept.body = body.map_err(|coded| match coded {
        Coded::TooLarge => Reason::TooLarge,
        Coded::Damaged => Reason::Damaged,
    })?;
    kept.exchange.request = capture.request;
    kept.conversion = capture.conversion;
    Ok(kept)
}

impl Iterator for Pages<'_> {
    type Item = Result<KeptExchange, ImportError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over {
            if let Some(page) = self.same_body() {
                let length = page.body.len() + page.conversion.as_ref().map_or(0, String::len);
                // Little can be said to be much, too, by naming it again and again.
                if self.budget.spend(length as u64).is_err() {
                    (self.taken, self.body) = (&[], None);
                    self.is_over = true;
                    return Some(Err(self.source.too_much()));
                }
                return Some(Ok(page));
            }
            // Behind the last page there is nothing to be read, but what is wrong is told.
            let capture = match self.source.next()? {
                Ok(capture) => capture,
                Err(error) => return Some(Err(error)),
            };
            self.number += 1;
            let is_next = self.taken.first().map(|page| page.capture + 1);
            if is_next == Some(self.number) {
                self.unpack(capture);
            }
        }
        None
    }
}
