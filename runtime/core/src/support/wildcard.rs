//! Wildcard patterns: `*` matches any text, including the empty text.
//!
//! Every matcher of the crate, including that of path globs, uses [`search`], which backtracks only to the last
//! wildcard. Its time is bounded by the product of the two lengths, whatever the pattern.

use std::iter::FusedIterator;

/// A part of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element<T> {
    /// Any number of items.
    Any,
    /// One item.
    One(T),
}

/// Reports whether a pattern matches a sequence of items from its first item up to a position that `is_end` accepts.
///
/// `matches_one` compares an element of the pattern with an item.
pub fn search<T, P, I>(
    mut pattern: P,
    mut items: I,
    matches_one: impl Fn(T, I::Item) -> bool,
    is_end: impl Fn(&I) -> bool,
) -> bool
where
    P: Iterator<Item = Element<T>> + Clone,
    I: Iterator + Clone,
{
    // Backtracking to an earlier wildcard is not necessary: the last one can match whatever the earlier one could
    // match instead.
    let mut retry: Option<(P, I)> = None;
    loop {
        let mut next_pattern = pattern.clone();
        match next_pattern.next() {
            None if is_end(&items) => return true,
            Some(Element::Any) => {
                pattern = next_pattern;
                retry = Some((pattern.clone(), items.clone()));
                continue;
            }
            Some(Element::One(element)) => {
                let mut next_items = items.clone();
                if next_items
                    .next()
                    .is_some_and(|item| matches_one(element, item))
                {
                    (pattern, items) = (next_pattern, next_items);
                    continue;
                }
            }
            None => {}
        }
        let Some((after, from)) = &mut retry else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (pattern, items) = (after.clone(), from.clone());
    }
}

/// Reports whether an iterator has no items left.
pub fn is_empty<I: Iterator + Clone>(items: &I) -> bool {
    items.clone().next().is_none()
}

/// Reports whether a pattern matches the whole of a text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let bytes = text.bytes();
    search(elements(pattern.as_bytes()), bytes, |p, b| p == b, is_empty)
}

/// Reports whether a pattern matches the whole of a text, without regard to the case of ASCII letters.
pub fn matches_ignore_ascii_case(pattern: &[u8], text: &[u8]) -> bool {
    let bytes = text.iter().copied();
    let matches_one = |pattern: u8, byte: u8| pattern.eq_ignore_ascii_case(&byte);
    search(elements(pattern), bytes, matches_one, is_empty)
}

/// Iterates over a pattern by bytes: `*` is ASCII, so that its match in UTF-8 begins and ends at character boundaries.
fn elements(pattern: &[u8]) -> impl FusedIterator<Item = Element<u8>> + Clone + '_ {
    pattern.iter().map(|byte| match byte {
        b'*' => Element::Any,
        byte => Element::One(*byte),
    })
}

/// Reports whether a rule matches a variable: the rule is the name, or a prefix of the name followed by `*`.
pub fn is_name_or_prefix(rule: &str, name: &str) -> bool {
    match rule.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => rule == name,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn as_regex(pattern: &str, flags: &str) -> regex_lite::Regex {
        let parts: Vec<String> = pattern.split('*').map(regex_lite::escape).collect();
        let regex = format!("(?{flags})^{}$", parts.join(".*"));
        regex_lite::Regex::new(&regex).expect("a regular expression")
    }

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [
            ("", ""),
            ("a", "a"),
            ("*", ""),
            ("*", "a"),
            ("grep", "grep"),
            ("*", "grep"),
            ("grep*", "grep"),
            ("read_*", "read_file"),
            ("*_file", "read_file"),
            ("a*", "ab"),
            ("*b", "ab"),
            ("a*c*e", "abcde"),
            ("a*b*c", "a-b-b-c"),
            ("r*d*e", "read_file"),
            ("*\u{e4}", "a\u{e4}"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("a", ""),
            ("grep", "grep2"),
            ("*x*", "grep"),
            ("a", "ab"),
            ("a*a", "a"),
            ("*b*", "aca"),
            ("a*c", "abd"),
            ("a*b*c", "a-c-b"),
            ("A*", "ab"),
            ("read_*", "write_file"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn case_is_disregarded_for_ascii_letters_alone() {
        for (pattern, name, expected) in [
            (".env", ".ENV", true),
            (".env", ".envrc", false),
            (".env.*", ".Env.local", true),
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
            ("\u{e4}", "\u{c4}", false),
        ] {
            let found = matches_ignore_ascii_case(pattern.as_bytes(), name.as_bytes());
            assert_eq!(found, expected, "`{pattern}` and `{name}`");
        }
    }

    #[test]
    fn a_rule_is_a_name_or_a_prefix() {
        for (rule, name, expected) in [
            ("HOME", "HOME", true),
            ("HOME", "HOMES", false),
            ("LC_*", "LC_ALL", true),
            ("LC_*", "LC_", true),
            ("LC_*", "LANG", false),
            ("*", "A", true),
            // Only the last character is a wildcard.
            ("*_KEY", "A_KEY", false),
            ("A*B*", "AxB", false),
        ] {
            assert_eq!(is_name_or_prefix(rule, name), expected, "{rule} {name}");
        }
    }

    #[test]
    fn hard_patterns_end() {
        let (pattern, name) = ("*a".repeat(500) + "b", "a".repeat(5_000));
        assert!(!matches(&pattern, &name));
        assert!(!matches_ignore_ascii_case(
            pattern.as_bytes(),
            name.as_bytes()
        ));
    }

    proptest! {
        #[test]
        fn patterns_match_what_a_regular_expression_matches(
            pattern in "[ab.\u{e4}\n*]{0,10}",
            text in "[abAB.\u{e4}\u{c4}\n]{0,14}",
        ) {
            let expected = as_regex(&pattern, "s").is_match(&text);
            prop_assert_eq!(matches(&pattern, &text), expected);
            let expected = as_regex(&pattern, "si").is_match(&text);
            let found = matches_ignore_ascii_case(pattern.as_bytes(), text.as_bytes());
            prop_assert_eq!(found, expected);
        }
    }
}
