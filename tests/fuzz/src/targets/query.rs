//! What is typed into a search field: the query, a zero byte, text to make a snippet of.
//!
//! Promises: a query within its budget is read and searched within the bounds of the answer, also
//! twice with the same result; conditions are in lower case; a snippet is short and says nothing that
//! its page does not say.

use std::sync::{Arc, OnceLock};

use linkscent_core::dom::html;
use linkscent_core::page::Page;
use linkscent_core::text::Language;
use linkscent_library::{Item, Library, LibraryError, MEANING, Order, Query, Search, snippet};
use tempfile::TempDir;

use super::{Seeds, page_address};
use crate::input::Input;

/// Pages of the index that is searched.
const PAGES: [&str; 4] = [
    "<html lang=en><title>Castles</title><p>The castle of stone stands on a hill above the moat.",
    "<html lang=de><title>Burgen</title><p>Die Burg aus Stein steht auf einem Berg im Wald.",
    "<html lang=zh><title>\u{57ce}\u{5821}</title><p>\u{57ce}\u{5821}\u{5efa}\u{5728}\u{5c71}\u{4e0a}\u{3002}",
    "<html lang=en><title>Bees</title><p>Bees keep honey in a hive, and a castle has none of them.",
];
/// Characters of a snippet at most.
const LONGEST: usize = 700;

pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let (text, said) = (input.text(), input.text());
    let query = match Query::read(&text) {
        Ok(query) => query,
        Err(over) => {
            assert!(over.to_string().len() < 200, "an error repeats the query");
            return;
        }
    };
    for condition in query.conditions() {
        assert_eq!(condition.value.to_lowercase(), condition.value);
        assert!(condition.value.len() <= 3 * text.len());
    }
    let library = &library().1;
    let search = |order| {
        let found = library.search(&Search {
            query: query.clone(),
            topic: None,
            standings: Arc::new(|_| Some(0.5)),
            order,
            meaning: MEANING,
            most: 3,
            skip: 0,
        });
        match found {
            Ok(found) => Some(found),
            Err(LibraryError::OverBudget(_)) => None,
            Err(error) => panic!("every query can be searched: {error}"),
        }
    };
    let Some(found) = search(Order::Best) else {
        return;
    };
    assert!(found.hits.len() <= 3 && found.total <= PAGES.len());
    assert!(found.hits.iter().all(|hit| hit.score.is_finite()));
    let newest = search(Order::Newest).map(|newest| newest.total);
    assert_eq!(newest, Some(found.total));
    assert_eq!(search(Order::Best), Some(found));
    check_snippet(&said, &query);
}

fn check_snippet(said: &str, query: &Query) {
    let passages: Vec<String> = said.lines().map(str::to_owned).collect();
    let pieces = snippet(&passages, query, Language::English);
    let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
    assert!(text.chars().count() <= LONGEST, "a snippet is long");
    let plain = |text: &str| -> String { text.split_whitespace().collect() };
    let shown = plain(text.trim_end_matches('\u{2026}'));
    // Sentences may be left out between others, but each letter is the page's.
    let mut letters = said.chars().filter(|letter| !letter.is_whitespace());
    let is_said = shown.chars().all(|letter| letters.any(|one| one == letter));
    assert!(is_said, "{text:?} is not of {said:?}");
}

fn library() -> &'static (TempDir, Library) {
    static LIBRARY: OnceLock<(TempDir, Library)> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder for the index");
        let library = Library::open(folder.path()).expect("an index can be made");
        let mut writer = library.writer().expect("nobody else writes");
        for (number, body) in PAGES.iter().enumerate() {
            let address = page_address().join(&format!("/page/{number}"));
            let page = Page::new(address.expect("an address"), html::parse(body));
            let item = Item::of(&page, 1, 1, number as u64);
            writer.take(&item).expect("a page is taken");
        }
        writer.commit().expect("pages are written");
        writer.finish().expect("the index is whole");
        (folder, library)
    })
}

pub fn seeds() -> Seeds {
    let said = "Windsor lies on the Thames. Its castle was built of stone.\nHome\nA tower of wood.";
    let case = |text: &str| format!("{text}\0{said}").into_bytes();
    vec![
        (
            "words",
            case("castle \"of stone\" -hotel title:castles hill"),
        ),
        (
            "fields",
            case("site:www.example.test lang:de burg tag:\"To Read\" -is:new found:2026-11"),
        ),
        ("wild", case("cast* casle~ t* \u{57ce}\u{5821}")),
        ("odd", case("  - \"\" * ~ site: -\"left open \\ .* ( [")),
        ("many", case(&"castle~ ".repeat(60))),
        (
            "phrase",
            case(&format!("\"{}\"", "stone castle ".repeat(60))),
        ),
    ]
}
