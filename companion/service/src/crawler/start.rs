//! What a crawl is resumed from: the topic model, bounds and seeds it began with, and as much
//! of its archive as can still be read.

use std::fs::File;

use anyhow::{Context, Result};
use linkscent_archive::warc::whole_until;
use linkscent_core::address::Address;
use linkscent_core::crawl::{CrawlDelay, DEFAULT_DELAY, Limits, Reaction, Seed, Session};
use linkscent_core::strategies::SplitMix;
use linkscent_core::topic_model::TopicModel;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::read_model;
use tokio::runtime::Handle;

use super::checkpoint::{Checkpoint, CheckpointError, Saved, Told};
use super::replay::{Replayed, ToldRow, replay};
use super::revisiting;
use crate::learning::{site_memory, topic_model};
use linkscent_store::{CrawlRow, FetchRow, Store};

/// The topic model that a crawl began with. Where its model cannot be read any more, one
/// made of the marks stands in for it.
async fn start_topic_model(store: &Store, crawl: &CrawlRow) -> Result<TopicModel> {
    let read = match read_model(&store.start_model(crawl.id).await?) {
        Ok(knowledge) => TopicModel::with_knowledge(knowledge)
            .context("the crawl's model names a critic or strategy this version lacks"),
        Err(error) => Err(error.into()),
    };
    let error = match read {
        Ok(topic_model) => return Ok(topic_model),
        Err(error) => error,
    };
    let said = format!(
        "the model that crawl {} began with cannot be used ({error}); it goes on with one made of \
         what was marked, and may choose other links than before",
        crawl.id
    );
    store.notice(crawl.topic, Some(crawl.id), &said).await?;
    let topic = store.topic(crawl.topic).await?;
    let topic = topic.context("the crawl's topic is not there")?;
    topic_model::of(store, &topic, None, None).await
}

/// Puts down what was lost; how many bytes of the archive count from now on.
pub(super) async fn take_stock(
    store: &Store,
    crawl: &CrawlRow,
    replayed: &Replayed,
) -> Result<u64> {
    let archive = store.warc_path(crawl.id);
    let there = std::fs::metadata(&archive).map_or(0, |metadata| metadata.len());
    let Some(first) = replayed.lost.first() else {
        // Behind the last page its request may have been cut through, which costs no page.
        return Ok(match replayed.last {
            Some(last) if there < crawl.warc_length => {
                let file = File::open(&archive).and_then(|mut file| whole_until(&mut file, last));
                file.with_context(|| format!("reading {}", archive.display()))?
            }
            _ => crawl.warc_length.min(there),
        });
    };
    // Records are only cut off where the file is too short: others may still be read
    // by whoever mends it.
    let length = match replayed.end {
        Some(end) if there < crawl.warc_length => end.min(there),
        _ => crawl.warc_length.min(there),
    };
    let count = replayed.lost.len();
    let said = format!(
        "{count} page{} of crawl {} cannot be read any more and {} asked for again; the first is \
         request {}: {}",
        if count == 1 { "" } else { "s" },
        crawl.id,
        if count == 1 { "is" } else { "are" },
        first.number,
        first.problem
    );
    store.lose_pages(crawl.id, &replayed.lost, length).await?;
    store.notice(crawl.topic, Some(crawl.id), &said).await?;
    Ok(length)
}

/// The bounds that a crawl was ordered with.
fn limits(crawl: &CrawlRow, is_replay: bool) -> Limits {
    let spec = &crawl.order.spec;
    // One that was begun without a rest, on a web replayed on this machine, may go on elsewhere.
    let delay = match spec.delay() {
        0 if !is_replay => DEFAULT_DELAY,
        delay => delay,
    };
    Limits {
        requests: crawl.is_recrawl().then_some(spec.budget),
        budget: spec.budget,
        delay: CrawlDelay(delay),
        scope: spec.scope.clone(),
        stopping: spec.stopping,
        takes_repeats: crawl.takes_repeats(),
        follows_all: false,
        until_recall: spec.until_recall,
    }
}

/// Where a crawl begins, with the pages marked as targets.
fn seeds(crawl: &CrawlRow) -> Result<Vec<Seed>> {
    let seed = |(address, example): &(String, bool)| {
        Ok(Seed {
            address: Address::parse(address)?,
            mark: example.then_some(Mark::Target),
        })
    };
    crawl.order.seeds.iter().map(seed).collect()
}

/// A crawl as it stands.
pub struct TakenUp {
    /// Told all of its log.
    pub session: Session,
    /// As they stand behind it.
    pub rng: SplitMix,
    /// What was found on the way.
    pub replayed: Replayed,
    /// The log that it was told.
    pub told: Told,
    /// How many of its rows its checkpoint had been told.
    pub saved_rows: usize,
}

/// A crawl that is being taken up, behind one more row of its log.
pub struct Step<'a> {
    /// As it stands there.
    pub session: &'a Session,
    /// As they stand there.
    pub rng: &'a SplitMix,
    /// What it was told.
    pub told: &'a Told,
    /// Whether no page was lost until now.
    pub is_whole: bool,
    /// Rows of the whole log.
    pub all: usize,
}

/// Takes a crawl up where its log ends, from its checkpoint on, if it has one; `on_step` hears of each
/// row that it is told. Nothing is written but notices. Blocks; not for a runtime's thread.
pub fn take_up(
    store: &Store,
    crawl: &CrawlRow,
    is_replay: bool,
    handle: &Handle,
    mut on_step: impl FnMut(&Step),
) -> Result<TakenUp> {
    let begin = || {
        let topic_model = handle.block_on(start_topic_model(store, crawl))?;
        anyhow::Ok(Session::new(
            topic_model,
            limits(crawl, is_replay),
            seeds(crawl)?,
        ))
    };
    let changes = handle.block_on(store.log_rewrites(crawl.id))?;
    let (log, mut told, saved) = if let Some(saved) = saved(store, crawl, changes, handle, begin)? {
        saved
    } else {
        let first = Saved {
            session: begin()?,
            rng: SplitMix(crawl.order.spec.random_seed),
        };
        let log = handle.block_on(store.fetches(crawl.id))?;
        (log, Told::all(&[], changes), first)
    };
    let Saved {
        mut session,
        mut rng,
    } = saved;
    let saved_rows = usize::try_from(told.count()).unwrap_or(usize::MAX);
    if crawl.is_recrawl() {
        revisiting::know(&mut session, store, crawl, &log, handle)?;
    } else {
        handle.block_on(site_memory::tell(store, crawl, &mut session))?;
    }
    let path = store.warc_path(crawl.id);
    let all = saved_rows + log.len();
    let on_row = |session: &mut Session, row: ToldRow| {
        let restricts = crawl.reaction_at(row.row.number) == Reaction::Restrict;
        if let Some(alarm) = row.alarm.filter(|_| restricts) {
            session.restrict(&alarm);
        }
        told.rows(std::slice::from_ref(row.row));
        on_step(&Step {
            session,
            rng: row.rng,
            told: &told,
            is_whole: row.is_whole,
            all,
        });
    };
    let replayed = replay(&mut session, &log, &path, &mut rng, on_row)?;
    if !crawl.left_since.is_empty() {
        session.leave_out(crawl.left_since.clone());
    }
    Ok(TakenUp {
        session,
        rng,
        replayed,
        told,
        saved_rows,
    })
}

/// The crawl as its checkpoint has it, if that is of use, with what of its log it was told and the rows
/// that it was not. Recrawls have none: they begin with what an earlier crawl knows.
fn saved(
    store: &Store,
    crawl: &CrawlRow,
    changes: i64,
    handle: &Handle,
    begin: impl FnOnce() -> Result<Session>,
) -> Result<Option<(Vec<FetchRow>, Told, Saved)>> {
    let archive = std::fs::metadata(store.warc_path(crawl.id));
    let is_whole = archive.map_or(0, |metadata| metadata.len()) >= crawl.warc_length;
    if crawl.is_recrawl() || !is_whole {
        return Ok(None);
    }
    let path = store.checkpoint_path(crawl.id);
    let passed_over = |error: CheckpointError| {
        tracing::info!(
            "the checkpoint of crawl {} is passed over: {error}",
            crawl.id
        );
    };
    let checkpoint = match Checkpoint::open(&path, crawl, changes) {
        Ok(Some(checkpoint)) => checkpoint,
        Ok(None) => return Ok(None),
        Err(error) => {
            passed_over(error);
            return Ok(None);
        }
    };
    let log = handle.block_on(store.fetches_after(crawl.id, checkpoint.shown_after()))?;
    let (told, rest) = match checkpoint.told(&log) {
        Ok((told, rest)) => (told, rest.to_vec()),
        Err(error) => {
            passed_over(error);
            return Ok(None);
        }
    };
    let seeds = checkpoint.seeds();
    let mut saved = match checkpoint.session(begin()?) {
        Ok(saved) => saved,
        Err(error) => {
            passed_over(error);
            return Ok(None);
        }
    };
    for (address, _) in crawl.order.seeds.iter().skip(seeds) {
        saved.session.add_seed(&Address::parse(address)?);
    }
    Ok(Some((rest, told, saved)))
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use linkscent_store::LostPage;
    use linkscent_store::fixtures::{crawl, failed, fetched};

    /// A crawl of three pages, at 1000, 2000 and 3000 of its archive; 4000 bytes of it are
    /// acknowledged, and so many lie on the disk.
    async fn crawled(on_disk: u64) -> (TempDir, Store, CrawlRow) {
        let folder = linkscent_store::fixtures::folder();
        let store = Store::open(folder.path()).await.unwrap();
        let id = crawl(&*store).await;
        let page = |number: u64| fetched(number, &format!("http://a.test/{number}"), 0.9);
        let log = [page(1), page(2), page(3), failed(4, "http://a.test/4")];
        store.take_fetches(id, 4_000, &log).await.unwrap();
        let archive = File::create(store.warc_path(id)).unwrap();
        archive.set_len(on_disk).unwrap();
        let row = store.crawl(id).await.unwrap().unwrap();
        (folder, store, row)
    }

    /// What a replay finds that cannot read these pages.
    fn damaged(numbers: &[u64], end: Option<u64>) -> Replayed {
        let lost = |&number: &u64| LostPage {
            number,
            problem: "its copy is damaged".to_owned(),
        };
        Replayed {
            lost: numbers.iter().map(lost).collect(),
            last: None,
            end,
        }
    }

    #[tokio::test]
    async fn what_lies_behind_the_acknowledged_bytes_is_cut_off() {
        for (on_disk, counts) in [(4_000, 4_000), (9_000, 4_000), (3_500, 3_500), (0, 0)] {
            let (_folder, store, crawl) = crawled(on_disk).await;
            let length = take_stock(&store, &crawl, &Replayed::default()).await;
            assert_eq!(length.unwrap(), counts, "{on_disk} bytes on the disk");
            assert_eq!(store.counts(crawl.id).await.unwrap(), (3, 3, 3, 1));
            let notices = store.notices(crawl.topic, Some(crawl.id)).await;
            assert!(notices.unwrap().is_empty());
        }
    }

    #[tokio::test]
    async fn a_file_that_is_too_short_is_cut_where_its_whole_records_end() {
        // The second record was cut through: it and the third cannot be read.
        let (_folder, store, crawl) = crawled(2_500).await;
        let replayed = damaged(&[2, 3], Some(2_000));
        let length = take_stock(&store, &crawl, &replayed).await.unwrap();
        assert_eq!(length, 2_000);
        let row = store.crawl(crawl.id).await.unwrap().unwrap();
        assert_eq!(row.warc_length, 2_000, "it is put down");
        assert_eq!(store.counts(crawl.id).await.unwrap(), (1, 1, 1, 3));
    }

    #[tokio::test]
    async fn damage_within_a_file_costs_the_page_and_no_byte() {
        let (_folder, store, crawl) = crawled(4_000).await;
        for end in [None, Some(3_000)] {
            let lost = if end.is_some() { 3 } else { 1 };
            let replayed = damaged(&[lost], end);
            let length = take_stock(&store, &crawl, &replayed).await.unwrap();
            assert_eq!(length, 4_000, "others may still be read");
        }
        assert_eq!(store.counts(crawl.id).await.unwrap(), (1, 1, 1, 3));
        let log = store.fetches(crawl.id).await.unwrap();
        let kept = log.iter().filter(|row| row.place.warc_offset.is_some());
        assert_eq!(kept.map(|row| row.number).collect::<Vec<_>>(), [2]);
        let notices = store.notices(crawl.topic, Some(crawl.id)).await.unwrap();
        assert_eq!(notices.len(), 2);
        assert!(
            notices
                .iter()
                .any(|said| said.contains("request 1: its copy"))
        );
    }

    #[tokio::test]
    async fn a_start_model_that_cannot_be_read_is_made_again_and_told_of() {
        let (_folder, store, crawl) = crawled(0).await;
        let topic_model = start_topic_model(&store, &crawl).await.unwrap();
        assert_eq!(topic_model.critic().name(), "topic");
        let notices = store.notices(crawl.topic, Some(crawl.id)).await.unwrap();
        assert!(notices[0].contains("cannot be used"), "{notices:?}");
    }
}
