//! Pairing by code: extension and companion prove to each other that they
//! know the same code, without either learning it from the other.
//!
//! SPAKE2 makes a common key from the code; each side then proves the key. A
//! program that merely holds the companion's port learns nothing and proves
//! nothing, and neither side can try out codes without the other noticing. The
//! port is part of what is proven: a program on another port that passes the
//! messages on between the two gets nowhere.

use hmac::{Hmac, Mac};
use rand_core::{CryptoRng, RngCore};
use sha2::Sha256;
use spake2::{Ed25519Group, Identity, Password, Spake2};
use thiserror::Error;

use super::channel::DeviceKey;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The browser.
    Extension,
    /// The companion.
    Companion,
}

/// Why pairing fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PairingError {
    /// The other side's message is none.
    #[error("the pairing message is malformed")]
    Message,
}

/// One side's half of an attempt.
pub struct Attempt(Spake2<Ed25519Group>);

/// The common key, if both knew the same code.
pub struct Key(Vec<u8>);

impl Attempt {
    /// Begins; the message goes to the other side. `port` is the one the
    /// extension asks and the companion listens on; `random` must be fresh
    /// random bytes. Spaces in the code do not count: it is shown in groups.
    pub fn begin(side: Side, code: &str, port: u16, random: [u8; 64]) -> (Self, Vec<u8>) {
        let code: String = code.split_whitespace().collect();
        let password = Password::new(code.as_bytes());
        let extension = Identity::new(b"linkscent extension");
        let companion = Identity::new(format!("linkscent companion on port {port}").as_bytes());
        let random = Given(random);
        let (state, message) = match side {
            Side::Extension => Spake2::start_a_with_rng(&password, &extension, &companion, random),
            Side::Companion => Spake2::start_b_with_rng(&password, &extension, &companion, random),
        };
        (Self(state), message)
    }

    /// Takes the other side's message.
    pub fn finish(self, message: &[u8]) -> Result<Key, PairingError> {
        let key = self.0.finish(message).map_err(|_| PairingError::Message)?;
        Ok(Key(key))
    }
}

impl Key {
    /// The key by which the two know each other from now on.
    pub fn device_key(&self) -> DeviceKey {
        DeviceKey::of_secret(&self.0)
    }

    /// What a side shows to prove that it has the key.
    pub fn proof(&self, side: Side) -> Vec<u8> {
        self.mac(side).finalize().into_bytes().to_vec()
    }

    /// Whether the other side's proof holds; takes the same time either way.
    pub fn proves(&self, side: Side, proof: &[u8]) -> bool {
        self.mac(side).verify_slice(proof).is_ok()
    }

    fn mac(&self, side: Side) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("an HMAC takes keys of any length");
        mac.update(match side {
            Side::Extension => b"extension",
            Side::Companion => b"companion",
        });
        mac
    }
}

/// Hands out random bytes that the caller drew.
struct Given([u8; 64]);

impl RngCore for Given {
    fn next_u32(&mut self) -> u32 {
        rand_core::impls::next_u32_via_fill(self)
    }

    fn next_u64(&mut self) -> u64 {
        rand_core::impls::next_u64_via_fill(self)
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        for (byte, given) in bytes.iter_mut().zip(self.0) {
            *byte = given;
        }
        self.0.rotate_left(bytes.len() % 64);
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), rand_core::Error> {
        self.fill_bytes(bytes);
        Ok(())
    }
}

impl CryptoRng for Given {}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(extension: (&str, u16), companion: (&str, u16)) -> (Key, Key) {
        let ((code, port), random) = (extension, [7; 64]);
        let (extension, to_companion) = Attempt::begin(Side::Extension, code, port, random);
        let ((code, port), random) = (companion, [9; 64]);
        let (companion, to_extension) = Attempt::begin(Side::Companion, code, port, random);
        (
            extension.finish(&to_extension).unwrap(),
            companion.finish(&to_companion).unwrap(),
        )
    }

    #[test]
    fn the_same_code_gives_proofs_that_hold() {
        let (extension, companion) = keys(("12345678", 7474), ("12345678", 7474));
        assert!(extension.proves(Side::Companion, &companion.proof(Side::Companion)));
        assert!(companion.proves(Side::Extension, &extension.proof(Side::Extension)));
        assert!(!companion.proves(Side::Extension, &companion.proof(Side::Companion)));
    }

    #[test]
    fn another_code_proves_nothing_and_garbage_is_refused() {
        let (extension, companion) = keys(("12345678", 7474), ("12345679", 7474));
        assert!(!extension.proves(Side::Companion, &companion.proof(Side::Companion)));
        let (attempt, _) = Attempt::begin(Side::Extension, "1", 7474, [1; 64]);
        assert!(attempt.finish(b"garbage").is_err());
    }

    #[test]
    fn what_is_passed_on_from_another_port_proves_nothing() {
        let (extension, companion) = keys(("12345678", 8000), ("12345678", 7474));
        assert!(!extension.proves(Side::Companion, &companion.proof(Side::Companion)));
    }
}
