//! What a paired browser and its companion say to each other, so that nobody else
//! understands it or can say it: whoever holds the companion's port while it is down
//! gets nothing that it could read, keep or use.
//!
//! Both know a key since they were paired; it is never sent. A channel is opened by a
//! random number from each side; the companion proves at once that it knows the key,
//! the browser by its first call. Every call and every answer is encrypted and
//! authenticated (ChaCha20-Poly1305) under keys made of the common key and both
//! numbers, an answer under the number of its call. Numbers of calls only grow, so a
//! call that was recorded cannot be sent again.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use thiserror::Error;

use crate::budget::{MESSAGE, OverBudget};

/// A random number of one side.
pub type Random = [u8; 32];

/// Why a message is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ChannelError {
    /// It was not made under this channel's key, or for another place, or changed.
    #[error("the message was not made by the other side of this channel")]
    Forged,
    /// Its number is not greater than those before.
    #[error("the message was sent before")]
    Repeated,
    /// It is larger than is read.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

/// The key that a browser and its companion agreed on when they were paired.
#[derive(Clone, PartialEq, Eq)]
pub struct DeviceKey([u8; 32]);

impl std::fmt::Debug for DeviceKey {
    /// Without the key.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DeviceKey")
    }
}

impl DeviceKey {
    /// From the secret that pairing made.
    pub(super) fn of_secret(secret: &[u8]) -> Self {
        Self(derive(secret, b"linkscent device", &[]))
    }

    /// From what [`Self::bytes`] gave; `None` if it is no key.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }

    /// To be kept.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// What the companion shows to prove that it knows the key, given both numbers.
    pub fn proof(&self, browser: &Random, companion: &Random) -> Vec<u8> {
        self.mac(browser, companion)
            .finalize()
            .into_bytes()
            .to_vec()
    }

    /// Whether the companion's proof holds; takes the same time either way.
    pub fn proves(&self, browser: &Random, companion: &Random, proof: &[u8]) -> bool {
        self.mac(browser, companion).verify_slice(proof).is_ok()
    }

    fn mac(&self, browser: &Random, companion: &Random) -> Hmac<Sha256> {
        let mut mac = new_mac(&self.0);
        mac.update(b"linkscent companion proof");
        mac.update(browser);
        mac.update(companion);
        mac
    }

    /// The channel that both numbers open.
    pub fn channel(&self, browser: &Random, companion: &Random) -> Channel {
        let cipher = |label: &[u8]| {
            let key = derive(&self.0, label, &[browser, companion]);
            ChaCha20Poly1305::new(&key.into())
        };
        Channel {
            calls: cipher(b"linkscent calls"),
            answers: cipher(b"linkscent answers"),
            last: 0,
        }
    }
}

/// One side of an open channel.
pub struct Channel {
    calls: ChaCha20Poly1305,
    answers: ChaCha20Poly1305,
    /// Number of the last call.
    last: u64,
}

impl Channel {
    /// The browser's side: the next call, its number before it.
    pub fn call(&mut self, plain: &[u8]) -> Vec<u8> {
        self.last += 1;
        let mut message = self.last.to_be_bytes().to_vec();
        message.extend(seal(&self.calls, self.last, plain));
        message
    }

    /// The companion's side: what a call says, and its number.
    pub fn open_call(&mut self, message: &[u8]) -> Result<(u64, Vec<u8>), ChannelError> {
        MESSAGE.check_bytes(message.len())?;
        let (number, sealed) = message.split_first_chunk().ok_or(ChannelError::Forged)?;
        let number = u64::from_be_bytes(*number);
        let plain = open(&self.calls, number, sealed)?;
        if number <= self.last {
            return Err(ChannelError::Repeated);
        }
        self.last = number;
        Ok((number, plain))
    }

    /// The companion's side: the answer to a call.
    pub fn answer(&self, number: u64, plain: &[u8]) -> Vec<u8> {
        seal(&self.answers, number, plain)
    }

    /// The browser's side: what the answer to its last call says.
    pub fn open_answer(&self, message: &[u8]) -> Result<Vec<u8>, ChannelError> {
        open(&self.answers, self.last, message)
    }
}

fn nonce(number: u64) -> Nonce {
    let mut bytes = [0; 12];
    bytes[4..].copy_from_slice(&number.to_be_bytes());
    bytes.into()
}

fn seal(cipher: &ChaCha20Poly1305, number: u64, plain: &[u8]) -> Vec<u8> {
    let sealed = cipher.encrypt(&nonce(number), Payload::from(plain));
    sealed.expect("messages are shorter than the cipher's limit of 256 GiB")
}

fn open(cipher: &ChaCha20Poly1305, number: u64, sealed: &[u8]) -> Result<Vec<u8>, ChannelError> {
    let plain = cipher.decrypt(&nonce(number), Payload::from(sealed));
    plain.map_err(|_| ChannelError::Forged)
}

fn derive(secret: &[u8], label: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let mut mac = new_mac(secret);
    mac.update(label);
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().into()
}

fn new_mac(key: &[u8]) -> Hmac<Sha256> {
    <Hmac<Sha256> as Mac>::new_from_slice(key).expect("an HMAC takes keys of any length")
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROWSER: Random = [1; 32];
    const COMPANION: Random = [2; 32];

    fn channels() -> (Channel, Channel) {
        let key = DeviceKey::of_secret(b"pairing's secret");
        (
            key.channel(&BROWSER, &COMPANION),
            key.channel(&BROWSER, &COMPANION),
        )
    }

    #[test]
    fn calls_and_answers_come_through() {
        let (mut browser, mut companion) = channels();
        for text in ["one", "", "three"] {
            let call = browser.call(text.as_bytes());
            assert!(!call.windows(3).any(|three| three == b"one"), "readable");
            let (number, plain) = companion.open_call(&call).unwrap();
            assert_eq!(plain, text.as_bytes());
            let answer = companion.answer(number, b"fine");
            assert_eq!(browser.open_answer(&answer).unwrap(), b"fine");
        }
    }

    #[test]
    fn what_was_recorded_or_changed_is_not_taken() {
        let (mut browser, mut companion) = channels();
        let call = browser.call(b"mark this");
        let (number, _) = companion.open_call(&call).unwrap();
        assert_eq!(companion.open_call(&call), Err(ChannelError::Repeated));
        for place in 0..call.len() {
            let mut changed = call.clone();
            changed[place] ^= 1;
            assert_eq!(companion.open_call(&changed), Err(ChannelError::Forged));
        }
        assert_eq!(companion.open_call(&call[..5]), Err(ChannelError::Forged));
        // An answer to an earlier call is none to a later one, nor a call an answer.
        let answer = companion.answer(number, b"fine");
        let next = browser.call(b"and this");
        assert_eq!(browser.open_answer(&answer), Err(ChannelError::Forged));
        assert_eq!(browser.open_answer(&next[8..]), Err(ChannelError::Forged));
    }

    #[test]
    fn another_key_or_another_number_opens_another_channel() {
        let key = DeviceKey::of_secret(b"pairing's secret");
        let other = DeviceKey::of_secret(b"another");
        let proof = key.proof(&BROWSER, &COMPANION);
        assert!(key.proves(&BROWSER, &COMPANION, &proof));
        assert!(!other.proves(&BROWSER, &COMPANION, &proof));
        assert!(!key.proves(&COMPANION, &COMPANION, &proof));
        let call = key.channel(&BROWSER, &COMPANION).call(b"x");
        let mut companion = key.channel(&BROWSER, &[3; 32]);
        assert_eq!(companion.open_call(&call), Err(ChannelError::Forged));
        assert!(DeviceKey::from_bytes(key.bytes()) == Some(key));
    }
}
