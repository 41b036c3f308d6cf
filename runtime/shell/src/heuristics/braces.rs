//! Brace expansion: `{a,b}` and `{1..3}`.

use super::lexer::BRACES;

const OPEN: char = BRACES[0];
const COMMA: char = BRACES[1];
const CLOSE: char = BRACES[2];

/// The maximum number of words of a brace expansion.
const MAX_WORDS: usize = 128;

/// Restores the original characters of braces that are not expanded.
pub(crate) fn unmark(text: &str) -> String {
    if !text.contains(BRACES) {
        return text.to_owned();
    }
    text.replace(OPEN, "{")
        .replace(COMMA, ",")
        .replace(CLOSE, "}")
}

/// Expands braces; returns `None` if the result has too many words.
pub(crate) fn expand(text: &str) -> Option<Vec<String>> {
    // Limits the quadratic search for pairs of braces.
    if text.matches(OPEN).count() > MAX_WORDS {
        return None;
    }
    let mut done = Vec::new();
    let mut open = vec![text.to_owned()];
    let mut steps = 0;
    while let Some(next) = open.pop() {
        steps += 1;
        if steps > MAX_WORDS * 4 || open.len() + done.len() > MAX_WORDS {
            return None;
        }
        match first_group(&next) {
            None => done.push(unmark(&next)),
            Some((before, choices, after)) => {
                for choice in choices.into_iter().rev() {
                    open.push(format!("{before}{choice}{after}"));
                }
            }
        }
    }
    Some(done)
}

/// Returns the first group that expands, with the text before it, its alternatives, and the text after it.
fn first_group(text: &str) -> Option<(&str, Vec<String>, &str)> {
    for (start, _) in text.match_indices(OPEN) {
        let body = &text[start + OPEN.len_utf8()..];
        let mut depth = 0_u32;
        let mut commas = vec![];
        let mut close = None;
        for (at, character) in body.char_indices() {
            match character {
                OPEN => depth += 1,
                COMMA if depth == 0 => commas.push(at),
                CLOSE if depth == 0 => {
                    close = Some(at);
                    break;
                }
                CLOSE => depth -= 1,
                _ => {}
            }
        }
        let Some(close) = close else { continue };
        let inner = &body[..close];
        let choices = if commas.is_empty() {
            match range(inner) {
                Some(choices) => choices,
                None => continue,
            }
        } else {
            let mut choices = Vec::new();
            let mut from = 0;
            for comma in commas {
                choices.push(inner[from..comma].to_owned());
                from = comma + COMMA.len_utf8();
            }
            choices.push(inner[from..].to_owned());
            choices
        };
        return Some((&text[..start], choices, &body[close + CLOSE.len_utf8()..]));
    }
    None
}

/// Expands a range such as `1..3`, `a..e` or `1..9..2`.
fn range(inner: &str) -> Option<Vec<String>> {
    let mut ends = inner.split("..");
    let (first, last, step) = (ends.next()?, ends.next()?, ends.next());
    let step = step
        .map_or(Some(1), |step| step.parse::<i64>().ok())?
        .unsigned_abs()
        .max(1);
    let number = |text: &str| text.parse::<i64>().ok();
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let numbers = number(first).zip(number(last));
    let letters = letter(first).zip(letter(last));
    let (from, to) = numbers.or(letters)?;
    let count = usize::try_from(from.abs_diff(to) / step).unwrap_or(usize::MAX);
    // A larger count is rejected by the number of words.
    let count = count.min(MAX_WORDS + 1);
    let values = (0..=count).map(|index| {
        let offset = i64::try_from(index as u64 * step).unwrap_or(0);
        if from <= to {
            from.saturating_add(offset)
        } else {
            from.saturating_sub(offset)
        }
    });
    let shown = |value: i64| {
        let character = u8::try_from(value)
            .ok()
            .filter(|_| letters.is_some() && numbers.is_none());
        character.map_or_else(|| value.to_string(), |byte| char::from(byte).to_string())
    };
    Some(values.map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Option<Vec<String>> {
        let marked = text
            .replace('{', &OPEN.to_string())
            .replace(',', &COMMA.to_string());
        expand(&marked.replace('}', &CLOSE.to_string()))
    }

    #[test]
    fn braces_become_words() {
        assert_eq!(expanded("{rm,-rf,/}").unwrap(), ["rm", "-rf", "/"]);
        assert_eq!(expanded("a{b,c{d,e}}f").unwrap(), ["abf", "acdf", "acef"]);
        assert_eq!(expanded("{1..3}").unwrap(), ["1", "2", "3"]);
        assert_eq!(expanded("{c..a}").unwrap(), ["c", "b", "a"]);
        assert_eq!(expanded("@{u}").unwrap(), ["@{u}"]);
        assert_eq!(expanded("{}").unwrap(), ["{}"]);
        assert_eq!(expanded("{1..100000}"), None);
        assert_eq!(expanded(&"{a,b}".repeat(20)), None);
    }
}
