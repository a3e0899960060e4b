//! Pairing with a browser: a code, shown by the companion, good for one browser and ten minutes.
//!
//! SPAKE2 gives whoever asks one guess a try, as the companion's proof tells whether it was right. The code is so
//! long that strangers may try as often as they can: their tries neither use it up nor change it, and one who
//! holds it is served like any other. An attempt is remembered by nobody but its other side (`tickets`).

pub(in crate::api) mod tickets;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use linkscent_core::wire::api::PairStarted;
use linkscent_core::wire::channel::DeviceKey;
use linkscent_core::wire::pairing::{Attempt, Key, PairingError, Side};

use super::Problem;
use crate::api::pairing::tickets::TicketKey;
use linkscent_store::secret;

const LIFE: Duration = Duration::from_mins(10);
/// Number of codes: fifteen decimal digits.
const CODES: u64 = 1_000_000_000_000_000;
/// Digits of a group, as a code is shown.
const GROUP: usize = 5;
/// Tries for a code. The chance that one of them is right is at most TRIES / CODES = 1 in 20 million, as with five
/// tries for eight digits. One try takes a tenth of a millisecond at least and they come one after the other, so
/// within the life of a code nobody comes near.
const TRIES: u64 = 50_000_000;
const _: () = assert!(CODES / TRIES >= 20_000_000);
/// Bytes of a seed.
const SEED: usize = 16;

/// The code that is out, if there is one.
pub struct Pairing {
    port: u16,
    key: TicketKey,
    code: Mutex<Option<Code>>,
}

struct Code {
    digits: String,
    made: Instant,
    tries: u64,
}

impl Pairing {
    /// No code is out yet; the companion listens on `port`.
    pub fn new(port: u16) -> Self {
        Self {
            port,
            key: TicketKey::random(),
            code: Mutex::default(),
        }
    }

    /// A new code; the one before is void.
    pub fn new_code(&self) -> String {
        let number = u64::from_le_bytes(secret::random_bytes::<8>()) % CODES;
        let digits = format!("{number:015}");
        *self.lock() = Some(Code {
            digits: digits.clone(),
            made: Instant::now(),
            tries: 0,
        });
        digits
    }

    /// The code that is out, in groups of digits, and for how many more seconds.
    pub fn current(&self) -> Option<(String, u64)> {
        let code = self.lock();
        let code = code.as_ref()?;
        let left = LIFE.checked_sub(code.made.elapsed())?;
        Some((in_groups(&code.digits), left.as_secs()))
    }

    /// First step: the companion proves that it knows the code.
    pub fn start(&self, message: &str) -> Result<PairStarted, Problem> {
        let mut code = self.lock();
        let Some(open) = code.as_mut().filter(|code| code.made.elapsed() < LIFE) else {
            *code = None;
            return Err(refused("no code is out, or it is older than ten minutes"));
        };
        if open.tries >= TRIES {
            *code = None;
            return Err(refused("this code was tried too often"));
        }
        open.tries += 1;
        let message = secret::from_hex(message).unwrap_or_default();
        let seed = secret::random_bytes::<SEED>();
        let (key, answer) = self
            .attempt(&open.digits, &seed, &message)
            .map_err(|error| Problem::bad(error.to_string()))?;
        Ok(PairStarted {
            attempt: secret::hex(&self.key.issue(&[&seed[..], &message].concat())),
            message: secret::hex(&answer),
            proof: secret::hex(&key.proof(Side::Companion)),
        })
    }

    /// Second step: the extension proves it too. The code is used up then.
    pub fn finish(&self, attempt: &str, proof: &str) -> Result<DeviceKey, Problem> {
        let mut code = self.lock();
        let attempt = secret::from_hex(attempt).unwrap_or_default();
        let proof = secret::from_hex(proof).unwrap_or_default();
        // Another message than the one that was answered would be a try that nobody counts.
        let begun = self.key.open(&attempt);
        let proven = code
            .as_ref()
            .filter(|code| code.made.elapsed() < LIFE)
            .zip(begun.and_then(|begun| begun.split_at_checked(SEED)))
            .and_then(|(code, (seed, message))| self.attempt(&code.digits, seed, message).ok())
            .filter(|(key, _)| key.proves(Side::Extension, &proof));
        let Some((key, _)) = proven else {
            return Err(refused("the code does not fit"));
        };
        *code = None;
        Ok(key.device_key())
    }

    /// The key that an attempt comes to, and the companion's message: the same whenever it is asked for.
    fn attempt(
        &self,
        digits: &str,
        seed: &[u8],
        message: &[u8],
    ) -> Result<(Key, Vec<u8>), PairingError> {
        let random = self.key.random_from(seed);
        let (attempt, answer) = Attempt::begin(Side::Companion, digits, self.port, random);
        Ok((attempt.finish(message)?, answer))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Code>> {
        self.code.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A code as it is read and typed.
pub fn in_groups(digits: &str) -> String {
    let digits: Vec<char> = digits.chars().collect();
    let groups = digits.chunks(GROUP).map(String::from_iter);
    groups.collect::<Vec<String>>().join(" ")
}

fn refused(why: &str) -> Problem {
    let text = format!("{why}: ask for a new one on the companion's settings page");
    Problem(StatusCode::FORBIDDEN, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 7474;

    /// First step of a browser; its proof, and the attempt's name.
    fn begin(pairing: &Pairing, digits: &str) -> Result<(Key, String), Problem> {
        let random = secret::random_bytes();
        let (attempt, message) = Attempt::begin(Side::Extension, digits, PORT, random);
        let started = pairing.start(&secret::hex(&message))?;
        let answer = secret::from_hex(&started.message).unwrap_or_default();
        let key = attempt.finish(&answer);
        let key = key.map_err(|error| Problem::bad(error.to_string()))?;
        Ok((key, started.attempt))
    }

    fn end(pairing: &Pairing, (key, attempt): &(Key, String)) -> Result<DeviceKey, Problem> {
        let made = pairing.finish(attempt, &secret::hex(&key.proof(Side::Extension)))?;
        assert!(made == key.device_key(), "both sides make the same key");
        Ok(made)
    }

    fn try_code(pairing: &Pairing, digits: &str) -> Result<DeviceKey, Problem> {
        end(pairing, &begin(pairing, digits)?)
    }

    #[test]
    fn a_code_pairs_once() {
        let pairing = Pairing::new(PORT);
        assert!(try_code(&pairing, "00000000").is_err(), "no code is out");
        let digits = pairing.new_code();
        assert_eq!(digits.len(), 15);
        let second = begin(&pairing, &digits).unwrap();
        assert!(try_code(&pairing, &digits).is_ok());
        assert!(try_code(&pairing, &digits).is_err(), "used up");
        assert!(end(&pairing, &second).is_err(), "used up");
    }

    #[test]
    fn a_code_is_typed_as_it_is_shown() {
        let pairing = Pairing::new(PORT);
        pairing.new_code();
        let (shown, _) = pairing.current().unwrap();
        assert_eq!(shown.len(), 17, "{shown}");
        assert!(try_code(&pairing, &shown).is_ok());
    }

    #[test]
    fn strangers_neither_use_a_code_up_nor_end_an_attempt() {
        let pairing = Pairing::new(PORT);
        let digits = pairing.new_code();
        let wrong = if digits.starts_with('0') { "1" } else { "0" };
        let begun = begin(&pairing, &digits).unwrap();
        for _ in 0..10 {
            assert!(try_code(&pairing, wrong).is_err());
            assert!(pairing.start("zz").is_err());
            assert!(pairing.finish("00", "00").is_err());
        }
        end(&pairing, &begun).unwrap();
    }

    #[test]
    fn a_try_is_one_guess() {
        let pairing = Pairing::new(PORT);
        let digits = pairing.new_code();
        let (_, stranger) = begin(&pairing, "0").unwrap();
        let (key, begun) = begin(&pairing, &digits).unwrap();
        let proof = secret::hex(&key.proof(Side::Extension));
        // A proof of another attempt, or of one whose message was changed afterwards.
        assert!(pairing.finish(&stranger, &proof).is_err());
        let mut changed = secret::from_hex(&begun).unwrap();
        changed[SEED] ^= 1;
        assert!(pairing.finish(&secret::hex(&changed), &proof).is_err());
        let tries = |pairing: &Pairing| pairing.lock().as_ref().unwrap().tries;
        assert_eq!(tries(&pairing), 2);
        pairing.lock().as_mut().unwrap().tries = TRIES;
        let error = begin(&pairing, &digits).err().unwrap();
        assert!(error.1.contains("too often"), "{}", error.1);
        assert!(pairing.current().is_none());
    }
}
