use std::fs;
use std::path::{Path, PathBuf};

use linkscent_core::wire::api::{Forget, Reading};
use tempfile::TempDir;

use super::*;

use crate::Services;
use crate::crawler::way::Way;
use linkscent_store::Store;
use linkscent_store::fixtures::in_postgres;

/// Pages of a topic, as a browser keeps them, copied to a folder.
struct Stage {
    _folder: TempDir,
    copies: TempDir,
    store: Store,
    service: Services,
}

impl Stage {
    /// `None` where there is no PostgreSQL.
    async fn new() -> Option<Self> {
        let (folder, store) = in_postgres().await?;
        let copies = tempfile::tempdir().unwrap();
        let service = Services::new(store.clone(), Way::default());
        service.topics.create_topic("castles", &[]).await.unwrap();
        let place = format!("file://{}", copies.path().display());
        store.copy_to(&place).await.unwrap();
        Some(Self {
            _folder: folder,
            copies,
            store,
            service,
        })
    }

    /// A page about that is read.
    async fn read(&self, word: &str) {
        let read = Reading {
            topic: "castles".to_owned(),
            address: format!("http://read.test/{word}"),
            html: format!("<p>Of {word} much is told.</p>"),
            time: 1_000_000_000_000,
            way: Vec::new(),
        };
        assert!(self.service.readings.take_reading(read).await.unwrap());
    }

    async fn copy(&self) {
        self.service.upkeep.copy_archives(|_| {}).await.unwrap();
    }

    async fn forget(&self, word: &str) -> Vec<String> {
        let gone = Forget {
            pages: vec![format!("http://read.test/{word}")],
            ..Forget::default()
        };
        self.service.deletion.forget(&gone).await.unwrap().left
    }

    fn archive(&self) -> PathBuf {
        self.store.warc_path(1)
    }

    /// What lies where archives are copied to.
    fn files(&self) -> Vec<PathBuf> {
        files(self.copies.path())
    }

    /// Which of the words stand in what is copied, put together.
    fn copied<const N: usize>(&self, words: [&str; N]) -> [bool; N] {
        let bytes: Vec<u8> = self
            .files()
            .iter()
            .flat_map(|part| fs::read(part).unwrap())
            .collect();
        let mut text = String::new();
        let mut unpacked = flate2::read::MultiGzDecoder::new(&bytes[..]);
        std::io::Read::read_to_string(&mut unpacked, &mut text).unwrap();
        words.map(|word| text.contains(word))
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn archives_are_copied_as_they_grow() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.copy().await;
    assert_eq!(stage.files(), Vec::<PathBuf>::new());
    for (parts, word) in [(1, "moats"), (2, "towers")] {
        stage.read(word).await;
        let before = stage.store.copied().await.unwrap();
        assert!(before[0].copied < before[0].bytes);
        stage.copy().await;
        let copied = stage.store.copied().await.unwrap();
        assert_eq!(copied[0].copied, copied[0].bytes);
        assert_eq!(stage.files().len(), parts);
    }
    let together: Vec<u8> = stage
        .files()
        .iter()
        .flat_map(|part| fs::read(part).unwrap())
        .collect();
    assert!(together == fs::read(stage.archive()).unwrap());
    let place = stage.store.copied_to().await.unwrap();
    assert_eq!(stage.store.stop_copies().await.unwrap(), place);
    stage.read("gates").await;
    stage.copy().await;
    assert_eq!(stage.files().len(), 2, "no more");
    assert_eq!(stage.store.copied().await.unwrap()[0].copied, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_forgotten_or_deleted_is_so_in_the_copy() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let words = ["moats", "trains", "towers"];
    for word in words {
        stage.read(word).await;
        stage.copy().await;
    }
    assert_eq!(stage.copied(words), [true, true, true]);
    assert_eq!(stage.forget("trains").await, Vec::<String>::new());
    assert_eq!(stage.files(), Vec::<PathBuf>::new(), "at once");
    stage.copy().await;
    assert_eq!(stage.copied(words), [true, false, true]);
    stage.service.deletion.delete_everything().await.unwrap();
    assert_eq!(stage.files(), Vec::<PathBuf>::new());
    // Numbers of crawls begin again.
    stage
        .service
        .topics
        .create_topic("castles", &[])
        .await
        .unwrap();
    stage.read("gates").await;
    stage.copy().await;
    assert_eq!(stage.copied(["moats", "gates"]), [false, true]);
    let (crawl, _) = stage.service.crawls.crawl(1).await.unwrap();
    stage.service.deletion.delete_crawl(&crawl).await.unwrap();
    assert_eq!(stage.files(), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_forgets_a_page_of_a_lost_archive_loses_no_other() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let words = ["moats", "trains", "towers"];
    for word in words {
        stage.read(word).await;
    }
    stage.copy().await;
    fs::remove_file(stage.archive()).unwrap();
    assert_eq!(stage.forget("trains").await, Vec::<String>::new());
    stage.copy().await;
    assert_eq!(stage.copied(words), [true, false, true]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_of_which_all_was_forgotten_leaves_no_copy() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.read("trains").await;
    stage.copy().await;
    assert_eq!(stage.forget("trains").await, Vec::<String>::new());
    stage.copy().await;
    assert_eq!(stage.files().len(), 1, "with nothing in it");
    let (crawl, _) = stage.service.crawls.crawl(1).await.unwrap();
    stage.service.deletion.delete_crawl(&crawl).await.unwrap();
    assert_eq!(stage.files(), Vec::<PathBuf>::new());
}

/// Who copies has read the page before it is forgotten, and writes it after.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_read_before_a_page_was_forgotten_is_no_copy() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.read("moats").await;
    stage.read("trains").await;
    let (begun, forgotten) = (tokio::sync::Notify::new(), tokio::sync::Notify::new());
    let mut copies = stage.store.hold_copies().await.unwrap().unwrap();
    let archive = stage.archive();
    let copying = copies.copy_part_after(1, &archive, async {
        begun.notify_one();
        forgotten.notified().await;
    });
    let forgetting = async {
        begun.notified().await;
        // The rows alone, as who forgets waits for its turn to delete copies.
        let gone = linkscent_core::topic_model::ToForget {
            pages: [linkscent_core::address::Address::parse("http://read.test/trains").unwrap()]
                .into(),
            ..Default::default()
        };
        let spellings = stage.store.spellings(&gone).await.unwrap();
        stage.store.forget_rows(&gone, &spellings).await.unwrap();
        forgotten.notify_one();
    };
    let (copied, ()) = tokio::join!(copying, forgetting);
    assert!(!copied.unwrap(), "it is done again");
    assert_eq!(stage.files().len(), 1, "it came late");
    copies.sweep().await.unwrap();
    assert_eq!(stage.files(), Vec::<PathBuf>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_deleted_there_is_told_and_deleted_later() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.read("moats").await;
    stage.read("trains").await;
    stage.copy().await;
    let away = stage.copies.path().with_extension("away");
    fs::rename(stage.copies.path(), &away).unwrap();
    let left = stage.forget("trains").await;
    assert!(left.len() == 1 && left[0].contains("mounted"), "{left:?}");
    stage.read("gates").await;
    let error = stage
        .service
        .upkeep
        .copy_archives(|_| {})
        .await
        .unwrap_err();
    assert!(format!("{error:#}").contains("mounted"), "{error:#}");
    assert!(
        !stage.copies.path().exists(),
        "nothing is made in its place"
    );
    fs::rename(&away, stage.copies.path()).unwrap();
    stage.copy().await;
    assert_eq!(
        stage.copied(["moats", "trains", "gates"]),
        [true, false, true]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_was_lost_comes_back_before_pages_are_put_down_as_lost() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.read("moats").await;
    stage.copy().await;
    stage.read("towers").await;
    stage.copy().await;
    let whole = fs::read(stage.archive()).unwrap();
    let middle = whole.len() / 2;
    let other = [&whole[..100], b"what was written and not acknowledged"].concat();
    for left in [&[], &whole[..100], &whole[..middle], &other] {
        fs::write(stage.archive(), left).unwrap();
        stage.store.complete_archive(1).await.unwrap();
        assert!(
            fs::read(stage.archive()).unwrap() == whole,
            "{}",
            left.len()
        );
    }
    fs::remove_file(stage.archive()).unwrap();
    stage.read("gates").await;
    assert!(fs::read(stage.archive()).unwrap().starts_with(&whole));
    // Where the copy cannot be had, nothing is lost either.
    let away = stage.copies.path().with_extension("away");
    fs::rename(stage.copies.path(), &away).unwrap();
    fs::remove_file(stage.archive()).unwrap();
    let refused = stage.store.complete_archive(1).await.unwrap_err();
    assert!(format!("{refused:#}").contains("mounted"), "{refused:#}");
    fs::rename(&away, stage.copies.path()).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_place_that_can_be_used_is_put_down() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let again = stage.store.copy_to("file:///copies").await.unwrap_err();
    assert!(format!("{again:#}").contains("--stop"), "{again:#}");
    stage.store.stop_copies().await.unwrap();
    let refused = stage.store.copy_to("http://a.test/").await.unwrap_err();
    assert!(
        format!("{refused:#}").contains("s3://BUCKET"),
        "{refused:#}"
    );
    assert_eq!(stage.store.copied_to().await.unwrap(), None);
    let own = Store::open(stage.copies.path()).await.unwrap();
    let refused = own.copy_to("file:///copies").await.unwrap_err();
    assert!(format!("{refused:#}").contains("backup"), "{refused:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_is_cut_off_is_copied_anew() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.read("moats").await;
    stage.copy().await;
    let before = stage.files();
    let length = stage.store.copied().await.unwrap()[0].bytes;
    stage.store.lose_pages(1, &[], length - 1).await.unwrap();
    assert_eq!(stage.store.copied().await.unwrap()[0].copied, 0);
    stage.copy().await;
    let after = stage.files();
    assert!(after.len() == 1 && after != before, "{after:?}");
    let whole = fs::read(stage.archive()).unwrap();
    assert!(fs::read(&after[0]).unwrap() == whole[..whole.len() - 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_alone_writes_copies() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    stage.read("moats").await;
    let held = stage.store.hold_copies().await.unwrap();
    let waits = tokio::time::timeout(Duration::from_millis(200), stage.store.hold_copies());
    assert!(waits.await.is_err());
    drop(held);
    stage.copy().await;
    assert_eq!(stage.copied(["moats"]), [true]);
}
