//! Random secrets, and comparing them without telling by the time it takes.

use sha2::{Digest, Sha256};

/// `N` random bytes in hexadecimal.
pub fn random_hex<const N: usize>() -> String {
    hex(&random_bytes::<N>())
}

/// `N` random bytes from the system. Without them nothing here is safe, so a
/// system that has none ends the program.
pub fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap_or_else(|error| {
        message!("linkscent: the system gives no random numbers: {error}");
        std::process::exit(70)
    });
    bytes
}

/// In hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Back from [`hex`].
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    let pairs = (0..text.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok())
        .collect()
}

/// What is kept of a token in place of the token.
pub fn digest(secret: &str) -> String {
    hex(&Sha256::digest(secret.as_bytes()))
}

/// Whether two secrets are the same, in a time that does not tell how much of
/// them is.
pub fn same(a: &str, b: &str) -> bool {
    digest(a) == digest(b)
}
