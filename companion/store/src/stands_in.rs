//! Whether a page's address stands in bytes.

/// Whether an address stands somewhere in bytes, and not only as the beginning of
/// another one.
pub fn stands_in(bytes: &[u8], page: &str) -> bool {
    let text = page.as_bytes();
    memchr::memmem::find_iter(bytes, text).any(|at| {
        let behind = bytes.get(at + text.len());
        behind.is_none_or(|byte| !is_of_address(*byte))
    })
}

fn is_of_address(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_told_from_longer_ones() {
        let page = "http://a.test/x";
        for (text, stands) in [
            ("[\"http://a.test/x\"]", true),
            ("http://a.test/x", true),
            ("http://a.test/xy and http://a.test/x/1", false),
            ("http://a.test/xy http://a.test/x\u{1}", true),
            ("", false),
        ] {
            assert_eq!(stands_in(text.as_bytes(), page), stands, "{text}");
        }
    }
}
