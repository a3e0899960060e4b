//! Forty pages that hide links, stuff them, forge what a person does or spoil what scripts use. In
//! both browsers no hidden link is highlighted, no forged event counts, and nothing of a score comes
//! to the page. A link that anybody can see is highlighted on each of them.

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use serde_json::Value;
use thirtyfour::prelude::*;

const CLINIC: &str = "<p>opioid methadone addiction treatment recovery relapse counselling for \
    patients in our town</p>";
/// Pages after which all that was read is forgotten.
const FORGET: usize = 4;
/// What a link says that is promising.
const BAIT: &str = "opioid addiction treatment";

/// Styles of an element around a link that nobody sees.
const AROUND: [(&str, &str); 24] = [
    ("display", "display:none"),
    ("visibility", "visibility:hidden"),
    ("collapsed", "visibility:collapse"),
    ("opacity", "opacity:0"),
    ("faint", "opacity:.05"),
    ("size", "width:0;height:0;overflow:hidden"),
    ("pixel", "width:1px;height:1px;overflow:hidden"),
    ("low", "max-height:0;overflow:hidden"),
    ("font", "font-size:0"),
    ("tiny", "font-size:1px"),
    ("left", "position:absolute;left:-9999px"),
    ("above", "position:absolute;top:-9999px"),
    ("indent", "text-indent:-9999px;overflow:hidden"),
    ("moved", "transform:translateX(-9999px)"),
    ("scaled", "transform:scale(0)"),
    ("shrunk", "transform:scale(.02)"),
    ("turned", "transform:rotateY(90deg)"),
    ("inset", "clip-path:inset(100%)"),
    ("circle", "clip-path:circle(0)"),
    ("polygon", "clip-path:polygon(0 0,0 0,0 0)"),
    ("clip", "position:absolute;clip:rect(0,0,0,0)"),
    ("contained", "content-visibility:hidden"),
    ("filtered", "filter:opacity(0)"),
    (
        "masked",
        "mask-image:linear-gradient(transparent,transparent)",
    ),
];

/// Styles of a link that nobody sees.
const OWN: [(&str, &str); 4] = [
    ("white", "color:#fff"),
    ("nearly-white", "color:#fdfdfd"),
    ("transparent", "color:transparent"),
    ("unfilled", "-webkit-text-fill-color:transparent"),
];

/// Other ways to hide a link, or to have too much in it.
const HIDDEN: [(&str, &str); 5] = [
    (
        "covered",
        "<div style='position:relative;height:40px'>LINK<div style='position:absolute;inset:0;background:#fff'>Garden</div></div>",
    ),
    (
        "behind",
        "<div style='background:#fff'><div style='position:relative;z-index:-1'>LINK</div></div>",
    ),
    (
        "twice-faint",
        "<div style='opacity:.25'><div style='opacity:.25'>LINK</div></div>",
    ),
    ("closed", "<details><summary>More</summary>LINK</details>"),
    ("stuffed", "STUFFED"),
];

/// What a page's script does while it is shown.
const FORGED: [(&str, &str); 7] = [
    (
        "pointer",
        "for (const type of ['click', 'auxclick', 'mousedown', 'mouseup', 'mouseover', 'mousemove', 'pointerdown', 'contextmenu', 'dblclick']) for (const button of [0, 1]) bait.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true, composed: true, button, screenX: 9 + button, screenY: 9, ctrlKey: true }));",
    ),
    (
        "keys",
        "for (const [code, key] of [['KeyJ', 'J'], ['KeyW', 'W'], ['KeyY', 'Y'], ['Tab', 'Tab'], ['Enter', 'Enter']]) { bait.focus(); bait.dispatchEvent(new KeyboardEvent('keydown', { code, key, altKey: true, shiftKey: true, bubbles: true, cancelable: true, composed: true })); bait.dispatchEvent(new KeyboardEvent('keydown', { code, key, bubbles: true, cancelable: true })); } bait.blur(); bait.focus();",
    ),
    (
        "focus",
        "for (const type of ['focusin', 'focus', 'focusout']) bait.dispatchEvent(new FocusEvent(type, { bubbles: true, composed: true })); bait.focus();",
    ),
    (
        "messages",
        "for (const kind of ['followed', 'page', 'mark', 'forget', 'topic', 'jump', 'told', 'reach', 'shown', 'snapshot', 'words']) { const channel = new MessageChannel(); channel.port1.onmessage = ({ data }) => heard.push(String(data)); postMessage({ kind, name: 'EVIL', text: 'EVIL', number: 0 }, '*', [channel.port2]); dispatchEvent(new CustomEvent(kind, { detail: 'EVIL' })); globalThis.chrome?.runtime?.sendMessage?.({ kind, name: 'EVIL' }); }",
    ),
    (
        "shown-again",
        "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })); dispatchEvent(new PopStateEvent('popstate', { state: 'EVIL' })); document.dispatchEvent(new Event('visibilitychange')); document.dispatchEvent(new Event('prerenderingchange')); dispatchEvent(new Event('load'));",
    ),
    (
        "own-frame",
        "const frame = document.createElement('iframe'); frame.onload = () => { const channel = new MessageChannel(); channel.port1.onmessage = ({ data }) => data && heard.push(`${data}`); frame.contentWindow.postMessage('words', '*', [channel.port2]); channel.port1.postMessage({ text: '' }); }; frame.src = 'WORDS'; document.body.append(frame); for (let n = 0; n < window.length; n++) window[n].postMessage('words', '*');",
    ),
    (
        "no-layer",
        "const fake = document.createElement('div'); fake.id = 'fake'; for (let n = 0; n < 5; n++) { for (const layer of document.querySelectorAll('html > div')) if (layer !== fake) layer.remove(); document.documentElement.append(fake); }",
    ),
];

/// Spoils what scripts use, before anything else runs: none of it may reach the extension. What
/// drivers use is left alone.
const SPOILT: &str = "for (const type of [Node, Element, Document, Event, EventTarget, MutationObserver, ResizeObserver, MessagePort, MessageChannel, HTMLElement, HTMLAnchorElement, ShadowRoot, Storage])
    for (const name of ['getAttribute', 'getAttributeNS', 'matches', 'attachShadow', 'append', 'appendChild', 'remove', 'contains', 'getClientRects', 'checkVisibility', 'postMessage', 'composedPath', 'setAttribute', 'createElementNS'])
        if (name in type.prototype) type.prototype[name] = function () { heard.push(`spoilt ${name}`); return null; };
    for (const name of ['getComputedStyle', 'matchMedia', 'requestAnimationFrame', 'requestIdleCallback']) globalThis[name] = () => heard.push(`spoilt ${name}`);
    globalThis.chrome = { runtime: { sendMessage: () => heard.push('sent'), getURL: () => 'EVIL' } };";

/// Fields that are named like what scripts ask of a form.
const CLOBBERED: &str = "<form><input name=parentNode><input name=firstChild><input name=nextSibling><input name=nodeType><input name=getAttribute><input name=attributes><input name=isConnected><a href='/garden/7'>tomatoes</a></form>";

/// Hears from the first moment on what comes to the page.
const HEARS: &str = "const heard = globalThis.heard = [];
    addEventListener('message', ({ data, origin, ports }) => origin === location.origin || heard.push(JSON.stringify([data, origin, ports.length])));
    const watcher = new MutationObserver((changes) => { for (const { type, target, attributeName, addedNodes } of changes) {
        if (type === 'childList') for (const node of addedNodes) node.localName === 'div' && node.attributes.length === 0 && node.childNodes.length === 0 || node.localName === 'iframe' || node.id === 'fake' || heard.push(node.outerHTML ?? node.data);
        else heard.push(`${type} ${target.outerHTML} ${attributeName}`); } });
    addEventListener('DOMContentLoaded', () => watcher.observe(document, { childList: true, subtree: true, attributes: true, characterData: true }));";

#[derive(Clone)]
struct HostilePage {
    name: String,
    body: String,
    /// Runs in the page when it was read.
    act: String,
    /// Runs in the page before all else.
    first: String,
}

fn pages(words: &str) -> Vec<HostilePage> {
    let page = |name: &str, body: String| HostilePage {
        name: name.to_owned(),
        body,
        act: String::new(),
        first: String::new(),
    };
    let link = |style: &str| format!("<a style='{style}' href='/hidden/1'>{BAIT} hidden</a>");
    let around =
        AROUND.map(|(name, style)| page(name, format!("<div style='{style}'>{}</div>", link(""))));
    let own = OWN.map(|(name, style)| {
        page(
            name,
            format!("<p style='background:#fff'>{}</p>", link(style)),
        )
    });
    let hidden = HIDDEN.map(|(name, body)| {
        let stuffed = format!("<a href='/hidden/1'>{}</a>", format!("{BAIT} ").repeat(10));
        page(
            name,
            body.replace("LINK", &link("")).replace("STUFFED", &stuffed),
        )
    });
    let forged = FORGED.map(|(name, act)| HostilePage {
        act: act.replace("WORDS", words),
        ..page(name, String::new())
    });
    let spoilt = HostilePage {
        first: SPOILT.to_owned(),
        ..page("spoilt", CLOBBERED.to_owned())
    };
    let all = [around.as_slice(), &own, &hidden, &forged, &[spoilt]];
    all.concat()
}

fn web(pages: &[HostilePage], address: &str) -> Reply {
    let path = address.split(".test").nth(1).unwrap_or("/");
    let plain = |title: &str, body: &str| {
        format!("<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1>{body}")
    };
    if let Some(page) = pages
        .iter()
        .find(|page| path == format!("/bait/{}", page.name))
    {
        let (body, first) = (&page.body, &page.first);
        return Reply::Page(format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>News of the day</title>\
             <script>{HEARS}{first}</script><body style='margin:8px;background:#fff'><h1>News</h1>\
             <p>Read more: <a id=bait href='/seen/1'>{BAIT} for patients</a> today.</p>{body}\
             <p>Or read of <a href='/garden/1'>tomatoes and potatoes</a>.</p></body></html>"
        ));
    }
    Reply::Page(match path {
        "/clinic/1" | "/clinic/2" => plain("Opioid addiction treatment", &CLINIC.repeat(6)),
        _ => plain("Garden", "<p>tomatoes and potatoes in the garden</p>"),
    })
}

/// All that a page could have of a score, as its own script sees it.
const FOUND: &str = "const words = /likely|promising|linkscent|your topic|\\\\d ?%/i;
    const all = [document.documentElement.outerHTML.replace(/<script>.*?<\\/script>/gs, ''), document.documentElement.innerText, String(getSelection())];
    return { heard, words: all.filter((text) => words.test(text)), sheets: document.styleSheets.length + document.adoptedStyleSheets.length, highlights: globalThis.CSS?.highlights?.size ?? 0, address: location.pathname };";

async fn visit(stage: &Stage, page: &HostilePage) -> Result<()> {
    let address = format!("http://news.test/bait/{}", page.name);
    stage.open(&address).await?;
    let shown = stage.shown().await?;
    let links: Vec<&str> = shown.links.iter().map(|link| link.href.as_str()).collect();
    ensure!(
        links == ["http://news.test/seen/1"],
        "highlighted: {links:?}"
    );
    if !page.act.is_empty() {
        let act = format!("const bait = document.getElementById('bait'); {}", page.act);
        stage.browser.read(&act).await?;
        // Longer than anything that the extension does a moment later.
        tokio::time::sleep(std::time::Duration::from_millis(1500)).await;
        let shown = stage.shown().await?;
        ensure!(shown.tip.is_none() && shown.said.is_none(), "{shown:?}");
        ensure!(shown.reached.is_none(), "{shown:?}");
    }
    let found = stage.browser.read(FOUND).await?;
    let nothing = Value::Array(Vec::new());
    ensure!(
        found["heard"] == nothing && found["words"] == nothing,
        "{found}"
    );
    ensure!(found["sheets"] == 0 && found["highlights"] == 0, "{found}");
    ensure!(
        found["address"] == format!("/bait/{}", page.name),
        "{found}"
    );
    Ok(())
}

async fn hostile_pages_get_nothing(kind: BrowserKind) -> Result<()> {
    // The page's script may well know the address of the extension's frame.
    let words = std::sync::Arc::new(std::sync::OnceLock::<Vec<HostilePage>>::new());
    let served = std::sync::Arc::clone(&words);
    let (proxy, _) =
        scripted_web(move |address| web(served.get().map_or(&[], Vec::as_slice), address)).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    let pages =
        words.get_or_init(|| pages(&stage.browser.page("pages/words.html").unwrap_or_default()));
    ensure!(pages.len() >= 40, "{}", pages.len());
    stage.open("http://news.test/garden").await?;
    stage.popup().await?;
    stage.type_in("topic-name", "methadone").await?;
    stage.press("create-topic").await?;
    for number in [1, 2] {
        let clinic = format!("http://town.test/clinic/{number}");
        stage.mark(&clinic, "mark-target").await?;
    }
    let mut failed = Vec::new();
    for (number, page) in pages.iter().enumerate() {
        // From many pages of one kind it is learned that they lead nowhere.
        if number % FORGET == 0 {
            stage.panel().await?;
            let forget = "await chrome.runtime.sendMessage({ kind: 'forget', id: null });";
            stage.browser.script(forget).await?;
        }
        if let Err(error) = visit(&stage, page).await {
            failed.push(format!("{}: {error:#}", page.name));
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    // None of the forged clicks is a trail; a real one is.
    ensure!(stage.trails().await?.is_empty(), "a forged event counts");
    let kept = stage.kept().await?;
    ensure!(!kept.contains("EVIL"), "{kept}");
    stage.open("http://news.test/bait/display").await?;
    stage.shown().await?;
    let bait = stage.browser.driver.find(By::Id("bait")).await?;
    bait.click().await?;
    wait_for("a real click is a trail", 15, || async {
        let trails = stage.trails().await?;
        Ok(trails.first().map(|_| ()))
    })
    .await
    .context("the real click")?;
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_pages_get_nothing_in_chromium() -> Result<()> {
    hostile_pages_get_nothing(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_pages_get_nothing_in_firefox() -> Result<()> {
    hostile_pages_get_nothing(BrowserKind::Firefox).await
}
