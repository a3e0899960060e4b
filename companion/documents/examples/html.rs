//! What a file becomes: `cargo run -p linkscent-documents --example html -- FILE [CONTENT-TYPE]`
//! writes its HTML to standard output.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("a file is needed")?;
    let content_type = args.next();
    let body = std::fs::read(&file)?;
    let kind = linkscent_documents::kind(content_type.as_deref(), &body);
    let kind = kind.ok_or("this is no document that is read")?;
    let html = linkscent_documents::to_html(kind, &body, content_type.as_deref())?;
    print!("{html}");
    Ok(())
}
