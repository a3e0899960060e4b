//! Popup, panel and welcome page in each of their languages, in real browsers: every text is
//! there, what stands within a text has its place, nothing is wider than a narrow window, and
//! languages that are written from the right run from the right.
//!
//! A browser cannot be made to speak another language without its language pack, so the texts of
//! `_locales` are handed to the page's own script here.

use anyhow::{Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::stage::Stage;
use serde_json::Value;

const LANGUAGES: [&str; 10] = [
    "ar", "de", "en", "es", "fr", "he", "ja", "pt_BR", "ru", "zh_CN",
];
const FROM_THE_RIGHT: [&str; 2] = ["ar", "he"];

/// Shows every template of a page in a language, one below the other.
const SHOW: &str = "
    const real = globalThis.chrome;
    const messages = await (await fetch(real.runtime.getURL(`_locales/${language}/messages.json`))).json();
    const special = { '@@ui_locale': language, '@@bidi_dir': fromTheRight ? 'rtl' : 'ltr' };
    const asked = [];
    globalThis.chrome = { ...real, i18n: {
        getUILanguage: () => language.replace('_', '-'),
        getMessage(key, values = []) {
            const text = special[key] ?? messages[key]?.message ?? '';
            if (!text) asked.push(key);
            return text.replace(/\\$([1-9])/g, (_, number) => values[number - 1] ?? '');
        },
    } };
    const main = document.querySelector('main');
    const page = await (await fetch(real.runtime.getURL(`pages/${name}.html`))).text();
    const source = new DOMParser().parseFromString(page, 'text/html');
    document.body.dataset.page = name;
    const width = name === 'welcome' ? 640 : 340;
    document.body.style.width = `${width}px`;
    for (const template of document.querySelectorAll('template')) template.remove();
    document.body.append(...source.querySelectorAll('template'));
    const texts = await import(`../js/texts.js?${language}-${name}`);
    texts.fillPage();
    main.textContent = '';
    for (const template of document.querySelectorAll('template')) main.append(document.importNode(template.content, true));
    for (const details of main.querySelectorAll('details')) details.open = true;
    const wide = [...main.querySelectorAll('*')].filter((element) => element.scrollWidth > width + 5).map((element) => element.outerHTML.slice(0, 120));
    const counts = ['links', 'pages_wait', 'things'].map((key) => [0, 1, 2, 5, 100].map((number) => texts.count(key, number)));
    return { text: main.innerText, dir: getComputedStyle(main).direction, wide, asked, counts };";

async fn speaks(stage: &Stage, language: &str, name: &str) -> Result<()> {
    let driver = &stage.browser.driver;
    driver.goto(stage.browser.page("pages/panel.html")?).await?;
    stage.drawn().await?;
    let is_from_the_right = FROM_THE_RIGHT.contains(&language);
    let script = format!(
        "const language = {language:?}, name = {name:?}, fromTheRight = {is_from_the_right};{SHOW}"
    );
    let told = stage.browser.script(&script).await?;
    stage
        .picture(&format!("language-{language}-{name}"))
        .await?;
    let text = told["text"].as_str().unwrap_or_default();
    ensure!(
        !text.contains('{') && !text.contains('$'),
        "{language}, {name}: {text}"
    );
    ensure!(
        told["asked"] == Value::Array(Vec::new()),
        "{language}, {name}: {}",
        told["asked"]
    );
    ensure!(
        told["wide"] == Value::Array(Vec::new()),
        "{language}, {name}: {}",
        told["wide"]
    );
    let direction = if is_from_the_right { "rtl" } else { "ltr" };
    ensure!(told["dir"] == direction, "{language}: {}", told["dir"]);
    for counts in told["counts"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|row| row.as_array().cloned().unwrap_or_default())
    {
        let said = counts.as_str().unwrap_or_default();
        ensure!(
            !said.is_empty() && !said.contains('_'),
            "{language}: {said}"
        );
    }
    Ok(())
}

async fn languages(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stage
        .browser
        .driver
        .switch_to_window(stage.popup.clone())
        .await?;
    for language in LANGUAGES {
        for name in ["popup", "panel", "welcome"] {
            speaks(&stage, language, name).await?;
        }
    }
    stage.strike().await
}

#[tokio::test]
async fn languages_in_chromium() -> Result<()> {
    languages(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn languages_in_firefox() -> Result<()> {
    languages(BrowserKind::Firefox).await
}
