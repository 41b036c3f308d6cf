//! The bearer tokens of a server, and their principals.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// The least length of a token; shorter ones can be guessed.
const MIN_LENGTH: usize = 16;

/// The greatest length of a token; longer ones are refused without a comparison.
const MAX_LENGTH: usize = 4096;

/// The principal of a token without a name.
const DEFAULT_PRINCIPAL: &str = "token";

/// The bearer tokens of a server; each belongs to a principal.
///
/// A principal may have several tokens, so that one can be replaced while another is valid. Only the digests of the tokens
/// are stored.
///
/// ```
/// use helve::serve::Tokens;
///
/// let mut tokens = Tokens::new();
/// tokens.read("editor=0b7e6fd2c1a44f4e9a31\nci=5d1f0c6be2f84d0c8e17").unwrap();
/// assert!(!tokens.is_empty());
/// assert!(tokens.read("short").is_err());
/// ```
#[derive(Clone, Default)]
pub struct Tokens {
    entries: Vec<TokenEntry>,
}

#[derive(Clone)]
struct TokenEntry {
    digest: [u8; 32],
    principal: Arc<str>,
}

/// The error of a text with tokens. The error does not contain the text, which may be secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokensError {
    /// The text has no token.
    #[error("missing token: write `NAME=TOKEN` or a token alone, one per line")]
    Empty,
    /// A word is not a token.
    #[error(
        "line {line}: a token has letters, digits and `-._~+/`, with `=` at its end alone; a name before it has letters, digits and `-._`"
    )]
    Malformed {
        /// The line, counted from 1.
        line: usize,
    },
    /// A token is too short to be safe, or too long for a header.
    #[error(
        "line {line}: a token has {MIN_LENGTH} to {MAX_LENGTH} characters; `openssl rand -hex 32` writes a good one"
    )]
    Length {
        /// The line, counted from 1.
        line: usize,
    },
    /// Two principals have the same token.
    #[error("line {line}: this token is that of `{principal}` already")]
    Twice {
        /// The line, counted from 1.
        line: usize,
        /// The principal that has the token already.
        principal: String,
    },
}

impl Tokens {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tokens of a text: `NAME=TOKEN` or a token alone, separated by white space. Lines that start with `#` are
    /// ignored.
    ///
    /// # Errors
    ///
    /// Fails if a word is not a token, or if the text has no token. No token is added then.
    pub fn read(&mut self, text: &str) -> Result<(), TokensError> {
        let mut all = self.clone();
        let before = all.entries.len();
        for (index, line) in text.lines().enumerate() {
            if line.trim_start().starts_with('#') {
                continue;
            }
            for word in line.split_whitespace() {
                all.add(word, index + 1)?;
            }
        }
        if all.entries.len() == before {
            return Err(TokensError::Empty);
        }
        *self = all;
        Ok(())
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the principals, sorted and without duplicates.
    pub(super) fn principals(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.entries.iter().map(|e| e.principal.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the principal of a token. The comparison takes constant time.
    pub(super) fn principal(&self, token: &[u8]) -> Option<Arc<str>> {
        if token.len() > MAX_LENGTH {
            return None;
        }
        let digest: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for entry in &self.entries {
            let differs = entry.digest.iter().zip(&digest);
            let differs = differs.fold(0, |all, (own, other)| all | (own ^ other));
            if black_box(differs) == 0 {
                found = Some(&entry.principal);
            }
        }
        found.cloned()
    }

    fn add(&mut self, word: &str, line: usize) -> Result<(), TokensError> {
        let (principal, token) = match word.split_once('=') {
            // A token may end in `=` as padding, and does not consist of padding alone.
            Some((name, token)) if token.bytes().any(|byte| byte != b'=') => (name, token),
            _ => (DEFAULT_PRINCIPAL, word),
        };
        let is_name = !principal.is_empty() && principal.bytes().all(is_name_byte);
        let is_token = token.trim_end_matches('=').bytes().all(is_token_byte);
        if !is_name || !is_token {
            return Err(TokensError::Malformed { line });
        }
        if !(MIN_LENGTH..=MAX_LENGTH).contains(&token.len()) {
            return Err(TokensError::Length { line });
        }
        if let Some(other) = self.principal(token.as_bytes()) {
            if *other == *principal {
                return Ok(());
            }
            let principal = other.to_string();
            return Err(TokensError::Twice { line, principal });
        }
        self.entries.push(TokenEntry {
            digest: Sha256::digest(token).into(),
            principal: principal.into(),
        });
        Ok(())
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._".contains(&byte)
}

/// Follows the grammar of RFC 6750.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte)
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tokens").field(&self.principals()).finish()
    }
}
