use std::fs::File;
use std::path::{Path, PathBuf};

use super::*;
use crate::Services;
use crate::fixtures::crawled;
use crate::research::Research;

/// A crawl written to a file.
async fn given(folder: &Path) -> PathBuf {
    let (service, _, crawl) = crawled(folder).await;
    written(&service, crawl, folder).await
}

async fn written(service: &Services, crawl: i64, folder: &Path) -> PathBuf {
    let (row, _) = service.crawls.crawl(crawl).await.unwrap();
    let path = folder.join("given.research");
    let out = File::create(&path).unwrap();
    service.exports.write_research(&row, out).await.unwrap();
    path
}

/// The same with something of it changed, written again.
fn changed(path: &Path, change: impl FnOnce(&mut Research)) -> PathBuf {
    let mut unpacked = Unpacked::open(path).unwrap();
    change(&mut unpacked.research);
    let other = path.with_extension("changed");
    let length = std::fs::metadata(&unpacked.pages).unwrap().len();
    let out = File::create(&other).unwrap();
    unpacked
        .research
        .write(&unpacked.pages, length, out)
        .unwrap();
    other
}

fn verified(path: &Path) -> Verified {
    verify(&Unpacked::open(path).unwrap(), |_| {}).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_is_run_again_from_its_file_and_what_was_changed_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = given(folder.path()).await;
    let found = verified(&path);
    assert!(found.is_true(), "{found:?}");
    assert!(
        found.pages > 5 && found.requests >= found.pages,
        "{found:?}"
    );
    assert_eq!(found.chosen_again, found.requests, "{found:?}");
    assert_eq!(found.in_order, found.requests, "one host, one at a time");
    assert_eq!(found.unanswered, 0, "{found:?}");
    assert_eq!(found.differences, Vec::<String>::new());

    // A find more, and a page that is said to be none.
    let first = Unpacked::open(&path).unwrap().research.log;
    let find = first.iter().position(|one| one.is_target).unwrap();
    let other_find = first.iter().position(|one| !one.is_target).unwrap();
    for place in [find, other_find] {
        let other = changed(&path, |research| {
            let request = &mut research.log[place];
            request.is_target = !request.is_target;
        });
        let found = verified(&other);
        assert!(!found.is_true());
        assert!(found.differences[0].contains("found"), "{found:?}");
    }
    let other = changed(&path, |research| research.log[3].relevance = None);
    let found = verified(&other);
    assert!(!found.is_true());
    assert!(found.differences[0].contains("says nothing"), "{found:?}");

    // A page said to be better than it is.
    let other = changed(&path, |research| research.log[3].relevance = Some(0.999));
    let found = verified(&other);
    assert!(!found.is_true());
    assert_eq!(found.judged_the_same, found.pages - 1);
    assert!(
        found.differences[0].contains("the file says 0.9990"),
        "{found:?}"
    );

    // A request that was never made, and one that is left out.
    let other = changed(&path, |research| {
        research.log.swap(4, 5);
        research.log.remove(8);
    });
    let found = verified(&other);
    assert_eq!(found.in_order, 4, "{found:?}");
    assert!(found.unanswered > 0, "{found:?}");
    assert!(
        !found.is_true(),
        "what was judged hangs on what was left out"
    );
    let other = changed(&path, |research| {
        let (last, forged) = (research.log.last().unwrap(), "http://host0.test/forged");
        let (number, address) = (last.number + 1, forged.to_owned());
        let (problem, offset) = ("404".to_owned(), None);
        let forged = Request {
            number,
            address,
            problem,
            offset,
            relevance: None,
            is_target: false,
            ..last.clone()
        };
        research.log.push(forged);
    });
    let found = verified(&other);
    assert_eq!(found.out_of_nowhere, 1, "{found:?}");
    assert!(!found.is_true());

    // A page that is another's.
    let other = changed(&path, |research| {
        research.log[2].offset = research.log[3].offset;
    });
    let found = verified(&other);
    assert_eq!(found.damaged, 1);
    assert!(!found.is_true());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_while_it_ran_makes_no_crawl_untrue() {
    let folder = tempfile::tempdir().unwrap();
    let (service, topic, crawl) = crawled(folder.path()).await;
    let (row, _) = service.crawls.crawl(crawl).await.unwrap();
    let log = service.rows().fetches(crawl).await.unwrap();
    let (page, target) = (&log[4].address, Some(false));
    let marked = service.crawls.mark_result(&row, &topic, page, target).await;
    marked.unwrap();
    service
        .topics
        .say(&topic, "trains", Some(true))
        .await
        .unwrap();
    service.crawls.go_on(&row, 6).await.unwrap();
    let mut changes = service.supervisor.changes();
    while service.supervisor.run_by(&row).is_some() {
        changes.changed().await.unwrap();
    }
    let found = verified(&written(&service, crawl, folder.path()).await);
    assert!(found.is_true(), "{found:?}");
    assert_eq!((found.requests, found.pages), (18, 18), "{found:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_and_damaged_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = given(folder.path()).await;
    let whole = std::fs::read(&path).unwrap();
    let other = folder.path().join("other.research");
    let opened = |bytes: &[u8]| {
        std::fs::write(&other, bytes).unwrap();
        Unpacked::open(&other)
            .map(|_| ())
            .map_err(|error| format!("{error:#}"))
    };
    // A tar archive ends with two empty blocks, which nobody misses.
    for length in (0..whole.len() - 1_024).step_by(whole.len() / 60) {
        assert!(
            opened(&whole[..length]).is_err(),
            "{length} of {}",
            whole.len()
        );
    }
    // Within the pages: their checksum is another.
    let mut damaged = whole.clone();
    let place = whole.len() - 3_000;
    damaged[place] ^= 0xFF;
    let refused = opened(&damaged).unwrap_err();
    assert!(refused.contains("checksum"), "{refused}");
    let refused = opened(b"no tar archive").unwrap_err();
    assert!(!refused.is_empty());
    assert!(opened(&whole).is_ok());
}
