//! The pages themselves as one WARC file, as archives take them in.
//!
//! Every page is written again from what was kept of it: with digests, whatever version of this
//! program kept it; in front of it the redirects that led to it. A page whose copy cannot be read is
//! left out.

use std::io;

use super::{About, AnyExport, Entry, Export, Out, one_line};
use crate::warc::{As, KeptExchange, Made, Records};

/// What readers have to know.
const DESCRIPTION: &str = "Content and transfer codings of bodies are undone. A response \
     without a request record was kept without its head: its status, media type and length \
     are what is known of it. A conversion is the HTML by which a document is read.";

/// Makes the records of one file that is written for others.
pub(super) struct Stream {
    records: Records,
    name: String,
    now: String,
}

impl Stream {
    pub fn new(about: &About<'_>) -> Self {
        Self {
            records: Records::default(),
            name: one_line(about.name),
            now: about.now.to_owned(),
        }
    }

    /// The record that comes first.
    pub fn head(&mut self) -> io::Result<Vec<u8>> {
        let about = [("isPartOf", &*self.name), ("description", DESCRIPTION)];
        self.records.info(&self.now, &about)
    }

    /// The records of a page.
    pub fn page(&self, kept: &KeptExchange) -> io::Result<Made> {
        self.records.page(&kept.kept(), As::Page)
    }

    /// The records of a redirect; none if it does not say where it leads.
    pub fn redirect(&self, kept: &KeptExchange) -> io::Result<Option<Made>> {
        let to = kept.header("location");
        let made = to.map(|to| self.records.page(&kept.kept(), As::Redirect(&to)));
        made.transpose()
    }
}

struct Archive {
    out: Out,
    stream: Stream,
}

pub(super) fn begin(out: Out, about: &About<'_>) -> AnyExport {
    let stream = Stream::new(about);
    Box::new(Archive { out, stream })
}

impl Export for Archive {
    fn begin(&mut self) -> io::Result<()> {
        let head = self.stream.head()?;
        self.out.write_all(&head)
    }

    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let Some(kept) = &entry.kept else {
            return Ok(());
        };
        for redirect in &entry.redirects {
            if let Some(made) = self.stream.redirect(redirect)? {
                self.out.write_all(&made.bytes)?;
            }
        }
        self.out.write_all(&self.stream.page(kept)?.bytes)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
