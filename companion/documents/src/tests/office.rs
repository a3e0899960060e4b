use std::io::{Cursor, Write};

use docx_rs::{
    Docx, Hyperlink, HyperlinkType, Paragraph, Run, Style, StyleType, Table, TableCell, TableRow,
};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{leaves, links, read};
use crate::{DocumentError, Kind, MOST_UNPACKED, to_html};

/// An archive of files.
pub(super) fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let method = match *name {
            "mimetype" => CompressionMethod::Stored,
            _ => CompressionMethod::Deflated,
        };
        let options = SimpleFileOptions::default().compression_method(method);
        zip.start_file(*name, options).unwrap();
        zip.write_all(text.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

pub(super) fn word() -> Vec<u8> {
    let text = |words: &str| Paragraph::new().add_run(Run::new().add_text(words));
    let link = Hyperlink::new("https://a.test/x?a=1&b=2", HyperlinkType::External)
        .add_run(Run::new().add_text("the <fox>"));
    let cell = TableCell::new().add_paragraph(text("In a cell"));
    let docx = Docx::new()
        .add_style(Style::new("berschrift1", StyleType::Paragraph).name("heading 1"))
        .add_paragraph(text("Of foxes & hares").style("berschrift1"))
        .add_paragraph(
            text("See ")
                .add_hyperlink(link)
                .add_run(Run::new().add_text(" there.")),
        )
        .add_paragraph(
            Paragraph::new()
                .add_run(Run::new().add_text("split"))
                .add_run(Run::new().add_text("ted").bold())
                .add_run(
                    Run::new()
                        .add_break(docx_rs::BreakType::TextWrapping)
                        .add_text("line"),
                ),
        )
        .add_table(Table::new(vec![TableRow::new(vec![cell])]));
    let mut body = Cursor::new(Vec::new());
    docx.build().pack(&mut body).unwrap();
    body.into_inner()
}

#[test]
fn a_text_of_the_docx_crate_is_read() {
    let html = to_html(Kind::Word, &word(), None).unwrap();
    assert!(html.contains("<h1>Of foxes &amp; hares</h1>"), "{html}");
    assert!(html.contains("<p>splitted line</p>"), "{html}");
    let page = read(Kind::Word, &word());
    assert_eq!(page.title, "Of foxes & hares");
    assert_eq!(links(&page), ["the <fox> -> https://a.test/x?a=1&b=2"]);
    let expected = [
        "Of foxes & hares",
        "See",
        "the <fox>",
        "there.",
        "splitted line",
        "In a cell",
    ];
    assert_eq!(leaves(&page), expected);
}

#[test]
fn fields_notes_boxes_and_changes_of_word_are_told_apart() {
    let relation = |id: &str, what: &str, target: &str, mode: &str| {
        let types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        format!("<Relationship Id='{id}' Type='{types}/{what}' Target='{target}' {mode}/>")
    };
    let external = "TargetMode='External'";
    let document = "<w:document xmlns:w='w' xmlns:r='r'><w:body>\
         <w:p><w:pPr><w:tabs><w:tab/></w:tabs><w:outlineLvl w:val='1'/></w:pPr><w:r><w:t>Sub</w:t></w:r></w:p>\
         <w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> HYPERLINK \"http://a.test/f\" </w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>field</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r>\
         <w:r><w:t xml:space='preserve'> plain</w:t></w:r></w:p>\
         <w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>\
         <w:hyperlink r:id='r9'><w:r><w:t>out</w:t></w:r></w:hyperlink><w:hyperlink w:anchor='x'><w:r><w:t>in</w:t></w:r></w:hyperlink></w:p>\
         <w:p><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent></mc:Choice>\
         <mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent><w:t>around</w:t></w:r></w:p>\
         </w:body></w:document>";
    let notes = "<w:footnotes xmlns:w='w'><w:footnote><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let core = "<cp:coreProperties xmlns:dc='d'><dc:title>A &lt;title&gt;</dc:title><dc:language>fr</dc:language></cp:coreProperties>";
    let body = archive(&[
        (
            "_rels/.rels",
            &format!(
                "<Relationships>{}</Relationships>",
                relation("r1", "officeDocument", "/word/document2.xml", "")
            ),
        ),
        ("docProps/core.xml", core),
        ("word/document2.xml", document),
        ("word/footnotes.xml", notes),
        (
            "word/_rels/document2.xml.rels",
            &format!(
                "<Relationships>{}{}</Relationships>",
                relation("r9", "hyperlink", "http://a.test/out", external),
                relation("r2", "footnotes", "footnotes.xml", "")
            ),
        ),
    ]);
    let html = to_html(Kind::Word, &body, None).unwrap();
    let expected = "<h2>Sub</h2>\n<p><a href=\"http://a.test/f\">field</a> plain</p>\n\
         <p><a href=\"http://a.test/out\">out</a>in</p>\n<p>box</p>\n<p>around</p>\n<p>A note</p>\n</body>";
    assert!(html.contains(expected), "{html}");
    assert!(html.contains("<title>A &lt;title&gt;</title>") && html.contains("<html lang=\"fr\">"));
}

pub(super) fn open_text() -> Vec<u8> {
    let content = "<office:document-content xmlns:office='o' xmlns:text='t' xmlns:xlink='x'><office:body><office:text>\
         <text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\
         <text:h text:outline-level='2'>Of <text:span>hares</text:span></text:h>\
         <text:p>One<text:s/>two<text:tab/>three<text:line-break/>four\
         <text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note</text:p></text:note-body></text:note></text:p>\
         <text:p>See <text:a xlink:href='http://a.test/?a&amp;b'>this</text:a>.<office:annotation><text:p>no</text:p></office:annotation></text:p>\
         <text:list><text:list-item><text:p>Item</text:p></text:list-item></text:list>\
         </office:text></office:body></office:document-content>";
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        (
            "meta.xml",
            "<office:document-meta xmlns:office='o' xmlns:dc='d'><office:meta><dc:title>Title</dc:title><dc:language>de-DE</dc:language></office:meta></office:document-meta>",
        ),
        ("content.xml", content),
    ])
}

#[test]
fn a_text_of_open_document_is_read() {
    let html = to_html(Kind::OpenDocument, &open_text(), None).unwrap();
    let expected = "<body>\n<h2>Of hares</h2>\n<p>The note</p>\n<p>One two three four</p>\n\
         <p>See <a href=\"http://a.test/?a&amp;b\">this</a>.</p>\n<p>Item</p>\n</body>";
    assert!(html.contains(expected), "{html}");
    let page = read(Kind::OpenDocument, &open_text());
    assert_eq!(
        (page.title.as_str(), page.language.as_deref()),
        ("Title", Some("de-DE"))
    );
}

#[test]
fn slides_are_read_in_their_order() {
    let open = "<office:document-content><office:body><office:presentation><draw:page>\
         <draw:frame presentation:class='title'><draw:text-box><text:p>Heading</text:p></draw:text-box></draw:frame>\
         <draw:frame><draw:text-box><text:p>Words</text:p></draw:text-box></draw:frame>\
         <presentation:notes><text:p>no</text:p></presentation:notes>\
         </draw:page></office:presentation></office:body></office:document-content>";
    let body = archive(&[
        (
            "mimetype",
            "application/vnd.oasis.opendocument.presentation",
        ),
        ("content.xml", open),
    ]);
    let html = to_html(Kind::OpenDocument, &body, None).unwrap();
    assert!(
        html.contains("<body>\n<h2>Heading</h2>\n<p>Words</p>\n</body>"),
        "{html}"
    );

    let slide = |title: &str| {
        format!(
            "<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>{title}</a:t></a:r></a:p></p:txBody></p:sp>\
             <p:sp><p:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id='r1'/></a:rPr><a:t>linked</a:t></a:r><a:r><a:t> plain</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"
        )
    };
    let body = archive(&[
        (
            "ppt/presentation.xml",
            "<p:presentation><p:sldIdLst><p:sldId id='256' r:id='r2'/><p:sldId id='257' r:id='r1'/></p:sldIdLst></p:presentation>",
        ),
        (
            "ppt/_rels/presentation.xml.rels",
            "<Relationships><Relationship Id='r1' Type='x/slide' Target='slides/slide1.xml'/><Relationship Id='r2' Type='x/slide' Target='slides/slide2.xml'/></Relationships>",
        ),
        ("ppt/slides/slide1.xml", &slide("Second")),
        ("ppt/slides/slide2.xml", &slide("First")),
        (
            "ppt/slides/_rels/slide2.xml.rels",
            "<Relationships><Relationship Id='r1' Type='x/hyperlink' Target='http://a.test/' TargetMode='External'/></Relationships>",
        ),
    ]);
    let html = to_html(Kind::Slides, &body, None).unwrap();
    let expected = "<body>\n<h2>First</h2>\n<p><a href=\"http://a.test/\">linked</a> plain</p>\n\
         <h2>Second</h2>\n<p>linked plain</p>\n</body>";
    assert!(html.contains(expected), "{html}");
    assert_eq!(crate::kind(None, &body), Some(Kind::Slides));
}

#[test]
fn archives_are_unpacked_within_bounds_whatever_they_say_of_themselves() {
    let large = " ".repeat(MOST_UNPACKED + 1);
    let mut bomb = archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("content.xml", &large),
    ]);
    assert!(bomb.len() < 200_000);
    let is_large = |body: &[u8]| {
        matches!(
            to_html(Kind::OpenDocument, body, None),
            Err(DocumentError::Large(..))
        )
    };
    assert!(is_large(&bomb));
    // The same, with a size of 17 bytes in all its headers.
    let size = (large.len() as u32).to_le_bytes();
    let places: Vec<usize> = (0..bomb.len() - 4)
        .filter(|at| bomb[*at..*at + 4] == size)
        .collect();
    assert!(places.len() >= 2, "{places:?}");
    for at in places {
        bomb[at..at + 4].copy_from_slice(&17_u32.to_le_bytes());
    }
    let read = to_html(Kind::OpenDocument, &bomb, None);
    assert!(
        matches!(
            read,
            Err(DocumentError::Large(..) | DocumentError::Broken(..))
        ),
        "{read:?}"
    );
    // Many files that are small one by one.
    let part = " ".repeat(MOST_UNPACKED / 3);
    let names: Vec<String> = (0..9).map(|n| format!("n{n}.xml")).collect();
    let mut relations = String::new();
    let mut files: Vec<(&str, &str)> = vec![];
    for (number, what) in ["styles", "footnotes", "endnotes"].iter().enumerate() {
        relations.push_str(&format!(
            "<Relationship Id='r{number}' Type='x/{what}' Target='/n{number}.xml'/>"
        ));
        files.push((&names[number], &part));
    }
    let relations = format!("<Relationships>{relations}</Relationships>");
    files.push(("word/_rels/document.xml.rels", &relations));
    files.push(("word/document.xml", "<w:document/>"));
    let read = to_html(Kind::Word, &archive(&files), None);
    assert!(
        matches!(read, Err(DocumentError::Large(Kind::Word, _))),
        "{read:?}"
    );
}

#[test]
fn locked_and_empty_archives_say_so() {
    let locked = archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", "<manifest:encryption-data/>"),
        ("content.xml", "\u{1}\u{2}"),
    ]);
    let said = |kind, body: &[u8]| to_html(kind, body, None).unwrap_err().to_string();
    assert_eq!(
        said(Kind::OpenDocument, &locked),
        "the OpenDocument is locked by a password"
    );
    let empty = archive(&[]);
    assert_eq!(
        said(Kind::Word, &empty),
        "the Word document is broken: word/document.xml is missing"
    );
    assert!(said(Kind::Word, b"PK\x03\x04").starts_with("the Word document is broken: "));
}
