//! A crawl that is killed at any moment, again and again: it loses nothing it acknowledged and fetches
//! nothing of it again, whatever keeps its log.

use std::collections::{HashMap, HashSet};
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Result, ensure};
use linkscent_store::Store;

use crate::companion::Companion;
use crate::synthetic_web::{Asked, endless_web};
use crate::wait_for;

/// Pages of the crawl.
const BUDGET: usize = 2_500;
/// Requests under way at most: one of each host.
const UNDER_WAY: usize = 4;

/// The addresses in the log of crawl 1, in its order.
pub async fn log(store: &Store) -> Result<Vec<String>> {
    let rows = store.fetches(1).await?;
    Ok(rows.into_iter().map(|row| row.address).collect())
}

fn all(asked: &Asked) -> MutexGuard<'_, HashMap<String, usize>> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Requests of crawl 1 whose answers had not come.
async fn unanswered(store: &Store) -> Result<usize> {
    let path = store.requests_path(1);
    if !path.exists() {
        return Ok(0);
    }
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await?;
    let query = sqlx::query_as("SELECT count(*) FROM request WHERE answer IS NULL");
    let (count,): (i64,) = query.fetch_one(&pool).await?;
    pool.close().await;
    Ok(usize::try_from(count)?)
}

/// Kills a crawl so many times, whose log is in that PostgreSQL database, or in its data folder.
pub async fn lose_nothing(deaths: usize, database: Option<&str>) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (port, asked) = endless_web().await?;
    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://host0.test/0\nhttp://host3.test/3\n")?;
    let data = folder.path().join("data");
    let (data_text, examples) = (data.display().to_string(), examples.display().to_string());
    let (proxy, budget) = (format!("http://127.0.0.1:{port}"), BUDGET.to_string());
    let mut arguments = vec!["crawl", "--data", &data_text, "--proxy", &proxy];
    arguments.extend(["--examples", &examples, "--budget", &budget]);
    arguments.extend(["--delay", "0", "--json"]);
    arguments.extend(database.iter().flat_map(|address| ["--database", *address]));
    let store = match database {
        Some(address) => Store::open_database(address, &data).await?,
        None => Store::open(&data).await?,
    };
    let mut acknowledged: Vec<String> = Vec::new();
    let (mut cut_short, mut before) = (0, HashSet::new());
    let (mut again, mut lost) = (Vec::new(), Vec::new());
    for death in 0..deaths {
        let mut crawl = Companion::start(&arguments)?;
        // Wait until it has gone on, then let it die at some moment.
        let wanted = acknowledged.len() + 1 + (death * 7) % 15;
        wait_for("the crawl goes on", 60, || async {
            Ok((log(&store).await?.len() >= wanted.min(BUDGET)).then_some(()))
        })
        .await?;
        tokio::time::sleep(Duration::from_millis((death as u64 * 13) % 60)).await;
        crawl.kill().await?;
        lost.push(unanswered(&store).await?);
        let now = log(&store).await?;
        ensure!(
            now.starts_with(&acknowledged),
            "death {death}: the log lost or changed lines"
        );
        cut_short += usize::from(now.len() < BUDGET);
        acknowledged = now;
        let asked: Vec<String> = all(&asked).drain().map(|(address, _)| address).collect();
        let pages = asked
            .into_iter()
            .filter(|address| !address.ends_with("/robots.txt"));
        let (repeated, new): (Vec<_>, Vec<_>) = pages.partition(|page| before.contains(page));
        again.push(repeated.len());
        before.extend(new);
        if acknowledged.len() >= BUDGET {
            break;
        }
    }
    ensure!(
        cut_short + 2 >= deaths,
        "only {cut_short} deaths cut the crawl short: raise the budget"
    );
    println!("under way at each death: {lost:?}; made again before the next: {again:?}");
    ensure!(lost.iter().all(|lost| *lost <= UNDER_WAY), "{lost:?}");
    let (lost, again) = (lost.iter().sum::<usize>(), again.iter().sum::<usize>());
    ensure!(
        again <= lost,
        "{again} requests were made again, {lost} were under way"
    );
    let last = Companion::start(&arguments)?.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    let asked = all(&asked).clone();
    for address in &acknowledged {
        ensure!(
            !asked.contains_key(address),
            "{address} was acknowledged and fetched again"
        );
    }
    let mut all = log(&store).await?;
    ensure!(all.starts_with(&acknowledged));
    let whole = all.len();
    all.sort();
    all.dedup();
    ensure!(all.len() == whole, "a page stands in the log twice");
    Ok(())
}
