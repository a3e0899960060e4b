//! `cargo package-extension`: builds the archives for the stores and says where they are. With
//! `--for-tests` it builds what the tests in browsers load, and no archives.

use anyhow::{Result, bail};
use linkscent_pack::Variant;

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [] => {}
        [word] if word == "--for-tests" => return linkscent_pack::build(Variant::Test).map(drop),
        _ => bail!("usage: cargo package-extension [-- --for-tests]"),
    }
    println!("Building the extension for both browsers (a few minutes the first time) …");
    for archive in linkscent_pack::package()? {
        let size = std::fs::metadata(&archive)?.len();
        println!("{} ({} kB)", archive.display(), size.div_ceil(1_000));
    }
    Ok(())
}
