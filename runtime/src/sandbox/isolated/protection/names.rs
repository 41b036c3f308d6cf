//! Names of files as patterns: literal, or with `*` for any characters.

use std::collections::HashSet;

/// A set of patterns for names, made to be asked for every entry of a tree. A name is compared without regard to case: a
/// file system may not regard it either.
#[derive(Debug)]
pub(in super::super) struct Names {
    /// The patterns without a `*`, in lower case.
    literal: HashSet<Vec<u8>>,
    patterns: Vec<Vec<u8>>,
}

impl Names {
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

    pub(in super::super) fn contain(&self, name: &[u8]) -> bool {
        self.literal.contains(&name.to_ascii_lowercase())
            || self.patterns.iter().any(|pattern| matches(pattern, name))
    }
}

/// Each part between stars must follow in its order; the first begins the name and the last ends it.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let mut parts = pattern.split(|&byte| byte == b'*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = strip(name, first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let place = (0..=rest.len()).find(|&start| strip(&rest[start..], part).is_some());
        let Some(start) = place else { return false };
        rest = &rest[start + part.len()..];
    }
    rest.len() >= last.len() && rest[rest.len() - last.len()..].eq_ignore_ascii_case(last)
}

fn strip<'n>(name: &'n [u8], prefix: &[u8]) -> Option<&'n [u8]> {
    let (head, rest) = name.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::{Names, matches};

    #[test]
    fn no_name_regards_case() {
        let names = Names::new(&[".env", ".env.*", "*.PEM", "Id_rsa"].map(str::to_owned));
        for name in [".env", ".ENV", ".Env.local", "a.pem", "ID_RSA"] {
            assert!(names.contain(name.as_bytes()), "{name}");
        }
        for name in [".envrc", "pem", "id_rsa.pub", ""] {
            assert!(!names.contain(name.as_bytes()), "{name}");
        }
        assert!(!names.is_empty() && Names::new(&[]).is_empty());
    }

    #[test]
    fn stars_stand_for_any_characters() {
        let cases = [
            (".env", ".env", true),
            (".env", ".envrc", false),
            (".env.*", ".env.local", true),
            (".env.*", ".env", false),
            ("*.pem", "server.PEM", true),
            ("*.pem", ".pem", true),
            ("*.pem", "pem", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
            ("*", "anything", true),
            ("", "", true),
            ("", "a", false),
        ];
        for (pattern, name, expected) in cases {
            let found = matches(pattern.as_bytes(), name.as_bytes());
            assert_eq!(found, expected, "`{pattern}` and `{name}`");
        }
    }
}
