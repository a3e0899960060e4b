//! Two programs on one data folder, disks that fail, and damage: each costs at most what
//! it touches, and is named.

use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use linkscent_archive::warc::Reader;
use linkscent_store::{CrawlState, Store};
use linkscent_tests::companion::Companion;
use linkscent_tests::preloaded::preloaded;
use linkscent_tests::shell::{crawl, list, run};
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::{paired, skipped, wait_for};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};

const START: &str = "http://host0.test/0";

/// Pages of the log whose records cannot be read at their place.
async fn unreadable(store: &Store) -> Result<Vec<String>> {
    let path = store.warc_path(1);
    let rows = store.fetches(1).await?.into_iter();
    let kept = rows.filter_map(|row| Some((row.place.warc_offset?, row.address)));
    let broken = kept.filter(|(offset, page)| Reader::response_at(&path, *offset, page).is_err());
    Ok(broken.map(|(_, page)| page).collect())
}

async fn state(store: &Store) -> Result<Option<CrawlState>> {
    let crawl = store.crawl(1).await?;
    Ok(crawl.map(|crawl| crawl.state))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_has_one_writer_and_the_other_program_shows_it() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, _) = endless_web().await?;
    let starts = list(folder.path(), &[START])?;
    let more = ["--examples", &starts, "--budget", "100000", "--delay", "30"];
    let shell = crawl(&data, proxy, &more)?.spawn()?;
    let store = Store::open(&data).await?;
    wait_for("the crawl in the shell goes on", 60, || async {
        Ok((store.fetches(1).await.map_or(0, |rows| rows.len()) > 20).then_some(()))
    })
    .await?;

    // Beside it the companion shows the crawl as it goes on, and hands over what it is told.
    let (companion, port, link, _) = Companion::serve(&data, proxy).await?;
    let base = enter(port, &link).await?;
    let page = || async {
        let get = format!(
            "GET {base}/crawl/1 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        );
        let (_, body) = paired::send(port, get.as_bytes()).await?;
        anyhow::Ok(String::from_utf8_lossy(&body).into_owned())
    };
    let first = page().await?;
    ensure!(
        first.contains("Another linkscent on this data folder"),
        "{first}"
    );
    let pages = |page: &str| -> Option<u64> {
        page.split("<div><b>")
            .nth(1)?
            .split('<')
            .next()?
            .parse()
            .ok()
    };
    let before = pages(&first).context("no number of pages")?;
    wait_for("the number of pages grows", 20, || async {
        Ok((pages(&page().await?) > Some(before)).then_some(()))
    })
    .await?;
    let csrf = first
        .split("name=\"csrf\" value=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    let form = format!("csrf={}", csrf.context("no form")?);
    let kind = "application/x-www-form-urlencoded";
    paired::post(
        port,
        &format!("{base}/crawl/1/pause"),
        kind,
        form.as_bytes(),
    )
    .await?;
    let ended = shell.wait_with_output().await?;
    ensure!(ended.status.success(), "{ended:?}");
    ensure!(state(&store).await? == Some(CrawlState::Paused));
    let broken = unreadable(&store).await?;
    ensure!(broken.is_empty(), "{broken:?}");

    // Resumed there, it goes on; the shell then shows it, and takes nothing up itself.
    paired::post(
        port,
        &format!("{base}/crawl/1/resume"),
        kind,
        form.as_bytes(),
    )
    .await?;
    let count = store.fetches(1).await?.len();
    wait_for("the crawl goes on in the companion", 60, || async {
        Ok((store.fetches(1).await?.len() > count).then_some(()))
    })
    .await?;
    let mut command = crawl(&data, proxy, &[])?;
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut shown = command.spawn()?;
    let errors = shown.stderr.take().context("no errors")?;
    let mut lines = BufReader::new(errors).lines();
    let mut said = String::new();
    while !said.contains("run by another linkscent") {
        said = lines
            .next_line()
            .await?
            .context("it does not say who runs it")?;
    }
    paired::post(port, &format!("{base}/crawl/1/stop"), kind, form.as_bytes()).await?;
    let shown = shown.wait_with_output().await?;
    let last: Value = serde_json::from_slice(&shown.stdout)?;
    ensure!(
        shown.status.success() && last["run_elsewhere"] == true,
        "{last}"
    );
    wait_for("it is stopped", 20, || async {
        Ok((state(&store).await? == Some(CrawlState::Stopped)).then_some(()))
    })
    .await?;
    let broken = unreadable(&store).await?;
    ensure!(broken.is_empty(), "{broken:?}");
    drop(companion);
    Ok(())
}

/// Opens the dashboard; what its addresses begin with.
async fn enter(port: u16, link: &str) -> Result<String> {
    let path = link
        .split_once(&port.to_string())
        .map_or("", |(_, path)| path);
    let get = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let (head, _) = paired::send(port, get.as_bytes()).await?;
    let base = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "));
    Ok(base.context(head.clone())?.trim_end_matches('/').to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_failed_sync_nothing_more_is_acknowledged() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some(library) = preloaded("failing_disk", folder.path()) else {
        skipped("no C compiler builds the library that makes a sync fail");
        return Ok(());
    };
    let starts = list(folder.path(), &[START])?;
    for (file, at) in [(".warc.gz", 4), ("sqlite-wal", 12)] {
        let data = folder.path().join(format!("data-{at}"));
        let (proxy, asked) = endless_web().await?;
        let more = ["--examples", &starts, "--budget", "400", "--delay", "0"];
        let mut command = crawl(&data, proxy, &more)?;
        command
            .env("LD_PRELOAD", &library)
            .env("FAIL_FILE", file)
            .env("FAIL_AT", at.to_string());
        let failed = run(command).await?;
        ensure!(
            !failed.success
                && ["writing", "I/O"]
                    .iter()
                    .any(|said| failed.errors.contains(said)),
            "{file}: {failed:?}"
        );
        let store = Store::open(&data).await?;
        let acknowledged = store.fetches(1).await?.len();
        let fetched = asked.lock().expect("no test panics with the lock").len();
        ensure!(
            acknowledged < fetched,
            "{file}: {acknowledged} of {fetched} were acknowledged"
        );
        ensure!(state(&store).await? == Some(CrawlState::Paused), "{file}");
        // It goes on, and fetches again what was not proven to be kept.
        let ended = run(crawl(&data, proxy, &[])?).await?;
        ensure!(ended.json["stop_reason"] == "budget", "{file}: {ended:?}");
        let broken = unreadable(&store).await?;
        ensure!(broken.is_empty(), "{file}: {broken:?}");
        ensure!(store.fetches(1).await?.len() > acknowledged, "{file}");
    }
    Ok(())
}

/// Does damage to a data folder.
type Damage<'a> = &'a dyn Fn(&Path) -> Result<()>;

/// Copies a folder's files.
fn copy(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_costs_what_it_touches_and_is_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let whole = folder.path().join("whole");
    let (proxy, _) = endless_web().await?;
    let starts = list(folder.path(), &[START, "http://host3.test/3"])?;
    let more = ["--examples", &starts, "--budget", "60", "--delay", "0"];
    let done = run(crawl(&whole, proxy, &more)?).await?;
    ensure!(done.json["pages"] == 60, "{done:?}");

    let archive = |data: &Path| data.join("crawl-1.warc.gz");
    // A store that is dropped closes its files a little later: the one that is copied stays shut.
    let read = folder.path().join("read");
    copy(&whole, &read)?;
    let rows = Store::open(&read).await?.fetches(1).await?;
    let places: Vec<u64> = rows
        .iter()
        .filter_map(|row| row.place.warc_offset)
        .collect();
    let middle = usize::try_from(places[places.len() / 2])?;
    let last = usize::try_from(places.iter().copied().max().context("no page")?)?;
    let cases: [(&str, Damage, u64, &str); 5] = [
        (
            "bytes in the middle",
            &|data| {
                // Of a page: what was asked for it, which stands beside it, is never read again.
                let path = data.join("crawl-1.warc.gz");
                let mut bytes = std::fs::read(&path)?;
                bytes[middle + 64..middle + 128].fill(0xFF);
                Ok(std::fs::write(path, bytes)?)
            },
            2,
            "at byte",
        ),
        (
            "the last byte",
            &|data| {
                let path = data.join("crawl-1.warc.gz");
                let bytes = std::fs::read(&path)?;
                Ok(std::fs::write(path, &bytes[..bytes.len() - 1])?)
            },
            0,
            "",
        ),
        (
            "the last page",
            &|data| {
                let path = data.join("crawl-1.warc.gz");
                let bytes = std::fs::read(&path)?;
                Ok(std::fs::write(path, &bytes[..last + 64])?)
            },
            2,
            "at byte",
        ),
        (
            "the archive",
            &|data| Ok(std::fs::remove_file(data.join("crawl-1.warc.gz"))?),
            60,
            "not there",
        ),
        ("nothing", &|_| Ok(()), 0, ""),
    ];
    for (name, damage, most_lost, said) in cases {
        let data = folder.path().join(name.replace(' ', "-"));
        copy(&whole, &data)?;
        damage(&data)?;
        let store = Store::open(&data).await?;
        store.set_state(1, CrawlState::Paused, "").await?;
        let before = store.fetches(1).await?.len() as u64;
        let ended = run(crawl(&data, proxy, &[])?).await?;
        ensure!(ended.json["stop_reason"] == "budget", "{name}: {ended:?}");
        ensure!(ended.json["pages"] == 60, "{name}: {ended:?}");
        ensure!(ended.errors.contains(said), "{name}: {}", ended.errors);
        let again = store.fetches(1).await?.len() as u64 - before;
        ensure!(again <= most_lost + 2, "{name}: {again} requests more");
        let broken = unreadable(&store).await?;
        ensure!(
            broken.is_empty() && archive(&data).exists(),
            "{name}: {broken:?}"
        );
        // But for damage that was left in its middle it is read from front to back.
        let mut records = Reader::open(&archive(&data))?;
        let is_whole = records.all(|record| record.is_ok());
        ensure!(is_whole == (name != "bytes in the middle"), "{name}");
        let (companion, _, _, _) = Companion::serve(&data, proxy).await?;
        drop(companion);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_and_models_that_cannot_be_read_are_named_and_the_rest_goes_on() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, _) = endless_web().await?;
    let starts = list(folder.path(), &[START])?;
    let more = ["--examples", &starts, "--budget", "30", "--delay", "0"];
    run(crawl(&data, proxy, &more)?).await?;
    let database = data.join("linkscent.sqlite");
    let url = format!("sqlite://{}", database.display());
    let change = |statement: &'static str| {
        let url = url.clone();
        async move {
            let pool = sqlx::SqlitePool::connect(&url).await?;
            sqlx::raw_sql(statement).execute(&pool).await?;
            pool.close().await;
            anyhow::Ok(())
        }
    };
    change("UPDATE event SET body = '{'; UPDATE model SET file = x'00112233';").await?;
    change("UPDATE start_model SET file = x'00'; UPDATE crawl SET spec = json_set(spec, '$.budget', 40), state = 'paused';")
        .await?;
    let ended = run(crawl(&data, proxy, &[])?).await?;
    ensure!(
        ended.json["stop_reason"] == "budget" && ended.json["pages"] == 40,
        "{ended:?}"
    );
    for said in ["row 1 of the table event", "model that crawl 1 began with"] {
        ensure!(ended.errors.contains(said), "{said}: {}", ended.errors);
    }
    let (companion, port, link, _) = Companion::serve(&data, proxy).await?;
    let base = enter(port, &link).await?;
    for page in ["/", "/topic/1", "/crawl/1", "/crawl/1/results"] {
        let get = format!(
            "GET {base}{page} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        );
        let (head, body) = paired::send(port, get.as_bytes()).await?;
        ensure!(
            head.contains(" 200 "),
            "{page}: {}",
            String::from_utf8_lossy(&body)
        );
    }
    drop(companion);

    // A file that is no database says what to do.
    let mut bytes = std::fs::read(&database)?;
    bytes[..100].fill(b'x');
    for file in ["linkscent.sqlite-wal", "linkscent.sqlite-shm"] {
        let _ = std::fs::remove_file(data.join(file));
    }
    std::fs::write(&database, &bytes)?;
    let ended = run(crawl(&data, proxy, &[])?).await?;
    ensure!(
        !ended.success && ended.errors.contains("is damaged"),
        "{ended:?}"
    );
    ensure!(ended.json == Value::Null);
    Ok(())
}
