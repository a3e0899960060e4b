//! Bookmarks, in the file that all browsers take in.

use std::io::{self, Write};

use super::{About, AnyExport, Entry, Export, Out, xml};

struct Bookmarks {
    out: Out,
    name: String,
}

pub(super) fn begin(out: Out, about: &About<'_>) -> AnyExport {
    let name = about.name.to_owned();
    Box::new(Bookmarks { out, name })
}

impl Export for Bookmarks {
    fn begin(&mut self) -> io::Result<()> {
        write!(
            self.out,
            "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n<DT><H3>{}</H3>\n<DL><p>\n",
            xml(&self.name)
        )
    }

    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let (title, address) = (xml(&entry.title), xml(&entry.address));
        let tags = [&entry.topic].into_iter().chain(&entry.tags);
        let tags: Vec<String> = tags.map(|tag| xml(tag)).collect();
        writeln!(
            self.out,
            "<DT><A HREF=\"{address}\" TAGS=\"{}\">{title}</A>",
            tags.join(",")
        )?;
        if !entry.note.is_empty() {
            writeln!(self.out, "<DD>{}", xml(&entry.note))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(self.out, "</DL><p>\n</DL><p>")?;
        self.out.flush()
    }
}
