//! Questions: a page whose label would help most, of the topic's crawl or of the
//! pages read here. In the popup only, a few in a session, and never twice.

use std::collections::BTreeSet;

use linkscent_core::address::Address;
use linkscent_core::guide::Guide;
use linkscent_core::strategies::Candidate;
use linkscent_core::wire::api::{Answer, CrawlView, EventKind, mark_of};
use wasm_bindgen::JsError;

use super::{Background, event, js};
use crate::asked::AskedPage;
use crate::store::{Change, MarkRow};
use crate::sync::Companion;

impl Background {
    /// What to ask, given the links of the page that is read. The crawl comes first:
    /// more hangs on its question.
    pub(crate) async fn question(
        &self,
        guide: &Guide,
        links: &[Candidate],
        here: &Address,
        crawl: Option<&CrawlView>,
        now: f64,
    ) -> Result<Option<AskedPage>, JsError> {
        if let Some((crawl, question)) =
            crawl.and_then(|crawl| Some((crawl.id, crawl.question.as_ref()?)))
        {
            return Ok(Some(AskedPage {
                crawl: Some(crawl),
                address: question.address.clone(),
                title: question.title.clone(),
            }));
        }
        let asked = self.store.asked().await?;
        if asked.left(now) == 0 {
            return Ok(None);
        }
        let pages = asked.pages.iter();
        let mut known: BTreeSet<Address> = pages.flat_map(|page| Address::parse(page)).collect();
        known.insert(here.clone());
        let question = guide.question(links.iter(), &known);
        Ok(question.map(|question| AskedPage {
            crawl: None,
            address: question.address.to_string(),
            title: question.address.to_string(),
        }))
    }

    /// See [`crate::Linkscent::answer`].
    pub async fn answer(
        &mut self,
        crawl: Option<i64>,
        page: &str,
        answer: Answer,
        now: f64,
    ) -> Result<(), JsError> {
        let settings = self.store.settings().await?;
        if let Some(crawl) = crawl {
            let companion =
                Companion::of(&settings).ok_or_else(|| js("pair with the companion first"))?;
            return companion.answer(crawl, page, answer).await.map_err(js);
        }
        let topic = settings.current.ok_or_else(|| js("choose a topic first"))?;
        let address = Address::parse(page).map_err(js)?;
        let mut asked = self.store.asked().await?;
        asked.answered(page, now);
        let mut change = Change::default();
        change.asked(&asked)?;
        if let Some(target) = answer.target() {
            let mut guide = self.take_guide(&topic).await?;
            let known = guide.graph().page(&address).cloned();
            let known = known.ok_or_else(|| js("this page is not remembered any more"))?;
            let words = &guide.graph().vocabulary;
            let event = event(
                &topic,
                now,
                EventKind::mark_known(&known, words, Some(target)),
            );
            if let EventKind::Mark { words, .. } = &event.what {
                change.mark(&MarkRow {
                    topic: topic.clone(),
                    address: address.to_string(),
                    title: String::new(),
                    target,
                    words: words.clone(),
                    time: now,
                })?;
            }
            guide.mark_all(&[(address, known.terms, mark_of(Some(target)))]);
            change.send(&event)?;
            self.keep_guide(topic, guide, &mut change)?;
        }
        self.store.apply(change).await?;
        self.store.trim().await
    }
}
