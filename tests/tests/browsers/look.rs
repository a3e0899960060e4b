//! How highlights look on pages of thirty designs, in real browsers: nothing of the page moves,
//! every link that can be seen has its mark, and lines stand out from what they lie on. With
//! `LINKSCENT_PICTURES` a picture of each is taken, to be looked at. And links in open shadow
//! roots and in frames are links like others.

use anyhow::{Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::contrast::contrast;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use serde_json::Value;

/// A list of links, as most pages have one.
const LIST: &str = "<h1>Castles</h1><p>Some words before <a href=/a>a link in running text</a>, and after it.</p>\
    <ul><li><a href=/b>Bodiam Castle</a> in Sussex<li><a href=/c>Conwy Castle, which has a name that is so long that it is broken over lines in narrow columns of any page</a><li>no link</ul>";
const CARDS: &str = "<h1>Castles</h1><div class=cards><div class=card><a href=/a><img alt='' width=120 height=80 src='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'></a><a href=/b>Bodiam</a></div><div class=card><a href=/c>Conwy</a> in Wales</div></div>";
const TABLE: &str = "<h1>Castles</h1><table><tr><th>Name<th>Built<tr><td><a href=/a>Bodiam</a><td>1385<tr><td><a href=/b>Conwy</a><td><a href=/c>1283</a></table>";
const MENU: &str = "<header><nav><a href=/a>Home</a> <a href=/b>Castles</a> <a href=/c>About</a></nav></header><p>Words of the page below its header.</p>";

/// Name, style, body, and what text lies on (nothing where that is no one colour).
const DESIGNS: [(&str, &str, &str, Option<[f64; 3]>); 30] = [
    ("plain", "", LIST, None),
    (
        "white",
        "main{background:#fff;color:#111}a{color:#00e}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "dark",
        "main{background:#121212;color:#ddd}a{color:#8ab4f8}",
        LIST,
        Some([18.0, 18.0, 18.0]),
    ),
    (
        "black",
        "main{background:#000;color:#fff}a{color:#fff}",
        LIST,
        Some([0.0, 0.0, 0.0]),
    ),
    (
        "sepia",
        "main{background:#f4ecd8;color:#433}a{color:#7a3}",
        LIST,
        Some([244.0, 236.0, 216.0]),
    ),
    (
        "blue",
        "main{background:#0b5fa5;color:#fff}a{color:#fff}",
        LIST,
        Some([11.0, 95.0, 165.0]),
    ),
    (
        "red-header",
        "header{background:#c00;padding:12px}header a{color:#fff}",
        MENU,
        Some([204.0, 0.0, 0.0]),
    ),
    (
        "green",
        "main{background:#0a5c36;color:#fff}a{color:#cfc}",
        LIST,
        Some([10.0, 92.0, 54.0]),
    ),
    (
        "grey",
        "main{background:#777;color:#fff}a{color:#fff}",
        LIST,
        Some([119.0, 119.0, 119.0]),
    ),
    (
        "yellow",
        "main{background:#ffeb3b;color:#222}a{color:#00f}",
        LIST,
        Some([255.0, 235.0, 59.0]),
    ),
    (
        "gradient",
        "main{background:linear-gradient(90deg,#fff,#000)}a{color:#f80}",
        LIST,
        None,
    ),
    (
        "tight",
        "main{background:#fff;color:#111;line-height:1}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "loose",
        "main{background:#fff;color:#111;line-height:2.4}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "tiny",
        "main{background:#fff;color:#111;font-size:9px}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "huge",
        "main{background:#fff;color:#111;font-size:34px}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "serif-columns",
        "main{background:#fff;color:#111;font-family:serif;columns:2}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "narrow",
        "main{background:#fff;color:#111;width:200px}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "right-to-left",
        "main{background:#fff;color:#111;direction:rtl}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "justified",
        "main{background:#fff;color:#111;text-align:justify;width:320px}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "cards",
        ".cards{display:flex;gap:12px}.card{border:1px solid #ccc;padding:8px;overflow:hidden;background:#fff}",
        CARDS,
        None,
    ),
    (
        "grid",
        ".cards{display:grid;grid-template-columns:1fr 1fr}.card{background:#222;color:#eee}.card a{color:#9cf}",
        CARDS,
        None,
    ),
    (
        "buttons",
        "main{background:#fff}a{display:inline-block;background:#0b5fa5;color:#fff;padding:6px 12px;border-radius:20px}",
        LIST,
        Some([11.0, 95.0, 165.0]),
    ),
    (
        "blocks",
        "main{background:#fff;color:#111}a{display:block;padding:4px;border-bottom:1px solid #ddd}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "table",
        "main{background:#fff;color:#111}td,th{border:1px solid #999;padding:2px 6px}",
        TABLE,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "striped",
        "main{background:#fff;color:#111}tr:nth-child(even){background:#eef}",
        TABLE,
        None,
    ),
    (
        "sticky",
        "header{position:sticky;top:0;background:#111;padding:10px}header a{color:#eee}",
        MENU,
        Some([17.0, 17.0, 17.0]),
    ),
    (
        "scaled",
        "main{background:#fff;color:#111;transform:scale(.9);transform-origin:0 0}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "capitals",
        "main{background:#fff;color:#111;text-transform:uppercase;letter-spacing:.2em}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "underlined",
        "main{background:#fff;color:#111}a{text-decoration:underline 3px red}",
        LIST,
        Some([255.0, 255.0, 255.0]),
    ),
    (
        "see-through",
        "main{background:#102030}main>*{background:rgba(255,255,255,.08);color:#fff}a{color:#fff}",
        LIST,
        Some([16.0, 32.0, 48.0]),
    ),
];

/// Draws over a design in one of the extension's own pages, and tells what the layer is asked to
/// draw.
const DRAWING: &str = "
    for (const name of ['seen', 'layer', 'overlay']) await import(chrome.runtime.getURL(`js/${name}.js`));
    const real = globalThis.linkscentLayer;
    let markers = [];
    globalThis.linkscentLayer = () => {
        const layer = real();
        return { ...layer, show: (wanted) => ((markers = wanted), layer.show(wanted)) };
    };
    const main = document.querySelector('main');
    const style = document.head.appendChild(document.createElement('style'));
    style.textContent = css;
    main.innerHTML = html;
    const box = (element) => { const { left, top, right, bottom } = element.getBoundingClientRect(); return [left, top, right, bottom]; };
    const boxes = () => [...main.querySelectorAll('*')].map(box);
    const links = [...main.querySelectorAll('a')];
    const before = JSON.stringify([boxes(), document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    const overlay = globalThis.linkscentOverlay();
    overlay.draw({ most: 99, links: links.map((_, place) => ({ place, grade: 1 + (place % 3), why: 'Likely: because', known: place === 1 ? 'It was read before.' : '' })) }, links);
    const after = JSON.stringify([boxes(), document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
    const marks = markers.flat().map(({ kind, color, x, y, width, height }) => ({ kind, color, box: [x, y, x + width, y + height] }));
    const seen = links.map(box);
    return { moved: before !== after, marks, links: seen, drawn: overlay.shown().links.length, text: links.map((link) => link.querySelector('img') === null) };";

fn colour(css: &Value) -> [f64; 3] {
    let text = css.as_str().unwrap_or_default();
    let numbers = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let mut parts = numbers.filter_map(|number| number.parse().ok());
    [(); 3].map(|()| parts.next().unwrap_or(f64::NAN))
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().into_iter().flatten();
    list.filter_map(Value::as_f64).collect()
}

async fn looks_right(stage: &Stage, number: usize) -> Result<()> {
    let (name, css, html, ground) = DESIGNS[number];
    let driver = &stage.browser.driver;
    driver.goto(stage.browser.page("pages/panel.html")?).await?;
    stage.drawn().await?;
    let script = format!("const css = {css:?}, html = {html:?};{DRAWING}");
    let told = stage.browser.script(&script).await?;
    stage.picture(&format!("look-{name}")).await?;
    ensure!(
        told["moved"] == false,
        "{name}: something of the page moved"
    );
    let links = told["links"].as_array().map_or(0, Vec::len);
    ensure!(told["drawn"] == links, "{name}: {told}");
    let marks = told["marks"].as_array().cloned().unwrap_or_default();
    for link in told["links"].as_array().into_iter().flatten() {
        let link = numbers(link);
        let touches = |mark: &Value| {
            let mark = numbers(&mark["box"]);
            mark[0] < link[2] + 8.0
                && mark[2] > link[0] - 8.0
                && mark[1] < link[3] + 8.0
                && mark[3] > link[1] - 8.0
        };
        ensure!(marks.iter().any(touches), "{name}: a link has no mark");
    }
    if let Some(ground) = ground {
        let lines = marks.iter().filter(|mark| mark["kind"] != "corner");
        for mark in lines {
            let stands_out = contrast(&colour(&mark["color"]), &ground);
            ensure!(stands_out >= 3.0, "{name}: {stands_out:.1} to 1, {mark}");
        }
    }
    Ok(())
}

/// A page whose links stand in an open shadow root, and in one within it; what is slotted comes
/// after.
const SHADOWS: &str = "<!doctype html><title>Cards</title><h1>Cards</h1>
    <x-card><p>Opening hours and imprint.</p></x-card>
    <script>
    customElements.define('x-card', class extends HTMLElement {
        connectedCallback() {
            this.attachShadow({ mode: 'open' }).innerHTML = '<p><a id=outer href=/care>Kidney dialysis care</a></p><x-inner></x-inner><slot></slot>';
        }
    });
    customElements.define('x-inner', class extends HTMLElement {
        connectedCallback() {
            this.attachShadow({ mode: 'open' }).innerHTML = '<p><a href=/diet>Kidney dialysis diet</a></p><p>Railway trains</p>';
        }
    });
    </script>";

async fn in_shadow_roots(kind: BrowserKind) -> Result<()> {
    let (proxy, _) = scripted_web(|address| match address.rsplit('/').next() {
        Some("" | "cards") => Reply::Page(SHADOWS.to_owned()),
        Some("around") => Reply::Page(FRAMES.to_owned()),
        Some("list") => Reply::Page(LIST_IN_FRAME.to_owned()),
        Some("care" | "diet") => {
            Reply::Page("<!doctype html><title>Care</title><p>Dialysis of kidneys.</p>".to_owned())
        }
        _ => Reply::Status(404),
    })
    .await?;
    let stage = Stage::on_web(kind, proxy).await?;
    stage.open("http://cards.test/").await?;
    stage.popup().await?;
    stage.type_in("topic-name", "kidney dialysis").await?;
    stage.press("create-topic").await?;
    stage.open("http://cards.test/cards").await?;
    let mut highlights = stage.highlights().await?;
    highlights.sort();
    let both = ["http://cards.test/care", "http://cards.test/diet"];
    ensure!(highlights == both, "{highlights:?}");
    stage.picture("shadow-roots").await?;
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    let link = driver
        .execute(
            "return document.querySelector('x-card').shadowRoot.querySelector('#outer');",
            Vec::new(),
        )
        .await?;
    link.element()?.click().await?;
    let trails = stage.wait_for_trails(1).await?;
    let way = (
        "http://cards.test/cards".to_owned(),
        "http://cards.test/care".to_owned(),
    );
    ensure!(trails == [way], "{trails:?}");
    in_frames(&stage).await?;
    stage.strike().await
}

/// A page with a frame of another site, and with one that is too small to be read.
const FRAMES: &str = "<!doctype html><title>Around</title><p>Opening hours and imprint.</p>
    <iframe src=http://frame.test/list width=600 height=300></iframe>
    <iframe src=http://small.test/list width=60 height=60></iframe>";
const LIST_IN_FRAME: &str = "<!doctype html><title>List</title><p><a href=/care>Kidney dialysis care</a></p><p><a href=/trains>Railway timetable</a></p>";

/// Links of a frame are pointed out in it, and nothing of it is kept.
async fn in_frames(stage: &Stage) -> Result<()> {
    stage.open("http://cards.test/around").await?;
    ensure!(stage.highlights().await?.is_empty());
    let screen = &stage.browser;
    let driver = &screen.driver;
    driver.switch_to_window(stage.popup.clone()).await?;
    let frames = "const [tab] = (await chrome.tabs.query({})).filter(({ url }) => url.endsWith('/around'));
        const frames = await chrome.scripting.executeScript({ target: { tabId: tab.id, allFrames: true }, func: () => location.href });
        const ask = async ({ frameId, result }) => [new URL(result).host, await chrome.tabs.sendMessage(tab.id, { kind: 'shown' }, { frameId }).catch(() => null)];
        return Object.fromEntries(await Promise.all(frames.map(ask)));";
    let told = wait_for("the frame is read", 15, || async {
        let told = screen.script(frames).await?;
        Ok((told["frame.test"]["done"] == true).then_some(told))
    })
    .await?;
    let links = &told["frame.test"]["links"];
    ensure!(links.as_array().map(Vec::len) == Some(1), "{told}");
    ensure!(links[0]["href"] == "http://frame.test/care", "{told}");
    ensure!(told["small.test"]["done"] == false, "{told}");
    ensure!(
        told["small.test"]["links"] == serde_json::json!([]),
        "{told}"
    );
    driver.switch_to_window(stage.page.clone()).await?;
    stage.picture("frames").await?;
    let kept = stage.kept().await?;
    ensure!(!kept.contains("frame.test"), "{kept}");
    Ok(())
}

async fn look(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stage
        .browser
        .driver
        .switch_to_window(stage.popup.clone())
        .await?;
    for number in 0..DESIGNS.len() {
        looks_right(&stage, number).await?;
    }
    stage.strike().await?;
    in_shadow_roots(kind).await
}

#[tokio::test]
async fn look_in_chromium() -> Result<()> {
    look(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn look_in_firefox() -> Result<()> {
    look(BrowserKind::Firefox).await
}
