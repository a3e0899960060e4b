//! Pairing with a browser: an 8-digit code, shown by the companion, good for
//! one browser, ten minutes and five tries.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use linkscent_core::wire::api::PairStarted;
use linkscent_core::wire::channel::DeviceKey;
use linkscent_core::wire::pairing::{Attempt, Key, Side};

use super::Problem;
use crate::secret;

const LIFE: Duration = Duration::from_mins(10);
const TRIES: u8 = 5;

/// The code that is out, if there is one.
pub struct Pairing {
    port: u16,
    code: Mutex<Option<Code>>,
}

struct Code {
    digits: String,
    made: Instant,
    tries: u8,
    /// The last attempt that was begun, and its key.
    attempt: Option<(String, Key)>,
}

impl Pairing {
    /// No code is out yet; the companion listens on `port`.
    pub fn new(port: u16) -> Self {
        Self {
            port,
            code: Mutex::default(),
        }
    }

    /// A new code; the one before is void.
    pub fn new_code(&self) -> String {
        let number = u64::from_le_bytes(secret::random_bytes::<8>()) % 100_000_000;
        let digits = format!("{number:08}");
        *self.lock() = Some(Code {
            digits: digits.clone(),
            made: Instant::now(),
            tries: 0,
            attempt: None,
        });
        digits
    }

    /// The code that is out, and for how many more seconds.
    pub fn current(&self) -> Option<(String, u64)> {
        let code = self.lock();
        let code = code.as_ref()?;
        let left = LIFE.checked_sub(code.made.elapsed())?;
        Some((code.digits.clone(), left.as_secs()))
    }

    /// First step: the companion proves that it knows the code. Costs a try.
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
        let random = secret::random_bytes::<64>();
        let (attempt, answer) = Attempt::begin(Side::Companion, &open.digits, self.port, random);
        let message = secret::from_hex(message).unwrap_or_default();
        let key = attempt
            .finish(&message)
            .map_err(|error| Problem::bad(error.to_string()))?;
        let name = secret::random_hex::<16>();
        let started = PairStarted {
            attempt: name.clone(),
            message: secret::hex(&answer),
            proof: secret::hex(&key.proof(Side::Companion)),
        };
        open.attempt = Some((name, key));
        Ok(started)
    }

    /// Second step: the extension proves it too. The code is used up then.
    pub fn finish(&self, attempt: &str, proof: &str) -> Result<DeviceKey, Problem> {
        let mut code = self.lock();
        let proof = secret::from_hex(proof).unwrap_or_default();
        let proven = code
            .as_mut()
            .filter(|code| code.made.elapsed() < LIFE)
            .and_then(|code| code.attempt.take())
            .filter(|(name, key)| name == attempt && key.proves(Side::Extension, &proof));
        let Some((_, key)) = proven else {
            return Err(refused("the code does not fit"));
        };
        *code = None;
        Ok(key.device_key())
    }

    fn lock(&self) -> MutexGuard<'_, Option<Code>> {
        self.code.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refused(why: &str) -> Problem {
    let text = format!("{why}: ask for a new one on the companion's settings page");
    Problem(StatusCode::FORBIDDEN, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PORT: u16 = 7474;

    fn try_code(pairing: &Pairing, digits: &str) -> Result<DeviceKey, Problem> {
        let random = secret::random_bytes();
        let (attempt, message) = Attempt::begin(Side::Extension, digits, PORT, random);
        let started = pairing.start(&secret::hex(&message))?;
        let answer = secret::from_hex(&started.message).unwrap_or_default();
        let key = attempt
            .finish(&answer)
            .map_err(|error| Problem::bad(error.to_string()))?;
        let made = pairing.finish(&started.attempt, &secret::hex(&key.proof(Side::Extension)))?;
        assert!(made == key.device_key(), "both sides make the same key");
        Ok(made)
    }

    #[test]
    fn a_code_pairs_once() {
        let pairing = Pairing::new(PORT);
        assert!(try_code(&pairing, "00000000").is_err(), "no code is out");
        let digits = pairing.new_code();
        assert_eq!(digits.len(), 8);
        assert!(try_code(&pairing, &digits).is_ok());
        assert!(try_code(&pairing, &digits).is_err(), "used up");
    }

    #[test]
    fn five_wrong_tries_wear_a_code_out() {
        let pairing = Pairing::new(PORT);
        let digits = pairing.new_code();
        let wrong = if digits == "00000000" {
            "00000001"
        } else {
            "00000000"
        };
        for _ in 0..5 {
            assert!(try_code(&pairing, wrong).is_err());
        }
        let error = try_code(&pairing, &digits).unwrap_err();
        assert!(error.1.contains("too often"), "{}", error.1);
    }
}
