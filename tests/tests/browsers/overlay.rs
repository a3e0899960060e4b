//! What is drawn over a page, in real browsers: it stands out from what it lies on, keeps to
//! what can be seen, and moves nothing.

use anyhow::{Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::contrast::contrast;
use linkscent_tests::stage::Stage;
use serde_json::Value;

/// Draws over links in one of the extension's own pages, and tells what the layer is asked to
/// draw: the parts of markers by link, and where the frame for words lies. `links` makes the links.
const DRAWING: &str = "
    const attach = Element.prototype.attachShadow;
    let root = null;
    Element.prototype.attachShadow = function (init) { return (root = attach.call(this, init)); };
    for (const name of ['seen', 'layer', 'overlay']) await import(chrome.runtime.getURL(`js/${name}.js`));
    const real = globalThis.linkscentLayer;
    let markers = [];
    globalThis.linkscentLayer = () => {
        const layer = real();
        return { ...layer, show: (wanted) => ((markers = wanted), layer.show(wanted)) };
    };
    const main = document.querySelector('main');
    main.textContent = '';
    const overlay = globalThis.linkscentOverlay();
    const links = (html) => { main.innerHTML = html; return [...main.querySelectorAll('a')]; };
    const view = (links, grade) => ({ most: 99, links: links.map((_, place) => ({ place, grade, why: 'Likely: because' })) });
    const box = (element) => { const { left, top, right, bottom } = element.getBoundingClientRect(); return { left, top, right, bottom }; };
    const until = async (holds) => { while (!holds()) await new Promise((done) => setTimeout(done, 20)); };
";

async fn drawn(stage: &Stage, script: &str) -> Result<Value> {
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.popup.clone()).await?;
    driver.goto(stage.browser.page("pages/panel.html")?).await?;
    stage.drawn().await?;
    stage.browser.script(&format!("{DRAWING}{script}")).await
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or(f64::NAN)
}

/// Lines stand out from every ground.
async fn stands_out(stage: &Stage) -> Result<()> {
    let told = drawn(
        stage,
        "const parts = [0, 60, 128, 200, 255];
         const grounds = parts.flatMap((r) => parts.flatMap((g) => parts.map((b) => [r, g, b])));
         const found = [];
         for (const ground of grounds) {
             const text = ground[0] + ground[1] > 255 ? 'black' : 'white';
             overlay.draw(view([0], 2), links(`<div style='background: rgb(${ground})'><a href='/x' style='color: ${text}'>a link</a></div>`));
             found.push({ ground, color: markers[0][0].color });
         }
         return found;",
    )
    .await?;
    let told = told.as_array().map_or(&[][..], Vec::as_slice);
    ensure!(told.len() == 125);
    for one in told {
        let ground: Vec<f64> = serde_json::from_value(one["ground"].clone())?;
        let ink = one["color"].as_str().unwrap_or_default();
        let ink = ink.trim_matches(|c: char| !c.is_ascii_digit()).split(", ");
        let ink: Vec<f64> = ink.map(str::parse).collect::<Result<_, _>>()?;
        let contrast = contrast(&ground, &ink);
        ensure!(contrast >= 3.0, "{ground:?} {ink:?} {contrast}");
    }
    Ok(())
}

/// What is cut off is not drawn on, a picture has one corner, and nothing moves.
async fn keeps_to_what_is_seen(stage: &Stage) -> Result<()> {
    let told = drawn(
        stage,
        "const made = links(`<p>Words <a href='/a'>a link</a> and words.</p>
            <div style='width: 120px; overflow: hidden; white-space: nowrap'><a href='/b'>a link that is far too long to be seen in whole</a></div>
            <div style='height: 60px; overflow: auto'><p style='margin: 0 0 200px'>words</p><a href='/c'>scrolled away</a></div>
            <a href='/d'><svg width='80' height='60'></svg></a>
            <p style='width: 90px'><a href='/e'>a link over more than one line</a></p>
            <a href='/f' style='position: absolute; left: -900px'>nobody sees this</a>`);
         const before = made.map(box), size = box(main);
         overlay.draw(view(made, 3), made);
         const all = [];
         overlay.highlighted().forEach(({ element }, number) => all.push({ href: element.getAttribute('href'), parts: markers[number] }));
         const floods = [...root.querySelectorAll('feFlood')].map((flood) => [flood.getAttribute('x'), flood.getAttribute('y'), flood.getAttribute('flood-color')].join());
         const parts = markers.flat().map(({ x, y, color }) => [x, y, color].join());
         const isDrawn = parts.every((part) => floods.includes(part));
         const moved = made.some((link, number) => JSON.stringify(box(link)) !== JSON.stringify(before[number])) || JSON.stringify(box(main)) !== JSON.stringify(size);
         const clip = box(made[1].parentElement), picture = box(made[3]);
         const pointer = getComputedStyle(root.host).pointerEvents, over = document.elementFromPoint(before[0].left + 3, before[0].top + 3) === made[0];
         return { all, moved, clip, picture, pointer, over, isDrawn };",
    )
    .await?;
    ensure!(told["moved"] == false, "{told}");
    ensure!(told["pointer"] == "none" && told["over"] == true, "{told}");
    ensure!(told["isDrawn"] == true, "{told}");
    let all = told["all"].as_array().map_or(&[][..], Vec::as_slice);
    let parts = |href: &str, kind: &str| -> Vec<Value> {
        let one = all.iter().find(|one| one["href"] == href);
        let parts = one.and_then(|one| one["parts"].as_array());
        let parts = parts.into_iter().flatten();
        parts.filter(|part| part["kind"] == kind).cloned().collect()
    };
    let count = |href: &str| ["line", "dot", "corner"].map(|kind| parts(href, kind).len());
    ensure!(all.iter().all(|one| one["href"] != "/f"), "{told}");
    ensure!(count("/a") == [1, 5, 0], "{told}");
    ensure!(
        count("/c") == [0; 3],
        "drawn when it is scrolled there: {told}"
    );
    ensure!(count("/d")[2] > 0 && count("/d")[0] == 0, "{told}");
    ensure!(count("/e")[0] >= 2, "{told}");
    let right = |part: &Value| number(part, "x") + number(part, "width");
    let cut = &parts("/b", "line")[0];
    ensure!(right(cut) <= number(&told["clip"], "right") + 0.5, "{told}");
    let picture = &told["picture"];
    for corner in parts("/d", "corner") {
        ensure!(
            number(&corner, "x") >= number(picture, "left")
                && right(&corner) <= number(picture, "right"),
            "{told}"
        );
    }
    Ok(())
}

/// The tip stays on the screen, leaves its link free, and goes by Escape's way.
async fn the_tip_has_its_place(stage: &Stage) -> Result<()> {
    let told = drawn(
        stage,
        "const made = links(`<a href='/a' style='position: fixed; right: 0; bottom: 0'>in the corner</a><a href='/b' style='position: fixed; left: 0; top: 0'>above</a>`);
         overlay.draw(view(made, 3), made);
         const found = [];
         for (const link of made) {
             overlay.point(link, true);
             await until(() => overlay.shown().tip !== null);
             const frame = root.querySelector('iframe'), words = frame.contentDocument, place = box(frame), tip = box(words.querySelector('p'));
             for (const side of ['left', 'right']) tip[side] += place.left;
             for (const side of ['top', 'bottom']) tip[side] += place.top;
             found.push({ tip, link: box(link), width: innerWidth, height: innerHeight, said: words.querySelector('[role=status]').textContent });
         }
         overlay.hideTip();
         await until(() => root.querySelector('iframe').contentDocument.querySelector('p').hidden);
         return { found, gone: overlay.shown().tip === null };",
    )
    .await?;
    ensure!(told["gone"] == true, "{told}");
    let found = told["found"].as_array().map_or(&[][..], Vec::as_slice);
    ensure!(found.len() == 2);
    for one in found {
        let (tip, link) = (&one["tip"], &one["link"]);
        ensure!(one["said"] == "Promising link, 3 of 3. Likely: because");
        ensure!(
            number(tip, "left") >= 0.0 && number(tip, "top") >= 0.0,
            "{one}"
        );
        ensure!(number(tip, "right") <= number(one, "width"), "{one}");
        ensure!(number(tip, "bottom") <= number(one, "height"), "{one}");
        let is_beside = number(tip, "bottom") <= number(link, "top")
            || number(tip, "top") >= number(link, "bottom");
        ensure!(is_beside, "{one}");
    }
    Ok(())
}

async fn overlay(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stands_out(&stage).await?;
    keeps_to_what_is_seen(&stage).await?;
    the_tip_has_its_place(&stage).await?;
    stage.strike().await
}

#[tokio::test]
async fn overlay_in_chromium() -> Result<()> {
    overlay(BrowserKind::Chromium).await
}

#[tokio::test]
async fn overlay_in_firefox() -> Result<()> {
    overlay(BrowserKind::Firefox).await
}
