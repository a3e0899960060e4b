//! What comes of a request: a page that is judged, learned from and whose links join the
//! frontier, or a redirect that is followed.

use super::restricting::restricted;
use super::{CUT_OFF, Chosen, LONGEST_TRAIL, MOST_DEFERRED, NO_FOLLOW, Session};
use crate::address::Address;
use crate::crawl::address_groups::site_of;
use crate::crawl::descent::Descent;
use crate::crawl::{
    Failure, FrontierEntry, MOST_REDIRECTS, NEARLY_SAME_PAGE, PageSignal, Record, Refusal, Robots,
    SAME_PAGE, SkipReason, Unfound,
};
use crate::page::Page;
use crate::strategies::{Candidate, Learned, LinkScore, Rng};
use crate::topic_model::{Redirected, TopicModel};
use crate::web_graph::{Mark, Relevance};

/// Marked targets of which the highest score bounds what others may have.
const FEWEST_TARGETS: usize = 5;

impl Chosen {
    /// What is put down of the request with this number.
    pub(super) fn record(&self, number: u64, address: &Address) -> Record {
        let first = &self.links[0];
        Record {
            number,
            address: address.clone(),
            trail: first
                .trail
                .steps()
                .take(LONGEST_TRAIL)
                .map(|step| step.address.clone())
                .collect(),
            anchor: first.anchor.to_string(),
            reason: self.reason.clone(),
            arm: self.arm,
            priority: self.priority,
            expected: self.expected,
            judgment: None,
            class: String::new(),
            scored: false,
            title: String::new(),
            snippet: String::new(),
            problem: String::new(),
            forms: Vec::new(),
            alarm: None,
            unfound: None,
        }
    }
}

impl Session {
    pub(super) fn take_page(
        &mut self,
        page: &Page,
        digest: u64,
        chosen: Chosen,
        record: &mut Record,
        rng: &mut dyn Rng,
    ) {
        if let Some(problem) = self.repeated(page, digest, &chosen) {
            self.take_repeat(&page.address, problem, record);
            return;
        }
        let via = if chosen.links[0].trail.is_empty() {
            &[]
        } else {
            chosen.links.as_slice()
        };
        let visit = self.topic_model.visit(page, via, chosen.mark, rng);
        self.share.tell_page(&page.address, via);
        record.judgment = Some(visit.judgment);
        record.class = visit.class;
        record.scored = chosen.mark.is_none();
        let follows = self.limits.follows_all || !page.document().no_follow;
        if page.document().truncated {
            CUT_OFF.clone_into(&mut record.problem);
        } else if !follows {
            NO_FOLLOW.clone_into(&mut record.problem);
        }
        record.title = page.title();
        record.snippet = page.snippet();
        for form in visit.forms {
            let name = format!("{} {}", page.address.host(), form.name);
            if self.forms.insert(name.into()) {
                record.forms.push(form);
            }
        }
        self.stats.page(visit.judgment, record.scored);
        let is_find = record.scored && visit.judgment.is_target;
        self.sightings.page(page, via, is_find);
        if record.scored && !via.is_empty() {
            self.bandit.learn(chosen.arm, visit.judgment.is_target);
            if let Some(priority) = chosen.priority {
                self.promised
                    .learn(priority.log_odds(), visit.judgment.is_target);
            }
        }
        let is_rebuilt = visit.learned == Learned::Rebuilt;
        if is_rebuilt {
            self.rebuilt();
        }
        if record.scored {
            if self.restricted_pages > 0 {
                self.restricted_pages -= 1;
                if self.restricted_pages == 0 {
                    self.rescore();
                }
            }
            record.alarm = self.drift.page(PageSignal {
                host: page.address.host(),
                is_target: visit.judgment.is_target,
                is_marked: self.topic_model.graph().mark(&page.address).is_some(),
                log_odds: visit.judgment.log_odds,
                guiraud_index: page.guiraud_index(),
                expected: record.expected.map(Relevance::value),
            });
        }
        let host = page.address.host();
        if self.stopping.count(host, visit.judgment.is_target) {
            self.frontier.forget_host(host);
        }
        let followed = visit.outlinks.into_iter().filter(|_| follows);
        for (link, score) in followed {
            self.offer(link, score);
        }
        if is_rebuilt && self.topic_model.strategy().profile().is_log_odds {
            record.unfound = Some(self.count_unfound());
        }
    }

    /// What follows from a model that has become another.
    pub(super) fn rebuilt(&mut self) {
        self.drift
            .trained(self.topic_model.strategy().top_features());
        self.drift
            .examples(highest_target_log_odds(&self.topic_model));
        self.rescore();
    }

    /// Has a link wait, if it is to be followed.
    pub(super) fn offer(&mut self, link: Candidate, score: LinkScore) {
        if self.stopping.is_left(link.target.host()) {
            return;
        }
        let Some(priority) =
            restricted(&self.topic_model, self.restricted_pages > 0, &link, score).priority()
        else {
            return;
        };
        let scope = &self.limits.scope;
        let is_in_scope = scope.reaches(&link) && scope.check(&link.target).is_ok();
        let is_in_scope = is_in_scope && !self.left_since.has(link.target.host());
        if !is_in_scope || self.is_seen(&link.target) {
            return;
        }
        let Some(link) = self.share.own_link(self.topic_model.graph(), link) else {
            return;
        };
        if self.repetition.is_closed(&link.target) {
            self.skip(link.target, SkipReason::Repetition);
        } else {
            self.frontier.add(link, priority);
        }
    }

    /// What is said of a page that is the same as one before, or nearly, or says of itself that it is
    /// none; of any other, what it says is taken in. Where a person or a log says so, it is a page of
    /// its own.
    fn repeated(&mut self, page: &Page, digest: u64, chosen: &Chosen) -> Option<&'static str> {
        let is_believed = self.is_replaying || chosen.mark.is_some();
        let is_named = self.seeds.contains_key(&page.address)
            || self.topic_model.graph().mark(&page.address).is_some();
        if self.limits.takes_repeats {
            let is_same = !self.bodies.insert(digest);
            return (is_same && !is_believed).then_some(SAME_PAGE);
        }
        let content = page.content();
        // First: a log has no bodies of those.
        if let Some(said) = content.soft_error.filter(|_| !is_believed && !is_named) {
            return Some(said);
        }
        let is_same = !self.bodies.insert(digest);
        if is_same && !is_believed {
            return Some(SAME_PAGE);
        }
        let sketch = content.sketch.as_ref();
        let is_near = sketch.is_some_and(|sketch| self.near_duplicates.has_or_add(sketch));
        if is_near && !is_believed && !is_named {
            return Some(NEARLY_SAME_PAGE);
        }
        let sources = chosen.links.iter().filter_map(Candidate::source);
        let links = page.outlinks.iter().map(|link| &link.target);
        let links = links.filter(|target| self.limits.scope.check(target).is_ok());
        let with_met = links.map(|target| {
            let is_met = self.is_seen(target) || self.frontier.get(target).is_some();
            (target, is_met)
        });
        let descent = Descent::of(&page.address, sources, with_met);
        if self.repetition.learn(&page.address, &content.said, descent) {
            self.leave_closed(&page.address);
        }
        None
    }

    /// Takes in that a page was there before, or is none.
    pub(super) fn take_repeat(&mut self, address: &Address, problem: &str, record: &mut Record) {
        self.stats.other += 1;
        problem.clone_into(&mut record.problem);
        let is_copy = matches!(problem, SAME_PAGE | NEARLY_SAME_PAGE);
        if !self.limits.takes_repeats && self.repetition.repeat(address, is_copy) {
            self.leave_closed(address);
        }
    }

    /// Has no link wait any more that leads to a page of this one's site where nothing new is said.
    fn leave_closed(&mut self, page: &Address) {
        let waiting = self.frontier.of_site(site_of(page.host()));
        let closed = waiting.into_iter();
        let mut closed: Vec<Address> = closed
            .filter(|address| self.repetition.is_closed(address))
            .collect();
        closed.sort_unstable();
        for address in closed {
            self.frontier.take(&address);
            if !self.under_way.contains_key(&address) {
                self.skip(address, SkipReason::Repetition);
            }
        }
    }

    /// Counts what was not found yet, and whether that is little enough.
    pub(super) fn count_unfound(&mut self) -> Unfound {
        let (best, others, share) = self.frontier.sample();
        let log_odds = |page: &FrontierEntry| {
            let address = &page.links[0].target;
            let robots = self.robots.get(address.host());
            let is_allowed =
                robots.is_none_or(|robots| robots.check(address.path_and_query()).is_ok());
            let counts = is_allowed && !page.pinned && !self.is_seen(address);
            counts.then(|| page.priority.log_odds())
        };
        let best = self.promised.among(best.into_iter().filter_map(log_odds));
        let others = self.promised.among(others.into_iter().filter_map(log_odds));
        let unfound = Unfound {
            waiting: best + others / share,
            coverage: Some(self.sightings.coverage()),
        };
        self.tell_unfound(unfound);
        unfound
    }

    /// Is told what was counted behind the page that came last. A log has it, and a session that is
    /// told its log counts otherwise: it does not know what robots.txt forbids.
    pub fn tell_unfound(&mut self, unfound: Unfound) {
        if let Some(share) = self.limits.until_recall {
            self.has_enough = unfound.is_found(share, &self.stats);
        }
    }

    /// Has a page asked for again, first of all of its host; false if it was often enough, or its host
    /// was left out meanwhile.
    pub(super) fn ask_later(&mut self, address: &Address, chosen: Chosen) -> bool {
        if self.left_since.has(address.host()) {
            return false;
        }
        let times = self.deferred.entry(address.clone()).or_default();
        if *times >= MOST_DEFERRED {
            self.deferred.remove(address);
            return false;
        }
        *times += 1;
        self.seen.remove(address);
        self.redirects.insert(address.clone(), chosen.redirects);
        self.frontier.pin(chosen.links);
        true
    }

    /// Asks a host no more.
    pub(super) fn give_up(&mut self, host: &str) {
        self.stopping.leave(host);
        self.frontier.forget_host(host);
    }

    /// Has the sitemaps of a host wait behind all links.
    pub(super) fn take_sitemaps(&mut self, asked: &Address, robots: &Robots) {
        if !self.limits.scope.documents {
            return;
        }
        for sitemap in robots.sitemaps() {
            let Ok(address) = asked.join(sitemap) else {
                continue;
            };
            let is_out = self.left_since.has(address.host());
            if is_out || self.is_seen(&address) || self.limits.scope.check(&address).is_err() {
                continue;
            }
            let link = Candidate {
                anchor: "sitemap".into(),
                ..Candidate::seed(address)
            };
            let score = restricted(
                &self.topic_model,
                self.restricted_pages > 0,
                &link,
                self.topic_model.score(&link),
            );
            if let Some(priority) = score.priority()
                && let Some(link) = self.share.own_link(self.topic_model.graph(), link)
            {
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
        chosen: Chosen,
    ) -> Result<(), Failure> {
        if chosen.redirects >= MOST_REDIRECTS {
            return Err(Failure::Redirects);
        }
        self.limits.scope.check(target).map_err(Failure::Scope)?;
        if self.left_since.has(target.host()) {
            return Err(Failure::Scope(Refusal::LeftOut));
        }
        let only_scheme_differs = from.without_scheme() == target.without_scheme();
        if self.is_seen(target) && !(only_scheme_differs && from != target) {
            return Err(Failure::Other(format!(
                "redirects to {target}, seen before"
            )));
        }
        let mut links = chosen.links;
        for link in &mut links {
            link.target = target.clone();
        }
        let page = Redirected {
            target: target.clone(),
            links,
            mark: chosen.mark,
            redirects: chosen.redirects + 1,
        };
        if let Some(page) = self.share.own_redirect(page) {
            self.expect_redirected(page);
        }
        Ok(())
    }
}

/// Log-odds per word of the highest-scoring page that was marked as a target; 0 if none
/// speaks for the topic, or if so few were marked that a higher score says little.
fn highest_target_log_odds(topic_model: &TopicModel) -> f64 {
    let graph = topic_model.graph();
    let targets = graph.marks.iter();
    let targets = targets.filter(|(_, page)| page.mark == Mark::Target);
    let log_odds = targets.filter_map(|(address, page)| {
        let judged = topic_model.critic().judge_terms(&page.terms, graph);
        let judged = judged.or_else(|| Some(graph.page(address)?.judgment));
        judged.map(|judgment| judgment.log_odds)
    });
    let log_odds: Vec<f64> = log_odds.collect();
    if log_odds.len() < FEWEST_TARGETS {
        return 0.0;
    }
    log_odds.into_iter().fold(0.0, f64::max)
}
