//! Path globs as in `.gitignore`: `*` and `?` match within a name, `**` matches any number of names.
//!
//! Matching does not allocate, and its time is bounded by the product of the two lengths.

use std::iter;
use std::str::Split;

use helve_core::support::wildcard::{self, Element, is_empty};

/// Reports whether a pattern matches a path or one of its parent folders. Both are absolute, or relative to the same
/// folder.
pub fn covers(pattern: &str, path: &str) -> bool {
    search(pattern, path, |_| true)
}

/// Reports whether a pattern matches exactly this path.
pub fn names(pattern: &str, path: &str) -> bool {
    search(pattern, path, is_empty)
}

/// Matches a pattern against a path name by name; `**` matches any number of names. At the end of the pattern,
/// `is_end` determines whether the rest of the path matches.
fn search<'p>(pattern: &str, path: &'p str, is_end: impl Fn(&Split<'p, char>) -> bool) -> bool {
    let pattern = pattern.split('/').map(|name| match name {
        "**" => Element::Any,
        name => Element::One(name),
    });
    wildcard::search(pattern, path.split('/'), segment, is_end)
}

/// Reports whether a pattern without slashes matches a name.
pub fn segment(pattern: &str, name: &str) -> bool {
    wildcard::search(units(pattern), name.chars(), Unit::matches, is_empty)
}

/// Reports whether a name may exist that matches both patterns without slashes. A class matches any character, so that
/// the result can be a false positive.
pub fn intersects(left: &str, right: &str) -> bool {
    let left: Vec<Element<Unit<'_>>> = units(left).collect();
    let right: Vec<Element<Unit<'_>>> = units(right).collect();
    // One row of the table "the rest of left matches the rest of right", computed from the ends.
    let mut below = vec![false; right.len() + 1];
    for at in (0..=left.len()).rev() {
        let mut row = vec![false; right.len() + 1];
        for to in (0..=right.len()).rev() {
            row[to] = match (left.get(at), right.get(to)) {
                (None, None) => true,
                (Some(Element::Any), _) => below[to] || (to < right.len() && row[to + 1]),
                (_, Some(Element::Any)) => row[to + 1] || (at < left.len() && below[to]),
                (Some(Element::One(left)), Some(Element::One(right))) => {
                    left.intersects(*right) && below[to + 1]
                }
                _ => false,
            };
        }
        below = row;
    }
    below[0]
}

/// A part of a pattern that matches one character.
#[derive(Debug, Clone, Copy)]
enum Unit<'a> {
    Any,
    Literal(char),
    Class { members: &'a str, negated: bool },
}

impl Unit<'_> {
    fn matches(self, c: char) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(literal) => literal == c,
            Self::Class { members, negated } => in_class(members, c) != negated,
        }
    }

    /// Reports whether a character may exist that matches both units.
    fn intersects(self, other: Self) -> bool {
        match (self, other) {
            (Self::Literal(left), Self::Literal(right)) => left == right,
            _ => true,
        }
    }
}

fn units(mut pattern: &str) -> impl Iterator<Item = Element<Unit<'_>>> + Clone {
    iter::from_fn(move || {
        if let Some(rest) = pattern.strip_prefix('*') {
            pattern = rest;
            return Some(Element::Any);
        }
        let (unit, rest) = one(pattern)?;
        pattern = rest;
        Some(Element::One(unit))
    })
}

/// Splits the first unit off a pattern that does not start with `*`. An unclosed bracket is a literal.
fn one(pattern: &str) -> Option<(Unit<'_>, &str)> {
    let first = pattern.chars().next()?;
    let rest = &pattern[first.len_utf8()..];
    match first {
        '?' => Some((Unit::Any, rest)),
        '\\' => match rest.chars().next() {
            Some(c) => Some((Unit::Literal(c), &rest[c.len_utf8()..])),
            None => Some((Unit::Literal('\\'), rest)),
        },
        '[' => Some(class(rest).unwrap_or((Unit::Literal('['), rest))),
        c => Some((Unit::Literal(c), rest)),
    }
}

fn class(rest: &str) -> Option<(Unit<'_>, &str)> {
    let negated = rest.starts_with(['!', '^']);
    let start = usize::from(negated);
    // A closing bracket in first position is a member of the class.
    let skip = start + usize::from(rest[start..].starts_with(']'));
    let end = skip + rest[skip..].find(']')?;
    let members = &rest[start..end];
    Some((Unit::Class { members, negated }, &rest[end + 1..]))
}

fn in_class(members: &str, c: char) -> bool {
    let mut members = members.chars();
    while let Some(low) = members.next() {
        let mut ahead = members.clone();
        if ahead.next() == Some('-')
            && let Some(high) = ahead.next()
        {
            if (low..=high).contains(&c) {
                return true;
            }
            members = ahead;
        } else if low == c {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{covers, intersects, names, segment};

    #[test]
    fn patterns_meet() {
        for (left, right, expected) in [
            ("id_rsa", "id_*", true),
            ("id_rsa", "*rsa", true),
            (".env.*", ".e*", true),
            ("*a", "b*", true),
            ("a", "[a]", true),
            ("id_rsa", "*.json", false),
            (".env", ".g*", false),
            ("a", "", false),
            ("ab?", "ab", false),
        ] {
            let found = [intersects(left, right), intersects(right, left)];
            assert_eq!(found, [expected; 2], "{left} {right}");
        }
    }

    #[test]
    fn a_segment() {
        for (pattern, name) in [
            ("*", ""),
            ("*.rs", "main.rs"),
            ("a*b*c", "a-b-b-c"),
            ("?", "ä"),
            ("[a-c]x", "bx"),
            ("[!a-c]x", "dx"),
            ("[]]", "]"),
            ("[", "["),
            (r"\*", "*"),
            (r"a\", r"a\"),
        ] {
            assert!(segment(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("", "a"),
            ("*.rs", "main.py"),
            ("?", ""),
            ("[a-c]", "d"),
            ("[!a-c]", "a"),
            (r"\*", "a"),
            ("a", "ab"),
        ] {
            assert!(!segment(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_pattern_covers_what_lies_below() {
        for (pattern, path) in [
            ("/tmp/**", "/tmp/a/b"),
            ("/tmp/**", "/tmp"),
            ("/tmp", "/tmp/a"),
            ("/**/*.rs", "/a/b/main.rs"),
            ("**/src/*.rs", "/a/src/b/src/main.rs"),
            ("**", "/"),
            ("/a/**/b", "/a/b"),
        ] {
            assert!(covers(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("/tmp/**", "/tmpx/a"),
            ("/tmp/a", "/tmp"),
            ("/src/*.rs", "/src/a/main.rs"),
            ("/a/**/b", "/a/c"),
        ] {
            assert!(!covers(pattern, path), "{pattern} {path}");
        }
        assert!(names("**/.env", "/a/.env") && !names("**/.env", "/a/.env/bin"));
    }

    #[test]
    fn hard_patterns_end() {
        let (pattern, name) = ("*a".repeat(500) + "b", "a".repeat(5_000));
        assert!(!segment(&pattern, &name));
        let (pattern, path) = ("**/a/".repeat(500) + "b", "a/".repeat(5_000));
        assert!(!covers(&pattern, &path));
    }
}
