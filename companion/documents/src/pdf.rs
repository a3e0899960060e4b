//! PDF: its text by page, in the order it is written in, its links with the words they lie over,
//! its title, and headings by the size of their letters.
//!
//! It is read by `hayro-interpret`, which draws pages: it knows fonts, encodings, encryption and
//! repairs as a renderer must, says of each letter where it stands and what it means, and is pure
//! Rust. What puts letters together to words and lines is here. Of what extracts text itself,
//! `pdf-extract` broke down over two of 67 manuals and found nine in ten of the words that Poppler
//! finds in them; `pdf_oxide` found about as many as are found here, with more than twice as many
//! crates.
//!
//! Left out: pictures (also pictures of text: nothing is recognised), tables as tables, the
//! logical structure, forms, attachments, links inside the document. Letters of fonts that do not
//! say what they mean are lost (but those of old TeX, see `codes`): some East Asian fonts that are
//! not embedded, for one. A document without a word that can be read says that it is cut. Text that
//! is written from right to left stays in the order it is drawn in.

mod accents;
mod codes;
mod layout;
mod letters;
mod links;
mod title;

use std::sync::Arc;

use hayro_interpret::hayro_syntax::object::{Dict, String as Bytes};
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{
    Context, InterpreterCache, InterpreterSettings, RenderContent, interpret_page,
};

use crate::html::{MOST_HTML, Page};
use crate::{DocumentError, Kind};
use letters::{Letters, Line};

/// Pages that are read.
const MOST_PAGES: usize = 5_000;
/// How far from its origin, in points, a page may reach.
const FAR: f64 = 1e6;

pub(crate) fn to_html(body: &[u8]) -> Result<String, DocumentError> {
    let broken = |problem: &str| DocumentError::Broken(Kind::Pdf, problem.to_owned());
    let pdf = Pdf::new(Arc::new(body.to_vec())).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            DocumentError::Locked(Kind::Pdf)
        }
        LoadPdfError::Decryption(_) => broken("its encryption is not known"),
        LoadPdfError::Invalid => broken("no pages can be found in it"),
    })?;
    let mut page = Page::default();
    let (lines, is_whole) = read(&pdf);
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let language = catalog
        .as_ref()
        .and_then(|catalog| catalog.get::<Bytes<'_>>("Lang"));
    if let Some(language) = language {
        page.language(&title::decode(language.as_bytes()));
    }
    if let Some(title) = title::of(&pdf, catalog.as_ref()).or_else(|| layout::title(&lines)) {
        page.title(&title);
    }
    layout::write(lines, &mut page);
    if page.is_empty() {
        page.cut("no words can be read in the document");
    } else if !is_whole {
        page.cut("the document has more pages than are read");
    }
    Ok(page.finish())
}

/// The lines of all pages, and whether they are all.
fn read(pdf: &Pdf) -> (Vec<Line>, bool) {
    let cache = InterpreterCache::new();
    let settings = InterpreterSettings {
        render_content: RenderContent::PAGE,
        ..InterpreterSettings::default()
    };
    let mut lines = Vec::new();
    let mut left = MOST_HTML;
    for (number, sheet) in pdf.pages().iter().enumerate() {
        if number == MOST_PAGES {
            return (lines, false);
        }
        // Places are those of the page itself, as links give theirs.
        let bounds = Rect::new(-FAR, -FAR, FAR, FAR);
        let settings = settings.clone();
        let mut context = Context::new(Affine::IDENTITY, bounds, &cache, pdf.xref(), settings);
        let mut letters = Letters::new(number, links::of(sheet), left);
        interpret_page(sheet, &mut context, &mut letters);
        left = letters.left();
        lines.extend(letters.into_lines());
        if left == 0 {
            return (lines, false);
        }
    }
    (lines, true)
}
