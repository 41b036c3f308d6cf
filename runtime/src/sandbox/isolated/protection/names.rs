//! Names of files as patterns: literal, or with `*` for any characters.

/// A set of patterns for names, made to be asked for every entry of a tree.
#[derive(Debug)]
pub(in super::super) struct Names<'a> {
    patterns: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(in super::super) fn new(patterns: &'a [String]) -> Self {
        Self {
            patterns: patterns.iter().map(String::as_str).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Compares without regard to case: a file system may not regard it either.
    pub(in super::super) fn contain(&self, name: &[u8]) -> bool {
        self.patterns
            .iter()
            .any(|pattern| matches(pattern.as_bytes(), name))
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
    use super::matches;

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
