//! Questions: a page whose label would help most, of the topic's crawl or of the
//! pages read here. In the popup only, a few in a session, and never twice.

use std::collections::BTreeSet;

use linkscent_core::address::Address;
use linkscent_core::strategies::Candidate;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::api::{Answer, CrawlView, EventKind, mark_of};

use super::Topics;
use crate::asked::AskedPage;
use crate::companion::Companion;
use crate::ports::World;
use crate::problem::Problem;
use crate::rows::MarkRow;
use crate::store::Change;

impl<W: World> Topics<W> {
    /// What to ask, given the links of the page that is read. The crawl comes first:
    /// more hangs on its question.
    pub(in crate::background) async fn question(
        &self,
        topic_model: &TopicModel,
        links: &[Candidate],
        here: &Address,
        crawl: Option<&CrawlView>,
    ) -> Result<Option<AskedPage>, Problem> {
        if let Some((crawl, question)) =
            crawl.and_then(|crawl| Some((crawl.id, crawl.question.as_ref()?)))
        {
            return Ok(Some(AskedPage {
                crawl: Some(crawl),
                address: question.address.clone(),
                title: question.title.clone(),
            }));
        }
        let asked = self.context.store.asked().await?;
        if asked.left(self.context.world.now()) == 0 {
            return Ok(None);
        }
        let pages = asked.pages.iter();
        let mut known: BTreeSet<Address> = pages.flat_map(|page| Address::parse(page)).collect();
        known.insert(here.clone());
        let question = topic_model.question(links.iter(), &known);
        Ok(question.map(|question| AskedPage {
            crawl: None,
            address: question.address.to_string(),
            title: question.address.to_string(),
        }))
    }

    /// See [`crate::request::Request::Answer`].
    pub(in crate::background) async fn answer(
        &self,
        crawl: Option<i64>,
        page: &str,
        answer: Answer,
    ) -> Result<(), Problem> {
        let settings = self.context.store.settings().await?;
        if let Some(crawl) = crawl {
            let companion =
                Companion::of(&settings, &self.context.world).ok_or(Problem::NotPaired)?;
            let crawl = companion.answer(crawl, page, answer).await?;
            return self.finding.saw_crawl(crawl).await;
        }
        let topic = settings.current.ok_or(Problem::NoTopic)?;
        let address = Address::parse(page)?;
        let mut asked = self.context.store.asked().await?;
        let now = self.context.world.now();
        asked.answered(page, now);
        let mut change = Change::default();
        change.asked(&asked)?;
        if let Some(target) = answer.target() {
            let mut topic_model = self.topic_models.take_topic_model(&topic).await?;
            let known = topic_model.graph().page(&address).cloned();
            let known = known.ok_or(Problem::NotRemembered)?;
            let words = &topic_model.graph().vocabulary;
            let word = EventKind::mark_known(&known, words, Some(target));
            let event = self.context.says(&topic, word, &mut change).await?;
            if let EventKind::Mark { words, .. } = &event.what {
                change.mark(&MarkRow {
                    topic: topic.clone(),
                    address: address.to_string(),
                    title: String::new(),
                    target,
                    words: words.clone(),
                    time: event.time as f64,
                })?;
            }
            topic_model.mark_all(&[(address, known.terms, mark_of(Some(target)))]);
            self.topic_models
                .keep_topic_model(topic, topic_model, &mut change)?;
        }
        self.context.store.apply(change).await?;
        Ok(self.context.store.trim().await?)
    }
}
