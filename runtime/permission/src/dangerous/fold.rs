//! Case folding of paths for case-insensitive file systems, and matching of patterns against patterns.

use std::borrow::Cow;

use helve_storage::glob;

/// Folds case, and removes the characters that some file systems ignore: two paths that any of these file systems
/// treats as equal have equal results.
pub(super) fn fold(path: &str) -> Cow<'_, str> {
    let is_folded = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if path.bytes().all(is_folded) {
        return Cow::Borrowed(path);
    }
    let seen = path.chars().filter(|c| !is_ignored_character(*c));
    // Through upper case, so that a character that shares its capital with an ASCII letter (`ſ` and `s`) becomes that
    // letter.
    let folded = seen
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase);
    Cow::Owned(folded.collect())
}

fn is_ignored_character(c: char) -> bool {
    matches!(c,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

/// Reports whether a shell glob may match something that a pattern matches. Wildcards alone match nothing in
/// particular: `*` matches the ordinary files of a folder, and does not match a leading dot.
pub(super) fn may_match(pattern: &str, is_folder: bool, touched: &str) -> bool {
    let rest = pattern.strip_prefix("**/");
    let wanted: Vec<&str> = rest.unwrap_or(pattern).split('/').collect();
    let given: Vec<&str> = touched.split('/').collect();
    let fits = |part: &[&str]| {
        let mut pairs = wanted.iter().zip(part);
        pairs.all(|(wanted, given)| segments_may_match(wanted, given))
    };
    let mut parts = given.windows(wanted.len());
    match (rest.is_some(), is_folder) {
        (true, true) => parts.any(fits),
        (true, false) => parts.next_back().is_some_and(fits),
        (false, true) => parts.next().is_some_and(fits),
        (false, false) => given.len() == wanted.len() && fits(&given),
    }
}

/// Reports whether a name and a glob may match the same text.
fn segments_may_match(wanted: &str, given: &str) -> bool {
    let is_literal = !given.contains(['*', '?', '[']);
    if is_literal {
        return glob::segment(wanted, given);
    }
    if let Some(suffix) = wanted.strip_prefix('*')
        && !suffix.contains(['*', '?', '['])
        && !given.contains('[')
    {
        return may_end_with(given, suffix);
    }
    let says_something = given.chars().any(|c| !matches!(c, '*' | '?'));
    let leading_dot = !wanted.starts_with('.') || given.starts_with(['.', '[']);
    says_something && leading_dot && glob::intersects(wanted, given)
}

/// Reports whether a glob with a literal part in its ending may match names that end with `suffix`: `*.p*` may match
/// `x.pem`, and `*.rs*` is not taken to match `x.rs.pem`.
fn may_end_with(given: &str, suffix: &str) -> bool {
    let end = given.rfind('.').map_or(given, |at| &given[at..]);
    let says_something = end.chars().any(|c| !matches!(c, '*' | '?' | '.'));
    says_something && glob::intersects(suffix, end)
}
