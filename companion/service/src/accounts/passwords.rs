//! Passwords as Argon2id hashes. A program that was built for one person has no accounts: it makes no
//! hash, and takes no password.

use anyhow::{Result, anyhow};
#[cfg(feature = "team")]
use argon2::Argon2;
#[cfg(feature = "team")]
use argon2::password_hash::phc::PasswordHash;
#[cfg(feature = "team")]
use argon2::password_hash::{PasswordHasher, PasswordVerifier};

/// Hashes a password with a salt.
#[cfg(feature = "team")]
pub(super) fn hashed(password: &str, salt: &[u8; 16]) -> Result<String> {
    let hash = Argon2::default().hash_password_with_salt(password.as_bytes(), salt);
    let hash = hash.map_err(|error| anyhow!("hashing a password: {error}"))?;
    Ok(hash.to_string())
}

/// Tells whether a password has that hash.
#[cfg(feature = "team")]
pub(super) fn is_of(password: &str, hash: &str) -> Result<bool> {
    let hash = PasswordHash::new(hash)
        .map_err(|error| anyhow!("the hash of a password cannot be read: {error}"))?;
    Ok(Argon2::default()
        .verify_password(password.as_bytes(), &hash)
        .is_ok())
}

#[cfg(not(feature = "team"))]
pub(super) fn hashed(_password: &str, _salt: &[u8; 16]) -> Result<String> {
    Err(anyhow!(
        "accounts come with `{}`",
        linkscent_store::WITH_TEAM
    ))
}

#[cfg(not(feature = "team"))]
#[expect(clippy::unnecessary_wraps, reason = "with accounts it can fail")]
pub(super) fn is_of(_password: &str, _hash: &str) -> Result<bool> {
    Ok(false)
}
