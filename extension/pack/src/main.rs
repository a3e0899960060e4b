//! `cargo package-extension`: builds the archives for the stores and says where they are.

use anyhow::Result;

fn main() -> Result<()> {
    println!("Building the extension for both browsers (a few minutes the first time) …");
    for archive in linkscent_pack::package()? {
        let size = std::fs::metadata(&archive)?.len();
        println!("{} ({} kB)", archive.display(), size.div_ceil(1_000));
    }
    Ok(())
}
