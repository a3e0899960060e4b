//! PDFs. An input that begins as one is one; of any other a PDF is made: its title, then what stands on its
//! pages. The second way reaches what is ours: letters put together to words, lines, headings and
//! links.
//!
//! Promises: those of other documents. The reader of PDF that others wrote may panic, since it is
//! called in a process of its own; that is no find here, unless the panic is in our code.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use linkscent_documents::Kind;
use pdf_writer::types::{ActionType, AnnotationType};
use pdf_writer::{Content, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::{Seeds, document};
use crate::input::Input;

/// Words, links and pages of a PDF that is made.
const MOST_PARTS: usize = 300;
/// Pages of a PDF that is made.
const MOST_SHEETS: usize = 10;

pub fn run(data: &[u8]) {
    let made;
    let body = if data.starts_with(b"%PDF-") {
        data
    } else {
        made = pdf_of(data);
        &made
    };
    own_panics_only(|| document::check(Kind::Pdf, body));
}

/// A page that is drawn.
struct Sheet {
    drawn: Content,
    links: Vec<([f32; 4], Vec<u8>)>,
}

impl Sheet {
    fn new() -> Self {
        Self {
            drawn: Content::new(),
            links: Vec::new(),
        }
    }
}

/// Makes a PDF of an input.
fn pdf_of(data: &[u8]) -> Vec<u8> {
    let mut input = Input::new(data);
    let title = input.text();
    let mut sheets = vec![Sheet::new()];
    for _ in 0..MOST_PARTS {
        if input.is_empty() {
            break;
        }
        let what = input.byte();
        let mut place = || f32::from(input.byte()) * 4.0;
        let (x, y) = (place(), place());
        if what == b'p' && sheets.len() < MOST_SHEETS {
            sheets.push(Sheet::new());
        }
        let Some(sheet) = sheets.last_mut() else {
            break;
        };
        match what {
            b'l' => {
                let (width, height) = (place() / 4.0, place() / 20.0);
                let address = input.field().to_vec();
                sheet.links.push(([x, y, x + width, y + height], address));
            }
            b'p' => {}
            // Turned and stretched letters, too.
            b't' => {
                let angle = place() / 100.0;
                let (sin, cos) = angle.sin_cos();
                let words = input.field();
                sheet.drawn.begin_text().set_font(Name(b"F"), 11.0);
                sheet.drawn.set_text_matrix([cos, sin, -sin, cos, x, y]);
                sheet.drawn.show(Str(words)).end_text();
            }
            _ => {
                let size = place() / 16.0;
                let words = input.field();
                sheet.drawn.begin_text().set_font(Name(b"F"), size);
                sheet.drawn.next_line(x, y).show(Str(words)).end_text();
            }
        }
    }
    written(&title, sheets)
}

fn written(title: &str, sheets: Vec<Sheet>) -> Vec<u8> {
    let mut pdf = Pdf::new();
    let mut next = 1;
    let mut new = || {
        next += 1;
        Ref::new(next)
    };
    let (catalog, tree, font) = (new(), new(), new());
    pdf.catalog(catalog).pages(tree);
    let kids: Vec<Ref> = sheets.iter().map(|_| new()).collect();
    let count = kids.len() as i32;
    pdf.pages(tree).kids(kids.iter().copied()).count(count);
    for (sheet, kid) in sheets.into_iter().zip(kids) {
        let content = new();
        let links: Vec<Ref> = sheet.links.iter().map(|_| new()).collect();
        let mut page = pdf.page(kid);
        page.media_box(Rect::new(0.0, 0.0, 1_020.0, 1_020.0));
        page.parent(tree).contents(content);
        page.annotations(links.iter().copied());
        page.resources().fonts().pair(Name(b"F"), font);
        page.finish();
        for (([left, bottom, right, top], address), link) in sheet.links.iter().zip(links) {
            let mut annotation = pdf.annotation(link);
            annotation.subtype(AnnotationType::Link);
            annotation.rect(Rect::new(*left, *bottom, *right, *top));
            let mut action = annotation.action();
            action.action_type(ActionType::Uri).uri(Str(address));
        }
        pdf.stream(content, &sheet.drawn.finish());
    }
    let mut helvetica = pdf.type1_font(font);
    helvetica.base_font(Name(b"Helvetica"));
    helvetica.encoding_predefined(Name(b"WinAnsiEncoding"));
    helvetica.finish();
    pdf.document_info(new()).title(TextStr(title));
    pdf.finish()
}

thread_local! {
    /// The panic of a call under way, as it is printed; none outside of such calls.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Calls a function. A panic in a crate from the registry ends it quietly; any other goes on.
fn own_panics_only(call: impl FnOnce()) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let is_taken = PANIC.with_borrow_mut(|panic| {
                panic
                    .as_mut()
                    .map(|text| *text = info.to_string())
                    .is_some()
            });
            if !is_taken {
                before(info);
            }
        }));
    });
    PANIC.set(Some(String::new()));
    let called = panic::catch_unwind(AssertUnwindSafe(call));
    let text = PANIC.take().unwrap_or_default();
    assert!(called.is_ok() || text.contains("registry"), "{text}");
}

pub fn seeds() -> Seeds {
    let whole = b"A title\0w\x11\xb4\x60Of foxes & <hares>\0w\x11\xaa\x28The quick brown fox jumps over the sle-\0w\x11\xa7\x28eping dog, see http://a.test/x_(y).\0l\x11\xa7\x90\x40http://a.test/fox?a=1&b=2\0p\0\0w\x11\xf0\x28Page two\0w\x11\xed\x28caf\xb4e\0t\x20\x20\x50turned\0".to_vec();
    vec![
        ("columns", b"\0w\x11\xaa\x28This goes on at the top of the\0w\x80\xc8\x28next column. Here is\0w\x80\xc5\x28And\0w\x82\xc2\x28Set in.\0l\x11\xaa\xff\xffjavascript:x\0l\x80\xc5\x05\x30https://b.test/\0".to_vec()),
        ("letters", b"untitled\0w\x11\xaa\x28caf\0w\x15\xaa\x28\xb4\0w\x15\xaa\x28e\0w\x20\xab\x182\0w\x20\xaa\x28\x93q\x94 \x80 ffi\0w\0\0\x00none\0w\xff\xff\xffW\0".to_vec()),
        ("raw", pdf_of(&whole)),
        ("whole", whole),
    ]
}
