//! File name patterns: literal, or with `*` for any text.

use std::collections::HashSet;

use helve_core::support::wildcard::matches_ignore_ascii_case;

/// A set of name patterns, optimised for checks of every entry of a tree. Names are compared without regard to case,
/// because a file system may be case-insensitive.
#[derive(Debug)]
pub(in super::super) struct NamePatterns {
    /// The literal patterns, without a `*`, in lower case.
    literal: HashSet<Vec<u8>>,
    patterns: Vec<Vec<u8>>,
}

impl NamePatterns {
    pub(in super::super) fn new(patterns: &[String]) -> Self {
        let patterns = patterns.iter().map(String::as_bytes);
        let (patterns, literal): (Vec<_>, Vec<_>) =
            patterns.partition(|pattern| pattern.contains(&b'*'));
        Self {
            literal: literal
                .into_iter()
                .map(<[u8]>::to_ascii_lowercase)
                .collect(),
            patterns: patterns.into_iter().map(<[u8]>::to_vec).collect(),
        }
    }

    pub(in super::super) fn is_empty(&self) -> bool {
        self.literal.is_empty() && self.patterns.is_empty()
    }

    pub(in super::super) fn matches(&self, name: &[u8]) -> bool {
        self.literal.contains(&name.to_ascii_lowercase())
            || self
                .patterns
                .iter()
                .any(|pattern| matches_ignore_ascii_case(pattern, name))
    }
}

#[cfg(test)]
mod tests {
    use super::NamePatterns;

    #[test]
    fn no_name_regards_case() {
        let names = NamePatterns::new(&[".env", ".env.*", "*.PEM", "Id_rsa"].map(str::to_owned));
        for name in [".env", ".ENV", ".Env.local", "a.pem", "ID_RSA"] {
            assert!(names.matches(name.as_bytes()), "{name}");
        }
        for name in [".envrc", "pem", "id_rsa.pub", ""] {
            assert!(!names.matches(name.as_bytes()), "{name}");
        }
        assert!(!names.is_empty() && NamePatterns::new(&[]).is_empty());
    }
}
