//! TLS, as all of this program speaks it.

/// Chooses who does the cryptography of TLS in this process; only the first
/// choice counts.
pub fn choose_cryptography() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
