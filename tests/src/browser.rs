//! Real browsers with the extension in them, headless, by `WebDriver`.
//!
//! Pages come from a proxy on loopback; nothing else is ever resolved.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use linkscent_pack::{Built, FIREFOX_ID, Target, Variant, chromium_id};
use serde_json::{Value, json};
use std::sync::OnceLock;
use tempfile::TempDir;
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;
use thirtyfour::common::command::FormatRequestData;
use thirtyfour::extensions::addons::firefox::FirefoxTools;
use thirtyfour::prelude::*;
use thirtyfour::{ChromiumLikeCapabilities, RequestData, SessionId};
use tokio::process::{Child, Command};

use crate::wait_for;

const FIREFOX_UUID: &str = "6c1f0d3e-5a2b-4c7d-9e8f-0123456789ab";

/// Which browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserKind {
    /// Chromium with chromedriver.
    Chromium,
    /// Firefox ESR with geckodriver.
    Firefox,
}

/// A browser with the extension loaded.
pub struct Browser {
    /// Which one.
    pub kind: BrowserKind,
    /// Its session.
    pub driver: WebDriver,
    server: Child,
    profile: TempDir,
}

/// A test that fails drops its browser without a word: one left behind would take a processor
/// from the tests that follow.
impl Drop for Browser {
    fn drop(&mut self) {
        // First the server, which would wait for a browser that no longer answers.
        let _ = self.server.start_kill();
        // Its profile's folder is on the command line of what belongs to it, and of nothing else.
        let kill = std::process::Command::new("pkill")
            .args(["-KILL", "-f"])
            .arg(self.profile.path())
            .status();
        if let Err(error) = kill {
            eprintln!("the browser may still run: pkill: {error}");
        }
    }
}

/// The extension's test build, made once.
fn extension() -> Result<Built> {
    static BUILT: OnceLock<Result<Built, String>> = OnceLock::new();
    let built = BUILT
        .get_or_init(|| linkscent_pack::build(Variant::Test).map_err(|error| format!("{error:#}")));
    built.clone().map_err(anyhow::Error::msg)
}

fn find(names: &[&str]) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Some(home) = std::env::var_os("HOME") {
        folders.push(Path::new(&home).join(".cargo/bin"));
    }
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
        .with_context(|| {
            format!("none of {names:?} is installed: run `cargo verify`, which installs them")
        })
}

impl Browser {
    /// Starts a browser whose pages come from the proxy on this port.
    pub async fn start(kind: BrowserKind, proxy: u16) -> Result<Self> {
        Self::start_at(kind, proxy, None).await
    }

    /// The same with a page that is open before the extension comes, which only Firefox can be
    /// told.
    pub async fn start_at(kind: BrowserKind, proxy: u16, page: Option<&str>) -> Result<Self> {
        linkscent_store::tls::choose_cryptography();
        let port = std::net::TcpListener::bind("127.0.0.1:0")?
            .local_addr()?
            .port();
        let profile = tempfile::tempdir()?;
        let mut command = match kind {
            BrowserKind::Chromium => {
                let mut command = Command::new(find(&["chromedriver"])?);
                command.arg(format!("--port={port}"));
                command
            }
            BrowserKind::Firefox => {
                let mut command = Command::new(find(&["geckodriver"])?);
                command.args(["--host", "127.0.0.1", "--port", &port.to_string()]);
                command.args(["--websocket-port", "0", "--allow-system-access"]);
                command.arg("--profile-root").arg(profile.path());
                command.env("MOZ_REMOTE_SETTINGS_DEVTOOLS", "1");
                command
            }
        };
        let process = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .context("starting the WebDriver server")?;
        wait_for("the WebDriver server listens", 20, || async {
            Ok(tokio::net::TcpStream::connect(("127.0.0.1", port))
                .await
                .ok())
        })
        .await?;
        let url = format!("http://127.0.0.1:{port}");
        let driver = match kind {
            BrowserKind::Chromium => chromium(&url, profile.path(), proxy).await?,
            BrowserKind::Firefox => firefox(&url, proxy, page).await?,
        };
        Ok(Self {
            kind,
            driver,
            server: process,
            profile,
        })
    }

    /// Address of a page of the extension.
    pub fn page(&self, path: &str) -> Result<String> {
        Ok(match self.kind {
            BrowserKind::Chromium => format!("chrome-extension://{}/{path}", chromium_id()?),
            BrowserKind::Firefox => format!("moz-extension://{FIREFOX_UUID}/{path}"),
        })
    }

    /// Presses the button or link that this selector finds, once it is there.
    /// A live screen draws itself again, so finding and pressing are one step. What leads away
    /// from a page that has not loaded yet takes its place in the history, so that nobody comes
    /// back to it: the page is waited for.
    pub async fn press(&self, selector: &str) -> Result<()> {
        self.press_having(selector, "").await
    }

    /// Like [`Self::press`]; what the script does, such as filling in a field, comes before it
    /// in the same step.
    pub async fn press_having(&self, selector: &str, first: &str) -> Result<()> {
        let script = format!(
            "const found = document.querySelector({selector:?});
             if (found === null || document.readyState !== 'complete') return false;
             {first}
             found.click();
             return true;"
        );
        let pressed = wait_for(&format!("{selector} to press"), 20, || async {
            Ok((self.read(&script).await? == Value::Bool(true)).then_some(()))
        })
        .await;
        let screen = self.text().await?;
        pressed.with_context(|| screen)
    }

    /// Chooses what counts as found, on a topic's screen, once all of it is there:
    /// `topic`, `forms`, ..., or `predicate` with a condition.
    pub async fn choose_critic(&self, kind: &str, condition: &str) -> Result<()> {
        let script = format!(
            "const kind = document.querySelector('input[value={kind}]');
             const condition = document.querySelector('textarea[name=predicate]');
             const button = document.querySelector(\"form[action$='/critic'] button\");
             const isLoaded = document.readyState === 'complete';
             if (!kind || !condition || !button || !isLoaded) return false;
             kind.click();
             condition.value = {condition:?};
             button.click();
             return true;"
        );
        wait_for("the choice of what counts", 20, || async {
            Ok((self.read(&script).await? == Value::Bool(true)).then_some(()))
        })
        .await
    }

    /// What is to be read on the screen.
    pub async fn text(&self) -> Result<String> {
        let text = self.read("return document.body?.innerText ?? '';").await?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Waits until the screen says something.
    pub async fn wait_for_text(&self, wanted: &str) -> Result<()> {
        let said = wait_for(wanted, 20, || async {
            let text = self.text().await?;
            if text.contains("not taken") {
                bail!("{text}");
            }
            Ok(text.contains(wanted).then_some(()))
        })
        .await;
        let screen = self.text().await?;
        said.with_context(|| screen)
    }

    /// Stops the extension's background, as the browser does when it likes.
    pub async fn kill_background(&self) -> Result<()> {
        match self.kind {
            BrowserKind::Chromium => self.kill_worker().await,
            BrowserKind::Firefox => self.kill_event_page().await,
        }
    }

    async fn kill_worker(&self) -> Result<()> {
        let prefix = self.page("")?;
        wait_for("the service worker is gone", 10, || async {
            let targets = self
                .driver
                .cdp()
                .send_raw("Target.getTargets", json!({}))
                .await?;
            let workers: Vec<String> = targets["targetInfos"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|target| target["type"] == "service_worker")
                .filter(|target| {
                    target["url"]
                        .as_str()
                        .is_some_and(|url| url.starts_with(&prefix))
                })
                .filter_map(|target| Some(target["targetId"].as_str()?.to_owned()))
                .collect();
            for worker in &workers {
                // It may end by itself in between.
                let close = json!({ "targetId": worker });
                let _ = self
                    .driver
                    .cdp()
                    .send_raw("Target.closeTarget", close)
                    .await;
            }
            Ok(workers.is_empty().then_some(()))
        })
        .await
    }

    async fn kill_event_page(&self) -> Result<()> {
        let script = format!(
            "const {{extension}} = WebExtensionPolicy.getByID('{FIREFOX_ID}');
             await extension.terminateBackground({{ignoreDevToolsAttached: true, disableResetIdleForTest: true}});
             return extension.backgroundState;"
        );
        let answer = self.in_firefox(&script).await?;
        if answer["ok"] != "stopped" {
            bail!("the background was not stopped: {answer}");
        }
        Ok(())
    }

    /// The folder of its profile.
    pub fn profile(&self) -> &Path {
        self.profile.path()
    }

    /// Notes from now on what the policies of pages refuse, and what pages run that they should
    /// not: see [`Self::refusals`].
    pub async fn watch_refusals(&self) -> Result<()> {
        if self.kind == BrowserKind::Firefox {
            return self.in_firefox("Services.console.reset();").await.map(drop);
        }
        let script = "const note = (what) => (sessionStorage.refusals = JSON.stringify([...JSON.parse(sessionStorage.refusals ?? '[]'), what]));
            for (const name of ['alert', 'confirm', 'prompt', 'print']) globalThis[name] = () => note(`${name} was called`);
            addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => note(`${violatedDirective} ${blockedURI}`), true);";
        let cdp = self.driver.cdp();
        cdp.send_raw("Page.enable", json!({})).await?;
        let added = json!({ "source": script });
        cdp.send_raw("Page.addScriptToEvaluateOnNewDocument", added)
            .await?;
        Ok(())
    }

    /// What was noted on the site that is shown. In Firefox a dialog that a page opens fails
    /// whatever is asked of the browser next.
    pub async fn refusals(&self) -> Result<Vec<String>> {
        let found = if self.kind == BrowserKind::Firefox {
            let script = "return Services.console.getMessageArray()
                .filter((message) => message instanceof Ci.nsIScriptError && /^CSP/.test(message.category))
                .map(({ errorMessage }) => errorMessage);";
            self.in_firefox(script).await?["ok"].take()
        } else {
            self.script("return JSON.parse(sessionStorage.refusals ?? '[]');")
                .await?
        };
        Ok(serde_json::from_value(found)?)
    }

    /// Waits until a tab shows this address that no driver was asked for. Firefox's driver takes
    /// whatever tab comes to the front for one that it was asked to open. Chromium's does not.
    pub async fn wait_for_tab(&self, address: &str) -> Result<()> {
        if self.kind == BrowserKind::Chromium {
            return Ok(());
        }
        let script = format!(
            "const window = Services.wm.getMostRecentWindow('navigator:browser');
             const open = window.gBrowser.tabs.map(tab => tab.linkedBrowser.currentURI.spec);
             return open.includes({address:?});"
        );
        wait_for(address, 30, || async {
            let answer = self.in_firefox(&script).await?;
            Ok((answer["ok"] == true).then_some(()))
        })
        .await
    }

    /// Brings the tab back that was closed last. Firefox only: no driver can ask Chromium
    /// for it.
    pub async fn reopen_tab(&self) -> Result<()> {
        let script = "const { SessionStore } = ChromeUtils.importESModule('resource:///modules/sessionstore/SessionStore.sys.mjs');
             const window = Services.wm.getMostRecentWindow('navigator:browser');
             return SessionStore.undoCloseTab(window, 0) !== null;";
        let answer = self.in_firefox(script).await?;
        if answer["ok"] != true {
            bail!("the tab was not brought back: {answer}");
        }
        Ok(())
    }

    /// Runs a script in Firefox itself.
    async fn in_firefox(&self, script: &str) -> Result<Value> {
        self.raw("moz/context", json!({ "context": "chrome" }))
            .await?;
        let wrapped = format!(
            "const done = arguments[arguments.length - 1];
             (async () => {{ {script} }})().then(v => done({{ok: v}}), e => done({{error: String(e)}}));"
        );
        let answer = self
            .raw("execute/async", json!({ "script": wrapped, "args": [] }))
            .await;
        self.raw("moz/context", json!({ "context": "content" }))
            .await?;
        answer
    }

    /// Clicks with a mouse button: 0 left, 1 middle.
    pub async fn mouse(&self, element: &WebElement, button: u8) -> Result<()> {
        let actions = json!([
            { "type": "pointerMove", "duration": 0, "origin": element.to_json()?, "x": 0, "y": 0 },
            { "type": "pointerDown", "button": button },
            { "type": "pointerUp", "button": button }
        ]);
        let mouse = json!({ "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": actions });
        self.raw("actions", json!({ "actions": [mouse] })).await?;
        Ok(())
    }

    /// Runs a script that ends with `return` in one step: no page can come or
    /// go meanwhile, as it can while a script waits.
    pub async fn read(&self, script: &str) -> Result<Value> {
        let answer = self.driver.execute(script, Vec::new()).await?;
        Ok(answer.json().clone())
    }

    /// Runs a script in the page that ends with `return`; it may `await`.
    pub async fn script(&self, script: &str) -> Result<Value> {
        let wrapped = format!(
            "const done = arguments[arguments.length - 1];
             (async () => {{ {script} }})().then(v => done({{ok: v ?? null}}), e => done({{error: String(e)}}));"
        );
        let answer = self.driver.execute_async(&wrapped, Vec::new()).await?;
        let answer = answer.json().clone();
        if let Some(error) = answer["error"].as_str() {
            bail!("in the page: {error}");
        }
        Ok(answer["ok"].clone())
    }

    /// Waits until the screen, drawn whole, no longer says something. Between two pages a screen
    /// says nothing, and of one that is still coming nobody knows what it will say.
    pub async fn wait_for_text_gone(&self, unwanted: &str) -> Result<()> {
        let drawn = "return document.readyState === 'complete' ? document.body.innerText : '';";
        wait_for(&format!("no {unwanted}"), 20, || async {
            let answer = self.read(drawn).await?;
            let text = answer.as_str().unwrap_or_default();
            Ok((!text.is_empty() && !text.contains(unwanted)).then_some(()))
        })
        .await
    }

    /// Ends the browser.
    pub async fn quit(self) -> Result<()> {
        self.driver.clone().quit().await?;
        Ok(())
    }

    async fn raw(&self, path: &'static str, body: Value) -> Result<Value> {
        let command = Raw { path, body };
        Ok(self.driver.handle().cmd(command).await?.value::<Value>()?)
    }
}

/// A `WebDriver` command without a method of its own.
#[derive(Debug)]
struct Raw {
    path: &'static str,
    body: Value,
}

impl FormatRequestData for Raw {
    fn format_request(&self, session: &SessionId) -> RequestData {
        let path = format!("/session/{session}/{}", self.path);
        RequestData::new(http::Method::POST, path).add_body(self.body.clone())
    }
}

async fn chromium(url: &str, profile: &Path, proxy: u16) -> Result<WebDriver> {
    let mut wanted = DesiredCapabilities::chrome();
    wanted.set_binary(&find(&["chromium"])?.display().to_string())?;
    for argument in [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        // Tests look at tabs that are not in front; they must not be slowed down.
        "--disable-background-timer-throttling",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
        "--window-size=1280,900",
        "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
        "--disable-features=OptimizationHints,NetworkTimeServiceQuerying,HttpsUpgrades",
    ] {
        wanted.add_arg(argument)?;
    }
    // Sites of the tests have certificates that they signed themselves.
    wanted.accept_insecure_certs(true)?;
    let folder = extension()?.folder(Target::Chromium);
    wanted.add_arg(&format!("--load-extension={}", folder.display()))?;
    wanted.add_arg(&format!("--user-data-dir={}", profile.display()))?;
    wanted.add_arg(&format!("--proxy-server=http://127.0.0.1:{proxy}"))?;
    // The first tab would be Chromium's own new-tab page. When the driver takes hold of it
    // between its creation and its first document, no event ever says that it has loaded,
    // and the first command waits until its time is up.
    wanted.add_experimental_option(
        "prefs",
        json!({ "session": { "restore_on_startup": 4, "startup_urls": ["about:blank"] } }),
    )?;
    Ok(WebDriver::new(url, wanted).await?)
}

async fn firefox(url: &str, proxy: u16, page: Option<&str>) -> Result<WebDriver> {
    let mut wanted = DesiredCapabilities::firefox();
    wanted.set_firefox_binary(&find(&["firefox-esr", "firefox"])?.display().to_string())?;
    wanted.set_headless()?;
    wanted.accept_insecure_certs(true)?;
    let mut settings = FirefoxPreferences::new();
    let ids = json!({ FIREFOX_ID: FIREFOX_UUID }).to_string();
    for (name, value) in [
        ("extensions.webextensions.uuids", json!(ids)),
        ("network.proxy.type", json!(1)),
        ("network.proxy.http", json!("127.0.0.1")),
        ("network.proxy.http_port", json!(proxy)),
        ("network.proxy.ssl", json!("127.0.0.1")),
        ("network.proxy.ssl_port", json!(proxy)),
        ("network.proxy.no_proxies_on", json!("")),
        ("dom.security.https_first", json!(false)),
        // Nobody is there to answer the browser's own questions.
        ("extensions.webextOptionalPermissionPrompts", json!(false)),
        (
            "services.settings.server",
            json!("data:,#remote-settings-dummy/v1"),
        ),
    ] {
        settings.set(name, value)?;
    }
    wanted.set_preferences(settings)?;
    let driver = WebDriver::new(url, wanted).await?;
    if let Some(page) = page {
        driver.goto(page).await?;
    }
    let folder = extension()?.folder(Target::Firefox).display().to_string();
    let tools = FirefoxTools::new(driver.handle().clone());
    tools.install_addon(&folder, Some(true)).await?;
    Ok(driver)
}
