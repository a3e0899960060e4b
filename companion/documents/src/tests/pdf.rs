#[path = "../../tests/made.rs"]
mod made;

use std::process::{Command, Stdio};

use super::{leaves, links, read};
use crate::{Kind, to_html};
use made::{Sheet, Words, pdf};

/// The paragraphs and headings of a PDF of one page.
fn body(words: Vec<Words<'_>>) -> String {
    let sheet = Sheet {
        words,
        ..Sheet::default()
    };
    let html = to_html(Kind::Pdf, &pdf(None, &[sheet]), None).unwrap();
    let body = html.split_once("<body>\n").unwrap().1;
    body.trim_end_matches("</body>\n</html>\n").to_owned()
}

fn text() -> Vec<Words<'static>> {
    vec![
        Words(70.0, 780.0, 24.0, b"Of foxes & <hares>"),
        Words(
            70.0,
            740.0,
            10.0,
            b"The quick brown fox jumps over the lazy dog, and then it sle-",
        ),
        Words(
            70.0,
            728.0,
            10.0,
            b"eps until the evening, when it is hungry again.",
        ),
        Words(
            70.0,
            700.0,
            10.0,
            b"See the fox page for more, or look at the hares in the field.",
        ),
    ]
}

#[test]
fn lines_become_headings_and_paragraphs() {
    let expected = "<h1>Of foxes &amp; &lt;hares&gt;</h1>\n\
         <p>The quick brown fox jumps over the lazy dog, and then it sleeps until the evening, when it is hungry again.</p>\n\
         <p>See the fox page for more, or look at the hares in the field.</p>\n";
    assert_eq!(body(text()), expected);
}

#[test]
fn links_have_the_words_they_lie_over() {
    let sheet = Sheet {
        words: text(),
        links: vec![
            // “fox page”, in letters of 10 points: from behind “See the ” to before “ for”.
            ([106.0, 698.0, 148.0, 710.0], "http://a.test/fox?a=1&b=2"),
            ([300.0, 100.0, 400.0, 200.0], "https://a.test/picture"),
            ([70.0, 728.0, 90.0, 738.0], "javascript:alert(1)"),
        ],
        ..Sheet::default()
    };
    let page = read(Kind::Pdf, &pdf(Some("A  t\u{ef}tle"), &[sheet]));
    assert_eq!(page.title, "A t\u{ef}tle");
    assert_eq!(page.language.as_deref(), Some("en"));
    let expected = [
        "fox page -> http://a.test/fox?a=1&b=2",
        "https://a.test/picture -> https://a.test/picture",
    ];
    assert_eq!(links(&page), expected);
    assert_eq!(
        &leaves(&page)[2..5],
        [
            "See the",
            "fox page",
            "for more, or look at the hares in the field."
        ]
    );
}

#[test]
fn without_a_title_the_largest_letters_are_it() {
    for title in [None, Some("Microsoft Word - fox.doc"), Some("untitled")] {
        // What stands above it is no title.
        let mut words = vec![Words(70.0, 820.0, 10.0, b"Journal of foxes, page 17")];
        words.extend(text());
        let sheet = Sheet {
            words,
            ..Sheet::default()
        };
        let page = read(Kind::Pdf, &pdf(title, &[sheet]));
        assert_eq!(page.title, "Of foxes & <hares>", "{title:?}");
    }
    let plain = vec![Words(70.0, 700.0, 10.0, b"Only this.")];
    let sheet = Sheet {
        words: plain,
        ..Sheet::default()
    };
    assert_eq!(read(Kind::Pdf, &pdf(None, &[sheet])).title, "Only this.");
}

#[test]
fn letters_are_put_together_by_their_places() {
    // The acute accent is 3.33 wide, the e 5.56: it lies over it.
    let accent = vec![
        Words(70.0, 700.0, 10.0, b"caf"),
        Words(85.56, 700.0, 10.0, b"\xb4"),
        Words(84.5, 700.0, 10.0, b"e"),
        Words(94.0, 700.0, 10.0, b"to"),
        Words(102.4, 700.0, 10.0, b"day"),
        // The same again, for bold print; and an accent that is none.
        Words(102.4, 700.0, 10.0, b"day"),
        Words(130.0, 700.0, 10.0, b"\xb4x"),
        Words(145.0, 703.0, 6.0, b"2"),
    ];
    assert_eq!(body(accent), "<p>café today \u{b4}x 2</p>\n");
    let columns = vec![
        Words(70.0, 700.0, 10.0, b"This goes on at the top of the"),
        Words(300.0, 780.0, 10.0, b"next column. Here is its end."),
        Words(300.0, 768.0, 10.0, b"And"),
        Words(300.0, 756.0, 10.0, b"this is"),
        Words(310.0, 744.0, 10.0, b"Set in, so another paragraph."),
    ];
    let expected = "<p>This goes on at the top of the next column. Here is its end. And this is</p>\n\
         <p>Set in, so another paragraph.</p>\n";
    assert_eq!(body(columns), expected);
}

#[test]
fn bare_addresses_are_links_where_they_end() {
    let words = vec![
        Words(
            70.0,
            700.0,
            10.0,
            b"See http://a.test/one, or http://a.test/two/",
        ),
        Words(70.0, 688.0, 10.0, b"three and http://a.test/four."),
    ];
    let html = body(words);
    let found: Vec<&str> = html
        .split("<a href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert_eq!(found, ["http://a.test/one", "http://a.test/four"], "{html}");
}

#[test]
fn what_is_no_pdf_or_locked_says_so() {
    let said = |body: &[u8]| to_html(Kind::Pdf, body, None).unwrap_err().to_string();
    assert_eq!(
        said(b"%PDF-1.7\nno"),
        "the PDF is broken: no pages can be found in it"
    );
    let zeros = "0".repeat(64);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>".to_owned(),
        format!("<</Filter/Standard/V 1/R 2/P -4/O<{zeros}>/U<{zeros}>>>"),
    ];
    let mut locked = "%PDF-1.4\n".to_owned();
    let mut places = "xref\n0 5\n0000000000 65535 f \n".to_owned();
    for (number, object) in objects.iter().enumerate() {
        places.push_str(&format!("{:010} 00000 n \n", locked.len()));
        locked.push_str(&format!("{} 0 obj\n{object}\nendobj\n", number + 1));
    }
    let start = locked.len();
    let trailer = "trailer\n<</Root 1 0 R/Size 5/Encrypt 4 0 R/ID[<00><00>]>>";
    locked.push_str(&format!("{places}{trailer}\nstartxref\n{start}\n%%EOF\n"));
    assert_eq!(said(locked.as_bytes()), "the PDF is locked by a password");
    let empty = to_html(Kind::Pdf, &pdf(None, &[Sheet::default()]), None).unwrap();
    assert_eq!(
        super::cut(&empty),
        Some("no words can be read in the document")
    );
}

#[test]
fn another_reader_finds_the_same_words() {
    let sheets = [0, 1].map(|_| Sheet {
        words: text(),
        ..Sheet::default()
    });
    let body = pdf(None, &sheets);
    let reader = Command::new("pdftotext")
        .args(["-enc", "UTF-8", "-", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut reader) = reader else {
        println!("skipped: pdftotext is not installed");
        return;
    };
    std::io::Write::write_all(&mut reader.stdin.take().unwrap(), &body).unwrap();
    let theirs = reader.wait_with_output().unwrap().stdout;
    let theirs = String::from_utf8(theirs).unwrap();
    let words = |text: &str| -> Vec<String> {
        text.replace("sle-\neps", "sleeps")
            .split_whitespace()
            .map(str::to_owned)
            .collect()
    };
    let page = read(Kind::Pdf, &body);
    assert_eq!(
        words(&leaves(&page).join(" ")),
        words(&theirs.replace('\u{c}', "\n"))
    );
}

#[test]
fn drawn_letters_of_old_tex_are_read_by_their_codes() {
    let widths = "5 ".repeat(128);
    let names: String = (0..128).map(|code| format!("/c{code}")).collect();
    let font = format!(
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 10 10]/FontMatrix[0.1 0 0 0.1 0 0]/CharProcs<<>>\
         /Encoding<</Type/Encoding/Differences[0{names}]>>/FirstChar 0/LastChar 127/Widths[{widths}]>>"
    );
    let drawn = "BT /F 10 Tf 9 9 Td (de\\014nition) Tj 70 0 Td (of) Tj ET";
    let body = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
         2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 999 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n\
         4 0 obj<</Length {}>>stream\n{drawn}\nendstream\nendobj\n5 0 obj{font}endobj\n\
         trailer<</Root 1 0 R/Size 6>>\n",
        drawn.len()
    );
    let page = read(Kind::Pdf, body.as_bytes());
    assert_eq!(leaves(&page), ["definition of"]);
}
