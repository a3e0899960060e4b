//! From HTML text to a [`Document`]: html5gum's tokens, html5ever's tree, walked
//! once into the [`Builder`](super::Builder).
//!
//! The parser moves nodes about while it repairs a page, so a real tree is
//! built first and walked when it stands. Scripts are taken as enabled (the
//! content of `noscript` is text, as in a browser) but never run.

mod inert;
mod tags;
mod tokens;
mod tree;
mod walk;

pub use inert::inert;
pub use tags::{TagRoute, TagTree};

use super::Document;
use walk::Walk;

/// Parses a whole page. Never fails: HTML has no errors, only repairs. A page that
/// costs more work than it may is cut off, and says so.
pub fn parse(html: &str) -> Document {
    walked(html, false).0
}

/// The same, with the elements over the leaves: for experiments of the bench.
pub fn parse_with_tags(html: &str) -> (Document, TagTree) {
    walked(html, true)
}

fn walked(html: &str, with_tags: bool) -> (Document, TagTree) {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let (tree, cut_off) = tokens::build(html);
    let nodes = tree.into_nodes();
    let mut walk = Walk::new(&nodes, with_tags);
    if cut_off {
        walk.cut_off();
    }
    walk.run();
    walk.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(html: &str) -> Vec<String> {
        parse(html).leaves().map(str::to_owned).collect()
    }

    #[test]
    fn what_a_page_asks_of_crawlers_is_read() {
        let asks = |head: &str| parse(&format!("<head>{head}</head><a href=/x>x</a>")).no_follow;
        assert!(asks("<meta name=Robots content='NoIndex, NoFollow'>"));
        assert!(asks("<meta name=robots content=none>"));
        assert!(asks(
            "<meta name=description content=d><meta name=linkscent content=nofollow>"
        ));
        assert!(!asks("<meta name=robots content='noindex,follow'>"));
        assert!(!asks("<meta name=otherbot content=nofollow>"));
        assert!(!asks(
            "<meta name=robots content='max-image-preview: none'>"
        ));
        assert!(asks(
            "<meta name=robots content='max-snippet:50, nofollow'>"
        ));
        assert!(!asks("<meta name=description content=nofollow>"));
    }

    #[test]
    fn figure_3_of_the_apprentice_paper() {
        let document = parse(
            "<body><ul><li>one<li><em>two</em><li><a href=v>three<font>four</font></a>\
             <li><tt>five</tt></ul>",
        );
        assert_eq!(document.leaf_count(), 5);
        let link = document.links[0].leaves;
        let offsets: Vec<i32> = (0..5).map(|leaf| link.offset_of(leaf).0).collect();
        assert_eq!(offsets, [-2, -1, 0, 0, 1]);
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(leaves("\u{feff}<!doctype html><p>one"), ["one"]);
    }

    #[test]
    fn leaves_are_texts_and_childless_elements() {
        assert_eq!(
            leaves("<p>a <img alt=pic><br></p><hr><!--no--> <div><!--x--></div>"),
            ["a ", "pic", "", ""]
        );
        assert_eq!(
            leaves(
                "<script>no</script><noscript><a href=x>no</a></noscript><template>no</template>yes"
            ),
            ["yes"]
        );
    }

    #[test]
    fn links_know_their_leaves() {
        let document =
            parse("a<a href=1>b<b>c</b></a>d<a href=2><img alt=e></a><a href=3></a><a>no</a>");
        let ranges: Vec<(u32, u32)> = document
            .links
            .iter()
            .map(|link| (link.leaves.first, link.leaves.end))
            .collect();
        assert_eq!(ranges, [(1, 3), (4, 5), (5, 6)]);
    }

    #[test]
    fn forms_own_their_fields_even_across_tables() {
        let document = parse(
            "<table><form action=/s><tr><td><input name=q placeholder='Your words'>\
             <select name=in><option>a<option>b</select><input type=submit value=Go></form></table>",
        );
        let form = &document.forms[0];
        assert_eq!((form.action.as_str(), form.method.as_str()), ("/s", "get"));
        let kinds: Vec<&str> = form
            .fields
            .iter()
            .map(|field| field.kind.as_str())
            .collect();
        assert_eq!(kinds, ["text", "select", "submit"]);
        assert_eq!(form.fields[0].naming, "q Your words");
        assert_eq!(form.fields[1].options, 2);
        assert_eq!(form.fields[2].label, "Go");
    }

    #[test]
    fn forms_beyond_number_are_cut_off() {
        let inputs = "<input name=a>".repeat(10_000);
        let forms = "<form id=f><input form=f></form>".repeat(20_000);
        let document = parse(&format!("<form>{inputs}</form>{forms}"));
        assert!(document.truncated);
        assert_eq!(document.forms.len(), crate::dom::MOST_FORMS);
        assert_eq!(document.forms[0].fields.len(), crate::dom::MOST_FORMS);
        assert_eq!(document.forms[1].fields.len(), crate::dom::MOST_FORMS);
        assert!(
            document.forms[2].fields.is_empty(),
            "the first of an id owns"
        );
    }

    #[test]
    fn metadata_is_the_first_of_its_kind() {
        let document = parse(
            "<html lang=de><head><title> A \n B </title><base href=/x/><base href=/y/>\
             <meta name=Description content=' d '></head><svg><title>no</title></svg>",
        );
        assert_eq!(document.title, "A B");
        assert_eq!(document.description, "d");
        assert_eq!(document.base.as_deref(), Some("/x/"));
        assert_eq!(document.language.as_deref(), Some("de"));
    }

    #[test]
    fn a_page_of_100_000_nodes_keeps_all_leaves_and_most_links() {
        let document = parse(&"<p>x<a href=/y>z</a>".repeat(25_000));
        assert_eq!((document.leaf_count(), document.truncated), (50_000, true));
        assert_eq!(document.links.len(), crate::dom::MOST_LINKS);
    }

    /// Steps of work on a page, and whether it was cut off for them.
    fn work(html: &str) -> (u64, bool) {
        let (tree, cut_off) = tokens::build(html);
        (tree.work(), cut_off)
    }

    #[test]
    fn a_page_has_a_budget_of_work() {
        let numbered = |before: &str, behind: &str, times: u32| -> String {
            (0..times).map(|n| format!("{before}{n}{behind}")).collect()
        };
        let many = numbered(" a", "", 40_000);
        let hostile = [
            ("attributes of one element", format!("<p{many}>x")),
            ("attributes of html", format!("<html{many}>x")),
            ("attributes of body", format!("<body{many}>x")),
            ("html over and over", numbered("<html a", ">", 40_000)),
            ("nested spans", "<span>".repeat(100_000)),
            ("nested list items", "<li>".repeat(100_000)),
            ("nested lists", "<ul><li>".repeat(100_000)),
            ("nested fonts", numbered("<font a", ">", 100_000)),
            (
                "fonts in paragraphs",
                numbered("<p><font a", "></p>", 40_000),
            ),
            (
                "deep, then flat",
                "<span>".repeat(900) + &"<li>".repeat(400_000),
            ),
            (
                "fonts, then paragraphs",
                numbered("<font a", ">", 900) + &"<p>".repeat(100_000),
            ),
            (
                "fonts, then more",
                numbered("<font a", ">", 900) + &"<font b></font>".repeat(99_000),
            ),
            ("adoption", "<b><p>".repeat(450) + &"</b>".repeat(100_000)),
            (
                "foster parents",
                "<table>".to_owned() + &"<b>x".repeat(100_000),
            ),
        ];
        for (name, html) in hostile {
            let (steps, cut_off) = work(&html);
            // One token may go beyond: it is looked at when it is done.
            assert!(steps < 2 * tree::MOST_WORK, "{name}: {steps}");
            assert!(cut_off || steps < 30 * html.len() as u64, "{name}: {steps}");
        }
    }

    #[test]
    fn attributes_are_read_however_many_stand_before_them() {
        let many: String = (0..1_000).map(|n| format!(" data-{n}=x")).collect();
        let document = parse(&format!("<a{many} href=/there href=/not>x</a>"));
        assert_eq!(document.links[0].href, "/there");
        assert!(!document.truncated);
    }

    #[test]
    fn a_link_that_is_repeated_takes_bounded_memory() {
        // Each paragraph begins the link that is still open again.
        let address = "x".repeat(100_000);
        let document = parse(&format!("<p><a href={address}>{}", "<p>x".repeat(1_000)));
        let bytes: usize = document.links.iter().map(|link| link.href.len()).sum();
        assert!(bytes <= crate::dom::MOST_TEXT, "{bytes} bytes of addresses");
        assert!(document.truncated && document.links.len() > 50);
    }

    #[test]
    fn a_bottomless_page_is_cut_off() {
        let document = parse(&"<div>x".repeat(50_000));
        assert!(document.truncated);
        assert!(document.leaf_count() > 900);
    }
}
