//! Feeds of standing topics, for programs that read feeds.

use linkscent_core::wire::api::LibraryPage;

use crate::secret;
use crate::service::Exports;
use crate::service::LibraryOrder;
use crate::service::LibraryQuery;
use crate::service::MOST_SHOWN;
use crate::service::ServiceError;
use crate::store::Topic;

impl Exports {
    /// The topic whose feed lies under a secret, and what was found for it last.
    pub async fn feed(&self, feed: &str) -> Result<(Topic, Vec<LibraryPage>), ServiceError> {
        let mut standing = self.context.store.standing().await?.into_iter();
        let standing = standing.find(|standing| secret::same(&standing.feed, feed));
        let standing = standing.ok_or(ServiceError::Missing("feed"))?;
        let topic = self.context.topic(standing.topic).await?;
        let query = LibraryQuery {
            order: LibraryOrder::Newest,
            most: MOST_SHOWN,
            for_program: true,
            ..LibraryQuery::default()
        };
        let found = self.library.search(Some(&topic), &query).await?;
        Ok((topic, found.pages))
    }
}
