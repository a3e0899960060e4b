//! The part of the panel that says what was kept and what was sent, by the ledger.

use js_sys::Date;
use wasm_bindgen::JsValue;
use web_sys::Element;

use super::template::Part;
use crate::ports::BrowserError;
use crate::rows::{LedgerLine, Way};
use crate::shown::LedgerView;

/// Pages or words of a line that are named.
const MOST_NAMED: usize = 2;

/// See the module.
pub struct Kept {
    /// An element of the panel.
    pub root: Element,
}

impl Kept {
    /// The part, filled in.
    pub fn part(&self, ledger: &LedgerView) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "kept")?;
        part.say("kept", &sum(ledger.kept))?;
        part.say("sent", &sum(ledger.sent))?;
        part.say("taken", &sum(ledger.taken))?;
        for line in &ledger.lines {
            part.add("tbody", &self.line(line)?)?;
        }
        Ok(part)
    }

    fn line(&self, line: &LedgerLine) -> Result<Part, BrowserError> {
        let row = Part::of(&self.root, "line")?;
        let when = Date::new(&JsValue::from(line.time));
        let options = js_sys::Object::new();
        let when = when.to_locale_string("default", &options);
        row.say("when", &String::from(when))?;
        let way = match line.way {
            Way::Kept => "kept",
            Way::Sent => "→ companion",
            Way::Taken => "← companion",
        };
        row.say("way", way)?;
        row.say("what", &line.what)?;
        let named = line.about.iter().take(MOST_NAMED);
        row.say("about", &named.cloned().collect::<Vec<String>>().join(" "))?;
        row.say("bytes", &line.bytes.to_string())?;
        Ok(row)
    }
}

fn sum((lines, bytes): (usize, usize)) -> String {
    let things = if lines == 1 { "thing" } else { "things" };
    match bytes {
        0..10_000 => format!("{lines} {things}, {bytes} bytes"),
        _ => format!("{lines} {things}, {} kB", bytes / 1_000),
    }
}
