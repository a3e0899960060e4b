//! A feed: Atom (RFC 4287).

use std::io::{self, Write};

use sha2::{Digest, Sha256};

use super::{About, AnyExport, Entry, Export, Out, xml};

/// A feed has a date, also if it is empty.
const NEVER: &str = "1970-01-01T00:00:00Z";

struct Feed {
    out: Out,
    name: String,
    entries: Vec<String>,
    newest: String,
}

pub(super) fn begin(out: Out, about: &About<'_>) -> AnyExport {
    Box::new(Feed {
        out,
        name: about.name.to_owned(),
        entries: Vec::new(),
        newest: NEVER.to_owned(),
    })
}

/// A name that no other has, for what is named by these words.
fn id(of: &str) -> String {
    let hash = Sha256::digest(of.as_bytes());
    let hex: String = hash[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let parts = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    format!("urn:uuid:{}", parts.join("-"))
}

impl Export for Feed {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let updated = if entry.read.is_empty() {
            NEVER
        } else {
            &entry.read
        };
        if *updated > *self.newest {
            updated.clone_into(&mut self.newest);
        }
        let authors = entry.citation.authors.iter();
        let authors = authors.map(|name| format!("<author><name>{}</name></author>", xml(name)));
        let authors: String = authors.collect();
        let authors = if authors.is_empty() {
            format!("<author><name>{}</name></author>", xml(&entry.site))
        } else {
            authors
        };
        self.entries.push(format!(
            "<entry><id>{}</id><title>{}</title><link href=\"{}\"/><updated>{}</updated>{authors}<summary>{}</summary></entry>",
            id(&entry.address),
            xml(&entry.title),
            xml(&entry.address),
            xml(updated),
            xml(&entry.snippet)
        ));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(
            self.out,
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{}</id><title>{}</title><updated>{}</updated>",
            id(&format!("feed {}", self.name)),
            xml(&self.name),
            self.newest
        )?;
        for entry in &self.entries {
            writeln!(self.out, "{entry}")?;
        }
        writeln!(self.out, "</feed>")?;
        self.out.flush()
    }
}
