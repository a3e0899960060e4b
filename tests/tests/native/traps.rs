//! A crawl beside a site without end: a calendar, goods in every selection, a new identifier for each
//! visit, folders in folders, a name for every subdomain, redirects that lead to redirects. All of
//! it says the right words. Few requests go there, and all other pages are reached. The same beside a
//! site that makes up a text for each page.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use linkscent_store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Asked, Reply, scripted_web, so_far};
use linkscent_tests::shell::list;
use linkscent_tests::web::word;

const HOSTS: usize = 20;
/// Requests that the site without end may cost.
const MOST: usize = 200;
/// Where the honest pages lead into the site without end.
const REPEATING: [&str; 6] = [
    "calendar?y=2026&m=11",
    "goods",
    "s/0/list",
    "deep/",
    "moved/1",
    "names",
];
const MADE_UP: [&str; 6] = [
    "calendar/1",
    "goods?c=1",
    "s/0/list",
    "deep/1/",
    "maze/entry",
    "names",
];

/// A page of 20 hosts with so many pages each.
fn honest(host: usize, page: usize, pages: usize, traps: [&str; 6]) -> String {
    let number = host * pages + page;
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
            let to = (number * 7 + step * 13) % (HOSTS * pages);
            let next = (number + 1) % (HOSTS * pages);
            let link = |to: usize| {
                format!(
                    "<p><a href='http://site{}.test/{}'>{about} {}</a>",
                    to / pages,
                    to % pages,
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
        traps[number % traps.len()]
    )
}

/// What the site without end answers at a path of a host.
fn endless(host: &str, path: &str) -> Reply {
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
        return Reply::Redirect(format!("http://trap.test/moved/{}", number(path) + 1));
    } else {
        let from = number(host) * 3;
        (1..=3)
            .map(|step| format!("http://visitor{}.trap.test/", from + step))
            .collect()
    };
    let links: String = links.into_iter().map(link).collect();
    Reply::Page(format!(
        "<title>Kidney dialysis {}</title>{text}{links}",
        number(path)
    ))
}

/// The same of a site whose pages say something new each, and lead to pages that nothing else leads to.
fn made_up(host: &str, path: &str) -> Reply {
    let seed = format!("{host}{path}").bytes().fold(7_usize, |seed, sign| {
        seed.wrapping_mul(31).wrapping_add(usize::from(sign))
    });
    let number = |step: usize| seed.wrapping_add(step).wrapping_mul(2_654_435_761) % 100_000_000;
    let links = (1..=12).map(|step| {
        let number = number(step);
        let (one, other) = (word(number), word(number / 7));
        if path.starts_with("/calendar/") {
            format!("/calendar/{number}")
        } else if path.starts_with("/goods") {
            format!("{path}&f{}={}", number % 50, number % 49)
        } else if path.starts_with("/s/") {
            format!("/s/{number:016x}/list")
        } else if path.starts_with("/deep/") {
            format!("{path}x{number}/")
        } else if path.starts_with("/maze/") {
            format!("/maze/{one}-{other}/{other}")
        } else {
            format!("http://visitor{number}.trap.test/names")
        }
    });
    let links: String = links
        .map(|to| format!("<p><a href='{to}'>more kidney dialysis</a>"))
        .collect();
    let own: String = (20..40)
        .map(|step| format!("{} ", word(number(step))))
        .collect();
    Reply::Page(format!(
        "<title>Kidney dialysis</title><p>Kidney dialysis for patients: {own}</p>{links}"
    ))
}

/// A web with so many honest pages on each host, and a site without end.
fn web(address: &str, pages: usize, traps: [&str; 6], endless: fn(&str, &str) -> Reply) -> Reply {
    let rest = address.trim_start_matches("http://");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    if path == "/robots.txt" {
        return Reply::Status(404);
    }
    if host.ends_with("trap.test") {
        return endless(host, path);
    }
    let site = host.trim_start_matches("site").trim_end_matches(".test");
    match (site.parse(), path.trim_start_matches('/').parse()) {
        (Ok(site @ ..HOSTS), Ok(page)) if page < pages => {
            Reply::Page(honest(site, page, pages, traps))
        }
        _ => Reply::Status(404),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn few_requests_go_to_a_site_without_end() -> Result<()> {
    let (port, asked) = scripted_web(|address| web(address, 100, REPEATING, endless)).await?;
    few_requests_are_wasted(port, &asked, 100).await
}

#[tokio::test(flavor = "multi_thread")]
async fn few_requests_go_to_a_site_that_makes_up_its_pages() -> Result<()> {
    let (port, asked) = scripted_web(|address| web(address, 30, MADE_UP, made_up)).await?;
    few_requests_are_wasted(port, &asked, 30).await
}

/// Crawls with room for half as many pages again as there are honest ones.
async fn few_requests_are_wasted(port: u16, asked: &Asked, pages: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let starts = list(folder.path(), &["http://site0.test/0"])?;
    let data = folder.path().join("data");
    let (path, proxy) = (
        data.display().to_string(),
        format!("http://127.0.0.1:{port}"),
    );
    let budget = (HOSTS * pages * 3 / 2).to_string();
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
        &budget,
        "--delay",
        "0",
        "--data",
        &path,
        "--proxy",
        &proxy,
    ])?;
    println!("{}", crawl.finish().await?.trim());
    let requests: Vec<String> = so_far(asked)
        .into_iter()
        .filter(|page| !page.ends_with("/robots.txt"))
        .collect();
    let in_trap: Vec<&String> = requests
        .iter()
        .filter(|page| page.contains("trap.test"))
        .collect();
    let honest: BTreeSet<&String> = requests
        .iter()
        .filter(|page| page.contains("//site"))
        .collect();
    let store = Store::open(&data).await?;
    let skipped = store.skipped(1).await?;
    println!(
        "{} requests to the site without end, {} of {} other pages; not asked for: {}",
        in_trap.len(),
        honest.len(),
        HOSTS * pages,
        skipped.iter().map(|row| row.count).sum::<u64>()
    );
    ensure!(in_trap.len() <= MOST, "{in_trap:?}");
    ensure!(honest.len() * 100 >= HOSTS * pages * 99);
    ensure!(
        skipped.iter().any(|row| row.reason.contains("repeat")),
        "{skipped:?}"
    );
    Ok(())
}
