//! Strings that break carelessly made pages, in what the dashboard shows of a crawl: as titles, as
//! text, in addresses and as texts of links. In real browsers nothing of them runs, nothing is
//! reported as refused, and no element comes of them. And the same screens keep the rules for
//! people who see or move otherwise.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_store::Store;
use linkscent_tests::browser::{Browser, BrowserKind};
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::web::word;
use linkscent_tests::{material, shell, skipped};
use serde_json::Value;

/// Characters of a string that stand in an address; longer addresses are not followed.
const LONGEST_IN_ADDRESS: usize = 200;
/// Fields by the letters that mark their strings: title, text, address and link.
const FIELDS: [&str; 4] = ["ti", "sn", "ad", "an"];
/// Screens of one list at most.
const MOST_SCREENS: usize = 100;
/// Of so many explanations one is opened.
const OPENED: usize = 20;
/// Elements that the dashboard's own pages are made of.
const ELEMENTS: &str = "html head title meta link script body header nav main footer section p a h1 \
    h2 h3 ol ul li small span details summary form input button label select option b mark time \
    code kbd datalist textarea table thead tbody tr th td svg g circle rect line path text \
    polyline polygon figure figcaption fieldset legend dl dt dd strong em i div progress optgroup \
    output pre meter";

/// The 223 payloads of `DOMPurify` and the 515 strings of the Big List of Naughty Strings.
fn strings(shared: &Path) -> Result<Vec<String>> {
    let read = |name: &str| -> Result<Vec<Value>> {
        let file = std::fs::read_to_string(shared.join("suites").join(name))?;
        Ok(serde_json::from_str(&file)?)
    };
    let mut strings = Vec::new();
    for value in read("dompurify_payloads.json")?
        .into_iter()
        .chain(read("blns.json")?)
    {
        let text = value.as_str().or_else(|| value["payload"].as_str());
        strings.push(text.context("no string")?.to_owned());
    }
    Ok(strings)
}

fn escaped(text: &str) -> String {
    let escape = |letter| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Every byte of a text as it may stand in a path.
fn in_path(text: &str) -> String {
    let start: String = text.chars().take(LONGEST_IN_ADDRESS).collect();
    start.bytes().fold(String::new(), |mut path, byte| {
        if byte.is_ascii_alphanumeric() {
            path.push(char::from(byte));
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
        path
    })
}

fn address_of(number: usize, text: &str) -> String {
    format!("http://{}.test/ad{number}x{}", word(number), in_path(text))
}

/// A page about kidneys that says a string, with words of its own.
fn page_of(number: usize, text: &str) -> String {
    let own: String = (0..30)
        .map(|n| format!("{} ", word(number * 31 + n)))
        .collect();
    let text = escaped(text);
    format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>ti{number}x {text}</title>\
         <h1>Kidney dialysis</h1><p>sn{number}x kidney dialysis for patients {text}</p>\
         <p>{own} kidney patients, dialysis and care.</p>"
    )
}

/// A hub that links to a page for each string, and these pages.
fn web(strings: &[String], address: &str) -> Reply {
    let path = address.split_once(".test/").map_or("", |split| split.1);
    let number = path
        .strip_prefix("ad")
        .and_then(|rest| rest.split('x').next()?.parse::<usize>().ok());
    if let Some(number) = number.filter(|number| *number < strings.len()) {
        return Reply::Page(page_of(number, &strings[number]));
    }
    if path == "robots.txt" {
        return Reply::Status(404);
    }
    let links: String = strings
        .iter()
        .enumerate()
        .map(|(number, text)| {
            let address = address_of(number, text);
            let text = escaped(text);
            format!(
                "<li>Kidney dialysis: <a href='{address}'>an{number}x kidney dialysis {text}</a>"
            )
        })
        .collect();
    Reply::Page(format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Kidney dialysis</title>\
         <h1>Kidney dialysis</h1><p>Dialysis for kidney patients.</p><ul>{links}</ul>"
    ))
}

/// What is wrong with the screen that is shown, and which strings it shows.
const LOOK: &str = "const look = (document) => {
    document.querySelectorAll('details').forEach((details) => (details.open = true));
    const asked = (address) => (URL.canParse(address) ? Number(new URL(address).searchParams.get('page') ?? 0) : -1);
    const isMore = [...document.links].some(({ href }) => asked(href) === asked(location.href) + 1);
    const allowed = new Set(ELEMENTS.split(/\\s+/)), wrong = [], own = location.origin;
    for (const element of document.querySelectorAll('*')) {
        if (!allowed.has(element.localName)) wrong.push(element.outerHTML.slice(0, 100));
        for (const { name, value } of element.attributes) {
            if (/^on|^srcdoc$|^style$|^formaction$|^background$/.test(name)) wrong.push(`${name}=${value}`);
            if (name === 'href' && !/^https?:$/.test(new URL(value, location.href).protocol)) wrong.push(value);
            if (['src', 'action', 'data', 'poster'].includes(name) && new URL(value, location.href).origin !== own) wrong.push(value);
        }
        if (element.localName === 'script' && element.textContent !== '') wrong.push(element.textContent);
    }
    const shown = (document.defaultView ? document.body.innerText : document.body.textContent).match(/(ti|sn|ad|an)\\d+x/g) ?? [];
    return [wrong, [...new Set(shown)], isMore];
    };";

struct Seen {
    strings: BTreeSet<String>,
    wrong: Vec<String>,
}

impl Seen {
    /// Adds what was found; whether the list goes on.
    fn add(&mut self, place: &str, found: &Value) -> Option<bool> {
        let texts = |value: &Value| -> Vec<String> {
            let values = value.as_array().into_iter().flatten();
            let texts = values.filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        let wrong = texts(&found[0]).into_iter();
        self.wrong
            .extend(wrong.map(|what| format!("{place}: {what}")));
        self.strings.extend(texts(&found[1]));
        found[2].as_bool()
    }
}

fn looking() -> String {
    LOOK.replace("ELEMENTS", &format!("{ELEMENTS:?}"))
}

/// Opens a screen; whether another one goes on with its list.
async fn look(screen: &Browser, address: &str, seen: &mut Seen) -> Result<bool> {
    screen.driver.goto(address).await?;
    let script = format!("{} return look(document);", looking());
    let found = screen.read(&script).await?;
    seen.add(address, &found).context("no list")
}

/// Looks at all screens that show what pages say.
async fn look_everywhere(screen: &Browser, base: &str, pages: usize) -> Result<Seen> {
    let mut seen = Seen {
        strings: BTreeSet::new(),
        wrong: Vec::new(),
    };
    for list in ["crawl/1/results?", "library?of=all&q=kidney&"] {
        for page in 0.. {
            ensure!(page < MOST_SCREENS, "{list} never ends");
            let address = format!("{base}/{list}page={page}");
            if !look(screen, &address, &mut seen).await? {
                println!("{list}: {} screens", page + 1);
                break;
            }
        }
    }
    for path in [
        "",
        "topic/1",
        "topic/1/map",
        "crawl/1",
        "crawl/1/hosts",
        "crawl/1/yield",
        "sites",
    ] {
        look(screen, &format!("{base}/{path}"), &mut seen).await?;
    }
    // What a link said stands where a page is explained. Some of these screens are opened, the
    // others only parsed: what an element would come of is one then, too.
    let numbers: Vec<usize> = (1..=pages).collect();
    for some in numbers.chunks(OPENED) {
        let addresses = some
            .iter()
            .map(|number| format!("{base}/library/why/1/{number}"));
        let addresses: Vec<String> = addresses.collect();
        look(screen, &addresses[0], &mut seen).await?;
        let parse = format!(
            "const read = async (address) => new DOMParser().parseFromString(await (await fetch(address)).text(), 'text/html');
             const found = [];
             for (const address of {}) found.push(look(await read(address)));
             return [found.flatMap((one) => one[0]), found.flatMap((one) => one[1]), false];",
            serde_json::to_string(&addresses[1..])?
        );
        let found = screen.script(&format!("{}{parse}", looking())).await?;
        seen.add("why", &found);
    }
    Ok(seen)
}

/// Every violation of WCAG's levels A and AA on some screens, where `LINKSCENT_AXE` names the file
/// `axe.min.js` of axe-core.
async fn accessible(screen: &Browser, base: &str) -> Result<()> {
    let Some(file) = std::env::var_os("LINKSCENT_AXE") else {
        skipped("LINKSCENT_AXE names no axe-core");
        return Ok(());
    };
    let axe = std::fs::read_to_string(file)?;
    let run = "const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
        const { violations, passes } = await globalThis.axe.run(document, { runOnly: tags });
        return [violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ html }) => html.slice(0, 120)).join(' ')}`), passes.length];";
    let paths = [
        "",
        "topic/1",
        "topic/1/map",
        "crawl/1",
        "crawl/1/results",
        "crawl/1/hosts",
        "crawl/1/yield",
        "library?of=all&q=kidney",
        "library/why/1/2",
        "sites",
        "settings",
        "topic/1/dry-run",
    ];
    for path in paths {
        let address = format!("{base}/{path}");
        screen.driver.goto(&address).await?;
        screen.read(&axe).await?;
        let found = screen.script(run).await?;
        ensure!(found[0] == serde_json::json!([]), "{path}: {found}");
        ensure!(found[1].as_u64() > Some(5), "{path}: {found}");
    }
    Ok(())
}

async fn strings_stay_strings(kind: BrowserKind) -> Result<()> {
    let Some(shared) = material() else {
        return Ok(());
    };
    let strings = strings(&shared)?;
    ensure!(strings.len() == 738, "{}", strings.len());
    let count = strings.len();
    let (proxy, _) = scripted_web(move |address| web(&strings, address)).await?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let list = shell::list(folder.path(), &["http://kidney.test/"])?;
    let budget = (count + 2).to_string();
    let more = ["--examples", &list, "--budget", &budget, "--delay", "0"];
    let crawled = shell::run(shell::crawl(&data, proxy, &more)?).await?;
    ensure!(crawled.success, "{}", crawled.errors);
    let pages = Store::open(&data).await?.fetches(1).await?.len();
    let (companion, _, link, _) = Companion::serve(&data, proxy).await?;
    let screen = Browser::start(kind, proxy).await?;
    screen.watch_refusals().await?;
    screen.driver.goto(&link).await?;
    screen.wait_for_text("New topic").await?;
    let base = screen.driver.current_url().await?.to_string();
    let base = base.trim_end_matches('/');
    let seen = look_everywhere(&screen, base, pages).await?;
    ensure!(seen.wrong.is_empty(), "{}", seen.wrong.join("\n"));
    for field in FIELDS {
        let missing: Vec<usize> = (0..count)
            .filter(|number| !seen.strings.contains(&format!("{field}{number}x")))
            .collect();
        ensure!(missing.is_empty(), "{field}: not shown: {missing:?}");
    }
    let refused = screen.refusals().await?;
    ensure!(refused.is_empty(), "{}", refused.join("\n"));
    accessible(&screen, base).await?;
    // A string that became an element would have been noticed.
    screen
        .read("document.body.insertAdjacentHTML('beforeend', '<img src=x: onerror=alert(1)>');")
        .await?;
    ensure!(!screen.refusals().await?.is_empty(), "nothing is noticed");
    drop(companion);
    screen.quit().await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it looks at some hundred screens: cargo nightly"]
async fn strings_stay_strings_in_chromium() -> Result<()> {
    strings_stay_strings(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it looks at some hundred screens: cargo nightly"]
async fn strings_stay_strings_in_firefox() -> Result<()> {
    strings_stay_strings(BrowserKind::Firefox).await
}
