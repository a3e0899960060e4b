//! Forgetting, as a browser asks for it: pages with all that has to do with them, or
//! every click. Rows, models and archives lose it; then every store is searched for
//! what should be gone, byte by byte, and the answer says where something is left.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use linkscent_core::address::Address;
use linkscent_core::topic_model::{ToForget, TopicModel};
use linkscent_core::wire::api::{EventName, Forget, Forgotten};
use linkscent_core::wire::{read_model, read_taxonomy, write_model, write_taxonomy};

use crate::Deletion;
use crate::ServiceError;
use crate::context::Context;
use crate::crawler::delete_checkpoint;
use crate::supervisor::RunBy;
use crate::topics::feedback::MOST_EVENTS;
use linkscent_archive::warc::{Reader, blank_exchange};
use linkscent_store::ports::KeptPage;
use linkscent_store::{
    Command, CrawlRow, CrawlState, ModelOf, Store, delete_requests, gone_clicks, is_gone,
};

/// How often, and how long, it is looked whether a crawl has come to rest.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const LOOKS: usize = 200;

impl Deletion {
    /// Forgets what happened in the browser, or all that has to do with some pages.
    pub async fn forget(&self, asked: &Forget) -> Result<Forgotten, ServiceError> {
        forget(self, asked).await
    }
}

/// Forgets what is asked for; with every click all that browsers kept as it was read. Crawls that
/// run are paused meanwhile. Once begun it is done
/// to its end, whether or not somebody waits for the answer.
async fn forget(service: &Deletion, asked: &Forget) -> Result<Forgotten, ServiceError> {
    if asked.pages.len() + asked.hosts.len() + asked.clicks.len() > MOST_EVENTS {
        return Err(ServiceError::refused(format!(
            "at most {MOST_EVENTS} pages, hosts and clicks a call"
        )));
    }
    let (service, asked) = (service.clone(), asked.clone());
    let forgotten = tokio::spawn(async move {
        let _one_at_a_time = service.context.forgetting.lock().await;
        let mut gone = asked.to_forget();
        if asked.every_click {
            service.delete_readings().await?;
            gone.clicks.extend(service.context.store.clicks().await?);
        }
        if gone.is_empty() {
            return Ok(Forgotten::default());
        }
        let mut paused = Vec::new();
        let forgotten = match pause_all(&service.context, &mut paused).await {
            Ok(()) => forget_words(&service, &gone, asked.visits_since).await,
            Err(error) => Err(error),
        };
        service.context.topic_models.clear();
        service.context.tallies.clear();
        service.context.supervisor.forget(&gone);
        go_on(&service.context, paused).await;
        let mut forgotten = forgotten?;
        if let Err(error) = service.context.store.sweep_copies().await {
            let left = format!("copies of archives, until they can be deleted: {error:#}");
            forgotten.left.push(left);
        }
        anyhow::Ok(forgotten)
    });
    Ok(forgotten.await.map_err(anyhow::Error::from)??)
}

/// Forgets, and where pages are to be forgotten deletes the library's index: before, so that
/// nothing is left if this ends in between, and after, since another process may have written it
/// meanwhile. Here nobody writes it until all is forgotten.
async fn forget_words(
    service: &Deletion,
    gone: &ToForget,
    since: Option<u64>,
) -> Result<Forgotten> {
    // Crawls that rest are told their logs again, of which nothing is left then; one that was taken up
    // meanwhile may have been saved.
    delete_checkpoints(&service.context.store).await?;
    let forgotten = forget_pages_and_clicks(service, gone, since).await;
    let deleted = delete_checkpoints(&service.context.store).await;
    let forgotten = forgotten?;
    deleted?;
    Ok(forgotten)
}

async fn delete_checkpoints(store: &Store) -> Result<()> {
    for crawl in store.crawls(None).await? {
        delete_checkpoint(&store.checkpoint_path(crawl.id))
            .with_context(|| format!("deleting the checkpoint of crawl {}", crawl.id))?;
        delete_requests(&store.requests_path(crawl.id))
            .with_context(|| format!("deleting the open requests of crawl {}", crawl.id))?;
    }
    Ok(())
}

async fn forget_pages_and_clicks(
    service: &Deletion,
    gone: &ToForget,
    since: Option<u64>,
) -> Result<Forgotten> {
    let since = since.map(|since| i64::try_from(since).unwrap_or(i64::MAX));
    let read = match since {
        Some(since) => service.context.store.readings_since(since).await?,
        None => Vec::new(),
    };
    if !gone.has_pages() && read.is_empty() {
        return forget_at_rest(&service.context.store, gone).await;
    }
    let index = service.context.hold_index().await;
    index.delete()?;
    forget_copies(&service.context.store, read).await?;
    let forgotten = forget_at_rest(&service.context.store, gone).await;
    index.delete()?;
    forgotten
}

/// Forgets copies of pages that are known from before.
async fn forget_copies(store: &Store, copies: Vec<(u64, KeptPage)>) -> Result<()> {
    complete(store, copies.iter().map(|(_, page)| page)).await?;
    for (_, page) in &copies {
        blank(store, page).await?;
    }
    let numbers = copies.iter().map(|(number, page)| (page.crawl, *number));
    let numbers: Vec<(i64, u64)> = numbers.collect();
    Ok(store.forget_copies(&numbers).await?)
}

/// Brings back what the archives of these pages lack of their copies, which are deleted then: they have a
/// page that is to be forgotten.
async fn complete<'a>(store: &Store, pages: impl IntoIterator<Item = &'a KeptPage>) -> Result<()> {
    let crawls: BTreeSet<i64> = pages.into_iter().map(|page| page.crawl).collect();
    for crawl in crawls {
        store.complete_archive(crawl).await?;
    }
    Ok(())
}

/// Overwrites a page in the archive of its crawl.
async fn blank(store: &Store, page: &KeptPage) -> Result<()> {
    let path = store.warc_path(page.crawl);
    let (offset, end) = (page.offset, page.end);
    let blanking = tokio::task::spawn_blocking(move || {
        match File::options().read(true).write(true).open(&path) {
            Ok(mut file) => blank_exchange(&mut file, offset, end),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    });
    let blanked = blanking.await?;
    blanked.with_context(|| format!("taking a page out of crawl {}'s archive", page.crawl))
}

/// A crawl that was paused, and whether this process ran it.
pub(crate) type Paused = (CrawlRow, bool);

/// Pauses every crawl that runs, here or elsewhere, and waits until it rests.
async fn pause_all(context: &Context, paused: &mut Vec<Paused>) -> Result<()> {
    let all = context.store.crawls(None).await?;
    bring_to_rest(context, all, paused).await
}

/// Pauses those of the crawls that run, here or elsewhere, and waits until they rest.
pub(crate) async fn bring_to_rest(
    context: &Context,
    crawls: Vec<CrawlRow>,
    paused: &mut Vec<Paused>,
) -> Result<()> {
    let ids: Vec<i64> = crawls.iter().map(|crawl| crawl.id).collect();
    for crawl in crawls {
        let is_ours = context.supervisor.run_by(&crawl) == Some(RunBy::Us);
        if context.supervisor.send(crawl.id, Command::Pause).await? {
            paused.push((crawl, is_ours));
        }
    }
    for (crawl, _) in paused.iter() {
        let mut looks = 0;
        while context.store.is_locked(crawl.id) {
            if looks == LOOKS {
                let id = crawl.id;
                bail!("crawl {id} does not come to rest: pause it, then try again");
            }
            looks += 1;
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    rest_without_runner(context, &ids, paused).await
}

/// Puts down that crawls rest which run and nobody runs, or another program would take them over
/// meanwhile.
async fn rest_without_runner(
    context: &Context,
    ids: &[i64],
    paused: &mut Vec<Paused>,
) -> Result<()> {
    if context.store.workers().is_none() {
        return Ok(());
    }
    for id in ids {
        let Some(crawl) = context.store.crawl(*id).await? else {
            continue;
        };
        if context.supervisor.run_by(&crawl) == Some(RunBy::Nobody) {
            let rests = context.store.set_state(*id, CrawlState::Paused, "");
            rests.await?;
            if paused.iter().all(|(crawl, _)| crawl.id != *id) {
                paused.push((crawl, false));
            }
        }
    }
    Ok(())
}

/// Crawls of this process go on. Those of another go on where they ran: it may make its
/// requests in another way.
pub(crate) async fn go_on(context: &Context, paused: Vec<Paused>) {
    for (crawl, is_ours) in paused {
        let done = if is_ours {
            context.supervisor.resume(crawl.id).await
        } else {
            let said = format!(
                "crawl {} was paused so that pages could be forgotten: give its command again",
                crawl.id
            );
            let noticed = context.store.notice(crawl.topic, Some(crawl.id), &said);
            noticed.await.map_err(anyhow::Error::from)
        };
        if let Err(error) = done {
            message!("linkscent: crawl {}: {error:#}", crawl.id);
        }
    }
    context.say_changed();
}

async fn forget_at_rest(store: &Store, gone: &ToForget) -> Result<Forgotten> {
    let spellings = store.spellings(gone).await?;
    let kept = store.kept_pages(&spellings).await?;
    complete(store, &kept).await?;
    for page in &kept {
        blank(store, page).await?;
    }
    let trained = trained_on(store, gone).await?;
    let crawls = store.crawls(None).await?;
    for (of, file) in store.model_files().await? {
        let topic = match of {
            ModelOf::Topic(id) => Some(id),
            ModelOf::Crawl(id) => {
                let crawl = crawls.iter().find(|crawl| crawl.id == id);
                crawl.map(|crawl| crawl.topic)
            }
        };
        let is_trained_on = topic.is_some_and(|topic| trained.contains(&topic));
        let without = tokio::task::spawn_blocking({
            let gone = gone.clone();
            move || model_without(&file, &gone, is_trained_on)
        });
        if let Some(file) = without.await?? {
            store.replace_model(of, &file).await?;
        }
    }
    for (topic, file) in store.taxonomies().await? {
        // One that cannot be read cannot be used, and what is searched for is found in it.
        if let Ok(taxonomy) = read_taxonomy(&file)
            && taxonomy.mentions(|page| gone.has_page(page))
        {
            let left = taxonomy.without(|page| gone.has_page(page));
            store.set_taxonomy(topic, &write_taxonomy(&left)?).await?;
        }
    }
    let rows = store.forget_rows(gone, &spellings).await? + kept.len() as u64;
    store.sweep().await?;
    let archives = crawls
        .iter()
        .map(|crawl| store.warc_path(crawl.id))
        .collect();
    Ok(Forgotten {
        rows,
        left: find_left(store, gone, &spellings, archives).await?,
    })
}

/// Topics of which a visit is to be forgotten: their models may have been trained on it.
async fn trained_on(store: &Store, gone: &ToForget) -> Result<BTreeSet<i64>> {
    let mut topics = BTreeSet::new();
    for topic in store.topics().await? {
        let clicks = store.events_of(topic.id, EventName::Click).await?;
        let clicks = gone_clicks(clicks.iter(), gone);
        let visits = store.events_of(topic.id, EventName::Visit).await?;
        if visits.iter().any(|visit| is_gone(visit, gone, &clicks)) {
            topics.insert(topic.id);
        }
    }
    Ok(topics)
}

/// A model file without what is to be forgotten; `None` if there is nothing of it in it,
/// or if it cannot be read, and so cannot be used either. One that may have been trained on
/// it learns again from what is left.
fn model_without(file: &[u8], gone: &ToForget, is_trained_on: bool) -> Result<Option<Vec<u8>>> {
    let Ok(knowledge) = read_model(file) else {
        return Ok(None);
    };
    if !is_trained_on && !knowledge.mentions(gone) {
        return Ok(None);
    }
    let topic_model = TopicModel::with_knowledge(knowledge.forget(gone));
    let topic_model =
        topic_model.context("a model names a critic or strategy this version lacks")?;
    Ok(Some(write_model(&topic_model.knowledge())?))
}

/// Where one of the pages still stands: in the store, or an archive.
async fn find_left(
    store: &Store,
    gone: &ToForget,
    spellings: &[String],
    archives: Vec<PathBuf>,
) -> Result<Vec<String>> {
    let mut left: BTreeSet<String> = store.traces(spellings).await?.into_iter().collect();
    if gone.has_pages() {
        let gone = gone.clone();
        let with_page = tokio::task::spawn_blocking(move || {
            let with_page = archives
                .iter()
                .filter(|archive| archive_has(archive, &gone));
            with_page
                .map(|archive| archive.display().to_string())
                .collect::<Vec<_>>()
        });
        left.extend(with_page.await?);
    }
    Ok(left.into_iter().collect())
}

fn archive_has(archive: &Path, gone: &ToForget) -> bool {
    let Ok(records) = Reader::open(archive) else {
        return false;
    };
    let mut records = records.filter_map(Result::ok);
    records.any(|record| Address::parse(&record.target).is_ok_and(|page| gone.has_page(&page)))
}
