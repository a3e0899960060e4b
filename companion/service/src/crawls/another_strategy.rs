//! A crawl that goes on with another strategy than it began with.
//!
//! The log is the truth about a crawl, so the other strategy is told all of it, as if it had been
//! there from the first request, and chooses from then on. Who chose before is said by a notice.

use linkscent_core::topic_model::TopicModel;
use linkscent_core::wire::{read_model, write_model};

use crate::Crawls;
use crate::RunBy;
use crate::ServiceError;
use crate::crawls::check_share;
use crate::deletion::forgetting::bring_to_rest;
use crate::deletion::forgetting::go_on;
use crate::topics::taxonomies::check_strategy;
use linkscent_store::CrawlRow;
use linkscent_store::ports::ModelOf;

impl Crawls {
    /// What the crawl's strategy knew as it began, by which it is chosen.
    pub async fn first_topic_model(&self, crawl: &CrawlRow) -> Result<TopicModel, ServiceError> {
        let model = self.context.store.start_model(crawl.id).await?;
        let read = tokio::task::spawn_blocking(move || {
            let knowledge = read_model(&model)?;
            anyhow::Ok(TopicModel::with_knowledge(knowledge))
        });
        let topic_model = read.await.map_err(anyhow::Error::from)??;
        topic_model.ok_or_else(|| {
            ServiceError::refused(
                "The crawl began with a critic or a strategy that this version does not have.",
            )
        })
    }

    /// Has a crawl that is not over choose its links by another strategy from now on, which is told
    /// all that came before. One that runs here is paused meanwhile, and goes on by itself.
    pub async fn set_strategy(&self, crawl: &CrawlRow, name: &str) -> Result<(), ServiceError> {
        // Once begun it is done, whether or not somebody waits for the answer.
        let (service, id, name) = (self.clone(), crawl.id, name.to_owned());
        let done = tokio::spawn(async move {
            // Nobody forgets a page meanwhile that the topic model knows.
            let _one_at_a_time = service.context.forgetting.lock().await;
            service.try_strategy(id, &name).await
        });
        done.await.map_err(anyhow::Error::from)?
    }

    async fn try_strategy(&self, crawl: i64, name: &str) -> Result<(), ServiceError> {
        let crawl = self.not_over(crawl).await?;
        if self.context.supervisor.run_by(&crawl) == Some(RunBy::Another) {
            let said = "The crawl runs in another program: pause it there first.";
            return Err(ServiceError::refused(said));
        }
        let before = self.first_topic_model(&crawl).await?;
        let before_it = before.strategy().full_name();
        if before_it == name {
            return Ok(());
        }
        let wanted = name.to_owned();
        let made = tokio::task::spawn_blocking(move || {
            let mut knowledge = before.knowledge();
            knowledge.strategy = wanted;
            TopicModel::with_knowledge(knowledge)
        });
        let topic_model = made.await.map_err(anyhow::Error::from)?.ok_or_else(|| {
            ServiceError::refused(format!(
                "“{name}” is no strategy, or had to be trained before this crawl began: begin \
                 another crawl with it."
            ))
        })?;
        check_strategy(&topic_model)?;
        check_share(&crawl.order, &topic_model)?;
        let model = write_model(&topic_model.knowledge()).map_err(anyhow::Error::from)?;
        let said =
            format!("{name}, which learned from all before; they were chosen by {before_it}");
        let mut paused = Vec::new();
        let rests = bring_to_rest(&self.context, vec![crawl.clone()], &mut paused).await;
        // It may have ended before it heard that it was to pause.
        self.not_over(crawl.id).await?;
        let changed = match rests {
            Ok(()) => self.replace_strategy(&crawl, &said, &model).await,
            Err(error) => Err(error.into()),
        };
        go_on(&self.context, paused).await;
        changed
    }

    /// A crawl that can go on with another strategy.
    async fn not_over(&self, crawl: i64) -> Result<CrawlRow, ServiceError> {
        let (crawl, _) = self.context.crawl(crawl).await?;
        self.check_is_there(&crawl).await?;
        if crawl.can_start_at_more() {
            return Ok(crawl);
        }
        Err(ServiceError::refused(
            "Only a crawl that is not over goes on with another strategy, and no recrawl of a watched topic.",
        ))
    }

    async fn replace_strategy(
        &self,
        crawl: &CrawlRow,
        said: &str,
        model: &[u8],
    ) -> Result<(), ServiceError> {
        // Nobody takes it up meanwhile.
        let _lock = self
            .context
            .store
            .lock_crawl(crawl.id)
            .map_err(anyhow::Error::from)?;
        let of = ModelOf::Crawl(crawl.id);
        self.context.store.replace_model(of, model).await?;
        let last = self.context.store.last_number(crawl.id).await?;
        let said = format!(
            "from request {} on links are chosen by the strategy {said}",
            last + 1
        );
        let notice = self
            .context
            .store
            .notice(crawl.topic, Some(crawl.id), &said);
        Ok(notice.await?)
    }
}

#[cfg(test)]
mod tests {
    use crate::crawler::fake_web::web_about;
    use crate::{NewCrawl, Starts};
    use linkscent_store::{CrawlState, Store};

    use crate::Services;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_crawl_goes_on_with_another_strategy_that_knows_what_came_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        let start = "http://host0.test/1".to_owned();
        let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
        let new = NewCrawl {
            strategy: Some("best-first".to_owned()),
            ..NewCrawl::new(Starts::default(), 100_000)
        };
        let row = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        service.crawls.resume(&row).await.unwrap();
        let reaches = async |pages: usize| {
            let mut changes = service.context.supervisor.changes();
            while service.context.store.fetches(row.id).await.unwrap().len() < pages {
                changes.changed().await.unwrap();
            }
        };
        reaches(60).await;
        for wrong in ["no such", "crf"] {
            let refused = service.crawls.set_strategy(&row, wrong).await.unwrap_err();
            assert!(refused.to_string().contains(wrong), "{refused}");
        }
        service.crawls.set_strategy(&row, "ensemble").await.unwrap();
        let before = service.context.store.fetches(row.id).await.unwrap().len();
        reaches(before + 60).await;
        let said = service
            .context
            .store
            .notices(topic.id, Some(row.id))
            .await
            .unwrap();
        let from = said
            .iter()
            .find_map(|said| said.strip_prefix("from request "));
        let from = from.and_then(|from| from.split(' ').next()?.parse::<usize>().ok());
        assert!(
            from.is_some_and(|from| (61..=before + 1).contains(&from)),
            "{said:?}"
        );
        let now = service.crawls.first_topic_model(&row).await.unwrap();
        assert_eq!(now.strategy().profile().name, "ensemble");

        service.crawls.stop(&row).await.unwrap();
        let mut changes = service.context.supervisor.changes();
        while service.context.store.is_locked(row.id) {
            changes.changed().await.unwrap();
        }
        // The topic's model is what the crawl left.
        let left = service.models.topic_model(&topic).await.unwrap();
        assert_eq!(left.strategy().profile().name, "ensemble");
        let row = service.crawls.crawl(row.id).await.unwrap().0;
        assert_eq!(row.state, CrawlState::Stopped);
        assert!(
            service
                .crawls
                .set_strategy(&row, "best-first")
                .await
                .is_err()
        );
    }

    #[tokio::test]
    async fn one_that_ends_by_a_share_keeps_to_strategies_that_can_tell_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        let start = "http://host0.test/1".to_owned();
        let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
        let mut new = NewCrawl::new(Starts::default(), 100);
        new.spec.until_recall = Some(0.9);
        let row = service.crawls.prepare_crawl(&topic, &new).await.unwrap();
        let refused = service
            .crawls
            .set_strategy(&row, "best-first")
            .await
            .unwrap_err();
        assert!(
            refused.to_string().contains("no share to end by"),
            "{refused}"
        );
        let still = service.crawls.first_topic_model(&row).await.unwrap();
        assert_eq!(still.strategy().profile().name, "ensemble");
    }
}
