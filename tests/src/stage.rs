//! What stories of a person in a browser are played on.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use thirtyfour::prelude::*;

use crate::browser::{Browser, BrowserKind};
use crate::companion::Companion;
use crate::{wait_for, web};

/// A browser on the small web, with the popup in a tab of its own.
pub struct Stage {
    /// The browser, the extension in it.
    pub browser: Browser,
    /// What serves the small web, if a test does not do that itself.
    pub replay: Option<Companion>,
    /// Its port.
    pub proxy: u16,
    /// The tab where pages are read.
    pub page: WindowHandle,
    /// The tab of the popup.
    pub popup: WindowHandle,
    /// Goes with the stage.
    pub folder: tempfile::TempDir,
}

/// What the extension draws on a page.
#[derive(Debug, serde::Deserialize)]
pub struct Shown {
    /// Why the page is not read, if it is not.
    pub refused: Option<String>,
    /// The highlighted links, in document order.
    pub links: Vec<ShownLink>,
    /// What is said beside the link that the person is on.
    pub tip: Option<String>,
    /// What was said at the foot of the window just now.
    pub said: Option<String>,
    /// Where the link leads that the last jump led to.
    pub reached: Option<String>,
}

/// A highlighted link.
#[derive(Debug, serde::Deserialize)]
pub struct ShownLink {
    /// Where it leads.
    pub href: String,
    /// 3 (best), 2 or 1.
    pub grade: u8,
    /// Why it is highlighted.
    pub why: String,
}

/// Opens the extension's panel in a tab and waits until pages are read: one that is opened
/// before the extension has registered its script is not.
pub async fn read_pages(browser: &Browser, tab: &WindowHandle) -> Result<()> {
    browser.driver.switch_to_window(tab.clone()).await?;
    browser
        .driver
        .goto(browser.page("pages/panel.html")?)
        .await?;
    let script = "return (await chrome.scripting.getRegisteredContentScripts()).length > 0;";
    wait_for("the extension reads pages", 15, || async {
        let is_ready = browser.script(script).await?;
        Ok((is_ready == Value::Bool(true)).then_some(()))
    })
    .await
}

/// Closes the page that welcomes a person, once it is there: it stands in front of the others.
/// A driver is not told of a tab that nobody asked for, so a page of the extension does it.
async fn close_welcome_page(browser: &Browser) -> Result<()> {
    let welcome = browser.page("pages/welcome.html")?;
    let script = format!(
        "const tabs = await chrome.tabs.query({{}});
         const welcome = tabs.find(tab => tab.url === {welcome:?});
         if (welcome) await chrome.tabs.remove(welcome.id);
         return welcome ? null : tabs.map(tab => tab.url).join(' ');"
    );
    let open = std::cell::RefCell::new(Value::Null);
    let closed = wait_for("the welcome page opens", 30, || async {
        let others = browser.script(&script).await?;
        let is_closed = others.is_null();
        open.replace(others);
        Ok(is_closed.then_some(()))
    });
    closed
        .await
        .with_context(|| format!("open: {}", open.borrow()))
}

impl Stage {
    /// Starts web and browser.
    pub async fn set(kind: BrowserKind) -> Result<Self> {
        Self::set_at(kind, None).await
    }

    /// The same with a page that is open before the extension comes, which only Firefox can be
    /// told.
    pub async fn set_at(kind: BrowserKind, page: Option<&str>) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("stories.warc");
        let pages = web::stories();
        let rows: Vec<web::PageRow<'_>> = pages
            .iter()
            .map(|(address, headers, body)| (address.as_str(), *headers, body.as_str()))
            .collect();
        web::write_warc(&file, &rows)?;
        let (replay, proxy) = Companion::replay(&[&file]).await?;
        let browser = Browser::start_at(kind, proxy, page).await?;
        let stage = Self::in_browser(browser, proxy).await?;
        Ok(Self {
            replay: Some(replay),
            folder,
            ..stage
        })
    }

    /// Starts a browser whose pages come from this proxy.
    pub async fn on_web(kind: BrowserKind, proxy: u16) -> Result<Self> {
        let browser = Browser::start(kind, proxy).await?;
        Self::in_browser(browser, proxy).await
    }

    async fn in_browser(browser: Browser, proxy: u16) -> Result<Self> {
        let page = browser.driver.window().await?;
        browser
            .wait_for_tab(&browser.page("pages/welcome.html")?)
            .await?;
        let popup = browser.driver.new_tab().await?;
        read_pages(&browser, &popup).await?;
        close_welcome_page(&browser).await?;
        browser.driver.switch_to_window(page.clone()).await?;
        Ok(Self {
            browser,
            replay: None,
            proxy,
            page,
            popup,
            folder: tempfile::tempdir()?,
        })
    }

    /// Opens a page in the page's tab.
    pub async fn open(&self, address: &str) -> Result<()> {
        self.browser
            .driver
            .switch_to_window(self.page.clone())
            .await?;
        self.browser.driver.goto(address).await?;
        Ok(())
    }

    /// The popup, as it would open over the page's tab.
    pub async fn popup(&self) -> Result<()> {
        self.beside("popup").await
    }

    /// The panel, as it would open beside the page's tab.
    pub async fn panel(&self) -> Result<()> {
        self.beside("panel").await
    }

    async fn beside(&self, screen: &str) -> Result<()> {
        let driver = &self.browser.driver;
        driver.switch_to_window(self.popup.clone()).await?;
        driver.goto(self.browser.page("pages/panel.html")?).await?;
        let tabs = self
            .browser
            .script("const tabs = await chrome.tabs.query({}); return tabs.filter(t => (t.url ?? '').includes('.test')).map(t => t.id);")
            .await?;
        let tab = tabs[0].as_i64().context("the page's tab is not there")?;
        let screen = format!("pages/{screen}.html?tab={tab}");
        driver.goto(self.browser.page(&screen)?).await?;
        self.drawn().await
    }

    /// Waits until the popup, or the panel, is drawn.
    pub async fn drawn(&self) -> Result<()> {
        self.wait_until("the popup is drawn", "main?.hasAttribute('data-drawn')")
            .await
    }

    /// Waits until this holds of a screen, whose root is `main`; else says what the screen shows.
    async fn wait_until(&self, what: &str, condition: &str) -> Result<()> {
        let script = format!(
            "const main = document.querySelector('main'); return ({condition}) ? true : main?.innerText;"
        );
        let shown = std::cell::RefCell::new(Value::Null);
        let holds = wait_for(what, 15, || async {
            let said = self.browser.script(&script).await?;
            let holds = said == Value::Bool(true);
            shown.replace(said);
            Ok(holds.then_some(()))
        });
        holds
            .await
            .with_context(|| format!("it shows: {}", shown.borrow()))
    }

    /// Presses a button of the popup, once it is there; what it complains of then is an error. What
    /// was drawn before is not taken for what comes after.
    pub async fn press(&self, id: &str) -> Result<()> {
        let there = format!("document.getElementById({id:?})");
        self.wait_until(&format!("the popup has {id}"), &there)
            .await?;
        let button = self.browser.driver.find(By::Id(id)).await?;
        button.scroll_into_view().await?;
        let set_apart = "document.querySelector('main')?.removeAttribute('data-drawn');
            document.querySelectorAll('.error').forEach(error => { error.dataset.before = ''; });
            return true;";
        self.browser.script(set_apart).await?;
        button.click().await?;
        let new_error = ".error:not([data-before])";
        let is_drawn =
            format!("main?.hasAttribute('data-drawn') || document.querySelector({new_error:?})");
        self.wait_until("the popup is drawn again", &is_drawn)
            .await?;
        let errors = self.browser.driver.find_all(By::Css(new_error)).await?;
        if let Some(error) = errors.first() {
            anyhow::bail!("{id}: {}", error.text().await?);
        }
        Ok(())
    }

    /// Types into a field of the popup.
    pub async fn type_in(&self, id: &str, text: &str) -> Result<()> {
        let field = self.browser.driver.find(By::Id(id)).await?;
        field.clear().await?;
        field.send_keys(text).await?;
        Ok(())
    }

    /// Begins a topic.
    pub async fn new_topic(&self, name: &str) -> Result<()> {
        self.open("http://town.test/").await?;
        self.popup().await?;
        self.type_in("topic-name", name).await?;
        self.press("create-topic").await
    }

    /// Pairs with a companion by its code.
    pub async fn pair(&self, port: u16, code: &str) -> Result<()> {
        self.popup().await?;
        self.type_in("port", &port.to_string()).await?;
        self.type_in("code", code).await?;
        self.press("pair").await
    }

    /// Opens a page and presses one of the buttons that mark it.
    pub async fn mark(&self, address: &str, id: &str) -> Result<()> {
        self.open(address).await?;
        self.highlights().await?;
        self.popup().await?;
        self.press(id).await
    }

    /// Hrefs of the highlighted links of the page, once it was scored, best
    /// grade first.
    pub async fn highlights(&self) -> Result<Vec<String>> {
        let shown = self.shown().await?;
        let mut links = shown.links;
        links.sort_by_key(|link| std::cmp::Reverse(link.grade));
        Ok(links.into_iter().map(|link| link.href).collect())
    }

    /// What is drawn on the page in the page's tab, once it was scored. Only the
    /// extension's own pages are told that, so a tab of one is asked.
    pub async fn shown(&self) -> Result<Shown> {
        let driver = &self.browser.driver;
        let page = driver.current_url().await?;
        let before = driver.window().await?;
        let asking = self.browser.page("pages/panel.html")?;
        driver.switch_to_window(self.popup.clone()).await?;
        if !driver
            .current_url()
            .await?
            .as_str()
            .starts_with(&self.browser.page("")?)
        {
            driver.goto(asking).await?;
        }
        let script = format!(
            "const tabs = await chrome.tabs.query({{}});
             const tab = tabs.find(tab => tab.url === {:?});
             if (!tab) return null;
             return chrome.tabs.sendMessage(tab.id, {{ kind: 'shown' }}, {{ frameId: 0 }}).catch(() => null);",
            page.as_str()
        );
        let shown = wait_for("the page is scored", 15, || async {
            let shown = self.browser.script(&script).await?;
            Ok((shown["done"] == true).then_some(shown))
        })
        .await;
        driver.switch_to_window(before).await?;
        Ok(serde_json::from_value(shown?)?)
    }

    /// Everything that the extension keeps, as text: all stores, keys and values.
    pub async fn kept(&self) -> Result<String> {
        let driver = &self.browser.driver;
        driver.switch_to_window(self.popup.clone()).await?;
        driver.goto(self.browser.page("pages/panel.html")?).await?;
        self.drawn().await?;
        let script = "const all = (request) => new Promise((done, failed) => {
                request.onsuccess = () => done(request.result);
                request.onerror = () => failed(request.error);
            });
            const database = await all(indexedDB.open('linkscent'));
            const text = [];
            for (const name of database.objectStoreNames) {
                const store = database.transaction(name).objectStore(name);
                const [keys, values] = await Promise.all([all(store.getAllKeys()), all(store.getAll())]);
                const unpacked = (bytes) => new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text();
                const plain = (value) => value instanceof Uint8Array ? new TextDecoder('latin1').decode(value) : JSON.stringify(value);
                for (let n = 0; n < keys.length; n++) {
                    text.push(`${name} ${keys[n]} ${name === 'steps' || name === 'pages' ? await unpacked(values[n]) : plain(values[n])}`);
                }
            }
            database.close();
            const session = await chrome.storage.session.get(null);
            return text.join(' | ') + JSON.stringify(Object.keys(session));";
        let kept = self.browser.script(script).await?;
        Ok(kept.as_str().unwrap_or_default().to_owned())
    }

    /// The trails as the panel shows them, newest first.
    pub async fn trails(&self) -> Result<Vec<(String, String)>> {
        let driver = &self.browser.driver;
        driver.switch_to_window(self.popup.clone()).await?;
        driver.goto(self.browser.page("pages/panel.html")?).await?;
        self.drawn().await?;
        let rows = self
            .browser
            .script("const rows = await chrome.runtime.sendMessage({kind: 'trails'}); return rows.map(r => [r.from, r.to]);")
            .await?;
        Ok(serde_json::from_value(rows)?)
    }

    /// The trails, once there are so many.
    pub async fn wait_for_trails(&self, count: usize) -> Result<Vec<(String, String)>> {
        wait_for("the trail is there", 15, || async {
            let trails = self.trails().await?;
            Ok((trails.len() >= count).then_some(trails))
        })
        .await
    }

    /// Takes a picture of what is seen, see [`picture`].
    pub async fn picture(&self, name: &str) -> Result<()> {
        picture(&self.browser, name).await
    }

    /// Ends all of it.
    pub async fn strike(self) -> Result<()> {
        self.browser.quit().await?;
        drop(self.replay);
        Ok(())
    }
}

/// Takes a picture of what a browser shows, where `LINKSCENT_PICTURES` names a folder for them.
pub async fn picture(browser: &Browser, name: &str) -> Result<()> {
    let Some(folder) = std::env::var_os("LINKSCENT_PICTURES") else {
        return Ok(());
    };
    let file = Path::new(&folder).join(format!("{name}-{:?}.png", browser.kind));
    Ok(browser.driver.screenshot(&file).await?)
}
