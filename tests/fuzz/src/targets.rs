//! The targets, a file each: `run` takes any bytes, `seeds` returns the entries that a corpus
//! begins with.

pub mod address;
pub mod archive;
pub mod channel;
pub mod document;
pub mod html;
pub mod list;
pub mod message;
pub mod model;
pub mod pdf;
pub mod predicate;
pub mod query;
pub mod record;
pub mod robots;
pub mod warc;

/// Entries that a corpus begins with, by name.
type Seeds = Vec<(&'static str, Vec<u8>)>;

/// Returns the entries that the corpus of a target begins with, by name. Identifiers in archives
/// are drawn anew each time.
pub fn seeds(target: &str) -> Seeds {
    match target {
        "address" => address::seeds(),
        "archive" => archive::seeds(),
        "channel" => channel::seeds(),
        "document" => document::seeds(),
        "html" => html::seeds(),
        "list" => list::seeds(),
        "message" => message::seeds(),
        "model" => model::seeds(),
        "pdf" => pdf::seeds(),
        "predicate" => predicate::seeds(),
        "query" => query::seeds(),
        "record" => record::seeds(),
        "robots" => robots::seeds(),
        "warc" => warc::seeds(),
        _ => Vec::new(),
    }
}

/// The address that pages of targets have.
fn page_address() -> linkscent_core::address::Address {
    let address =
        linkscent_core::address::Address::parse("https://www.example.test/bees/index.html");
    address.expect("a plain address can be read")
}
