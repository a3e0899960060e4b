//! From HTML text to a [`Document`]: html5ever's tree, walked once into the
//! [`Builder`](super::Builder).
//!
//! The parser moves nodes about while it repairs a page, so a real tree is
//! built first and walked when it stands. Scripts are taken as enabled (the
//! content of `noscript` is text, as in a browser) but never run.

mod tree;
mod walk;

use html5ever::ParseOpts;
use html5ever::tendril::{StrTendril, TendrilSink};

use super::Document;
use tree::Tree;
use walk::Walk;

/// Bytes handed to the parser between looks at the two limits.
const CHUNK: usize = 16 << 10;

/// Parses a whole page. Never fails: HTML has no errors, only repairs.
pub fn parse(html: &str) -> Document {
    let mut parser = html5ever::parse_document(Tree::default(), ParseOpts::default());
    let mut rest = html;
    while !rest.is_empty() {
        let mut cut = CHUNK.min(rest.len());
        while !rest.is_char_boundary(cut) {
            cut += 1;
        }
        let (chunk, behind) = rest.split_at(cut);
        parser.process(StrTendril::from_slice(chunk));
        rest = behind;
        if parser.tokenizer.sink.sink.is_over_limit() {
            break;
        }
    }
    let over = !rest.is_empty();
    let nodes = parser.finish().into_nodes();
    let mut walk = Walk::new(&nodes);
    if over {
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

    #[test]
    fn a_bottomless_page_is_cut_off() {
        let document = parse(&"<div>x".repeat(50_000));
        assert!(document.truncated);
        assert!(document.leaf_count() > 1_000);
    }
}
