//! What may be different with a crawl from now on, asked for by a program or in the shell: one thing
//! at a time, so that what is refused has changed nothing.

use linkscent_core::wire::api::CrawlChange;

use crate::Crawls;
use crate::ServiceError;
use linkscent_store::CrawlRow;

impl Crawls {
    /// Makes a change, wherever the crawl runs.
    pub async fn change(&self, crawl: &CrawlRow, change: &CrawlChange) -> Result<(), ServiceError> {
        self.check_is_there(crawl).await?;
        match change {
            CrawlChange::More { pages } => self.fetch_more(crawl, *pages).await,
            CrawlChange::Delay { milliseconds } => self.set_delay(crawl, *milliseconds).await,
            CrawlChange::LeaveOut { host } => self.leave_out(crawl, host, true).await,
            CrawlChange::TakeBack { host } => self.leave_out(crawl, host, false).await,
            CrawlChange::Strategy { name } => self.set_strategy(crawl, name).await,
            CrawlChange::OnDrift { reaction } => self.set_reaction(crawl, reaction).await,
            CrawlChange::Pause => self.pause(crawl).await,
            CrawlChange::Resume => self.resume(crawl).await,
            CrawlChange::Stop => self.stop(crawl).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Services;
    use crate::crawler::fake_web::web_about;
    use crate::{NewCrawl, Starts};
    use linkscent_core::crawl::{CrawlSpec, Reaction};
    use linkscent_store::{CrawlState, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn each_change_is_made_or_refused_whole() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).await.unwrap();
        let service = Services::new(store, web_about(|_| "bees").await);
        let start = "http://host0.test/1".to_owned();
        let topic = service.topics.create_topic("bees", &[start]).await.unwrap();
        let new = NewCrawl {
            spec: CrawlSpec {
                delay: Some(2_000),
                ..CrawlSpec::new(60)
            },
            strategy: Some("best-first".to_owned()),
            ..NewCrawl::new(Starts::default(), 60)
        };
        let id = service.crawls.prepare_crawl(&topic, &new).await.unwrap().id;
        let paused = service.context.store.set_state(id, CrawlState::Paused, "");
        paused.await.unwrap();
        let now = async || service.crawls.crawl(id).await.unwrap().0;
        let host = "ads.test".to_owned();
        let name = "apprentice".to_owned();
        let changes = [
            CrawlChange::More { pages: 40 },
            CrawlChange::Delay { milliseconds: 700 },
            CrawlChange::LeaveOut { host: host.clone() },
            CrawlChange::Strategy { name: name.clone() },
            CrawlChange::OnDrift {
                reaction: "restrict".to_owned(),
            },
        ];
        for change in &changes {
            service.crawls.change(&now().await, change).await.unwrap();
        }
        let row = now().await;
        assert_eq!((row.order.spec.budget, row.order.spec.delay()), (100, 700));
        assert_eq!(row.left_since, std::slice::from_ref(&host));
        assert_eq!(row.order.spec.on_drift, Reaction::Restrict);
        let unheard_of = CrawlChange::OnDrift {
            reaction: "dance".to_owned(),
        };
        assert!(service.crawls.change(&row, &unheard_of).await.is_err());
        let topic_model = service.crawls.first_topic_model(&row).await.unwrap();
        assert_eq!(topic_model.strategy().profile().name, name);
        let back = CrawlChange::TakeBack { host };
        service.crawls.change(&row, &back).await.unwrap();
        assert!(now().await.left_since.is_empty());
        let nothing = CrawlChange::Strategy {
            name: "no such".to_owned(),
        };
        assert!(service.crawls.change(&row, &nothing).await.is_err());
        service
            .crawls
            .change(&row, &CrawlChange::Stop)
            .await
            .unwrap();
        assert_eq!(now().await.state, CrawlState::Stopped);
        service
            .crawls
            .change(&now().await, &CrawlChange::Pause)
            .await
            .unwrap();
        let row = now().await;
        assert_eq!(row.state, CrawlState::Stopped);
        assert!(service.crawls.change(&row, &changes[1]).await.is_err());
    }
}
