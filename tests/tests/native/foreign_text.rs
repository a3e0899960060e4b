//! Text of strangers on a terminal: whatever pages, topics and arguments say, no command prints a
//! character that steers a terminal or hides.

use std::path::Path;

use anyhow::{Result, ensure};
use linkscent_tests::companion::program;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::shell;
use tokio::process::Command;

/// Clears the screen, sets its title and the clipboard, turns the direction of text, hides.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;x\u{7}\u{1b}]52;c;ZXZpbA==\u{7}\u{9b}31m\u{202e}\u{2066}\
                       \u{200b}\u{e0041}\u{8}";
/// A topic's name that forges a line of the program's own.
const TOPIC: &str = "kidneys \u{1b}[31m\u{202e}\nlinkscent: all is well";

fn page(address: &str) -> Reply {
    match address.rsplit('/').next() {
        Some("") => Reply::Page(format!(
            "<title>Kidneys {HOSTILE}</title><h2>Care {HOSTILE}</h2>\
             <p>Dialysis of kidneys {HOSTILE} cleans the blood.</p>\
             <a href='/care?{HOSTILE}'>dialysis {HOSTILE} care</a>"
        )),
        Some(rest) if rest.starts_with("care") => Reply::Page(format!(
            "<title>Care {HOSTILE}</title><p>Dialysis of kidneys at home {HOSTILE}.</p>"
        )),
        _ => Reply::Status(404),
    }
}

/// Whether a terminal would do something else than show the character.
fn is_hidden(sign: char) -> bool {
    let is_control = sign.is_control() && sign != '\n';
    let ranges = [
        '\u{200b}'..='\u{200f}',
        '\u{2028}'..='\u{202e}',
        '\u{2060}'..='\u{206f}',
        '\u{e0000}'..='\u{e007f}',
    ];
    is_control || sign == '\u{feff}' || ranges.iter().any(|range| range.contains(&sign))
}

/// A folder with data and the web that it comes from.
struct Place<'a> {
    data: &'a Path,
    proxy: u16,
}

impl Place<'_> {
    /// Runs a command; what it printed on both outputs.
    async fn printed(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new(program()?);
        command.args(arguments).kill_on_drop(true);
        command.env("LINKSCENT_DATA", self.data);
        if arguments.contains(&"--new") || arguments.contains(&"--budget") {
            let proxy = format!("http://127.0.0.1:{}", self.proxy);
            command.args(["--proxy", &proxy]);
        }
        let output = command.output().await?;
        Ok(String::from_utf8([output.stdout, output.stderr].concat())?)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_prints_what_a_terminal_would_obey() -> Result<()> {
    let (proxy, _) = scripted_web(page).await?;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let place = Place { data: &data, proxy };
    let list = shell::list(folder.path(), &["http://kidney.test/"])?;
    let crawl = [
        "crawl",
        "--topic",
        TOPIC,
        "--examples",
        &list,
        "--delay",
        "0",
    ];
    for more in [
        &["--budget", "3", "--log", "debug"][..],
        &["--budget", "4", "--log", "debug", "--log-format", "json"],
        &["--budget", "4", "--json"],
    ] {
        let said = place.printed(&[&crawl[..], more].concat()).await?;
        ensure!(!said.contains(is_hidden), "{more:?}: {said:?}");
    }
    let file = folder.path().join("page.html");
    let Reply::Page(html) = page("http://kidney.test/") else {
        unreachable!("it is a page");
    };
    std::fs::write(&file, html)?;
    let file = file.display().to_string();
    let away = folder.path().join(format!("{HOSTILE}.topic"));
    let away = away.display().to_string();
    let gone = format!("{away}.gone");
    // What is expected of each says that it came as far as what it has to show.
    for (arguments, expected) in [
        (&["search", "--all", "kidneys"][..], "\\u{1b}]52"),
        (&["search", "--all", "--json", "kidneys"], "\\u001b]52"),
        (
            &["inspect", "dry-run", "--new", "--topic", TOPIC],
            "would fetch",
        ),
        (
            &["inspect", "dry-run", "--new", "--topic", TOPIC, "--json"],
            "kidney.test",
        ),
        (&["inspect", "page", "--topic", TOPIC, &file], "\\u{1b}]52"),
        (
            &["inspect", "page", "--topic", TOPIC, "--json", &file],
            "\\u001b]52",
        ),
        (&["inspect", "judge", "--topic", TOPIC, &file], "\\u{1b}]52"),
        (
            &[
                "inspect",
                "judge",
                "--predicate",
                "title has \"care\"",
                &file,
            ],
            "\\u{1b}",
        ),
        (&["status"], "\\u{1b}[31m\\u{202e}\\nlinkscent"),
        (&["status", "--json"], "\\u001b[31m\\u202e\\nlinkscent"),
        (&["data", "sites"], "kidney.test"),
        (&["watch", "--topic", TOPIC], "not watched"),
        (
            &[
                "export", "--topic", TOPIC, "--format", "topic", "--out", &away,
            ],
            "\\u{1b}",
        ),
        (&["import", "topic", &away], "\\u{1b}[31m"),
        (&["research", "verify", &gone], "\\u{1b}"),
        (&["search", "--topic", HOSTILE, "x"], "no such topic"),
        (&[HOSTILE], "unrecognized subcommand"),
        (&["search", "--most", HOSTILE], "invalid value"),
        (&["data", "check"], "nothing is wrong"),
    ] {
        let said = place.printed(arguments).await?;
        ensure!(!said.contains(is_hidden), "{arguments:?}: {said:?}");
        ensure!(said.contains(expected), "{arguments:?}: {said}");
        let forged = said.lines().any(|line| line == "linkscent: all is well");
        ensure!(!forged, "{arguments:?}: {said}");
    }
    Ok(())
}
