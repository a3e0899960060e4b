//! A document as text, for `inspect` and for the page cases in `tests`: one
//! line a fact, so that a difference shows where it is.

use std::fmt;

use super::Document;
use crate::text::shorten;

impl fmt::Display for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "title {:?}", self.title)?;
        writeln!(f, "description {:?}", self.description)?;
        writeln!(f, "language {:?}", self.language.as_deref().unwrap_or(""))?;
        writeln!(f, "base {:?}", self.base.as_deref().unwrap_or(""))?;
        for heading in &self.headings {
            let text = shorten(&self.text_of(heading.leaves), 80);
            writeln!(f, "h{} {} {text:?}", heading.level, heading.leaves)?;
        }
        for (number, leaf) in self.leaves().enumerate() {
            writeln!(f, "leaf {number} {leaf:?}")?;
        }
        for link in &self.links {
            writeln!(f, "link {} {:?}", link.leaves, link.href)?;
        }
        for form in &self.forms {
            writeln!(
                f,
                "form {} {} {:?} {:?}",
                form.leaves, form.method, form.action, form.naming
            )?;
            for field in &form.fields {
                writeln!(
                    f,
                    "  field {} {:?} label {:?} options {}",
                    field.kind, field.naming, field.label, field.options
                )?;
            }
        }
        if self.truncated {
            writeln!(f, "truncated")?;
        }
        Ok(())
    }
}

impl fmt::Display for super::LeafRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.first, self.end)
    }
}
