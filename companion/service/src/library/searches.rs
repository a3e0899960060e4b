//! Searches that the person keeps: by name, of a topic or of all.

use linkscent_library::{Order, Query};

use crate::Library;
use crate::LibraryQuery;
use crate::ServiceError;
use crate::library::too_large;
use linkscent_store::{SearchRow, Topic};

/// Characters of a search's name at most.
const LONGEST_NAME: usize = 80;

impl LibraryQuery {
    /// Which pages it is of, in a word.
    pub fn pages(&self) -> &'static str {
        match (self.all, self.new) {
            (true, _) => "all",
            (false, true) => "new",
            (false, false) => "finds",
        }
    }

    /// What comes first, in a word.
    pub fn first(&self) -> &'static str {
        match self.order {
            Order::Best => "best",
            Order::Likeliest => "likeliest",
            Order::Newest => "newest",
        }
    }
}

impl From<&SearchRow> for LibraryQuery {
    /// A kept search as it is asked.
    fn from(kept: &SearchRow) -> Self {
        Self {
            text: kept.words.clone(),
            all: kept.pages == "all",
            new: kept.pages == "new",
            order: match &*kept.first {
                "likeliest" => Order::Likeliest,
                "newest" => Order::Newest,
                _ => Order::Best,
            },
            ..Self::default()
        }
    }
}

impl Library {
    /// Keeps a search by a name; one of the same topic that is called so goes.
    pub async fn keep_search(
        &self,
        topic: Option<&Topic>,
        name: &str,
        query: &LibraryQuery,
    ) -> Result<i64, ServiceError> {
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err(ServiceError::refused(format!(
                "A search has a name of 1 to {LONGEST_NAME} characters."
            )));
        }
        Query::read(&query.text).map_err(too_large)?;
        let search = SearchRow {
            id: 0,
            topic: topic.map(|topic| topic.id),
            name,
            words: query.text.clone(),
            pages: query.pages().to_owned(),
            first: query.first().to_owned(),
        };
        Ok(self.context.store.keep_search(&search).await?)
    }

    /// A search that was kept by this name, of a topic or of all.
    pub async fn search_called(
        &self,
        topic: Option<&Topic>,
        name: &str,
    ) -> Result<SearchRow, ServiceError> {
        let topic = topic.map(|topic| topic.id);
        let mut kept = self.context.store.searches().await?.into_iter();
        let found = kept.find(|search| search.name == name && search.topic == topic);
        found.ok_or(ServiceError::Missing("kept search of that name"))
    }
}
