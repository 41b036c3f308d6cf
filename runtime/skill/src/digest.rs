//! The digest of a skill: a SHA-256 of its name and its files.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use helve_core::support::hex;
use helve_core::support::text::first_chars;

/// The SHA-256 that identifies one version of a skill. It covers the name, and the path, the contents
/// and the executable bit of each file. The text form has 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillDigest([u8; 32]);

/// The properties of one file that a digest covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DigestInput<'f> {
    /// The path, relative to the skill's folder, with `/` as the separator.
    pub path: &'f str,
    /// Whether the file is executable.
    pub executable: bool,
    /// The SHA-256 of the contents.
    pub sha256: &'f [u8; 32],
}

impl SkillDigest {
    /// Computes the digest of a skill; the order of the files does not matter.
    #[must_use]
    pub fn compute<'f>(name: &str, files: impl IntoIterator<Item = DigestInput<'f>>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_unstable();
        let mut hasher = Sha256::new();
        update_text(&mut hasher, "helve skill 1");
        update_text(&mut hasher, name);
        for file in files {
            update_text(&mut hasher, file.path);
            hasher.update([u8::from(file.executable)]);
            hasher.update(file.sha256);
        }
        Self(hasher.finalize().into())
    }

    /// Returns the 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hashes a text after its length, so that two texts have another digest than their concatenation.
fn update_text(hasher: &mut Sha256, text: &str) {
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text);
}

impl fmt::Display for SkillDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for SkillDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SkillDigest({self})")
    }
}

/// The error of a text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected the digest of a skill, which is 64 hexadecimal digits, got {0:?}")]
pub struct InvalidDigest(String);

impl FromStr for SkillDigest {
    type Err = InvalidDigest;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || InvalidDigest(first_chars(text, 80).to_owned());
        let digits = text.strip_prefix("sha256:").unwrap_or(text).as_bytes();
        let (pairs, rest) = digits.as_chunks::<2>();
        if pairs.len() != 32 || !rest.is_empty() {
            return Err(wrong());
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
            let value = high.zip(low).ok_or_else(wrong)?;
            *byte = u8::try_from(value.0 << 4 | value.1).map_err(|_| wrong())?;
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file<'f>(path: &'f str, executable: bool, sha256: &'f [u8; 32]) -> DigestInput<'f> {
        DigestInput {
            path,
            executable,
            sha256,
        }
    }

    #[test]
    fn everything_but_the_order_matters() {
        let (one, two) = (&[1; 32], &[2; 32]);
        let (x, y) = (file("x", false, one), file("y", true, two));
        let digest = SkillDigest::compute("a", [x, y]);
        assert_eq!(digest, SkillDigest::compute("a", [y, x]));
        for other in [
            SkillDigest::compute("b", [x, y]),
            SkillDigest::compute("a", [file("x", true, one), y]),
            SkillDigest::compute("a", [file("x", false, two), y]),
            SkillDigest::compute("a", [file("z", false, one), y]),
            SkillDigest::compute("a", [x]),
        ] {
            assert_ne!(digest, other);
        }
    }

    #[test]
    fn a_digest_is_read_as_it_is_written() {
        let digest = SkillDigest::compute("a", []);
        assert_eq!(digest.to_string().parse(), Ok(digest));
        assert_eq!(format!("sha256:{digest}").parse(), Ok(digest));
        for wrong in ["", "abc", &"g".repeat(64), &"é".repeat(32), &"0".repeat(66)] {
            assert!(wrong.parse::<SkillDigest>().is_err(), "{wrong}");
        }
    }
}
