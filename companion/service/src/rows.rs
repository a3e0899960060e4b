//! Rows that screens and programs show as they are.

use std::path::Path;

use super::{Accounts, Crawls, Library, Reports, ServiceError, Topics, Upkeep};
use linkscent_core::crawl::Unfound;
use linkscent_core::wire::channel::DeviceKey;
use linkscent_store::{
    AccountRow, AlarmRow, AuditEntry, Copied, CrawlRow, Device, FetchRow, FormRow, MarkRow,
    QuestionRow, ResultRow, Role, SearchRow, SkippedRow, TokenRow, Topic, WorkerRow,
};

type Rows<T> = Result<T, ServiceError>;

impl Accounts {
    /// Lists the programs' tokens.
    pub async fn tokens(&self) -> Rows<Vec<TokenRow>> {
        Ok(self.context.store.tokens().await?)
    }

    /// Finds a token by the digest of its text.
    pub async fn token(&self, digest: &str) -> Rows<Option<TokenRow>> {
        Ok(self.context.store.token(digest).await?)
    }

    /// Puts down that a token was used, at a time in milliseconds.
    pub async fn token_used(&self, id: i64, now: i64) -> Rows<()> {
        Ok(self.context.store.token_used(id, now).await?)
    }

    /// Revokes a token.
    pub async fn remove_token(&self, id: i64) -> Rows<()> {
        self.context.store.remove_token(id).await?;
        self.context.supervisor.say_changed();
        Ok(())
    }

    /// Lists the paired browsers.
    pub async fn devices(&self) -> Rows<Vec<Device>> {
        Ok(self.context.store.devices().await?)
    }

    /// Finds a paired browser by its identifier: its number and its key.
    pub async fn device_key(&self, identifier: &str) -> Rows<Option<(i64, DeviceKey)>> {
        Ok(self.context.store.device_key(identifier).await?)
    }

    /// Tells whether a browser is still paired.
    pub async fn has_device(&self, id: i64) -> Rows<bool> {
        Ok(self.context.store.has_device(id).await?)
    }

    /// Keeps a browser that was paired; returns its identifier.
    pub async fn add_device(&self, name: &str, origin: &str, key: &DeviceKey) -> Rows<String> {
        Ok(self.context.store.add_device(name, origin, key).await?)
    }

    /// Calls a paired browser by another name.
    pub async fn rename_device(&self, id: i64, name: &str) -> Rows<()> {
        Ok(self.context.store.rename_device(id, name).await?)
    }

    /// Ends a pairing.
    pub async fn remove_device(&self, id: i64) -> Rows<()> {
        Ok(self.context.store.remove_device(id).await?)
    }

    /// Lists the accounts.
    pub async fn accounts(&self) -> Rows<Vec<AccountRow>> {
        Ok(self.context.store.accounts().await?)
    }

    /// Lists an account's roles in topics.
    pub async fn topic_roles(&self, account: i64) -> Rows<Vec<(i64, Role)>> {
        Ok(self.context.store.topic_roles(account).await?)
    }

    /// Lists the people of a topic with their roles.
    pub async fn people_of(&self, topic: i64) -> Rows<Vec<(AccountRow, Role)>> {
        Ok(self.context.store.people_of(topic).await?)
    }

    /// Lists what people did last, newest first.
    pub async fn audit_entries(&self, most: i64) -> Rows<Vec<AuditEntry>> {
        Ok(self.context.store.audit_entries(most).await?)
    }
}

impl Topics {
    /// Tells whether there is a topic of that number.
    pub async fn has(&self, id: i64) -> Rows<bool> {
        Ok(self.context.store.topic(id).await?.is_some())
    }

    /// Lists all topics, removed and deleted ones too.
    pub async fn all(&self) -> Rows<Vec<Topic>> {
        Ok(self.context.store.topics().await?)
    }

    /// Finds a topic by its name.
    pub async fn topic_called(&self, name: &str) -> Rows<Option<Topic>> {
        Ok(self.context.store.topic_called(name).await?)
    }

    /// Lists the marks in force.
    pub async fn marks(&self, topic: i64) -> Rows<Vec<MarkRow>> {
        Ok(self.context.store.marks(topic).await?)
    }

    /// Lists the marks on forms in force: page, form, whether it is looked for.
    pub async fn form_marks(&self, topic: i64) -> Rows<Vec<(String, String, bool)>> {
        Ok(self.context.store.form_marks(topic).await?)
    }
}

impl Crawls {
    /// Lists the crawls of a topic, or of all topics; newest first.
    pub async fn crawls(&self, topic: Option<i64>) -> Rows<Vec<CrawlRow>> {
        Ok(self.context.store.crawls(topic).await?)
    }

    /// Lists the crawls that ask the web, of a topic or of all topics; newest first.
    pub async fn web_crawls(&self, topic: Option<i64>) -> Rows<Vec<CrawlRow>> {
        Ok(self.context.store.web_crawls(topic).await?)
    }

    /// Finds the topic that a crawl belongs to.
    pub async fn topic_of(&self, crawl: i64) -> Rows<Option<i64>> {
        let crawl = self.context.store.crawl(crawl).await?;
        Ok(crawl.map(|crawl| crawl.topic))
    }

    /// Lists links that a crawl did not follow, by reason.
    pub async fn skipped(&self, crawl: i64) -> Rows<Vec<SkippedRow>> {
        Ok(self.context.store.skipped(crawl).await?)
    }

    /// Lists what went wrong in a crawl, newest first.
    pub async fn alarms(&self, crawl: i64) -> Rows<Vec<AlarmRow>> {
        Ok(self.context.store.alarms(crawl).await?)
    }

    /// Counts the databases that a crawl found.
    pub async fn count_forms(&self, crawl: i64) -> Rows<u64> {
        Ok(self.context.store.count_forms(crawl).await?)
    }

    /// Lists forms that a crawl found.
    pub async fn forms(&self, crawl: i64, most: i64) -> Rows<Vec<FormRow>> {
        Ok(self.context.store.forms(crawl, most).await?)
    }

    /// Lists the pages that a crawl fetched last, newest first.
    pub async fn last_results(&self, crawl: i64, most: i64) -> Rows<Vec<ResultRow>> {
        Ok(self.context.store.last_results(crawl, most).await?)
    }

    /// Lists the best pages of a crawl behind the first `skip`.
    pub async fn best_results(&self, crawl: i64, most: i64, skip: i64) -> Rows<Vec<ResultRow>> {
        Ok(self.context.store.best_results(crawl, most, skip).await?)
    }

    /// Finds a page of a crawl by its number.
    pub async fn result_at(&self, crawl: i64, number: u64) -> Rows<Option<ResultRow>> {
        Ok(self.context.store.result_at(crawl, number).await?)
    }

    /// Lists the questions of a crawl that wait for an answer.
    pub async fn open_questions(&self, crawl: i64) -> Rows<Vec<QuestionRow>> {
        Ok(self.context.store.questions(crawl).await?)
    }

    /// Lists the requests of a crawl in their order.
    pub async fn fetches(&self, crawl: i64) -> Rows<Vec<FetchRow>> {
        Ok(self.context.store.fetches(crawl).await?)
    }

    /// Lists what a person should know of a topic, or of one of its crawls.
    pub async fn notices(&self, topic: i64, crawl: Option<i64>) -> Rows<Vec<String>> {
        Ok(self.context.store.notices(topic, crawl).await?)
    }

    /// Tells whether a program runs a crawl at this moment.
    pub fn is_locked(&self, crawl: i64) -> bool {
        self.context.store.is_locked(crawl)
    }

    /// Lists the workers and counts the requests that wait for one; none without a database that
    /// workers can use.
    pub async fn workers(&self) -> Rows<Option<(Vec<WorkerRow>, i64)>> {
        let Some(workers) = self.context.store.workers() else {
            return Ok(None);
        };
        Ok(Some((workers.all().await?, workers.waiting().await?)))
    }

    /// Returns the proxy that requests go through.
    pub fn proxy(&self) -> Option<String> {
        self.context.way.proxy.as_ref().map(ToString::to_string)
    }

    /// Tells whether workers make the requests of crawls.
    pub fn are_by_workers(&self) -> bool {
        self.context.way.by_workers
    }
}

impl Reports {
    /// Returns how many good pages a crawl is thought to have left, as it said last.
    pub async fn unfound_of(&self, crawl: i64) -> Rows<Option<Unfound>> {
        Ok(self.context.store.unfound(crawl).await?)
    }
}

impl Library {
    /// Lists the searches that are kept.
    pub async fn searches(&self) -> Rows<Vec<SearchRow>> {
        Ok(self.context.store.searches().await?)
    }

    /// Drops a search that was kept.
    pub async fn drop_search(&self, id: i64) -> Rows<()> {
        Ok(self.context.store.drop_search(id).await?)
    }
}

impl Upkeep {
    /// Returns the data folder.
    pub fn folder(&self) -> &Path {
        self.context.store.folder()
    }

    #[cfg(feature = "team")]
    /// Stops copying archives; returns where copies lie.
    pub async fn stop_copies(&self) -> Rows<Option<String>> {
        Ok(self.context.store.stop_copies().await?)
    }

    #[cfg(feature = "team")]
    /// Begins to copy archives to a place.
    pub async fn copy_to(&self, place: &str) -> Rows<()> {
        Ok(self.context.store.copy_to(place).await?)
    }

    /// Returns where archives are copied to.
    pub async fn copied_to(&self) -> Rows<Option<String>> {
        Ok(self.context.store.copied_to().await?)
    }

    /// Lists the archives with how much of each is copied.
    pub async fn copied(&self) -> Rows<Vec<Copied>> {
        Ok(self.context.store.copied().await?)
    }
}
