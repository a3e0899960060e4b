use super::*;

const ANY: DailyBudget = DailyBudget {
    requests: None,
    bytes: None,
};

fn host(host: &str) -> Asked<'_> {
    Asked { host, server: None }
}

#[tokio::test]
async fn hosts_on_one_server_are_asked_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let first = FileTurns::open(folder.path(), 1, 0, 1_000).await.unwrap();
    let second = FileTurns::open(folder.path(), 2, 0, 1_000).await.unwrap();
    let on = |host, server: &str| Asked {
        host,
        server: server.parse().ok(),
    };
    let (a, b) = (on("a.test", "192.0.2.1"), on("b.test", "192.0.2.1"));
    let elsewhere = on("c.test", "192.0.2.2");
    assert_eq!(first.take(&a, 10, ANY).await.unwrap(), Turn::Ours);
    assert_eq!(second.take(&b, 20, ANY).await.unwrap(), Turn::Taken);
    assert_eq!(first.take(&b, 20, ANY).await.unwrap(), Turn::Taken);
    assert_eq!(second.take(&elsewhere, 20, ANY).await.unwrap(), Turn::Ours);
    first.give_back(&a, 50, 1_000, 0).await.unwrap();
    // The host rests, its server does not; and a host that rests takes no server.
    assert_eq!(first.take(&a, 60, ANY).await.unwrap(), Turn::Rests(1_050));
    assert_eq!(second.take(&b, 60, ANY).await.unwrap(), Turn::Ours);
    assert_eq!(first.take(&a, 1_060, ANY).await.unwrap(), Turn::Taken);
}

#[tokio::test]
async fn a_day_costs_a_host_no_more_than_it_may() {
    let folder = tempfile::tempdir().unwrap();
    let turns = FileTurns::open(folder.path(), 1, 0, 0).await.unwrap();
    let other = FileTurns::open(folder.path(), 2, 0, 0).await.unwrap();
    let (a, b) = (host("a.test"), host("b.test"));
    let three = DailyBudget {
        requests: Some(3),
        bytes: Some(1_000),
    };
    let mut now = 5 * DAY + 10;
    for (crawl, bytes) in [(&turns, 100), (&other, 200), (&turns, 300)] {
        assert_eq!(crawl.take(&a, now, three).await.unwrap(), Turn::Ours);
        crawl.give_back(&a, now, 0, bytes).await.unwrap();
        now += 10;
    }
    let spent = Turn::Spent(6 * DAY);
    assert_eq!(other.take(&a, now, three).await.unwrap(), spent);
    assert_eq!(other.take(&a, now, ANY).await.unwrap(), Turn::Ours);
    other.give_back(&a, now, 0, 0).await.unwrap();
    // Another host is another's, and one page may be as large as all that is left.
    assert_eq!(other.take(&b, now, three).await.unwrap(), Turn::Ours);
    other.give_back(&b, now, 0, 1_000).await.unwrap();
    assert_eq!(other.take(&b, now + 1, three).await.unwrap(), spent);
    // A restart forgets nothing of the day, and the next day is a new one.
    let again = FileTurns::open(folder.path(), 1, now, 0).await.unwrap();
    assert_eq!(again.take(&b, now, three).await.unwrap(), spent);
    let tomorrow = 6 * DAY;
    assert_eq!(again.take(&b, tomorrow, three).await.unwrap(), Turn::Ours);
    let rows = "SELECT COUNT(*) FROM spent";
    FileTurns::open(folder.path(), 3, 7 * DAY, 0).await.unwrap();
    let left: i64 = sqlx::query_scalar(rows)
        .fetch_one(&again.pool)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn one_crawl_asks_a_host_at_a_time_and_then_it_rests() {
    let folder = tempfile::tempdir().unwrap();
    let first = FileTurns::open(folder.path(), 1, 0, 1_000).await.unwrap();
    let second = FileTurns::open(folder.path(), 2, 0, 1_000).await.unwrap();
    assert_eq!(
        first.take(&host("a.test"), 10, ANY).await.unwrap(),
        Turn::Ours
    );
    assert_eq!(
        second.take(&host("a.test"), 20, ANY).await.unwrap(),
        Turn::Taken
    );
    assert_eq!(
        second.take(&host("b.test"), 20, ANY).await.unwrap(),
        Turn::Ours
    );
    // Only who has it gives it back.
    second.give_back(&host("a.test"), 20, 10, 0).await.unwrap();
    assert_eq!(
        second.take(&host("a.test"), 40, ANY).await.unwrap(),
        Turn::Taken
    );
    first
        .give_back(&host("a.test"), 50, 1_000, 0)
        .await
        .unwrap();
    assert_eq!(
        second.take(&host("a.test"), 1_049, ANY).await.unwrap(),
        Turn::Rests(1_050)
    );
    assert_eq!(
        second.take(&host("a.test"), 1_050, ANY).await.unwrap(),
        Turn::Ours
    );
    // A crawl that goes on in the same process leaves its open requests their turns.
    let resumed = FileTurns::open(folder.path(), 2, 1_060, 1_000)
        .await
        .unwrap();
    assert_eq!(
        resumed.take(&host("a.test"), 1_060, ANY).await.unwrap(),
        Turn::Taken
    );
    // A turn that was forgotten is free some time later.
    assert_eq!(
        first
            .take(&host("a.test"), 1_050 + LEASE, ANY)
            .await
            .unwrap(),
        Turn::Ours
    );
}

#[tokio::test]
async fn turns_outlive_a_process_and_those_left_open_are_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let killed = FileTurns::open(folder.path(), 1, 0, 1_000).await.unwrap();
    killed.take(&host("open.test"), 10, ANY).await.unwrap();
    killed.take(&host("rests.test"), 10, ANY).await.unwrap();
    killed
        .give_back(&host("rests.test"), 100, 600, 0)
        .await
        .unwrap();
    // As if another process had it.
    sqlx::query("UPDATE rest SET process = 0")
        .execute(&killed.pool)
        .await
        .unwrap();
    drop(killed);
    let again = FileTurns::open(folder.path(), 1, 200, 1_000).await.unwrap();
    assert_eq!(
        again.take(&host("open.test"), 300, ANY).await.unwrap(),
        Turn::Rests(1_200)
    );
    assert_eq!(
        again.take(&host("rests.test"), 300, ANY).await.unwrap(),
        Turn::Rests(700)
    );
    // The clock goes back, by a minute or by a day: hosts rest for as long as they were to.
    for back in [60_000, 24 * 60 * 60 * 1_000] {
        let then = 300 - back;
        let take = async |at| again.take(&host("open.test"), at, ANY).await.unwrap();
        assert_eq!(take(then).await, Turn::Rests(then + 1_000));
        assert_eq!(take(then + 999).await, Turn::Rests(then + 1_000));
    }
    let back = again.take(&host("open.test"), 300, ANY).await.unwrap();
    assert_eq!(back, Turn::Ours);
    // Who looked at the clock before the other, and came after it, finds the host's rest as it is.
    let open = host("open.test");
    let ended = again.give_back(&open, 400, 1_000, 0);
    ended.await.unwrap();
    let early = again.take(&host("open.test"), 350, ANY).await.unwrap();
    assert_eq!(early, Turn::Rests(1_400));
    let rested = again.take(&open, 1_400, ANY).await.unwrap();
    assert_eq!(rested, Turn::Ours);
    // Nor does a host shut itself for ever.
    again
        .give_back(&host("open.test"), 0, u64::MAX, 0)
        .await
        .unwrap();
    let rests = again.take(&host("open.test"), 1, ANY).await.unwrap();
    assert_eq!(rests, Turn::Rests(LONGEST_REST));
    let later = again
        .take(&host("open.test"), LONGEST_REST, ANY)
        .await
        .unwrap();
    assert_eq!(later, Turn::Ours);
}

#[tokio::test]
async fn a_new_file_is_opened_by_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let turn = files::turn_to_open(folder.path()).await.unwrap();
    let path = folder.path().to_owned();
    let second = tokio::spawn(async move { FileTurns::open(&path, 1, 0, 1_000).await });
    let waits = tokio::time::timeout(Duration::from_millis(200), async {
        while !folder.path().join(FILE).exists() {
            tokio::task::yield_now().await;
        }
    });
    assert!(waits.await.is_err(), "it was opened beside another");
    drop(turn);
    second.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_damaged_file_is_made_anew_and_no_name_stands_in_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(FILE), b"no database at all, but a text").unwrap();
    let turns = FileTurns::open(folder.path(), 1, 0, 1_000).await.unwrap();
    assert_eq!(
        turns.take(&host("secret.test"), 10, ANY).await.unwrap(),
        Turn::Ours
    );
    turns.pool.close().await;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"secret"));
    }
    delete(folder.path()).unwrap();
    assert!(!folder.path().join(FILE).exists());
}
