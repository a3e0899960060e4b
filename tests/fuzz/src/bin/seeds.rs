//! Writes the entries that the corpora begin with, as `corpus/TARGET/seed-NAME`. Entries that are
//! there stay as they are.

use std::{fs, io};

use linkscent_fuzz::{TARGETS, corpus, seeds};

fn main() -> io::Result<()> {
    for target in TARGETS {
        let folder = corpus::folder(target.name);
        fs::create_dir_all(&folder)?;
        for (name, data) in seeds(target.name) {
            let path = folder.join(format!("seed-{name}"));
            if !path.exists() {
                fs::write(path, data)?;
            }
        }
    }
    Ok(())
}
