//! Converts name patterns to the regular expressions of a profile.

use std::path::Path;

use crate::sandbox::SandboxError;

/// The expressions of one pattern: for its matches and everything below, and for their ancestors.
#[derive(Debug)]
pub(super) struct PatternExpressions {
    pub(super) covers: String,
    pub(super) ancestors: Vec<String>,
}

/// Converts a pattern: consecutive names, with `*`, `?` and `[…]`, at any depth.
///
/// Letters match in either case, because the file systems of macOS are case-insensitive by default.
pub(super) fn expressions(pattern: &str) -> Result<PatternExpressions, SandboxError> {
    let parts: Vec<&str> = pattern
        .split('/')
        .filter(|part| !matches!(*part, "" | "." | "**"))
        .collect();
    if parts.is_empty() || parts.contains(&"..") {
        let why = "matches every path or contains `..`";
        return Err(invalid_pattern(pattern, why));
    }
    let names: Result<Vec<String>, _> = parts.iter().map(|part| name(pattern, part)).collect();
    let names = names?;
    let row = |count: usize| format!("/{}", names[..count].join("/"));
    Ok(PatternExpressions {
        covers: format!("{}(/.*)?$", row(names.len())),
        ancestors: (1..names.len()).map(|count| row(count) + "$").collect(),
    })
}

/// Returns the expression for the start of all paths in a folder.
pub(super) fn folder_prefix(folder: &Path) -> String {
    let mut text = "^".to_owned();
    for c in folder.to_string_lossy().chars() {
        literal(c, &mut text);
    }
    text
}

fn name(pattern: &str, part: &str) -> Result<String, SandboxError> {
    let mut text = String::new();
    let mut rest = part.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            '[' => {
                let Some((inside, behind)) = rest.as_str().split_once(']') else {
                    return Err(invalid_pattern(pattern, "has a `[` without its `]`"));
                };
                text.push_str(&class(pattern, inside)?);
                rest = behind.chars();
            }
            '{' | '}' => {
                let why = "has braces; write one pattern for each";
                return Err(invalid_pattern(pattern, why));
            }
            '\\' => match rest.next() {
                Some(escaped) => literal(escaped, &mut text),
                None => return Err(invalid_pattern(pattern, "ends in a backslash")),
            },
            c => literal(c, &mut text),
        }
    }
    Ok(text)
}

/// Converts the contents of `[…]`, which may be letters, digits, ranges of them, and a leading `!`.
fn class(pattern: &str, inside: &str) -> Result<String, SandboxError> {
    let (not, members) = match inside.strip_prefix(['!', '^']) {
        Some(members) => ("^/", members),
        None => ("", inside),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if members.is_empty() || !members.chars().all(plain) {
        let why = "has `[…]` with more than letters and digits";
        return Err(invalid_pattern(pattern, why));
    }
    let (lower, upper) = (members.to_ascii_lowercase(), members.to_ascii_uppercase());
    Ok(format!("[{not}{lower}{upper}]"))
}

/// Appends one literal character, without a backslash, which would have to be escaped in strings.
fn literal(c: char, text: &mut String) {
    if c.is_ascii_alphabetic() {
        let (lower, upper) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
        text.extend(['[', lower, upper, ']']);
    } else if c == '^' {
        text.push_str("\\^");
    } else if c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/') || !c.is_ascii() {
        text.push(c);
    } else {
        text.extend(['[', c, ']']);
    }
}

fn invalid_pattern(pattern: &str, why: &str) -> SandboxError {
    SandboxError::Unavailable {
        kind: "seatbelt".to_owned(),
        why: format!("the pattern `{pattern}` {why}"),
    }
}

#[cfg(test)]
mod tests {
    use super::expressions;

    #[test]
    fn names_match_in_either_case_and_nothing_means_more_than_itself() {
        let found = expressions(".git/hooks").expect("a pattern");
        let row = "/[.][gG][iI][tT]/[hH][oO][oO][kK][sS]";
        assert_eq!(found.covers, format!("{row}(/.*)?$"));
        assert_eq!(found.ancestors, ["/[.][gG][iI][tT]$"]);
        let found = expressions("a+(b)$^1*").expect("a pattern");
        assert_eq!(found.covers, "/[aA][+][(][bB][)][$]\\^1[^/]*(/.*)?$");
        assert_eq!(
            expressions("x[!0-9]?").expect("a pattern").covers,
            "/[xX][^/0-90-9][^/](/.*)?$"
        );
        for refused in ["", "**", "../a", "[", "[a\"]", "{a,b}", "a\\"] {
            assert!(expressions(refused).is_err(), "{refused}");
        }
    }
}
