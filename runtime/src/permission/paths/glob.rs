//! Globs over paths, as `.gitignore` has them: matched without allocation, in time bounded by the two lengths.

use std::str::Split;

/// Reports whether a pattern names a path, or a folder above it. Both are absolute, or relative to the same place.
pub(crate) fn covers(pattern: &str, path: &str) -> bool {
    walk(pattern, path, |_| true)
}

/// Reports whether a pattern names exactly this path.
pub(crate) fn names(pattern: &str, path: &str) -> bool {
    walk(pattern, path, |rest| rest.clone().next().is_none())
}

/// Holds the segments against each other; `**` stands for any number of them. Where the pattern ends, `accept` judges
/// what is left of the path. As with any wildcard, only the last `**` ever has to be tried again.
fn walk(pattern: &str, path: &str, accept: impl Fn(&Split<'_, char>) -> bool) -> bool {
    let (mut patterns, mut names) = (pattern.split('/'), path.split('/'));
    let mut retry: Option<(Split<'_, char>, Split<'_, char>)> = None;
    loop {
        let mut ahead = patterns.clone();
        match ahead.next() {
            None if accept(&names) => return true,
            Some("**") => {
                patterns = ahead;
                if patterns.clone().next().is_none() {
                    return true;
                }
                retry = Some((patterns.clone(), names.clone()));
                continue;
            }
            Some(pattern) => {
                let mut rest = names.clone();
                if rest.next().is_some_and(|name| segment(pattern, name)) {
                    (patterns, names) = (ahead, rest);
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
        (patterns, names) = (after.clone(), from.clone());
    }
}

/// Reports whether a pattern without slashes names a segment.
pub(crate) fn segment(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    let mut retry: Option<(&str, &str)> = None;
    loop {
        if let Some(rest) = pattern.strip_prefix('*') {
            (pattern, retry) = (rest, Some((rest, name)));
            continue;
        }
        match (one(pattern), name.chars().next()) {
            (None, None) => return true,
            (Some((unit, rest)), Some(c)) if unit.takes(c) => {
                (pattern, name) = (rest, &name[c.len_utf8()..]);
                continue;
            }
            _ => {}
        }
        let Some((after, from)) = retry else {
            return false;
        };
        let Some(c) = from.chars().next() else {
            return false;
        };
        let from = &from[c.len_utf8()..];
        (pattern, name, retry) = (after, from, Some((after, from)));
    }
}

/// Reports whether some name fits two patterns without slashes. A class counts as any character, so that the answer
/// errs towards yes.
pub(crate) fn intersects(left: &str, right: &str) -> bool {
    let (left, right) = (tokens(left), tokens(right));
    // One row of "the rest of left fits the rest of right", from the ends on.
    let mut below = vec![false; right.len() + 1];
    for at in (0..=left.len()).rev() {
        let mut row = vec![false; right.len() + 1];
        for to in (0..=right.len()).rev() {
            row[to] = match (left.get(at), right.get(to)) {
                (None, None) => true,
                (Some(Token::Many), _) => below[to] || (to < right.len() && row[to + 1]),
                (_, Some(Token::Many)) => row[to + 1] || (at < left.len() && below[to]),
                (Some(left), Some(right)) => left.meets(*right) && below[to + 1],
                _ => false,
            };
        }
        below = row;
    }
    below[0]
}

/// What of a pattern stands for characters.
#[derive(Clone, Copy)]
enum Token {
    Many,
    One,
    Literal(char),
}

impl Token {
    fn meets(self, other: Self) -> bool {
        match (self, other) {
            (Self::Literal(left), Self::Literal(right)) => left == right,
            _ => true,
        }
    }
}

fn tokens(mut pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    loop {
        if let Some(rest) = pattern.strip_prefix('*') {
            tokens.push(Token::Many);
            pattern = rest;
            continue;
        }
        let Some((unit, rest)) = one(pattern) else {
            return tokens;
        };
        tokens.push(match unit {
            Unit::Literal(c) => Token::Literal(c),
            Unit::Any | Unit::Class { .. } => Token::One,
        });
        pattern = rest;
    }
}

/// What of a pattern stands for one character.
#[derive(Clone, Copy)]
enum Unit<'a> {
    Any,
    Literal(char),
    Class { members: &'a str, negated: bool },
}

impl Unit<'_> {
    fn takes(self, c: char) -> bool {
        match self {
            Self::Any => true,
            Self::Literal(literal) => literal == c,
            Self::Class { members, negated } => in_class(members, c) != negated,
        }
    }
}

/// Takes the first unit off a pattern that does not start with `*`. A bracket that is never closed is itself.
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
    // A bracket that comes first is a member.
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
        for (left, right) in [
            ("id_rsa", "id_*"),
            ("id_rsa", "*rsa"),
            (".env.*", ".e*"),
            ("*a", "b*"),
            ("a", "[a]"),
        ] {
            assert!(
                intersects(left, right) && intersects(right, left),
                "{left} {right}"
            );
        }
        for (left, right) in [
            ("id_rsa", "*.json"),
            (".env", ".g*"),
            ("a", ""),
            ("ab?", "ab"),
        ] {
            assert!(
                !intersects(left, right) && !intersects(right, left),
                "{left} {right}"
            );
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
