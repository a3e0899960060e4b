//! What a crawler fetches besides HTML, as simple HTML: feeds, sitemaps, plain text, PDF and
//! office documents become a title, headings where they are known, paragraphs and links, which
//! the parser of pages then reads like any page.
//!
//! Only words and links are kept: no pictures, no looks, no formulas, no formatting. Nothing is
//! fetched, no script is run, and nothing that a document says becomes markup here. An address
//! is left as the document writes it; the page's own address resolves what is relative.
//!
//! Whoever reads documents of strangers calls [`to_html`] by way of [`apart`], in a process of
//! its own: the readers of PDF and of archives are large, and a document can be made so that
//! one of them never ends or takes all memory.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod apart;
mod error;
mod feed;
mod html;
mod kind;
mod markup;
mod open_document;
mod package;
mod pdf;
mod sitemap;
mod slides;
mod summary;
mod text;
mod unpack;
mod word;
mod xml;

pub use error::DocumentError;
pub use html::MOST_HTML;
pub use kind::{Kind, kind};
pub use unpack::MOST_UNPACKED;

/// The document as HTML.
///
/// It has at most [`MOST_HTML`] bytes. One that would have more ends behind a paragraph, and so
/// does one that breaks off in the middle; both say so by `<meta name="cut" content="...">` with
/// the reason in words. The content type matters for its character set alone.
///
/// Fails if the document is broken before anything could be read of it, is locked by a password,
/// or unpacks to more than [`MOST_UNPACKED`] bytes. A PDF may also make it panic, run for hours
/// or take all memory: see [`apart`].
pub fn to_html(
    kind: Kind,
    body: &[u8],
    content_type: Option<&str>,
) -> Result<String, DocumentError> {
    match kind {
        Kind::Feed => feed::to_html(body, content_type),
        Kind::Sitemap => sitemap::to_html(body, content_type),
        Kind::Text => Ok(text::to_html(body, content_type)),
        Kind::Pdf => pdf::to_html(body),
        Kind::Word => word::to_html(body),
        Kind::Slides => slides::to_html(body),
        Kind::OpenDocument => open_document::to_html(body),
    }
}

#[cfg(test)]
mod tests;
