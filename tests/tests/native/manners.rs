//! What a crawl asks for and what it leaves alone: robots.txt, ports, hosts that give
//! their answers drop by drop, pages that cost too much, a proxy that is not there.

use std::time::Instant;

use anyhow::{Result, ensure};
use linkscent_store::{CrawlState, Store};
use linkscent_tests::scripted::{Reply, scripted_web, so_far};
use linkscent_tests::shell::{crawl, list, run};

const ANY: [&str; 4] = [
    "--critic",
    "text has \"kidney\"",
    "--strategy",
    "breadth-first",
];

fn links(targets: &[String]) -> Reply {
    let links: String = targets
        .iter()
        .map(|target| format!("<p>kidney <a href='{target}'>kidney dialysis</a>"))
        .collect();
    Reply::Page(format!("<title>start</title>{links}"))
}

fn page(address: &str) -> Reply {
    Reply::Page(format!("<title>kidney {address}</title><p>kidney dialysis"))
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|text| (*text).to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_robots_txt_forbids_is_not_asked_for_and_counted() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (proxy, asked) = scripted_web(|address| match address {
        "http://start.test/robots.txt" => Reply::Status(404),
        "http://start.test/" => links(&texts(&[
            "http://rules.test/ok/%2%65%2%65/private/1",
            "http://rules.test/ok/%2e%2E/private/2",
            "http://rules.test/private/3",
            "http://rules.test/ok/4",
            "http://busy.test/1",
            "http://broken.test/1",
            "http://open.test/1",
        ])),
        "http://rules.test/robots.txt" => {
            Reply::Text("User-agent: *\nDisallow: /private\n".to_owned())
        }
        "http://busy.test/robots.txt" => Reply::Status(429),
        "http://broken.test/robots.txt" => Reply::Status(503),
        "http://open.test/robots.txt" => Reply::Status(403),
        other => page(other),
    })
    .await?;
    let starts = list(folder.path(), &["http://start.test/", "http://gone.test/"])?;
    let data = folder.path().join("data");
    let more = ["--seeds", &starts, "--budget", "20", "--delay", "0"];
    let ended = run(crawl(&data, proxy, &[&more[..], &ANY].concat())?).await?;
    ensure!(ended.json["stop_reason"] == "frontier_empty", "{ended:?}");
    let asked = so_far(&asked);
    for forbidden in ["rules.test/private", "busy.test/1", "broken.test/1"] {
        ensure!(
            !asked.iter().any(|page| page.contains(forbidden)),
            "{forbidden}: {asked:?}"
        );
    }
    for allowed in ["http://rules.test/ok/4", "http://open.test/1", "%252e%252e"] {
        ensure!(
            asked.iter().any(|page| page.contains(allowed)),
            "{allowed}: {asked:?}"
        );
    }
    let store = Store::open(&data).await?;
    let skipped = store.skipped(1).await?;
    let count = |reason: &str| -> u64 {
        let rows = skipped.iter().filter(|row| row.reason.contains(reason));
        rows.map(|row| row.count).sum()
    };
    ensure!(count("does not allow it") == 2, "{skipped:?}");
    ensure!(count("429") == 1 && count("503") == 1, "{skipped:?}");
    ensure!(ended.json["skipped"].as_array().map(Vec::len) == Some(skipped.len()));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_that_is_down_pauses_the_crawl_and_seeds_out_of_reach_are_counted() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let starts = list(folder.path(), &["http://start.test/"])?;
    let nobody = 1;
    let more = ["--seeds", &starts, "--budget", "5", "--delay", "0"];
    let ended = run(crawl(&data, nobody, &[&more[..], &ANY].concat())?).await?;
    let reason = ended.json["stop_reason"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    ensure!(
        reason.contains("proxy") && reason.contains("does not answer"),
        "{ended:?}"
    );
    let store = Store::open(&data).await?;
    let state = store.crawl(1).await?.map(|crawl| crawl.state);
    ensure!(state == Some(CrawlState::Paused), "{state:?}");
    // With a proxy that is there the same crawl goes on.
    let (proxy, _) = scripted_web(|address| match address {
        "http://start.test/robots.txt" => Reply::Status(404),
        other => page(other),
    })
    .await?;
    let ended = run(crawl(&data, proxy, &[])?).await?;
    ensure!(ended.json["pages"] == 1, "{ended:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_never_to_be_asked_is_not_asked() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, asked) = scripted_web(|address| match address {
        "http://start.test/" => links(&texts(&[
            "http://never.test/1",
            "http://below.never.test/2",
            "http://notnever.test/3",
        ])),
        other if other.ends_with("robots.txt") => Reply::Status(404),
        other => page(other),
    })
    .await?;
    let starts = list(folder.path(), &["http://start.test/", "http://never.test/"])?;
    let more = [
        "--seeds",
        &starts,
        "--budget",
        "9",
        "--delay",
        "0",
        "--never",
        "never.test",
    ];
    let ended = run(crawl(&data, proxy, &[&more[..], &ANY].concat())?).await?;
    ensure!(ended.json["pages"] == 2, "{ended:?}");
    let asked = so_far(&asked);
    let is_never = |page: &&String| page.contains("//never.test") || page.contains("below");
    ensure!(asked.iter().filter(is_never).count() == 0, "{asked:?}");
    let odd = ["--contact", "a\nb"];
    let refused = run(crawl(&data, proxy, &odd)?).await?;
    ensure!(
        !refused.success && refused.errors.contains("plain characters"),
        "{refused:?}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn only_ports_of_the_web_are_asked() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (proxy, asked) = scripted_web(|address| {
        if address.ends_with("/robots.txt") {
            Reply::Status(404)
        } else {
            page(address)
        }
    })
    .await?;
    let ports = ["22", "25", "3306", "6379", "8080", "4444"];
    let pages: Vec<String> = ports
        .map(|port| format!("http://a{port}.test:{port}/"))
        .to_vec();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let starts = list(folder.path(), &pages)?;
    let more = [
        "--seeds",
        &starts,
        "--budget",
        "9",
        "--delay",
        "0",
        "--allow-port",
        "4444",
    ];
    let data = folder.path().join("data");
    let ended = run(crawl(&data, proxy, &[&more[..], &ANY].concat())?).await?;
    ensure!(ended.json["pages"] == 2, "{ended:?}");
    let asked = so_far(&asked).join(" ");
    ensure!(
        asked.contains(":8080/") && asked.contains(":4444/"),
        "{asked}"
    );
    for port in [":22/", ":25/", ":3306/", ":6379/"] {
        ensure!(!asked.contains(port), "{asked}");
    }
    let skipped = ended.json["skipped"].to_string();
    ensure!(
        skipped.contains("--allow-port 22") && skipped.contains("\"seeds\":1"),
        "{skipped}"
    );
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_hosts_and_costly_pages_hold_up_nobody() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let attributes: String = (0..40_000).map(|number| format!(" a{number}")).collect();
    let (proxy, asked) = scripted_web(move |address| {
        if address.ends_with("/robots.txt") {
            return Reply::Status(404);
        }
        if address == "http://start.test/" {
            let slow = (0..60).map(|n| format!("http://slow{n}.test/"));
            let costly = (0..8).map(|n| format!("http://costly{n}.test/"));
            let good = (0..20).map(|n| format!("http://good{n}.test/0"));
            return links(&slow.chain(costly).chain(good).collect::<Vec<_>>());
        }
        if address.contains("slow") {
            return Reply::Dribble;
        }
        if address.contains("costly") {
            return Reply::Page(format!("<title>{address}</title><p{attributes}><p>kidney"));
        }
        let (host, number) = address.rsplit_once('/').unwrap_or((address, "0"));
        let next: u32 = number.parse().unwrap_or(0) + 1;
        links(&[format!("{host}/{next}")])
    })
    .await?;
    let starts = list(folder.path(), &["http://start.test/"])?;
    let data = folder.path().join("data");
    let more = ["--seeds", &starts, "--budget", "400", "--delay", "0"];
    let began = Instant::now();
    let ended = run(crawl(&data, proxy, &[&more[..], &ANY].concat())?).await?;
    ensure!(ended.json["pages"] == 400, "{ended:?}");
    // By sixteen at a time and 34 s each, the slow ones alone would take three minutes.
    ensure!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    let good = so_far(&asked)
        .iter()
        .filter(|page| page.contains("good"))
        .count();
    ensure!(good > 350, "{good} honest pages");
    Ok(())
}
