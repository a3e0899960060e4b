//! The part of the panel that says what was kept and what was sent, by the ledger.

use js_sys::Date;
use wasm_bindgen::JsValue;
use web_sys::Element;

use super::template::Part;
use crate::js_values::Tools;
use crate::ports::BrowserError;
use crate::rows::{LedgerLine, Way};
use crate::shown::LedgerView;
use crate::texts;

/// Pages or words of a line that are named.
const MOST_NAMED: usize = 2;

/// See the module.
pub struct Kept {
    /// An element of the panel.
    pub root: Element,
    /// The panel's tools.
    pub tools: Tools,
}

impl Kept {
    /// The part, filled in.
    pub fn part(&self, ledger: &LedgerView) -> Result<Part, BrowserError> {
        let part = Part::of(&self.root, "kept")?;
        part.say("kept", &sum(&self.tools, ledger.kept))?;
        part.say("sent", &sum(&self.tools, ledger.sent))?;
        part.say("taken", &sum(&self.tools, ledger.taken))?;
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
            Way::Kept => "way_kept",
            Way::Sent => "way_sent",
            Way::Taken => "way_taken",
        };
        row.say("way", &texts::text(&self.tools, way, &[]))?;
        row.say("what", &line.what)?;
        let named = line.about.iter().take(MOST_NAMED);
        row.say("about", &named.cloned().collect::<Vec<String>>().join(" "))?;
        row.say("bytes", &line.bytes.to_string())?;
        Ok(row)
    }
}

/// How many things, and how large they are together.
fn sum(tools: &Tools, (lines, bytes): (usize, usize)) -> String {
    let things = texts::count(tools, "things", lines);
    let (key, size) = match bytes {
        0..10_000 => ("things_bytes", bytes),
        _ => ("things_kilobytes", bytes / 1_000),
    };
    texts::text(tools, key, &[&things, &size.to_string()])
}
