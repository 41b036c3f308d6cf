//! The tokens that requests carry, and whose they are.

use std::fmt;
use std::hint::black_box;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// How long a token is at least: what is shorter can be guessed.
const SHORTEST: usize = 16;

/// How long a token may be; a request with a longer one is answered without looking at it.
const LONGEST: usize = 4096;

/// Who comes with a token that names nobody.
const UNNAMED: &str = "token";

/// The tokens that let requests in, each of which says who is asking.
///
/// Who has several tokens can change one while the other still holds. What is kept of a token is its digest.
///
/// ```
/// # extern crate helve_runtime as helve;
/// use helve::serve::Tokens;
///
/// let mut tokens = Tokens::new();
/// tokens.read("editor=0b7e6fd2c1a44f4e9a31\nci=5d1f0c6be2f84d0c8e17").unwrap();
/// assert!(!tokens.is_empty());
/// assert!(tokens.read("short").is_err());
/// ```
#[derive(Clone, Default)]
pub struct Tokens {
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    digest: [u8; 32],
    principal: Arc<str>,
}

/// Says why a text holds no tokens that could be used. It never says what the text is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokensError {
    /// There is none.
    #[error("there is no token: write `NAME=TOKEN` or a token alone, one a line")]
    Empty,
    /// Something is no token.
    #[error(
        "line {line}: a token has letters, digits and `-._~+/`, with `=` at its end alone; a name before it has letters, digits and `-._`"
    )]
    Malformed {
        /// The line, the first being 1.
        line: usize,
    },
    /// A token can be guessed, or fits in no header.
    #[error(
        "line {line}: a token has {SHORTEST} to {LONGEST} characters; `openssl rand -hex 32` writes a good one"
    )]
    Length {
        /// The line, the first being 1.
        line: usize,
    },
    /// One token is to be of two.
    #[error("line {line}: this token is that of `{principal}` already")]
    Twice {
        /// The line, the first being 1.
        line: usize,
        /// Whose it is.
        principal: String,
    },
}

impl Tokens {
    /// Makes an empty list, which lets nobody in.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the tokens of a text: `NAME=TOKEN` or a token alone, separated by white space; lines that begin with `#` are
    /// passed over.
    ///
    /// # Errors
    /// When one of them is no token, or there is none; nothing is added then.
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

    /// Reports whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Lists who has one, each once.
    pub(super) fn principals(&self) -> Vec<Arc<str>> {
        let mut names: Vec<_> = self.entries.iter().map(|e| e.principal.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns whose token this is, in the same time whichever it is.
    pub(super) fn principal(&self, token: &[u8]) -> Option<Arc<str>> {
        if token.len() > LONGEST {
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
            // What ends in `=` is padded; nobody's token consists of that alone.
            Some((name, token)) if token.bytes().any(|byte| byte != b'=') => (name, token),
            _ => (UNNAMED, word),
        };
        let is_name = !principal.is_empty() && principal.bytes().all(is_of_name);
        let is_token = token.trim_end_matches('=').bytes().all(is_of_token);
        if !is_name || !is_token {
            return Err(TokensError::Malformed { line });
        }
        if !(SHORTEST..=LONGEST).contains(&token.len()) {
            return Err(TokensError::Length { line });
        }
        if let Some(other) = self.principal(token.as_bytes()) {
            if *other == *principal {
                return Ok(());
            }
            let principal = other.to_string();
            return Err(TokensError::Twice { line, principal });
        }
        self.entries.push(Entry {
            digest: Sha256::digest(token).into(),
            principal: principal.into(),
        });
        Ok(())
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._".contains(&byte)
}

/// RFC 6750 has the same in its grammar.
fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte)
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tokens").field(&self.principals()).finish()
    }
}
