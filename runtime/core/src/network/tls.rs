//! The cryptography of TLS.

/// Makes ring the cryptography of TLS in this process, if the program has not chosen another.
///
/// Clients of reqwest need it before they are built: reqwest brings TLS without cryptography, so that a program has one
/// library for it.
pub fn install_tls_provider() {
    // It fails if there is a provider, which is kept.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
