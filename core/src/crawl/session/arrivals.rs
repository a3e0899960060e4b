//! What comes of a request: a page that is judged, learned from and whose links join the
//! frontier, or a redirect that is followed.

use super::{CUT_OFF, LONGEST_TRAIL, Leap, MOST_REDIRECTS, Session};
use crate::address::Address;
use crate::crawl::{Failure, Record, Sign};
use crate::page::Page;
use crate::strategies::{Draw, Learned};
use crate::web_graph::Relevance;

impl Session {
    pub(super) fn record(&self, address: &Address, leap: &Leap) -> Record {
        let first = &leap.links[0];
        Record {
            number: self.requests,
            address: address.clone(),
            trail: first
                .trail
                .steps()
                .take(LONGEST_TRAIL)
                .map(|step| step.address.clone())
                .collect(),
            anchor: first.anchor.to_string(),
            reason: leap.reason.clone(),
            priority: leap.priority,
            expected: leap.expected,
            judgment: None,
            scored: false,
            title: String::new(),
            snippet: String::new(),
            problem: String::new(),
            forms: Vec::new(),
            alarm: None,
        }
    }

    pub(super) fn take_page(
        &mut self,
        page: &Page,
        digest: u64,
        leap: Leap,
        record: &mut Record,
        draw: &mut dyn Draw,
    ) {
        if !self.bodies.insert(digest) && leap.mark.is_none() {
            self.tally.other += 1;
            "the same page as one fetched before".clone_into(&mut record.problem);
            return;
        }
        let via = if leap.links[0].trail.is_empty() {
            &[]
        } else {
            leap.links.as_slice()
        };
        let visit = self.guide.visit(page, via, leap.mark, draw);
        record.judgment = Some(visit.judgment);
        record.scored = leap.mark.is_none();
        if page.document().truncated {
            CUT_OFF.clone_into(&mut record.problem);
        }
        record.title = page.title();
        record.snippet = page.snippet();
        for form in visit.forms {
            let name = format!("{} {}", page.address.host(), form.name);
            if self.forms.insert(name.into()) {
                record.forms.push(form);
            }
        }
        self.tally.page(visit.judgment, record.scored);
        if record.scored && !via.is_empty() {
            self.turns.learn(leap.turn, visit.judgment.is_target);
        }
        if visit.learned == Learned::Rebuilt {
            self.drift.trained(self.guide.loudest());
            self.drift.examples(self.guide.loudest_target());
            self.rescore();
        }
        if record.scored {
            if self.narrow_pages > 0 {
                self.narrow_pages -= 1;
                if self.narrow_pages == 0 {
                    self.rescore();
                }
            }
            record.alarm = self.drift.page(Sign {
                host: page.address.host(),
                is_target: visit.judgment.is_target,
                is_marked: self.guide.graph().mark(&page.address).is_some(),
                log_odds: visit.judgment.log_odds,
                richness: page.richness(),
                expected: record.expected.map(Relevance::value),
            });
        }
        let host = page.address.host();
        if self.leaving.count(host, visit.judgment.is_target) {
            self.frontier.forget_host(host);
        }
        for (link, score) in visit.outlinks {
            if self.leaving.is_left(link.target.host()) {
                continue;
            }
            let Some(priority) = self.narrowed(&link, score).priority() else {
                continue;
            };
            if !self.is_seen(&link.target) && self.limits.scope.check(&link.target).is_ok() {
                self.frontier.add(link, priority);
            }
        }
    }

    /// Puts the redirect's goal before all links, with the links that led to
    /// it.
    pub(super) fn follow_redirect(
        &mut self,
        from: &Address,
        target: &Address,
        leap: Leap,
    ) -> Result<(), Failure> {
        if leap.redirects >= MOST_REDIRECTS {
            return Err(Failure::Redirects);
        }
        self.limits.scope.check(target).map_err(Failure::Scope)?;
        let only_scheme_differs = from.without_scheme() == target.without_scheme();
        if self.is_seen(target) && !(only_scheme_differs && from != target) {
            return Err(Failure::Other(format!(
                "redirects to {target}, seen before"
            )));
        }
        let mut links = leap.links;
        for link in &mut links {
            link.target = target.clone();
        }
        self.redirects.insert(target.clone(), leap.redirects + 1);
        if leap.mark.is_some() {
            self.seeds.insert(target.clone(), leap.mark);
        }
        self.frontier.pin(links);
        Ok(())
    }
}
