//! Feeds of watched topics, for programs that read feeds.

use linkscent_core::wire::api::LibraryPage;

use crate::Exports;
use crate::LibraryOrder;
use crate::LibraryQuery;
use crate::MOST_SHOWN;
use crate::ServiceError;
use linkscent_store::Topic;
use linkscent_store::secret;

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
