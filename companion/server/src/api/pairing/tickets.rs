//! Tickets: what the companion would have to remember of a stranger, handed to the stranger instead. A code
//! (HMAC-SHA256 under a key of this process) shows that the companion made it. So whoever has proven nothing yet
//! uses up no memory, and takes nobody's place.

use hmac::{Hmac, Mac};
use sha2::Sha256;

use linkscent_store::secret;

/// Bytes of the code behind what a ticket says.
pub(in crate::api) const CODE: usize = 32;

/// The key of tickets, drawn when the process starts.
pub(in crate::api) struct TicketKey([u8; 32]);

impl TicketKey {
    /// A random key.
    pub(in crate::api) fn random() -> Self {
        Self(secret::random_bytes())
    }

    /// A ticket that says this.
    pub(in crate::api) fn issue(&self, said: &[u8]) -> Vec<u8> {
        let code = self.mac("shown", said).finalize().into_bytes();
        [said, &code].concat()
    }

    /// Returns what a ticket says, if this process made it. Takes the same time for every wrong code.
    pub(in crate::api) fn open<'a>(&self, ticket: &'a [u8]) -> Option<&'a [u8]> {
        let (said, code) = ticket.split_at_checked(ticket.len().checked_sub(CODE)?)?;
        self.mac("shown", said).verify_slice(code).ok()?;
        Some(said)
    }

    /// Random bytes that this process can make again from the same seed, and nobody else can.
    pub(in crate::api) fn random_from(&self, seed: &[u8]) -> [u8; 64] {
        let mut random = [0; 64];
        for (half, label) in random.chunks_exact_mut(32).zip(["first", "other"]) {
            half.copy_from_slice(&self.mac(label, seed).finalize().into_bytes());
        }
        random
    }

    fn mac(&self, label: &str, said: &[u8]) -> Hmac<Sha256> {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.0)
            .expect("an HMAC takes keys of any length");
        mac.update(label.as_bytes());
        mac.update(said);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_opens_as_it_was_issued_and_only_here() {
        let key = TicketKey::random();
        let ticket = key.issue(b"device 7");
        assert_eq!(key.open(&ticket), Some(&b"device 7"[..]));
        assert_eq!(TicketKey::random().open(&ticket), None);
        for place in 0..ticket.len() {
            let mut changed = ticket.clone();
            changed[place] ^= 1;
            assert_eq!(key.open(&changed), None, "{place}");
            assert_eq!(key.open(&ticket[..place]), None, "{place}");
        }
    }

    #[test]
    fn randomness_is_made_again_from_its_seed() {
        let key = TicketKey::random();
        let random = key.random_from(b"seed");
        assert_eq!(random, key.random_from(b"seed"));
        assert_ne!(random, key.random_from(b"other"));
        assert_ne!(random, TicketKey::random().random_from(b"seed"));
        assert_ne!(random[..32], random[32..]);
    }
}
