//! A crawl beside a site without end: a calendar, goods in every selection, a new identifier for each
//! visit, folders in folders, a name for every subdomain, redirects that lead to redirects. All of
//! it says the right words. Few requests go there, and all other pages are reached.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use linkscent::store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web, so_far};
use linkscent_tests::shell::list;
use linkscent_tests::web::word;

const HOSTS: usize = 20;
const PAGES: usize = 100;
const BUDGET: &str = "3000";
/// Requests that the site without end may cost.
const MOST: usize = 200;

fn honest(host: usize, page: usize) -> String {
    let number = host * PAGES + page;
    let about = if number.is_multiple_of(3) {
        "kidney dialysis for patients"
    } else {
        "trains and their timetables"
    };
    let own: String = (0..20)
        .map(|place| format!("{} of {} ", word(number * 31 + place), word(number)))
        .collect();
    let links: String = (1..=6)
        .map(|step| {
            let to = (number * 7 + step * 13) % (HOSTS * PAGES);
            let next = (number + 1) % (HOSTS * PAGES);
            let link = |to: usize| {
                format!(
                    "<p><a href='http://site{}.test/{}'>{about} {}</a>",
                    to / PAGES,
                    to % PAGES,
                    word(to)
                )
            };
            format!("{}{}", link(to), link(next))
        })
        .collect();
    format!(
        "<title>{} {}</title><p>{about}: {own}</p>{links}\
         <p><a href='http://trap.test/{}'>kidney dialysis, more of it</a>",
        word(host),
        word(page),
        [
            "calendar?y=2026&m=11",
            "goods",
            "s/0/list",
            "deep/",
            "moved/1",
            "names"
        ][number % 6]
    )
}

/// A page of the site without end at a path of a host; none if it leads on.
fn endless(host: &str, path: &str) -> Result<String, String> {
    let text = "<p>Kidney dialysis for patients: all that there is about it, day by day</p>";
    let number = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    let number = |text: &str| number(text).parse::<usize>().unwrap_or_default() % 1_000_000;
    let link = |to: String| format!("<p><a href='{to}'>more kidney dialysis</a>");
    let links: Vec<String> = if path.starts_with("/calendar") {
        let month = path.split("y=").nth(1).unwrap_or_default();
        let mut parts = month.split("&m=").map(number);
        let (year, month) = (parts.next().unwrap_or(1), parts.next().unwrap_or(1));
        let at = |month: usize| format!("/calendar?y={}&m={}", month / 12, month % 12);
        let now = year * 12 + month;
        vec![
            at(now + 1),
            at(now.saturating_sub(1)),
            at(now + 12),
            at(now + 120),
        ]
    } else if path.starts_with("/goods") {
        let kinds = ["red", "blue", "large", "small", "cheap", "new"];
        let by_path = kinds.iter().map(|kind| format!("{path}/{kind}-only"));
        let by_query = kinds
            .iter()
            .map(|kind| format!("{path}?{kind}={}", path.len()));
        let by_query = by_query.filter(|_| !path.contains('?'));
        by_path
            .filter(|_| !path.contains('?'))
            .chain(by_query)
            .collect()
    } else if path.starts_with("/s/") {
        let visit = number(path) * 17 + 4_711;
        (0..5)
            .map(|place| format!("/s/{}{place}/list", visit % 1_000_003))
            .collect()
    } else if path.starts_with("/deep") {
        (0..3).map(|place| format!("{path}more{place}/")).collect()
    } else if path.starts_with("/moved") {
        return Err(format!("http://trap.test/moved/{}", number(path) + 1));
    } else {
        let from = number(host) * 3;
        (1..=3)
            .map(|step| format!("http://visitor{}.trap.test/", from + step))
            .collect()
    };
    let links: String = links.into_iter().map(link).collect();
    Ok(format!(
        "<title>Kidney dialysis {}</title>{text}{links}",
        number(path)
    ))
}

fn web(address: &str) -> Reply {
    let rest = address.trim_start_matches("http://");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if path == "/robots.txt" {
        return Reply::Status(404);
    }
    if host.ends_with("trap.test") {
        return match endless(host, path) {
            Ok(page) => Reply::Page(page),
            Err(to) => Reply::Redirect(to),
        };
    }
    let site = host.trim_start_matches("site").trim_end_matches(".test");
    match (site.parse(), path.trim_start_matches('/').parse()) {
        (Ok(site @ ..HOSTS), Ok(page @ ..PAGES)) => Reply::Page(honest(site, page)),
        _ => Reply::Status(404),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn few_requests_go_to_a_site_without_end() -> Result<()> {
    let (port, asked) = scripted_web(web).await?;
    let folder = tempfile::tempdir()?;
    let starts = list(folder.path(), &["http://site0.test/0"])?;
    let data = folder.path().join("data");
    let (path, proxy) = (
        data.display().to_string(),
        format!("http://127.0.0.1:{port}"),
    );
    let crawl = Companion::start(&[
        "crawl",
        "--json",
        "--topic",
        "kidneys",
        "--seeds",
        &starts,
        "--critic",
        "text has \"kidney\"",
        "--budget",
        BUDGET,
        "--delay",
        "0",
        "--data",
        &path,
        "--proxy",
        &proxy,
    ])?;
    println!("{}", crawl.finish().await?.trim());
    let pages: Vec<String> = so_far(&asked)
        .into_iter()
        .filter(|page| !page.ends_with("/robots.txt"))
        .collect();
    let in_trap: Vec<&String> = pages
        .iter()
        .filter(|page| page.contains("trap.test"))
        .collect();
    let honest: BTreeSet<&String> = pages
        .iter()
        .filter(|page| page.contains("//site"))
        .collect();
    let store = Store::open(&data).await?;
    let skipped = store.skipped(1).await?;
    println!(
        "{} requests to the site without end, {} of {} other pages; not asked for: {}",
        in_trap.len(),
        honest.len(),
        HOSTS * PAGES,
        skipped.iter().map(|row| row.count).sum::<u64>()
    );
    ensure!(in_trap.len() <= MOST, "{in_trap:?}");
    ensure!(honest.len() * 100 >= HOSTS * PAGES * 99);
    ensure!(
        skipped.iter().any(|row| row.reason.contains("repeat")),
        "{skipped:?}"
    );
    Ok(())
}
