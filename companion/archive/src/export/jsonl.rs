//! Lines of JSON: everything, with the pages' text.

use std::io::{self, Write};

use super::{About, AnyExport, Entry, Export, Out};

struct Lines(Out);

pub(super) fn begin(out: Out, _: &About<'_>) -> AnyExport {
    Box::new(Lines(out))
}

impl Export for Lines {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        serde_json::to_writer(&mut self.0, entry)?;
        writeln!(self.0)
    }

    fn finish(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
