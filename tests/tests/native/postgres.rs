//! The whole program on a PostgreSQL database, which the tests start where it is installed. What a store
//! promises is tested beside the store, for every backend; here is what only the program can show.

mod workers;

use std::path::Path;
use std::process::{Command, Output};

use anyhow::{Error, Result, ensure};
use linkscent_store::Store;
use linkscent_tests::companion::{Companion, program};
use linkscent_tests::postgres::Cluster;
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::{kills, skipped, wait_for};
use tempfile::TempDir;

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

/// An endless web of kidneys, and a folder for what is made of it.
struct Stage {
    folder: TempDir,
    proxy: String,
    examples: String,
}

impl Stage {
    async fn new() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let (port, _) = endless_web().await?;
        let examples = folder.path().join("kidneys.txt");
        std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
        Ok(Self {
            proxy: format!("http://127.0.0.1:{port}"),
            examples: examples.display().to_string(),
            folder,
        })
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// A crawl of 400 pages, begun or gone on with.
    fn crawl(&self, data: &str, database: &str) -> Result<Companion> {
        let what = ["crawl", "--json", "--examples", &self.examples];
        let how = ["--proxy", &self.proxy, "--budget", "400", "--delay", "0"];
        let place = ["--data", data, "--database", database];
        Companion::start(&[&what[..], &how, &place].concat())
    }

    /// The same, killed when its log has so many lines.
    async fn crawl_until(&self, lines: usize, data: &str, database: &str) -> Result<()> {
        let store = Store::open_database(database, Path::new(data)).await?;
        let mut crawl = self.crawl(data, database)?;
        wait_for("the crawl goes on", 60, || async {
            let there = kills::log(&store).await?.len();
            Ok((there >= lines).then_some(()))
        })
        .await?;
        crawl.kill().await
    }

    /// The same to its end; its log has all that it had before, and nothing is wrong.
    async fn crawl_on(&self, before: &[String], data: &str, database: &str) -> Result<()> {
        let last = self.crawl(data, database)?.finish().await?;
        ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
        let store = Store::open_database(database, Path::new(data)).await?;
        let log = kills::log(&store).await?;
        ensure!(log.len() >= 400 && log.starts_with(before), "{}", log.len());
        let checked = linkscent(&["data", "check", "--data", data, "--database", database])?;
        let checked = said(&checked);
        ensure!(checked.contains("nothing is wrong"), "{checked}");
        Ok(())
    }
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
    let stage = Stage::new().await?;
    let data = stage.path("data");
    stage.crawl_until(100, &data, &database).await?;
    let restored = cluster.restored(&database).map_err(Error::msg)?;
    let store = Store::open_database(&database, Path::new(&data)).await?;
    let backed_up = kills::log(&store).await?;
    stage.crawl_until(250, &data, &database).await?;
    stage.crawl_on(&backed_up, &data, &restored).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_crawled_is_searched_checked_and_taken_away() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    let stage = Stage::new().await?;
    let data = stage.path("data");
    let place = ["--data", &data, "--database", &database];
    let run = |arguments: &[&str]| -> Result<String> {
        let output = linkscent(&[arguments, &place].concat())?;
        ensure!(output.status.success(), "{arguments:?}: {}", said(&output));
        Ok(said(&output))
    };
    let (proxy, examples) = (&stage.proxy, &stage.examples);
    let crawl = ["crawl", "--proxy", proxy, "--examples", examples];
    let crawled = run(&[&crawl[..], &["--budget", "200", "--delay", "0", "--json"]].concat())?;
    ensure!(crawled.contains("\"stop_reason\":\"budget\""), "{crawled}");
    let found = run(&["search", "kidneys", "--all", "--json"])?;
    ensure!(found.contains("http://host"), "{found}");
    let checked = run(&["data", "check"])?;
    ensure!(checked.contains("nothing is wrong"), "{checked}");
    let rows = run(&[
        "export", "--topic", "kidneys", "--format", "csv", "--out", "-",
    ])?;
    ensure!(rows.lines().count() > 1, "{rows}");
    // Neither goes with another one.
    let other = stage.path("other");
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
    let stage = Stage::new().await?;
    let [data, new, lost, copies] = ["data", "new", "lost", "copies"].map(|name| stage.path(name));
    let archives = |data: &str, more: &[&str]| {
        let place = ["data", "archives", "--data", data, "--database", &database];
        let output = linkscent(&[&place[..], more].concat())?;
        anyhow::Ok((output.status.success(), said(&output)))
    };
    let (is_set, told) = archives(&data, &["--copy-to", &format!("file://{copies}")])?;
    ensure!(is_set, "{told}");
    let store = Store::open_database(&database, Path::new(&data)).await?;
    stage.crawl_until(100, &data, &database).await?;
    let (is_copied, told) = archives(&data, &["--copy"])?;
    ensure!(is_copied, "{told}");
    // A file alone that is lost comes back by itself.
    let first = kills::log(&store).await?;
    std::fs::remove_file(Path::new(&data).join("crawl-1.warc.gz"))?;
    stage.crawl_until(200, &data, &database).await?;
    let before = kills::log(&store).await?;
    ensure!(before.starts_with(&first), "lines were lost");
    let topic = store.topic_named("kidneys").await?.id;
    let notices = store.notices(topic, Some(1)).await?;
    ensure!(notices.is_empty(), "pages were lost: {notices:?}");
    drop(store);
    let (is_copied, told) = archives(&data, &["--copy"])?;
    ensure!(is_copied && told.contains("crawl 1: all"), "{told}");
    let archive = std::fs::read(Path::new(&data).join("crawl-1.warc.gz"))?;
    std::fs::rename(&data, &lost)?;
    let (is_open, told) = archives(&new, &[])?;
    ensure!(!is_open && told.contains("--bring-back"), "{told}");
    let (is_back, told) = archives(&new, &["--bring-back"])?;
    ensure!(is_back && told.contains("nothing is missing"), "{told}");
    let brought = std::fs::read(Path::new(&new).join("crawl-1.warc.gz"))?;
    ensure!(!brought.is_empty() && archive.starts_with(&brought));
    let (is_open, told) = archives(&lost, &[])?;
    ensure!(!is_open && told.contains("another data folder"), "{told}");
    stage.crawl_on(&before, &new, &database).await
}
