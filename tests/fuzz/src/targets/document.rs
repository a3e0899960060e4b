//! Feeds, sitemaps, text and office documents as HTML: the kind, then the document. A package that
//! is no zip archive is put together of its fields: names and contents in turn, each ended by a zero
//! byte.
//!
//! Promises: the HTML is whole, within its bound and of nothing but a title, headings, paragraphs
//! and links to pages; the same document gives the same.

use linkscent_documents::{Kind, MOST_HTML, kind, to_html};

use super::archive::zipped;
use super::{Seeds, html};
use crate::input::Input;

const KINDS: [Kind; 6] = [
    Kind::Feed,
    Kind::Sitemap,
    Kind::Text,
    Kind::Word,
    Kind::Slides,
    Kind::OpenDocument,
];
/// Tags that a document may become.
const TAGS: [&str; 12] = [
    "!doctype", "html", "head", "meta", "title", "body", "p", "a", "h1", "h2", "h3", "h4",
];

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let of = input.choice(&KINDS);
    let rest = input.rest();
    let is_package = matches!(of, Kind::Word | Kind::Slides | Kind::OpenDocument);
    if is_package && !rest.starts_with(b"PK") {
        check(of, &package(rest));
    } else {
        check(of, rest);
    }
}

/// Makes an archive of fields.
fn package(fields: &[u8]) -> Vec<u8> {
    let mut input = Input::new(fields);
    let mut files = Vec::new();
    while !input.is_empty() && files.len() < 12 {
        files.push((input.text(), input.field()));
    }
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, body)| (&**name, *body)).collect();
    zipped(&files)
}

/// Holds a document to the promises.
pub fn check(of: Kind, body: &[u8]) {
    let _ = kind(None, body);
    let made = match to_html(of, body, None) {
        Ok(made) => made,
        Err(error) => {
            assert!(
                error.to_string().len() < 2_000,
                "an error repeats the document"
            );
            return;
        }
    };
    assert!(made.len() <= MOST_HTML, "{} bytes of HTML", made.len());
    assert!(made.starts_with("<!doctype html>\n<html") && made.ends_with("</body>\n</html>\n"));
    for tag in made.split('<').skip(1) {
        let name = tag.split(['>', ' ', '\n']).next().unwrap_or_default();
        let name = name.trim_start_matches('/');
        let is_known = TAGS.contains(&name) || matches!(name, "h5" | "h6");
        assert!(is_known, "<{name}> is in the HTML");
    }
    html::check_made(&made);
    assert_eq!(to_html(of, body, None).ok(), Some(made), "another HTML");
}

#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
pub fn seeds() -> Seeds {
    let case = |of: u8, fields: &[&str]| {
        let mut data = vec![b'0' + of];
        data.extend(fields.join("\0").into_bytes());
        data
    };
    let rels = "<Relationships><Relationship Id='r1' Type='t/officeDocument' Target='/word/document.xml'/></Relationships>";
    let word = "<w:document xmlns:w='w' xmlns:r='r'><w:body><w:p><w:pPr><w:pStyle w:val='H1'/></w:pPr><w:r><w:t>Of foxes &amp; hares</w:t></w:r></w:p><w:p><w:r><w:fldChar w:fldCharType='begin'/></w:r><w:r><w:instrText> HYPERLINK \"http://a.test/f\" </w:instrText></w:r><w:r><w:fldChar w:fldCharType='separate'/></w:r><w:r><w:t>field</w:t></w:r><w:r><w:fldChar w:fldCharType='end'/></w:r><w:hyperlink r:id='r9'><w:r><w:t>out</w:t></w:r></w:hyperlink></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>";
    let word_rels = "<Relationships><Relationship Id='r9' Type='t/hyperlink' Target='http://a.test/out' TargetMode='External'/><Relationship Id='r2' Type='t/footnotes' Target='footnotes.xml'/><Relationship Id='r3' Type='t/styles' Target='styles.xml'/></Relationships>";
    let styles = "<w:styles><w:style w:styleId='H1'><w:name w:val='heading 1'/><w:basedOn w:val='H1'/></w:style></w:styles>";
    let notes = "<w:footnotes><w:footnote><w:p><w:r><w:t>A note</w:t></w:r></w:p></w:footnote></w:footnotes>";
    let core = "<c:coreProperties><dc:title>A &lt;title&gt;</dc:title><dc:language>fr</dc:language></c:coreProperties>";
    let slide_rels = "<Relationships><Relationship Id='s1' Type='t/slide' Target='slides/slide1.xml'/></Relationships>";
    let show = "<p:presentation xmlns:r='r'><p:sldIdLst><p:sldId id='256' r:id='s1'/></p:sldIdLst></p:presentation>";
    let slide = "<p:sld><p:sp><p:nvPr><p:ph type='title'/></p:nvPr><p:txBody><a:p><a:r><a:t>Slide one</a:t></a:r></a:p></p:txBody></p:sp><p:sp><p:txBody><a:p><a:r><a:rPr><a:hlinkClick r:id='h'/></a:rPr><a:t>words</a:t></a:r></a:p></p:txBody></p:sp></p:sld>";
    let open = "<office:document-content xmlns:text='t'><office:body><office:text><text:h text:outline-level='2'>Head</text:h><text:p>One<text:s text:c='3'/>two<text:tab/><text:a xlink:href='http://a.test/'>link</text:a><text:note><text:note-body><text:p>note</text:p></text:note-body></text:note></text:p></office:text></office:body></office:document-content>";
    let meta = "<office:document-meta><office:meta><dc:title>T</dc:title><dc:language>de</dc:language></office:meta></office:document-meta>";
    vec![
        (
            "rss",
            case(
                0,
                &[
                    "<rss><channel><title>T</title><item><title>One &amp; two</title><link>http://a.test/</link><description>&lt;p&gt;x&lt;a href='y'&gt;z</description></item></channel></rss>",
                ],
            ),
        ),
        (
            "atom",
            case(
                0,
                &[
                    "<feed xml:lang='en'><title type='html'>&lt;b>T</title><entry><title>e</title><link rel='alternate' href='/e'/><content type='xhtml'><div>c <a href='/d'>d</a></div></content></entry></feed>",
                ],
            ),
        ),
        (
            "sitemap",
            case(
                1,
                &[
                    "<urlset><url><loc>http://a.test/x</loc><lastmod>2024</lastmod></url><url><loc>javascript:x</loc></url></urlset>",
                ],
            ),
        ),
        (
            "text",
            case(
                2,
                &[
                    "# T\n\n[a](http://a.test/(x) \"t\") HTTPS://b.test/\u{e4}. \u{ab}\u{f6}\u{bb}\n## Sub ##\n![p](q) [[n](m)\n",
                ],
            ),
        ),
        (
            "word",
            case(
                3,
                &[
                    "_rels/.rels",
                    rels,
                    "word/document.xml",
                    word,
                    "word/_rels/document.xml.rels!",
                    word_rels,
                    "word/styles.xml",
                    styles,
                    "word/footnotes.xml!",
                    notes,
                    "docProps/core.xml",
                    core,
                ],
            ),
        ),
        (
            "slides",
            case(
                4,
                &[
                    "ppt/presentation.xml",
                    show,
                    "ppt/_rels/presentation.xml.rels",
                    slide_rels,
                    "ppt/slides/slide1.xml!",
                    slide,
                    "ppt/slides/_rels/slide1.xml.rels",
                    "<Relationships><Relationship Id='h' Type='hyperlink' Target='http://b.test/' TargetMode='External'/></Relationships>",
                ],
            ),
        ),
        (
            "open",
            case(
                5,
                &[
                    "mimetype",
                    "application/vnd.oasis.opendocument.text",
                    "content.xml!",
                    open,
                    "meta.xml",
                    meta,
                ],
            ),
        ),
        (
            "zip",
            [
                b"3".as_slice(),
                &zipped(&[
                    ("_rels/.rels", rels.as_bytes()),
                    ("word/document.xml!", word.as_bytes()),
                ]),
            ]
            .concat(),
        ),
    ]
}
