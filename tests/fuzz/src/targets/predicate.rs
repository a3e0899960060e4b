//! Conditions on pages: the condition, a zero byte, the HTML of a page it is asked about.
//!
//! Promises: what is written is read back as the same; an error names a place in the text; asking
//! and explaining agree.

use linkscent_core::critics::{self, Sources};
use linkscent_core::dom::html;
use linkscent_core::page::Page;
use linkscent_core::predicate::{Predicate, Seen};

use super::{Seeds, page_address};
use crate::input::Input;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (text, body) = (input.text(), input.text());
    let predicate: Predicate = match text.parse() {
        Ok(predicate) => predicate,
        Err(error) => {
            let linkscent_core::predicate::PredicateError { position, .. } = error;
            assert!(position >= 1 && position <= text.chars().count() + 1);
            return;
        }
    };
    let written = predicate.to_string();
    // Quotes that have to be escaped and parentheses make it longer than it may be read.
    if written.chars().count() <= 10_000 {
        assert_eq!(written.parse().as_ref(), Ok(&predicate), "{written}");
    }
    let page = Page::new(page_address(), html::parse(&body));
    let seen = Seen {
        page: &page,
        linked_from: std::slice::from_ref(&page.address),
        relevances: &(),
    };
    assert_eq!(predicate.holds(seen), predicate.explain(seen).holds);
    let _ = (predicate.topics(), predicate.unknown_language());
    let _ = critics::described(&text, Sources::default()).map(|critic| critic.name().to_owned());
}

pub fn seeds() -> Seeds {
    let page = "<html lang=en><title>Bees</title><p>Some bees <a href=http://shop.test/x>buy</a>\
                <form action=/s><input name=q></form>";
    let case = |text: &str| format!("{text}\0{page}").into_bytes();
    vec![
        (
            "texts",
            case(r#"title has "bees" and not (host is "shop.test" or url glob "*.test/*")"#),
        ),
        (
            "numbers",
            case(r#"links > 0 and size <= 500 and backlinks >= 1 or language is "en""#),
        ),
        (
            "patterns",
            case(r#"text regex "b(e+)s" or links to "http://shop*" or linked from "*?index*""#),
        ),
        (
            "topics",
            case(r#"topic >= 0.5 and topic "a \"b\\" < 1 and form is "search" and form wanted"#),
        ),
        (
            "nested",
            case(&format!(
                "{}links = 1{}",
                "not (".repeat(20),
                ")".repeat(20)
            )),
        ),
        (
            "forms",
            case(r#"form about "jobs" or path has "index.html""#),
        ),
    ]
}
