//! Bookmarks, in the file that all browsers take in.

use std::io::{self, Write};

use super::{Entry, Out, Takeout, xml};

struct Bookmarks(Out);

pub(super) fn begin(mut out: Out, name: &str) -> io::Result<Box<dyn Takeout + Send>> {
    write!(
        out,
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV=\"Content-Type\" CONTENT=\"text/html; charset=UTF-8\">\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n<DT><H3>{}</H3>\n<DL><p>\n",
        xml(name)
    )?;
    Ok(Box::new(Bookmarks(out)))
}

impl Takeout for Bookmarks {
    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let (title, address) = (xml(&entry.title), xml(&entry.address));
        writeln!(
            self.0,
            "<DT><A HREF=\"{address}\" TAGS=\"{}\">{title}</A>",
            xml(&entry.topic)
        )
    }

    fn finish(&mut self) -> io::Result<()> {
        writeln!(self.0, "</DL><p>\n</DL><p>")?;
        self.0.flush()
    }
}
