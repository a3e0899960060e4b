//! An outline: the sites, under each its pages. OPML 2.0.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::{About, AnyExport, Entry, Export, Out, xml};

struct Outline {
    out: Out,
    name: String,
    /// Titles and addresses by site.
    sites: BTreeMap<String, Vec<(String, String)>>,
}

pub(super) fn begin(out: Out, about: &About<'_>) -> AnyExport {
    let name = about.name.to_owned();
    let sites = BTreeMap::new();
    Box::new(Outline { out, name, sites })
}

impl Export for Outline {
    fn begin(&mut self) -> io::Result<()> {
        write!(
            self.out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n<head><title>{}</title></head>\n<body>\n",
            xml(&self.name)
        )
    }

    fn page(&mut self, entry: &Entry) -> io::Result<()> {
        let site = self.sites.entry(entry.site.clone()).or_default();
        site.push((xml(&entry.title), xml(&entry.address)));
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        for (site, pages) in &self.sites {
            writeln!(self.out, "<outline text=\"{}\">", xml(site))?;
            for (title, address) in pages {
                writeln!(
                    self.out,
                    "<outline type=\"link\" text=\"{title}\" url=\"{address}\"/>"
                )?;
            }
            writeln!(self.out, "</outline>")?;
        }
        writeln!(self.out, "</body>\n</opml>")?;
        self.out.flush()
    }
}
