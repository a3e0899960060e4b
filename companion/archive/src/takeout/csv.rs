//! A table. Cells that a spreadsheet would take for a formula begin with an apostrophe.

use std::io::{self, Write};

use super::{About, Entry, Out, Takeout, Taking, one_line};

const COLUMNS: &str = "title,address,site,language,topic,probability,mark,tags,note,date,authors,snippet,reason,path,read";

struct Table(Out);

pub(super) fn begin(out: Out, _: &About<'_>) -> Taking {
    Box::new(Table(out))
}

impl Takeout for Table {
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

fn cell(text: &str) -> String {
    let text = one_line(text);
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t']);
    let text = if is_formula { format!("'{text}") } else { text };
    if text.contains([',', '"', '\'']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}
