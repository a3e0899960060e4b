//! `cargo start`: builds the extension and the companion, starts the companion
//! and says what to do next.
//!
//! `-- --browser` also starts Chromium or Firefox on a scratch profile with
//! the extension loaded; `-- --demo` does the whole loop on a small web that
//! comes with the project, without a network.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use linkscent_pack::{Built, FIREFOX_ID, Target, Variant, build, introduce, pack, root};
use serde_json::Value;

/// Between two looks at whether browser and companion still run.
const LOOK_AGAIN: Duration = Duration::from_millis(200);
const CHROMIUMS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const FIREFOXES: [&str; 2] = ["firefox-esr", "firefox"];
/// A Firefox that may be told so loads an extension nobody signed.
const FIREFOX_SETTINGS: &str = r#"user_pref("xpinstall.signatures.required", false);
user_pref("extensions.autoDisableScopes", 0);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
"#;

fn main() -> Result<()> {
    // The alias ends with a `--`, and people write one more.
    let arguments = std::env::args().skip(1);
    let arguments: Vec<String> = arguments.filter(|argument| argument != "--").collect();
    let has = |flag: &str| arguments.iter().any(|argument| argument == flag);
    if let Some(unknown) = arguments
        .iter()
        .find(|argument| !matches!(argument.as_str(), "--browser" | "--demo"))
    {
        bail!("{unknown:?} is not known; there are --browser and --demo");
    }
    if has("--demo") {
        println!("Building the companion (the first time takes some ten minutes) …");
        let status = Command::new(companion()?).arg("demo").status()?;
        if !status.success() {
            bail!("the demo ended with {status}");
        }
        return Ok(());
    }
    println!("Building the extension and the companion (the first time takes some ten minutes) …");
    let variant = if has("--browser") {
        Variant::Test
    } else {
        Variant::Release
    };
    let extension = build(variant)?;
    let program = companion()?;
    println!("The unpacked extension, for Chromium and for Firefox:");
    println!("  {}", extension.folder(Target::Chromium).display());
    println!("    chrome://extensions, developer mode, “Load unpacked”.");
    println!("  {}", extension.folder(Target::Firefox).display());
    println!("    about:debugging, “This Firefox”, “Load Temporary Add-on”, its manifest.json.");
    if !has("--browser") {
        return ended(Command::new(&program).args(["serve", "--pair"]).status());
    }
    let profile = tempfile::tempdir()?;
    let mut serve = Command::new(&program)
        .args(["serve", "--pair", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .context("starting the companion")?;
    let browser =
        pair_with(&mut serve, &extension).and_then(|()| start_browser(&extension, profile.path()));
    let mut browser = match browser {
        Ok(browser) => browser,
        Err(error) => {
            let _ = serve.kill();
            let _ = serve.wait();
            return Err(error);
        }
    };
    let status = wait_for_both(&mut serve, &mut browser);
    for child in [&mut browser, &mut serve] {
        let _ = child.kill();
        let _ = child.wait();
    }
    status
}

/// Waits until the companion ends; a browser that is closed does not end it, one that
/// fails does.
fn wait_for_both(serve: &mut Child, browser: &mut Child) -> Result<()> {
    let mut is_open = true;
    loop {
        if let Some(status) = serve.try_wait()? {
            return ended(Ok(status));
        }
        if is_open && let Some(status) = browser.try_wait()? {
            if !status.success() {
                bail!(
                    "the browser ended with {status}: it needs a display, and refuses to run as \
                     root. Run this as another user, or load the extension by hand"
                );
            }
            is_open = false;
            println!("The browser was closed; the companion goes on until you press Ctrl-C.");
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

fn ended(status: std::io::Result<std::process::ExitStatus>) -> Result<()> {
    let status = status.context("starting the companion")?;
    if !status.success() {
        bail!("the companion ended with {status}");
    }
    Ok(())
}

/// Puts the companion's pairing code beside the extension, which pairs by it
/// when it is first loaded.
fn pair_with(serve: &mut Child, extension: &Built) -> Result<()> {
    let out = serve.stdout.take().context("the companion says nothing")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let said: Value = serde_json::from_str(&line).context("the companion did not start")?;
    let link = said["dashboard"].as_str().unwrap_or_default();
    let port = link
        .split([':', '/'])
        .nth(4)
        .and_then(|port| port.parse::<u16>().ok());
    let code = said["pairing_code"].as_str().unwrap_or_default();
    for target in Target::ALL {
        introduce(&extension.folder(target), port, code)?;
    }
    println!("Dashboard (the link works once): {link}");
    println!("The browser pairs by itself; press Ctrl-C to end both.");
    Ok(())
}

/// As a person waits for it, what it depends on is optimised; for tests it is not.
const OPTIMISED: &str = r#"profile.dev.package."*".opt-level=1"#;

/// Builds the companion; where it is.
fn companion() -> Result<PathBuf> {
    let root = root().canonicalize()?;
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let status = Command::new(cargo)
        .current_dir(&root)
        .args(["build", "--package", "linkscent", "--config", OPTIMISED])
        .status()?;
    if !status.success() {
        bail!("the companion does not compile; see above");
    }
    Ok(linkscent_pack::target_folder(&root).join("debug/linkscent"))
}

/// Starts the first Chromium there is, or else the first Firefox, on a scratch
/// profile. The extension may read pages at once.
fn start_browser(extension: &Built, profile: &Path) -> Result<Child> {
    let chromium = extension.folder(Target::Chromium);
    let load = format!("--load-extension={}", chromium.display());
    let data = format!("--user-data-dir={}", profile.display());
    for name in CHROMIUMS {
        if let Ok(child) = start_quietly(name, &[&load, &data, "--no-first-run"]) {
            return Ok(child);
        }
    }
    prepare_firefox(&extension.folder(Target::Firefox), profile)?;
    let profile = profile.display().to_string();
    for name in FIREFOXES {
        if let Ok(child) = start_quietly(name, &["--no-remote", "--profile", &profile]) {
            return Ok(child);
        }
    }
    bail!(
        "none of {CHROMIUMS:?} and {FIREFOXES:?} is installed: install one, or load the extension by hand"
    )
}

fn start_quietly(program: &str, arguments: &[&str]) -> std::io::Result<Child> {
    Command::new(program)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Lays the packed extension into the profile, where Firefox finds it.
fn prepare_firefox(extension: &Path, profile: &Path) -> Result<()> {
    let folder = profile.join("extensions");
    std::fs::create_dir_all(&folder)?;
    pack(extension, &folder.join(format!("{FIREFOX_ID}.xpi")))?;
    std::fs::write(profile.join("user.js"), FIREFOX_SETTINGS)?;
    Ok(())
}
