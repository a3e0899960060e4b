//! The index, searched.

use std::sync::Arc;

use super::*;

fn item(number: u64, address: &str, title: &str, text: &str) -> Item {
    let site = address.split('/').nth(2).unwrap_or_default();
    Item {
        topic: 1,
        crawl: 1,
        number,
        address: address.to_owned(),
        site: site.to_owned(),
        title: title.to_owned(),
        passages: vec![text.to_owned()],
        language: linkscent_core::text::Language::English,
    }
}

fn library(folder: &Path) -> Library {
    let library = Library::open(folder).unwrap();
    let mut writer = library.writer().unwrap();
    let windsor = "Windsor Castle has a round tower of stone, and stone walls.";
    for item in [
        item(1, "http://a.test/windsor", "Windsor Castle", windsor),
        item(
            2,
            "http://a.test/bodiam",
            "Bodiam",
            "A castle with a moat in Sussex.",
        ),
        item(
            3,
            "http://b.test/hotel",
            "Castle hotel",
            "A hotel with a view of the stone castle.",
        ),
        item(4, "http://b.test/trains", "Trains", "A railway timetable."),
    ] {
        writer.take(&item).unwrap();
    }
    let mut german = item(
        5,
        "http://c.test/burg",
        "Burg",
        "Die Burgen am Rhein sind alt.",
    );
    german.language = linkscent_core::text::Language::from_code("de").unwrap();
    writer.take(&german).unwrap();
    let mut elsewhere = item(1, "http://a.test/windsor", "Windsor again", "Castle.");
    (elsewhere.topic, elsewhere.crawl) = (2, 2);
    writer.take(&elsewhere).unwrap();
    writer.note_read(1, 5);
    writer.commit().unwrap();
    library
}

fn search(text: &str) -> Search {
    Search {
        query: Query::read(text).unwrap(),
        topic: Some(1),
        standings: Arc::new(|_| Some(0.5)),
        order: Order::Best,
        meaning: MEANING,
        most: 10,
        skip: 0,
    }
}

/// Numbers of what is found, by number.
fn found(library: &Library, text: &str) -> Vec<u64> {
    let found = library.search(&search(text)).unwrap();
    let numbers = found.hits.iter().map(|hit| of_key(hit.key).1);
    let mut numbers: Vec<u64> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn what_means_much_the_same_comes_first_among_pages_with_the_word() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path()).unwrap();
    let mut writer = library.writer().unwrap();
    let trains = "The platform of the railway station, with trains and a timetable.";
    let games = "A platform for video games, with software and players of games.";
    for page in [
        item(1, "http://a.test/1", "Games", games),
        item(2, "http://a.test/2", "Station", trains),
    ] {
        writer.take(&page).unwrap();
    }
    writer.commit().unwrap();
    let first = |text: &str, meaning| {
        let asked = Search {
            meaning,
            ..search(text)
        };
        let hits = library.search(&asked).unwrap().hits;
        hits.iter().map(|hit| of_key(hit.key).1).collect::<Vec<_>>()
    };
    // Only some of the words are met: those that are not still say what is meant.
    assert_eq!(first("platform locomotive", MEANING), [2, 1]);
    assert_eq!(first("platform console", MEANING), [1, 2]);
    let alike = first("platform locomotive", 0.0) == first("platform console", 0.0);
    assert!(alike, "words alone do not tell");
}

#[test]
fn pages_are_found_by_words_phrases_fields_and_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path());
    assert_eq!(library.len().unwrap(), 6);
    assert_eq!(found(&library, "moats"), [2]);
    assert_eq!(found(&library, "castle stone"), [1, 3]);
    assert_eq!(found(&library, "\"stone castle\""), [3]);
    assert_eq!(found(&library, "castle -hotel -moat"), [1]);
    assert_eq!(found(&library, "title:castle -title:hotel"), [1]);
    assert_eq!(found(&library, "castle site:a.test"), [1, 2]);
    assert_eq!(found(&library, "-castle -lang:de"), [4]);
    assert_eq!(found(&library, "lang:de"), [5]);
    assert_eq!(found(&library, "burg"), [5], "stemmed as its page is");
    assert_eq!(found(&library, "casle~ moat"), [2]);
    assert_eq!(found(&library, "rail*"), [4]);
    assert_eq!(found(&library, "").len(), 5);
    assert_eq!(found(&library, "the moat"), [2], "“the” is in no index");
    assert!(found(&library, "zeppelin").is_empty());
    let relaxed = library.search(&search("moat zeppelin")).unwrap();
    assert!(relaxed.is_relaxed);
    assert_eq!(relaxed.hits.len(), 1);
}

#[test]
fn what_is_known_elsewhere_orders_filters_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path());
    let standing = |key| {
        let probability = [0.9, 0.2, 0.7, 0.95, 0.1][of_key(key).1 as usize - 1];
        (of_key(key).1 != 4).then_some(probability)
    };
    let mut asked = Search {
        standings: Arc::new(standing),
        ..search("")
    };
    let numbers =
        |found: &Found| -> Vec<u64> { found.hits.iter().map(|hit| of_key(hit.key).1).collect() };
    let all = library.search(&asked).unwrap();
    assert_eq!(numbers(&all), [1, 3, 2, 5]);
    assert_eq!(all.total, 4);
    let sites: Vec<(&str, usize)> = all.sites.iter().map(|(site, n)| (&**site, *n)).collect();
    assert_eq!(sites, [("a.test", 2), ("b.test", 1), ("c.test", 1)]);
    assert_eq!(all.languages[0], ("en".to_owned(), 3));
    (asked.most, asked.skip) = (2, 1);
    let some = library.search(&asked).unwrap();
    assert_eq!((numbers(&some), some.total), (vec![3, 2], 4));
    (asked.most, asked.skip) = (usize::MAX, usize::MAX);
    assert!(library.search(&asked).unwrap().hits.is_empty());
    asked.order = Order::Newest;
    (asked.most, asked.skip) = (10, 0);
    assert_eq!(numbers(&library.search(&asked).unwrap()), [5, 3, 2, 1]);
    asked.topic = None;
    assert_eq!(library.search(&asked).unwrap().total, 5);
}

#[test]
fn a_page_is_one_item_however_often_it_was_read_and_crawls_go_whole() {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path());
    let mut writer = library.writer().unwrap();
    assert!(matches!(library.writer().err(), Some(LibraryError::Busy)));
    let mut again = item(
        9,
        "http://a.test/windsor",
        "Windsor Castle",
        "Rebuilt in brick.",
    );
    again.crawl = 3;
    writer.take(&again).unwrap();
    assert_eq!(
        found(&library, "windsor"),
        [1],
        "nothing is seen before it is written"
    );
    writer.note_read(3, 9);
    writer.commit().unwrap();
    assert_eq!(found(&library, "windsor"), [9]);
    assert!(found(&library, "round tower").is_empty());
    writer.drop_crawl(1);
    writer.commit().unwrap();
    drop(writer);
    assert_eq!(found(&library, ""), [9]);
    let read = Library::open(folder.path()).unwrap().read_up_to().unwrap();
    assert_eq!(read.into_iter().collect::<Vec<_>>(), [(3, 9)]);
}

#[test]
fn another_index_is_none_of_this_version_and_a_deleted_one_is_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("library");
    drop(library(&path));
    Library::delete(&path).unwrap();
    Library::delete(&path).unwrap();
    assert!(Library::open(&path).unwrap().is_empty().unwrap());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
    let other = folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let schema = Schema::builder().build();
    Index::create_in_dir(&other, schema).unwrap();
    let wrong = Library::open(&other).err();
    assert!(matches!(wrong, Some(LibraryError::Form(_))), "{wrong:?}");
    // Nor is one whose texts were cut into other words.
    let earlier = library(&folder.path().join("earlier"));
    let mut writer: tantivy::IndexWriter = earlier.index.writer(20_000_000).unwrap();
    let mut commit = writer.prepare_commit().unwrap();
    commit.set_payload(r#"{ "read": { "1": 5 }, "languages": ["en"] }"#);
    commit.commit().unwrap();
    let wrong = Library::open(&folder.path().join("earlier")).err();
    assert!(matches!(wrong, Some(LibraryError::Form(_))), "{wrong:?}");
}

#[test]
fn pages_without_spaces_are_found_by_their_words_and_passages_in_their_language() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path()).unwrap();
    let mut writer = library.writer().unwrap();
    let mut chinese = item(1, "http://a.test/1", "城市", "城市图书馆的历史和建筑。");
    chinese.language = linkscent_core::text::Language::from_code("zh").unwrap();
    let mut thai = item(2, "http://a.test/2", "ห้องสมุด", "ห้องสมุดประชาชนเปิดทุกวัน");
    thai.language = linkscent_core::text::Language::from_code("th").unwrap();
    let german = "Die Bibliothek bewahrt die Briefe der Dichterin und derer auf, die sie kannten, \
        und wer sie lesen will, kann am Schalter im ersten Stock danach fragen, wohin sie \
        innerhalb einer Stunde aus den alten Häusern gebracht werden.";
    let mixed = item(3, "http://a.test/3", "A library", german);
    for item in [chinese, thai, mixed] {
        writer.take(&item).unwrap();
    }
    writer.commit().unwrap();
    assert_eq!(found(&library, "历史"), [1]);
    assert_eq!(
        found(&library, "史和"),
        [0; 0],
        "no word, though both letters stand there"
    );
    assert_eq!(found(&library, "ประชาชน"), [2]);
    // Of a page in English, by the German stem of a passage.
    assert_eq!(found(&library, "Haus"), [3]);
}

#[test]
fn words_that_join_others_in_one_language_are_words_in_another() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path()).unwrap();
    let mut writer = library.writer().unwrap();
    let german = linkscent_core::text::Language::from_code("de").unwrap();
    for page in [
        item(1, "http://a.test/1", "Castles", "Castles in the civil war."),
        item(
            2,
            "http://a.test/2",
            "Castles",
            "Castles and civil engineers.",
        ),
        Item {
            language: german,
            ..item(3, "http://a.test/3", "Burgen", "Die Burg war alt.")
        },
    ] {
        writer.take(&page).unwrap();
    }
    writer.commit().unwrap();
    assert_eq!(found(&library, "castle -war"), [2]);
    assert_eq!(found(&library, "castle*"), [1, 2]);
    let first = library.search(&search("civil war")).unwrap();
    assert_eq!(of_key(first.hits[0].key).1, 1, "what has both comes first");
    assert_eq!(found(&library, "die burg"), [3]);
}

#[test]
fn what_a_killed_program_left_does_not_keep_others_from_writing() {
    let folder = tempfile::tempdir().unwrap();
    drop(library(folder.path()));
    let read = |file: &str| -> serde_json::Value {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    // Files of what was deleted in a part, as a program has them that is killed before its commit.
    let meta = read("meta.json");
    let part = meta["segments"][0]["segment_id"].as_str().unwrap();
    let part = part.replace('-', "");
    let last = meta["opstamp"].as_u64().unwrap();
    let mut known = read(".managed.json");
    for stamp in last..last + 20 {
        let name = format!("{part}.{stamp}.del");
        if !folder.path().join(&name).exists() {
            fs::write(folder.path().join(&name), "half").unwrap();
            known.as_array_mut().unwrap().push(name.into());
        }
    }
    let known = serde_json::to_string(&known).unwrap();
    fs::write(folder.path().join(".managed.json"), known).unwrap();
    let library = Library::open(folder.path()).unwrap();
    let mut writer = library.writer().unwrap();
    let again = item(1, "http://a.test/windsor", "Windsor Castle", "A moat.");
    writer.take(&again).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&library, "moat"), [1, 2]);
    assert!(library.damaged().unwrap().is_empty());
}

#[test]
fn a_word_that_stands_for_too_many_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path()).unwrap();
    let mut writer = library.writer().unwrap();
    // Ten letters that stand for the digits, so that each number is another word.
    let word = |number: usize| -> String {
        let digits = number.to_string();
        let letters = digits.bytes().map(|digit| char::from(b'b' + digit - b'0'));
        format!("aq{}", letters.collect::<String>())
    };
    let words: Vec<String> = (10_000..10_000 + 2 * expansion::MOST_WORDS)
        .map(word)
        .collect();
    let page = item(1, "http://a.test/1", "Words", &words.join(" "));
    writer.take(&page).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&library, "aqcb*"), [1]);
    let refused = library.search(&search("aq*")).unwrap_err();
    let said = refused.to_string();
    assert!(matches!(refused, LibraryError::OverBudget(_)), "{said}");
    assert!(said.contains("20000 words that it stands for"), "{said}");
}

#[test]
fn a_search_ends_when_its_time_is_over() {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path());
    let begun = std::time::Instant::now();
    let castles = library.search_since(&search("castle"), begun).unwrap();
    assert_eq!(castles.total, 3);
    let long_ago = begun
        .checked_sub(linkscent_core::budget::QUERY.time + std::time::Duration::from_secs(1))
        .unwrap();
    let refused = library.search_since(&search("castle"), long_ago);
    let said = refused.unwrap_err().to_string();
    assert_eq!(said, "a search may take at most 5 s, and this took longer");
}

#[test]
fn a_long_text_without_spaces_is_refused_as_too_many_words() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::open(folder.path()).unwrap();
    let mut writer = library.writer().unwrap();
    let mut page = item(1, "http://a.test/1", "城堡", "城堡有护城河。");
    page.language = linkscent_core::text::Language::from_code("zh").unwrap();
    writer.take(&page).unwrap();
    writer.commit().unwrap();
    assert_eq!(found(&library, "城堡"), [1]);
    let refused = library.search(&search(&"城堡护城河".repeat(250)));
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("at most 100 words"), "{said}");
}
