//! `cargo run -p linkscent-pack --bin pack`: builds the extension and says
//! where it is.

use anyhow::Result;
use linkscent_pack::{Variant, build};

fn main() -> Result<()> {
    let folder = build(Variant::Release)?;
    println!("unpacked: {}", folder.display());
    println!("zip:      {}", folder.with_extension("zip").display());
    Ok(())
}
