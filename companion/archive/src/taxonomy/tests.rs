use super::*;

fn choice(focus: &[&str]) -> Choice {
    Choice {
        focus: focus.iter().map(|node| (*node).to_owned()).collect(),
        depth: 3,
        most: 5,
        least: 2,
    }
}

fn examples(taxonomy: &Taxonomy) -> Vec<String> {
    let classes = taxonomy.classes(0, 100).into_iter();
    let focus = classes.filter(|class| class.is_focus);
    let pages = focus.flat_map(|class| class.pages);
    pages.map(|page| page.address).collect()
}

fn others(taxonomy: &Taxonomy, most: usize) -> Vec<ClassPages> {
    let mut classes = taxonomy.classes(most, 100);
    classes.retain(|class| !class.is_focus);
    classes
}

fn page(address: &str, topic: &str) -> String {
    format!(
        "<ExternalPage about=\"{address}\">\n <d:Title>T &amp; t</d:Title>\n <topic>{topic}</topic>\n</ExternalPage>\n"
    )
}

#[test]
fn a_dump_is_sorted_into_focus_and_rest() {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<RDF>\n<!-- > -->\n<Topic r:id=\"Top/Arts\">\n<link r:resource=\"http://no.test/\"/>\n</Topic>\n",
    );
    for n in 0..8 {
        text += &page(&format!("http://bees.test/{n}"), "Top/Science/Bees/Wild");
        text += &page(&format!("http://arts.test/{n}"), "Top/Arts/Film &amp; TV");
    }
    text += &page("http://lone.test/", "Top/Arts/Lone");
    text += &page("http://other.test/?a=1&amp;b=2", "Top/Science/Beesnot");
    let mut taxonomy = Taxonomy::new(choice(&["Top/Science/Bees"]), 1);
    taxonomy.read_dmoz(text.as_bytes()).unwrap();
    assert!(taxonomy.problems.is_empty(), "{:?}", taxonomy.problems);
    assert_eq!(taxonomy.pages, 18);
    let examples = examples(&taxonomy);
    assert_eq!(examples.len(), 5);
    assert!(
        examples
            .iter()
            .all(|page| page.starts_with("http://bees.test/"))
    );
    let all = others(&taxonomy, 100);
    let names: Vec<&str> = all.iter().map(|class| class.name.as_str()).collect();
    assert_eq!(names, ["Top", "Top/Arts/Film & TV"], "small ones joined");
    let addresses: Vec<&str> = all[0]
        .pages
        .iter()
        .map(|page| page.address.as_str())
        .collect();
    assert_eq!(
        addresses,
        ["http://lone.test/", "http://other.test/?a=1&b=2"]
    );
    assert_eq!(all[0].pages[0].said, "T & t");
    let balanced = others(&taxonomy, 3);
    assert!(
        balanced.iter().all(|class| class.pages.len() == 1),
        "{balanced:?}"
    );
    assert_eq!(others(&taxonomy, 1).len(), 1);
}

#[test]
fn classes_below_the_focus_are_told_apart_and_small_ones_join_it() {
    let mut text = String::from("<RDF>\n");
    for n in 0..3 {
        text += &page(&format!("http://wild.test/{n}"), "Top/Bees/Wild");
        text += &page(&format!("http://honey.test/{n}"), "Top/Bees/Honey");
        text += &page(&format!("http://arts.test/{n}"), "Top/Arts/Film");
    }
    text += &page("http://lone.test/", "Top/Bees/Lone");
    let mut taxonomy = Taxonomy::new(choice(&["Top/Bees"]), 1);
    taxonomy.read_dmoz(text.as_bytes()).unwrap();
    let names = |focus: bool| -> Vec<String> {
        let of_kind = taxonomy.classes(100, 100).into_iter();
        let of_kind = of_kind.filter(|class| class.is_focus == focus);
        of_kind.map(|class| class.name).collect()
    };
    assert_eq!(names(true), ["Top/Bees", "Top/Bees/Honey", "Top/Bees/Wild"]);
    assert_eq!(names(false), ["Top/Arts/Film"]);
}

#[test]
fn a_structure_says_which_nodes_belong_to_the_focus_too() {
    let structure = "<RDF>\n<Topic r:id=\"Top/Bees\"><symbolic r:resource=\"Hives:Top/Farming/Hives\"></symbolic><narrow r:resource=\"Top/Bees/Wild\"/></Topic>\n<Topic r:id=\"Top/Arts\"><symbolic r:resource=\"Top/Else\"/></Topic>\n<Topic></Topic>\n</RDF>";
    let mut taxonomy = Taxonomy::new(choice(&["Top/Bees", "Top/Nowhere"]), 1);
    taxonomy.read_dmoz_structure(structure.as_bytes()).unwrap();
    assert_eq!(taxonomy.nodes, 2);
    assert_eq!(taxonomy.unknown_focus(), ["Top/Nowhere"]);
    assert_eq!(taxonomy.problems.len(), 1, "{:?}", taxonomy.problems);
    assert!(taxonomy.problems[0].starts_with("line 4"));
    let content = page("http://hives.test/", "Top/Farming/Hives/Wood");
    taxonomy.read_dmoz(content.as_bytes()).unwrap();
    assert_eq!(examples(&taxonomy), ["http://hives.test/"]);
}

#[test]
fn broken_entries_are_named_and_passed_over() {
    let mut bytes = b"<RDF>\n".to_vec();
    bytes.extend_from_slice(page("http://a.test/1", "Top/A").as_bytes());
    bytes.extend_from_slice(b"<ExternalPage about=\"http://a.test/2\">\n<topic>Top/A\n");
    bytes.extend_from_slice(page("http://a.test/3", "Top/A").as_bytes());
    bytes.extend_from_slice(
        b"<ExternalPage about=\"http://a.test/4\"><topic>Top/\xFF</topic></ExternalPage>\n",
    );
    bytes.extend_from_slice(b"<ExternalPage><topic>Top/A</topic></ExternalPage>\n");
    bytes.extend_from_slice(
        b"<ExternalPage about=\"http://a.test/5\"><topic>&nope;</topic></ExternalPage>\n",
    );
    bytes.extend_from_slice(page("http://a.test/6", "Top/A").as_bytes());
    bytes.extend_from_slice(b"<ExternalPage about=\"http://a.test/7\">");
    let mut taxonomy = Taxonomy::new(choice(&["Top/A"]), 1);
    taxonomy.read_dmoz(bytes.as_slice()).unwrap();
    assert_eq!(
        examples(&taxonomy),
        ["http://a.test/1", "http://a.test/3", "http://a.test/6"]
    );
    let lines: Vec<&str> = taxonomy
        .problems
        .iter()
        .map(|said| said.split(':').next().unwrap())
        .collect();
    assert_eq!(
        lines,
        ["line 6", "line 12", "line 13", "line 14", "line 19"],
        "{:?}",
        taxonomy.problems
    );
}

#[test]
fn bookmarks_and_folders_are_taxonomies_too() {
    let text = "<DL><p>\n<DT><H3 ADD_DATE=\"1\">Bees</H3>\n<DL><p>\n<DT><A HREF=\"http://bees.test/?a&amp;b\">x</A>\n<DT><A HREF=\"javascript:0\">no</A>\n</DL><p>\n<DT><A HREF=\"http://top.test/\">t</A>\n</DL>";
    let mut taxonomy = Taxonomy::new(choice(&["Bees"]), 1);
    taxonomy.read_bookmarks(text);
    assert_eq!(examples(&taxonomy), ["http://bees.test/?a&b"]);
    assert_eq!(taxonomy.problems.len(), 1);
    assert!(taxonomy.problems[0].starts_with("line 5"));
    // All in one line, as some programs write them, with a note to a page.
    let (page, script) = (
        "<DT><A HREF=\"http://bees.test/?a&amp;b\">x</A>",
        "<DT><A HREF=\"javascript:0\">no</A>",
    );
    let joined = text
        .replace('\n', "")
        .replace(&format!("{page}{script}"), &format!("{script}{page}"));
    for (end, said) in [("x</A>", "x"), ("x</A><DD>of clay", "x of clay")] {
        let mut taxonomy = Taxonomy::new(choice(&["Bees"]), 1);
        taxonomy.read_bookmarks(&joined.replace("x</A>", end));
        assert_eq!(examples(&taxonomy), ["http://bees.test/?a&b"]);
        let bees = taxonomy.classes(0, 100).remove(0);
        assert_eq!(bees.pages[0].said, said);
    }
    let mut taxonomy = Taxonomy::new(choice(&["Bees"]), 1);
    taxonomy.read_bookmarks(&joined);
    assert_eq!(others(&taxonomy, 100)[0].pages.len(), 1, "at the top");
    assert!(taxonomy.problems[0].starts_with("line 1"));
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("Bees/Wild")).unwrap();
    std::fs::write(
        folder.path().join("Bees/Wild/list.txt"),
        "http://bees.test/1\n\nnonsense\n",
    )
    .unwrap();
    let mut taxonomy = Taxonomy::new(choice(&["Bees"]), 1);
    taxonomy.read_folders(folder.path()).unwrap();
    assert_eq!(examples(&taxonomy), ["http://bees.test/1"]);
    assert!(
        taxonomy.problems[0].contains("list.txt"),
        "{:?}",
        taxonomy.problems
    );
}

#[test]
fn pages_of_a_folder_are_read_and_links_out_of_it_are_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let bees = folder.path().join("Bees");
    std::fs::create_dir_all(&bees).unwrap();
    let html = "<title>Wild bees</title><p>Pollen, pollen and a nest</p>";
    std::fs::write(bees.join("wild.HTML"), html).unwrap();
    let body = "<p>Honey in the hive</p>";
    let response = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{body}");
    let record = format!(
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://bees.test/hive\r\n\
         Content-Length: {}\r\n\r\n{response}\r\n\r\n",
        response.len()
    );
    let archive = bees.join("hive.warc");
    std::fs::write(&archive, record).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path(), bees.join("round")).unwrap();
    let mut taxonomy = Taxonomy::new(choice(&[]), 1);
    taxonomy.read_folders(folder.path()).unwrap();
    assert_eq!(taxonomy.pages, 2);
    assert_eq!(
        taxonomy.problems.len(),
        usize::from(cfg!(unix)),
        "{:?}",
        taxonomy.problems
    );
    let classes = others(&taxonomy, 100);
    assert_eq!(classes[0].name, "Bees");
    let [hive, wild] = &classes[0].pages[..] else {
        panic!("{classes:?}")
    };
    assert_eq!(hive.address, "http://bees.test/hive");
    assert_eq!(hive.known_words().len(), 2);
    assert_eq!(wild.known_words()[0], ("pollen".to_owned(), 2));
    // Of a page that is only named, an archive may have the text.
    let list = "<DT><H3>Hives</H3>\n<DL>\n<DT><A HREF=\"https://bees.test/hive/\">A &amp; hive</A>\n<DD>of clay\n</DL>";
    let mut named = Taxonomy::new(choice(&[]), 1);
    named.read_bookmarks(list);
    let page = |taxonomy: &Taxonomy| others(taxonomy, 100)[0].pages[0].clone();
    assert_eq!(page(&named).said, "A & hive of clay");
    assert_eq!(
        page(&named).known_words(),
        [("clay".to_owned(), 1), ("hive".to_owned(), 1)]
    );
    assert_eq!(named.read_pages(&archive).unwrap(), 1);
    assert_eq!(page(&named).known_words(), hive.known_words());
}

#[test]
fn the_deepest_classes_join_where_there_are_too_many() {
    let mut text = String::from("<RDF>\n");
    for n in 0..4 {
        for class in [
            "Top/Arts/Film",
            "Top/Arts/Music",
            "Top/Bees/Wild",
            "Top/Bees/Honey",
        ] {
            text += &page(&format!("http://{n}.test/{class}"), class);
        }
    }
    text += &page("http://a.test/", &"deep/".repeat(200));
    let mut taxonomy = Taxonomy::new(choice(&["Top/Bees/Wild"]), 1);
    taxonomy.read_dmoz(text.as_bytes()).unwrap();
    assert!(
        taxonomy.problems[0].contains("too long"),
        "{:?}",
        taxonomy.problems
    );
    let names = |most: usize| -> Vec<String> {
        let classes = taxonomy.classes(100, most).into_iter();
        classes.map(|class| class.name).collect()
    };
    assert_eq!(names(4).len(), 4);
    assert_eq!(names(3), ["Top/Bees/Wild", "Top/Arts", "Top/Bees"]);
    assert_eq!(names(2), ["Top/Bees/Wild", "Top"]);
}
