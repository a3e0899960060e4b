//! What a page learns of the extension, and what the extension keeps of a page: in real
//! browsers, on pages that look and pages that hide.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use thirtyfour::prelude::*;

const CLINIC: &str = "<p>opioid methadone addiction treatment recovery relapse counselling for \
    patients in our town</p>";

fn page(title: &str, body: &str) -> String {
    format!("<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>{body}")
}

/// A field that nobody else is to know.
const SECRET: &str = "<input type=password>";

/// A frame that is given its page as text.
fn written(inside: &str) -> String {
    format!("<iframe srcdoc=\"{inside}\"></iframe>")
}

/// A page that gets its private field when it is told to.
fn later(act: &str) -> String {
    let body = format!(
        "<p>tomatoes<input><iframe></iframe><div><template shadowrootmode=open><p>in it</template></div>
         <script>globalThis.now = () => {{ const secret = {SECRET:?}; {act}; }};</script>"
    );
    page("Garden", &body)
}

/// The web of these stories.
fn web(address: &str) -> Reply {
    let path = address.split(".test").nth(1).unwrap_or("/");
    let garden: String = (0..40)
        .map(|n| format!("<p>tomatoes and potatoes <a href='/garden/{n}'>garden {n}</a>"))
        .collect();
    let body = match path {
        "/clinic/1" | "/clinic/2" => page("Opioid addiction treatment", &CLINIC.repeat(6)),
        "/news" => {
            let link = "<p>Read more: <a id=bait href='/x/1'>opioid addiction treatment</a>";
            page("News of the day", &format!("{link}{garden}"))
        }
        "/shop" => {
            let styles = [
                "display:none",
                "opacity:0",
                "position:absolute;left:-9999px",
                "font-size:0",
                "visibility:hidden",
                "width:0;height:0;overflow:hidden",
                "clip-path:inset(100%)",
                "position:absolute;clip:rect(0px,0px,0px,0px)",
                "text-indent:-9999px;overflow:hidden",
            ];
            let hidden: String = styles
                .iter()
                .enumerate()
                .map(|(n, style)| {
                    format!("<p style='{style}'><a href='/hidden/{n}'>opioid addiction treatment {n}</a></p>")
                })
                .collect();
            let white = "<p style='background:#fff'><a style='color:#fff' href='/hidden/white'>opioid addiction treatment white</a></p>";
            let seen = "<p><a href='/seen/1'>opioid addiction treatment seen</a></p>";
            page("Shop", &format!("{hidden}{white}{seen}{garden}"))
        }
        "/login" => page(
            "CANARYLOGIN",
            "<p>CANARYLOGIN balance</p><form><input type=password name=pw></form>",
        ),
        "/card" => page(
            "CANARYCARD",
            "<p>CANARYCARD</p><form><input name=cardNumber><input name=cvc></form>",
        ),
        "/code" => page(
            "CANARYCODE",
            "<p>CANARYCODE</p><input autocomplete='one-time-code'>",
        ),
        "/in-a-frame" => page("CANARYFRAME", "<p>CANARYFRAME<iframe src=/login></iframe>"),
        "/written" => page(
            "CANARYWRITTEN",
            &format!("<p>CANARYWRITTEN{}", written(SECRET)),
        ),
        "/apart" => page(
            "CANARYAPART",
            &format!(
                "<p>CANARYAPART{}",
                written(SECRET).replace("<iframe", "<iframe sandbox")
            ),
        ),
        "/twice" => page(
            "CANARYTWICE",
            &format!(
                "<p>CANARYTWICE{}",
                written(&written(SECRET).replace('"', "'"))
            ),
        ),
        "/blank" => page(
            "CANARYBLANK",
            &format!(
                "<p>CANARYBLANK<iframe></iframe><script>frames[0].document.body.innerHTML = `{SECRET}`</script>"
            ),
        ),
        "/shadow" => page(
            "CANARYSHADOW",
            &format!("<p>CANARYSHADOW<div><template shadowrootmode=open>{SECRET}</template></div>"),
        ),
        "/later/page" => later("document.body.insertAdjacentHTML('beforeend', secret)"),
        "/later/frame" => {
            later("document.querySelector('iframe').contentDocument.body.innerHTML = secret")
        }
        "/later/written" => later("document.querySelector('iframe').srcdoc = secret"),
        "/later/shadow" => later("document.querySelector('div').shadowRoot.innerHTML = secret"),
        "/later/type" => later("document.querySelector('input').type = 'password'"),
        "/statement" => return Reply::NoStore(page("CANARYSTATEMENT", "<p>CANARYSTATEMENT</p>")),
        "/account?token=CANARYTOKEN&page=2" => page(
            "Your orders",
            "<p>tomatoes <a id=out href='/out?session=CANARYSESSION&n=1'>garden tomatoes</a>",
        ),
        "/reset/3f9a1c77e0b24d5f8a6b" => page("CANARYRESET", "<p>CANARYRESET"),
        _ => page("Garden", &garden),
    };
    Reply::Page(body)
}

async fn stage(kind: BrowserKind) -> Result<Stage> {
    let (proxy, _) = scripted_web(web).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    stage.open("http://news.test/garden").await?;
    stage.popup().await?;
    stage.type_in("topic-name", "methadone").await?;
    stage.press("create-topic").await?;
    for number in [1, 2] {
        let clinic = format!("http://town.test/clinic/{number}");
        stage.mark(&clinic, "mark-target").await?;
    }
    Ok(stage)
}

async fn a_page_sees_nothing(kind: BrowserKind) -> Result<()> {
    let stage = stage(kind).await?;
    stage.open("http://news.test/news").await?;
    // What the page's own script sees, before and after.
    let look = "const sheets = [...document.styleSheets, ...document.adoptedStyleSheets].length;
        const highlights = globalThis.CSS?.highlights?.size ?? 0;
        return [document.documentElement.outerHTML, sheets, highlights];";
    let shown = stage.shown().await?;
    let bait = shown.links.iter().find(|link| link.href.ends_with("/x/1"));
    let why = &bait.context("nothing is highlighted")?.why;
    ensure!(why.contains("your "), "{why}");
    stage.picture("overlay").await?;
    let after = stage.browser.read(look).await?;
    let html = after[0].as_str().unwrap_or_default();
    let plain = "<div></div></html>";
    ensure!(
        html.ends_with(plain),
        "{}",
        &html[html.len().saturating_sub(200)..]
    );
    ensure!(
        html.matches("<div").count() == 1,
        "more than one element stands in the page"
    );
    for word in ["linkscent", "aria-", "data-", "of your", "promising"] {
        ensure!(!html.contains(word), "{word} can be read in the page");
    }
    ensure!(after[1] == 0 && after[2] == 0, "{} {}", after[1], after[2]);
    // Its element lets nobody in, and takes no clicks.
    let inside = "const last = document.documentElement.lastElementChild;
        const link = document.getElementById('bait').getBoundingClientRect();
        const hit = document.elementFromPoint(link.left + 2, link.top + link.height / 2);
        return [last.shadowRoot === null, hit?.id];";
    let inside = stage.browser.read(inside).await?;
    ensure!(inside[0] == true && inside[1] == "bait", "{inside}");

    // What nobody can see is not pointed out.
    stage.open("http://shop.test/shop").await?;
    let shown = stage.shown().await?;
    let links: Vec<&str> = shown.links.iter().map(|link| link.href.as_str()).collect();
    ensure!(links.contains(&"http://shop.test/seen/1"), "{links:?}");
    ensure!(
        !links.iter().any(|link| link.contains("hidden")),
        "{links:?}"
    );
    only_the_right_ones_are_heard(&stage).await?;
    a_module_that_traps_is_replaced(&stage).await?;
    stage.strike().await
}

/// A content script asks for more than content scripts may.
async fn only_the_right_ones_are_heard(stage: &Stage) -> Result<()> {
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.popup.clone()).await?;
    driver.goto(stage.browser.page("pages/panel.html")?).await?;
    stage.drawn().await?;
    let as_page = "const [tab] = (await chrome.tabs.query({})).filter(tab => tab.url?.includes('shop.test'));
        const kinds = ['state', 'trails', 'topic', 'hand_over', 'forget', 'forget_page', 'forget_site', 'unpair', 'pair', 'mark', 'sync', 'dashboard', 'exclude', 'excluded', 'answer', 'correct_class', 'everything', 'delete_everything', 'ledger', 'later', 'finds', 'keep_for_later', 'find', 'reads', 'panel_only', 'forget_since', 'tell_of_crawls', 'toString'];
        const [{ result }] = await chrome.scripting.executeScript({
            target: { tabId: tab.id },
            args: [kinds],
            func: (kinds) => Promise.all(kinds.map((kind) => chrome.runtime.sendMessage({ kind, tab: 1, name: 'EVIL', id: null }))),
        });
        return result.map((answer) => answer?.error ?? 'taken');";
    let answers = stage.browser.script(as_page).await?;
    let answers = answers.as_array().context("no answers")?;
    ensure!(answers.len() == 28, "{}", answers.len());
    for answer in answers {
        ensure!(
            answer == "This message is not taken from here.",
            "{answers:?}"
        );
    }
    let as_own = "const answer = await chrome.runtime.sendMessage({ kind: 'page', page: { url: 'http://a.test/' } });
        return answer?.error ?? 'taken';";
    let answer = stage.browser.script(as_own).await?;
    ensure!(answer == "This message is not taken from here.", "{answer}");
    let kept = stage.kept().await?;
    ensure!(!kept.contains("EVIL"), "{kept}");
    Ok(())
}

/// A real trap, of a module made of a few bytes: one function that is unreachable.
async fn a_module_that_traps_is_replaced(stage: &Stage) -> Result<()> {
    let script = "const { inModule, Failed } = await import(chrome.runtime.getURL('js/module.js'));
        const bytes = new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,5,1,3,0,0,11]);
        const trap = (await WebAssembly.instantiate(bytes)).instance.exports.f;
        const started = [];
        let restarts = 0;
        const start = async (name) => { started.push(name); return name; };
        const run = inModule(['first', 'second'], start, () => restarts++);
        const told = async (work) => { try { return await run(work, 300); } catch (error) { return error instanceof Failed ? 'failed' : String(error.message); } };
        return [
            await told((name) => name),
            await told(() => { throw new Error('an ordinary error'); }),
            await told((name) => name),
            await told(() => trap()),
            await told((name) => name),
            await told(() => new Promise(() => {})),
            restarts,
            await told((name) => name),
            started,
        ];";
    let told = stage.browser.script(script).await?;
    let expected = serde_json::json!([
        "first",
        "an ordinary error",
        "first",
        "failed",
        "second",
        "failed",
        1,
        "first",
        ["first", "second", "first"]
    ]);
    ensure!(told == expected, "{told}");
    Ok(())
}

async fn private_pages_leave_nothing(kind: BrowserKind) -> Result<()> {
    let stage = stage(kind).await?;
    let refused = BTreeMap::from([
        ("http://shop.test/login", "password"),
        ("http://shop.test/card", "card"),
        ("http://shop.test/code", "code"),
        ("http://shop.test/in-a-frame", "password"),
        ("http://shop.test/written", "password"),
        ("http://shop.test/apart", "password"),
        ("http://shop.test/twice", "password"),
        ("http://shop.test/blank", "password"),
        ("http://shop.test/shadow", "password"),
        ("http://shop.test/statement", "must not be stored"),
        (
            "http://shop.test/reset/3f9a1c77e0b24d5f8a6b",
            "logs someone in",
        ),
        ("http://www.mybank.test/", "not read"),
        ("http://webmail.town.test/", "not read"),
    ]);
    for (address, why) in &refused {
        stage.open(address).await?;
        let shown = stage.shown().await?;
        let said = shown.refused.unwrap_or_default();
        ensure!(
            said.contains(why) && shown.links.is_empty(),
            "{address}: {said:?}"
        );
    }
    private_later(&stage).await?;
    stage.popup().await?;
    let said = stage.browser.text().await?;
    ensure!(said.contains("This page is not read:"), "{said}");
    stage.picture("refused").await?;

    // Addresses lose their secrets, also those of links that are followed.
    stage
        .open("http://shop.test/account?token=CANARYTOKEN&page=2")
        .await?;
    stage.shown().await?;
    let link = stage.browser.driver.find(By::Id("out")).await?;
    link.click().await?;
    let trails = stage.wait_for_trails(1).await?;
    ensure!(
        trails[0]
            == (
                "http://shop.test/account?page=2".to_owned(),
                "http://shop.test/out?n=1".to_owned()
            ),
        "{trails:?}"
    );
    let kept = stage.kept().await?.to_lowercase();
    ensure!(!kept.contains("canary"), "{kept}");
    ensure!(
        !kept.contains("mybank") && !kept.contains("webmail.town"),
        "{kept}"
    );

    // The list of sites is the person's.
    stage.type_in("excluded", "shop.test").await?;
    stage.press("exclude").await?;
    stage.open("http://shop.test/garden").await?;
    ensure!(stage.shown().await?.refused.is_some());
    stage.open("http://webmail.town.test/").await?;
    ensure!(stage.shown().await?.refused.is_none());
    stage.strike().await
}

/// A page that gets a private field is read no more.
async fn private_later(stage: &Stage) -> Result<()> {
    for kind in ["page", "frame", "written", "shadow", "type"] {
        let address = format!("http://shop.test/later/{kind}");
        stage.open(&address).await?;
        ensure!(stage.shown().await?.refused.is_none(), "{kind}");
        stage.browser.read("now();").await?;
        wait_for(&format!("{kind}: read no more"), 15, || async {
            let refused = stage.shown().await?.refused.unwrap_or_default();
            Ok(refused.contains("password").then_some(()))
        })
        .await?;
    }
    Ok(())
}

/// What is forgotten is gone from every store, here and at the companion.
async fn forgotten_is_gone(kind: BrowserKind) -> Result<()> {
    let stage = stage(kind).await?;
    let data = stage.folder.path().join("data");
    let (companion, port, _, code) = Companion::serve(&data, stage.proxy).await?;
    stage.pair(port, &code).await?;
    stage.open("http://news.test/news").await?;
    stage.shown().await?;
    stage
        .browser
        .driver
        .find(By::Id("bait"))
        .await?
        .click()
        .await?;
    stage.wait_for_trails(1).await?;
    stage.popup().await?;
    stage.press("sync").await?;
    let files = || all_bytes(&data);
    let has = |bytes: &[u8], text: &str| {
        bytes
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    wait_for("the companion knows the click", 20, || async {
        Ok(has(&files()?, "http://news.test/x/1").then_some(()))
    })
    .await?;
    ensure!(stage.kept().await?.contains("http://news.test/x/1"));

    stage.press("forget-all").await?;
    wait_for("the companion has forgotten", 20, || async {
        Ok((!has(&files()?, "http://news.test/x/1")).then_some(()))
    })
    .await?;
    let kept = stage.kept().await?;
    for gone in ["news.test/x/1", "news.test/news", "tomato"] {
        ensure!(!kept.contains(gone), "{gone}: {kept}");
    }
    ensure!(kept.contains("town.test/clinic/1"), "marks stay: {kept}");

    // A page, with its mark and its words.
    ensure!(has(&files()?, "http://town.test/clinic/1"));
    stage.open("http://town.test/clinic/1").await?;
    stage.shown().await?;
    stage.popup().await?;
    stage.press("forget-page").await?;
    wait_for("the companion has forgotten the page", 20, || async {
        Ok((!has(&files()?, "http://town.test/clinic/1")).then_some(()))
    })
    .await?;
    stage.open("http://news.test/garden").await?;
    let kept = stage.kept().await?;
    ensure!(!kept.contains("town.test/clinic/1"), "{kept}");
    ensure!(kept.contains("town.test/clinic/2"), "{kept}");

    // A site, with the marks on its pages.
    ensure!(has(&files()?, "town.test/clinic/2"));
    stage.open("http://town.test/clinic/3").await?;
    stage.shown().await?;
    stage.popup().await?;
    stage.picture("forget-site").await?;
    stage.press("forget-site").await?;
    wait_for("the companion has forgotten the site", 20, || async {
        Ok((!has(&files()?, "town.test")).then_some(()))
    })
    .await?;
    stage.open("http://news.test/garden").await?;
    let kept = stage.kept().await?;
    ensure!(!kept.contains("town.test"), "{kept}");
    drop(companion);
    stage.strike().await
}

/// What stands in all files of a folder, those of the library's index too. A file may go while it
/// is looked at.
fn all_bytes(folder: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            bytes.extend(all_bytes(&path)?);
            continue;
        }
        match std::fs::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            read => bytes.extend(read?),
        }
    }
    Ok(bytes)
}

/// Where Chromium keeps the extension's databases, within its profile.
fn is_extensions(path: &Path) -> bool {
    let path = path.to_string_lossy();
    path.contains("/IndexedDB/chrome-extension_")
}

/// The extension's files of a profile in which a word stands, as the browser writes it.
fn files_with(folder: &Path, word: &str) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files_with(&path, word)?);
            continue;
        }
        // Files come and go.
        let bytes = if is_extensions(&path) {
            std::fs::read(&path).unwrap_or_default()
        } else {
            continue;
        };
        let wide: Vec<u8> = word.bytes().flat_map(|byte| [byte, 0]).collect();
        let shifted: Vec<u8> = word.bytes().map(|byte| byte + 1).collect();
        let has = |part: &[u8]| bytes.windows(part.len()).any(|piece| piece == part);
        if has(word.as_bytes()) || has(&wide) || has(&shifted) {
            found.push(path.display().to_string());
        }
    }
    Ok(found)
}

/// What is deleted can be read in no file of Chromium's profile a few seconds later, but for some keys
/// of the database in the list of its files. Firefox uses the place of deleted rows again some day.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "Chromium tidies its files late on a busy machine: cargo nightly"]
async fn deleted_is_in_no_file_in_chromium() -> Result<()> {
    let stage = stage(BrowserKind::Chromium).await?;
    stage.open("http://news.test/news").await?;
    stage.shown().await?;
    let bait = stage.browser.driver.find(By::Id("bait")).await?;
    bait.click().await?;
    stage.wait_for_trails(1).await?;
    let profile = stage.browser.profile().to_owned();
    let left = |words: &[&str]| -> Result<Vec<String>> {
        let mut files = Vec::new();
        for word in words {
            files.extend(files_with(&profile, word)?);
        }
        Ok(files)
    };
    for word in ["methadone", "town.test"] {
        ensure!(!left(&[word])?.is_empty(), "{word} is in no file");
    }
    stage.panel().await?;
    let delete = "await chrome.runtime.sendMessage({ kind: 'delete_everything' });";
    stage.browser.script(delete).await?;
    let words = ["methadone", "town.test", "news.test", "opioid"];
    let is_list = |file: &String| file.contains("/MANIFEST-");
    let gone = wait_for("no file has the words", 120, || async {
        let left = left(&words)?;
        Ok(left.iter().all(is_list).then_some(()))
    });
    if let Err(error) = gone.await {
        return Err(error.context(format!("{:?}", left(&words)?)));
    }
    stage.browser.driver.clone().quit().await?;
    let left = left(&words)?;
    println!("left when it is closed: {left:?}");
    ensure!(left.iter().all(is_list), "{left:?}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_sees_nothing_in_chromium() -> Result<()> {
    a_page_sees_nothing(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_sees_nothing_in_firefox() -> Result<()> {
    a_page_sees_nothing(BrowserKind::Firefox).await
}

#[tokio::test(flavor = "multi_thread")]
async fn private_pages_leave_nothing_in_chromium() -> Result<()> {
    private_pages_leave_nothing(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn private_pages_leave_nothing_in_firefox() -> Result<()> {
    private_pages_leave_nothing(BrowserKind::Firefox).await
}

#[tokio::test(flavor = "multi_thread")]
async fn forgotten_is_gone_in_chromium() -> Result<()> {
    forgotten_is_gone(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn forgotten_is_gone_in_firefox() -> Result<()> {
    forgotten_is_gone(BrowserKind::Firefox).await
}
