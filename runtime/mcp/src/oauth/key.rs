//! The private key of a client that authenticates with a key instead of a secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::transport::auth::JwtSigningAlgorithm;

use super::OAuthError;
use super::target::Target;

/// The object identifiers of the algorithms and curves, by which the DER of a key is recognized.
const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];

/// Returns the signing algorithm of a private key.
///
/// # Errors
/// Fails if the key is not of a supported kind.
pub(super) fn algorithm(target: &Target, pem: &str) -> Result<JwtSigningAlgorithm, OAuthError> {
    let unusable = |reason| OAuthError::Key {
        server: target.name.clone(),
        reason,
    };
    let lines = pem.lines().map(str::trim);
    let body = lines.filter(|line| !line.starts_with("-----"));
    let der = STANDARD.decode(body.collect::<String>());
    let der =
        der.map_err(|_| unusable("the text between its first and last line is not base64"))?;
    let has = |identifier: &[u8]| der.windows(identifier.len()).any(|part| part == identifier);
    if pem.contains("BEGIN RSA PRIVATE KEY") {
        return Ok(JwtSigningAlgorithm::RS256);
    }
    if !pem.contains("PRIVATE KEY-----") {
        return Err(unusable("it begins like something else"));
    }
    [
        (P256, JwtSigningAlgorithm::ES256),
        (P384, JwtSigningAlgorithm::ES384),
        (RSA, JwtSigningAlgorithm::RS256),
    ]
    .into_iter()
    .find_map(|(identifier, algorithm)| has(identifier).then_some(algorithm))
    .ok_or_else(|| unusable("it is of none of the kinds RSA, P-256 and P-384"))
}
