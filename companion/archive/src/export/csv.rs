//! A table. An apostrophe stands before what a spreadsheet would take for a formula.

use std::io::{self, Write};

use super::{About, AnyExport, Entry, Export, Out, one_line};

const COLUMNS: &str = "title,address,site,language,topic,probability,mark,tags,note,date,authors,snippet,reason,path,read";

struct Table(Out);

pub(super) fn begin(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Table(out))
}

impl Export for Table {
    fn begin(&mut self) -> io::Result<()> {
        // Spreadsheets know by this that it is UTF-8.
        write!(self.0, "\u{feff}{COLUMNS}\r\n")
    }

    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let mark = match entry.mark {
            Some(true) => "target",
            Some(false) => "not",
            None => "",
        };
        let cells = [
            &*entry.title,
            &entry.address,
            &entry.site,
            &entry.language,
            &entry.topic,
            &format!("{:.3}", entry.probability),
            mark,
            &entry.tags.join(" "),
            &entry.note,
            &entry.citation.date,
            &entry.citation.authors.join("; "),
            &entry.snippet,
            &entry.reason,
            &entry.path.join(" > "),
            &entry.read,
        ];
        let cells = cells.map(cell);
        write!(self.0, "{}\r\n", cells.join(","))
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A cell that every spreadsheet takes for text.
fn cell(text: &str) -> String {
    let text = harmless(&one_line(text));
    if text.contains([',', ';', '"', '\'']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

/// A text with an apostrophe before each sign that would begin a formula: the first one, and those
/// behind a semicolon, which parts cells where a comma parts decimals.
fn harmless(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut may_begin = true;
    for sign in text.chars() {
        if may_begin && begins_formula(sign) {
            plain.push('\'');
        }
        may_begin = sign == ';' || (may_begin && (sign.is_whitespace() || sign == '"'));
        plain.push(sign);
    }
    plain
}

/// Whether a sign begins a formula, in its usual width, full width or small form.
fn begins_formula(sign: char) -> bool {
    matches!(
        sign,
        '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠' | '﹦' | '﹢' | '﹣' | '﹫' | '−'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_cell_begins_as_a_formula() {
        for sign in [
            "=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫", "−",
        ] {
            for before in [
                "",
                " ",
                "\t",
                "\r",
                "\n",
                "\u{200b}",
                "\u{feff}\t",
                "\u{3000}",
                "\"",
            ] {
                let cell = cell(&format!("{before}{sign}cmd|' /C calc'!A0"));
                let first = cell.trim_matches('"').chars().next();
                assert_eq!(first, Some('\''), "{before:?}{sign}: {cell}");
            }
            // Read with semicolons between cells, this is two of them.
            let two = cell(&format!("Notes; \"{sign}1+1"));
            assert!(!two.contains(&format!("\"{sign}")), "{two}");
        }
        assert_eq!(cell("a = b - c"), "a = b - c");
        assert_eq!(cell("-5, or more"), "\"'-5, or more\"");
    }
}
