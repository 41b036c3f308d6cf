//! Matching of one name against a pattern of the shell, and against the patterns of rules.

use super::script::MARKS;

/// Matches a name; `*`, `?` and `[` of the pattern are [`MARKS`], all else means itself. A `[…]` matches any character,
/// which is more than it says, and never less.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = without_sets(pattern);
    let name: Vec<char> = name.chars().collect();
    wildcard(&pattern, &name, MARKS[0], Some(MARKS[1]))
}

fn without_sets(pattern: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        if character != MARKS[2] {
            out.push(character);
            continue;
        }
        let rest = characters.as_str();
        let skipped = usize::from(rest.starts_with(['!', '^']));
        // A `]` at the beginning of a set is one of its characters.
        let from = skipped + usize::from(rest[skipped..].starts_with(']'));
        match rest[from..].find(']') {
            Some(close) => {
                characters = rest[from + close + 1..].chars();
                out.push(MARKS[1]);
            }
            None => out.push('['),
        }
    }
    out
}

/// Matches with one wildcard for any text and one for any character, in time of the product of both lengths at most.
pub(super) fn wildcard(pattern: &[char], text: &[char], any: char, one: Option<char>) -> bool {
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(c) if *c == any => {
                star = Some((at, from));
                at += 1;
            }
            Some(c) if *c == text[from] || Some(*c) == one => {
                at += 1;
                from += 1;
            }
            _ => match &mut star {
                Some((place, begun)) => {
                    *begun += 1;
                    at = *place + 1;
                    from = *begun;
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|c| *c == any)
}
