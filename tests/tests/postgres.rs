//! The whole program on a PostgreSQL database, which the tests start where it is installed. What a store
//! promises is tested beside the store, for every backend; here is what only the program can show.

#[path = "postgres/hands.rs"]
mod hands;

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Error, Result, ensure};
use linkscent::store::Store;
use linkscent_tests::companion::{Companion, program};
use linkscent_tests::postgres::Cluster;
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::{kills, skipped, wait_for};

/// The address of an empty database, where there is PostgreSQL.
fn database() -> Result<Option<String>> {
    match Cluster::of_program() {
        Ok(cluster) => Ok(Some(cluster.fresh().map_err(Error::msg)?)),
        Err(why) => {
            skipped(why);
            Ok(None)
        }
    }
}

fn linkscent(arguments: &[&str]) -> Result<Output> {
    Ok(Command::new(program()?).args(arguments).output()?)
}

fn said(output: &Output) -> String {
    let (out, error) = (&output.stdout, &output.stderr);
    format!(
        "{}{}",
        String::from_utf8_lossy(out),
        String::from_utf8_lossy(error)
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_kills_lose_nothing_acknowledged() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    kills::lose_nothing(10, Some(&database)).await
}

/// The database is lost, and what is left of it is older than the folder.
#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_goes_on_from_an_older_back_up_of_the_database() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    let cluster = Cluster::of_program().map_err(Error::msg)?;
    let folder = tempfile::tempdir()?;
    let (port, _) = endless_web().await?;
    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let data = folder.path().join("data").display().to_string();
    let proxy = format!("http://127.0.0.1:{port}");
    let examples = examples.display().to_string();
    let crawl = |database: &str| {
        let place = ["--data", &data, "--database", database];
        let arguments = [
            "crawl",
            "--json",
            "--proxy",
            &proxy,
            "--examples",
            &examples,
        ];
        let more = ["--budget", "400", "--delay", "0"];
        Companion::start(&[&arguments[..], &more, &place].concat())
    };
    let store = Store::open_database(&database, Path::new(&data)).await?;
    let crawl_until = async |lines: usize| -> Result<()> {
        let mut crawl = crawl(&database)?;
        wait_for("the crawl goes on", 60, || async {
            let there = kills::log(&store).await?.len();
            Ok((there >= lines).then_some(()))
        })
        .await?;
        crawl.kill().await
    };
    crawl_until(100).await?;
    let restored = cluster.restored(&database).map_err(Error::msg)?;
    let backed_up = kills::log(&store).await?;
    crawl_until(250).await?;
    let last = crawl(&restored)?.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    let store = Store::open_database(&restored, Path::new(&data)).await?;
    let log = kills::log(&store).await?;
    ensure!(
        log.len() >= 400 && log.starts_with(&backed_up),
        "{}",
        log.len()
    );
    let checked = linkscent(&["check", "--data", &data, "--database", &restored])?;
    ensure!(
        said(&checked).contains("nothing is wrong"),
        "{}",
        said(&checked)
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_crawled_is_searched_checked_and_taken_away() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let (port, _) = endless_web().await?;
    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let data = folder.path().join("data").display().to_string();
    let place = ["--data", &data, "--database", &database];
    let proxy = format!("http://127.0.0.1:{port}");
    let examples = examples.display().to_string();
    let run = |arguments: &[&str]| -> Result<String> {
        let output = linkscent(&[arguments, &place].concat())?;
        ensure!(output.status.success(), "{arguments:?}: {}", said(&output));
        Ok(said(&output))
    };
    let crawl = ["crawl", "--proxy", &proxy, "--examples", &examples];
    let crawled = run(&[&crawl[..], &["--budget", "200", "--delay", "0", "--json"]].concat())?;
    ensure!(crawled.contains("\"stop_reason\":\"budget\""), "{crawled}");
    let found = run(&["search", "kidneys", "--all", "--json"])?;
    ensure!(found.contains("http://host"), "{found}");
    let checked = run(&["check"])?;
    ensure!(checked.contains("nothing is wrong"), "{checked}");
    let rows = run(&[
        "export", "--topic", "kidneys", "--format", "csv", "--out", "-",
    ])?;
    ensure!(rows.lines().count() > 1, "{rows}");
    // Neither goes with another one.
    let other = folder.path().join("other").display().to_string();
    let refused = linkscent(&["search", "x", "--data", &other, "--database", &database])?;
    ensure!(!refused.status.success(), "{}", said(&refused));
    ensure!(
        said(&refused).contains("belongs to another data folder"),
        "{}",
        said(&refused)
    );
    let refused = linkscent(&["search", "x", "--data", &data])?;
    ensure!(!refused.status.success(), "{}", said(&refused));
    ensure!(said(&refused).contains("--database"), "{}", said(&refused));
    Ok(())
}

/// The machine with the data folder is lost; its archives were copied to another place.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_data_folder_is_made_again_from_copies_of_its_archives() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let (port, _) = endless_web().await?;
    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (data, new) = (path("data"), path("new"));
    let proxy = format!("http://127.0.0.1:{port}");
    let examples = examples.display().to_string();
    let crawl = |data: &str| {
        let place = ["--data", data, "--database", &database];
        let what = ["crawl", "--json", "--examples", &examples, "--delay", "0"];
        let how = ["--proxy", &proxy, "--budget", "400"];
        Companion::start(&[&what[..], &how, &place].concat())
    };
    let archives = |data: &str, more: &[&str]| {
        let place = ["archives", "--data", data, "--database", &database];
        let output = linkscent(&[&place[..], more].concat())?;
        anyhow::Ok((output.status.success(), said(&output)))
    };
    let (is_set, told) = archives(&data, &["--copy-to", &format!("file://{}", path("copies"))])?;
    ensure!(is_set, "{told}");
    let store = Store::open_database(&database, Path::new(&data)).await?;
    let crawl_until = async |lines: usize| -> Result<()> {
        let mut begun = crawl(&data)?;
        wait_for("the crawl goes on", 60, || async {
            let there = kills::log(&store).await?.len();
            Ok((there >= lines).then_some(()))
        })
        .await?;
        begun.kill().await
    };
    crawl_until(100).await?;
    let (is_copied, told) = archives(&data, &["--copy"])?;
    ensure!(is_copied, "{told}");
    // A file alone that is lost comes back by itself.
    let first = kills::log(&store).await?;
    std::fs::remove_file(Path::new(&data).join("crawl-1.warc.gz"))?;
    crawl_until(200).await?;
    let before = kills::log(&store).await?;
    ensure!(before.starts_with(&first), "lines were lost");
    let topic = store.topic_named("kidneys").await?.id;
    let notices = store.notices(topic, Some(1)).await?;
    ensure!(notices.is_empty(), "pages were lost: {notices:?}");
    drop(store);
    let (is_copied, told) = archives(&data, &["--copy"])?;
    ensure!(is_copied && told.contains("crawl 1: all"), "{told}");
    let archive = std::fs::read(Path::new(&data).join("crawl-1.warc.gz"))?;
    std::fs::rename(&data, path("lost"))?;
    let (is_open, told) = archives(&new, &[])?;
    ensure!(!is_open && told.contains("--bring-back"), "{told}");
    let (is_back, told) = archives(&new, &["--bring-back"])?;
    ensure!(is_back && told.contains("nothing is missing"), "{told}");
    let brought = std::fs::read(Path::new(&new).join("crawl-1.warc.gz"))?;
    ensure!(!brought.is_empty() && archive.starts_with(&brought));
    let (is_open, told) = archives(&path("lost"), &[])?;
    ensure!(!is_open && told.contains("another data folder"), "{told}");
    let last = crawl(&new)?.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    let store = Store::open_database(&database, Path::new(&new)).await?;
    let log = kills::log(&store).await?;
    ensure!(
        log.len() >= 400 && log.starts_with(&before),
        "{}",
        log.len()
    );
    let checked = linkscent(&["check", "--data", &new, "--database", &database])?;
    ensure!(
        said(&checked).contains("nothing is wrong"),
        "{}",
        said(&checked)
    );
    Ok(())
}
