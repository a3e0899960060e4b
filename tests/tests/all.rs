//! All tests across the parts in one program, which is linked once: `cargo test -p
//! linkscent-tests --test all manners::` runs those of one file.

mod browsers;
mod native;
