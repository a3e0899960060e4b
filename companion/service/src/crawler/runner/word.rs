//! The person's word on pages while a crawl goes on: what they are asked, what they mark and
//! correct.

use anyhow::Result;
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlDelay, Reaction};
use linkscent_core::topic_model::{ASKED_AFTER, MOST_WAITING};
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::api::EventName;

use super::{LOOK_AGAIN, Runner};
use crate::learning::topic_model;
use linkscent_archive::page::page_at;

impl Runner {
    /// What the person marked and said while nobody listened counts too.
    pub(super) fn catch_up(&mut self) -> Result<()> {
        let events = self.store.events(self.crawl.topic);
        let events = self.handle.block_on(events)?;
        self.session
            .amend(|topic_model| topic_model::apply_marks(topic_model, &events));
        self.hear_the_name()
    }

    fn hear_the_name(&mut self) -> Result<()> {
        let topic = self.store.topic(self.crawl.topic);
        if let Some(topic) = self.handle.block_on(topic)? {
            self.session.amend(|topic_model| {
                topic_model.name_topic(&topic.name);
            });
        }
        Ok(())
    }

    /// Keeps a page to ask the person about, when its time has come.
    pub(super) fn ask(&mut self) -> Result<()> {
        let pages = self.session.stats().scored;
        let due = ASKED_AFTER.iter().filter(|&&after| pages >= after);
        if due.count() <= self.asked.len() || !pages.is_multiple_of(LOOK_AGAIN) {
            return Ok(());
        }
        let waiting = self.session.frontier().best(MOST_WAITING);
        let links = waiting.iter().filter_map(|page| page.links.first());
        let Some(question) = self.session.topic_model().question(links, &self.asked) else {
            return Ok(());
        };
        let ask = self.store.ask(self.crawl.id, question.address.as_str());
        self.handle.block_on(ask)?;
        self.asked.insert(question.address);
        Ok(())
    }

    pub(super) fn mark(&mut self, address: &Address, mark: Option<Mark>) -> Result<()> {
        self.commit()?;
        let kept = self.store.kept_page(self.crawl.id, address.as_str());
        let Some((offset, _)) = self.handle.block_on(kept)? else {
            return Ok(());
        };
        let archive = self.store.warc_path(self.crawl.id);
        let (page, _) = page_at(&archive, offset, address)?;
        self.session
            .amend(|topic_model| topic_model.mark(&page, mark));
        Ok(())
    }

    /// Reads what was changed of its order; whether pages to start from or to fetch were added.
    pub(super) fn take_order(&mut self) -> Result<bool> {
        let crawl = self.handle.block_on(self.store.crawl(self.crawl.id))?;
        let Some(crawl) = crawl else {
            return Ok(false);
        };
        let known = self.crawl.order.seeds.len();
        let is_more = crawl.order.seeds.len() > known
            || crawl.order.spec.budget > self.crawl.order.spec.budget;
        // First: a page to start from may lie on a host that was taken back.
        if crawl.left_since != self.crawl.left_since {
            self.session.leave_out(crawl.left_since.clone());
            self.crawl.left_since = crawl.left_since;
        }
        for (page, _) in crawl.order.seeds.iter().skip(known) {
            self.session.add_seed(&Address::parse(page)?);
        }
        self.session.raise_budget(crawl.order.spec.budget);
        if crawl.order.spec.delay() != self.crawl.order.spec.delay() {
            self.session.set_delay(CrawlDelay(crawl.order.spec.delay()));
        }
        self.take_reaction(crawl.order.spec.on_drift)?;
        // What it is bounded by does not change.
        let scope = std::mem::take(&mut self.crawl.order.spec.scope);
        self.crawl.order = crawl.order;
        self.crawl.order.spec.scope = scope;
        Ok(is_more)
    }

    /// From the next request on it does so when it loses its way. That is put down first: a replay does
    /// the same at the same requests.
    pub(super) fn take_reaction(&mut self, wanted: Reaction) -> Result<()> {
        let (crawl, first) = (self.crawl.id, self.crawl.first_reaction());
        let last = self.crawl.reactions.last();
        if last.map_or(first, |(_, reaction)| *reaction) == wanted {
            return Ok(());
        }
        // What came until now is to stand in the log before it.
        self.commit()?;
        let from = self.session.requests() + 1;
        let note = self.store.note_reaction(crawl, from, wanted);
        self.handle.block_on(note)?;
        if self.crawl.reactions.is_empty() {
            self.crawl.reactions.push((1, first));
        }
        self.crawl.reactions.push((from, wanted));
        Ok(())
    }

    /// Reads in the topic's log what the person said of the topic itself.
    pub(super) fn hear(&mut self) -> Result<()> {
        let classes = self.store.events_of(self.crawl.topic, EventName::Class);
        let classes = self.handle.block_on(classes)?;
        let phrases = self.store.events_of(self.crawl.topic, EventName::Phrase);
        let phrases = topic_model::phrases(&self.handle.block_on(phrases)?);
        let subtopics = self.store.events_of(self.crawl.topic, EventName::Subtopic);
        let subtopics = topic_model::subtopics(&self.handle.block_on(subtopics)?);
        self.session.amend(|topic_model| {
            topic_model::apply_classes(topic_model, &classes);
            topic_model.take_phrases(phrases);
            topic_model.take_subtopics(subtopics);
        });
        self.hear_the_name()
    }
}
