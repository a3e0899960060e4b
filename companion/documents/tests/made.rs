//! PDFs for tests, as the crate `pdf-writer` writes them.

use pdf_writer::types::{ActionType, AnnotationType};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

/// Words at a place, by the height of their letters.
pub struct Words<'a>(pub f32, pub f32, pub f32, pub &'a [u8]);

/// A page: its words, and its links as left, bottom, right, top and address.
#[derive(Default)]
pub struct Sheet<'a> {
    pub words: Vec<Words<'a>>,
    pub links: Vec<([f32; 4], &'a str)>,
    /// What is drawn before, as it is.
    pub raw: &'a [u8],
    /// The same, packed by Flate.
    pub packed: Option<Vec<u8>>,
}

/// A PDF of these pages, in Helvetica and the encoding of Windows.
pub fn pdf(title: Option<&str>, sheets: &[Sheet<'_>]) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let mut next = 1;
    let mut new = || {
        next += 1;
        Ref::new(next)
    };
    let (catalog, tree, font) = (new(), new(), new());
    pdf.catalog(catalog).pages(tree).lang(TextStr("en"));
    let kids: Vec<Ref> = sheets.iter().map(|_| new()).collect();
    pdf.pages(tree)
        .kids(kids.iter().copied())
        .count(kids.len() as i32);
    for (sheet, kid) in sheets.iter().zip(kids) {
        let content = new();
        let links: Vec<Ref> = sheet.links.iter().map(|_| new()).collect();
        let mut page = pdf.page(kid);
        page.media_box(Rect::new(0.0, 0.0, 595.0, 842.0))
            .parent(tree)
            .contents(content);
        page.annotations(links.iter().copied());
        page.resources().fonts().pair(Name(b"F"), font);
        page.finish();
        for ((area, address), link) in sheet.links.iter().zip(links) {
            let mut annotation = pdf.annotation(link);
            annotation.subtype(AnnotationType::Link);
            annotation.rect(Rect::new(area[0], area[1], area[2], area[3]));
            annotation
                .action()
                .action_type(ActionType::Uri)
                .uri(Str(address.as_bytes()));
        }
        let mut drawn = Content::new();
        for Words(x, y, size, words) in &sheet.words {
            drawn
                .begin_text()
                .set_font(Name(b"F"), *size)
                .next_line(*x, *y);
            drawn.show(Str(words)).end_text();
        }
        let drawn = [sheet.raw, drawn.finish().as_slice()].concat();
        match &sheet.packed {
            Some(packed) => {
                pdf.stream(content, packed).filter(Filter::FlateDecode);
            }
            None => {
                pdf.stream(content, &drawn);
            }
        }
    }
    let mut helvetica = pdf.type1_font(font);
    helvetica
        .base_font(Name(b"Helvetica"))
        .encoding_predefined(Name(b"WinAnsiEncoding"));
    helvetica.finish();
    if let Some(title) = title {
        pdf.document_info(new()).title(TextStr(title));
    }
    pdf.finish()
}
