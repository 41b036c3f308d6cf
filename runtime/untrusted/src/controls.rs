//! Control sequences and invisible characters.

use std::borrow::Cow;

const ESCAPE: char = '\u{1b}';

/// The maximum distance at which the end of a string for the terminal is searched, in bytes.
const MAX_STRING_CHARS: usize = 4_096;

/// Removes escape sequences, which control the terminal: colours, cursor movements, titles, links.
///
/// ```
/// use helve::untrusted::strip_escapes;
///
/// assert_eq!(strip_escapes("\u{1b}[31mred\u{1b}[0m and \u{1b}]8;;https://e.org\u{1b}\\linked"), "red and linked");
/// ```
#[must_use]
pub fn strip_escapes(text: &str) -> Cow<'_, str> {
    // A sequence begins with ESC, or with the control character of Latin-1 that is equivalent to `ESC [`. Searching for
    // bytes costs almost nothing; characters are examined only if one of the bytes occurs.
    let bytes = text.as_bytes();
    if !bytes.contains(&0x1b) && !bytes.contains(&0x9b) {
        return text.into();
    }
    let Some(first) = text.find([ESCAPE, '\u{9b}']) else {
        return text.into();
    };
    let mut kept = String::with_capacity(text.len());
    kept.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(start) = rest.find([ESCAPE, '\u{9b}']) {
        kept.push_str(&rest[..start]);
        rest = after_sequence(&rest[start..]);
    }
    kept.push_str(rest);
    kept.into()
}

/// Returns the text after the sequence with which a text begins.
fn after_sequence(text: &str) -> &str {
    let mut characters = text.chars();
    if characters.next() != Some(ESCAPE) {
        return after_control(characters.as_str());
    }
    let after_escape = characters.as_str();
    match characters.next() {
        Some('[') => after_control(characters.as_str()),
        Some(']' | 'P' | 'X' | '^' | '_') => after_string(characters.as_str()),
        // A sequence of two characters or more: intermediates, then a final one.
        Some(' '..='/') => {
            let rest = characters
                .as_str()
                .trim_start_matches(|c| matches!(c, ' '..='/'));
            rest.strip_prefix(|c| matches!(c, '0'..='~'))
                .unwrap_or(rest)
        }
        Some('0'..='~') => characters.as_str(),
        _ => after_escape,
    }
}

/// Skips the parameters, intermediates and final character of a control sequence. An invalid sequence ends at the
/// invalid character.
fn after_control(text: &str) -> &str {
    let rest = text.trim_start_matches(|c| matches!(c, '0'..='?'));
    let rest = rest.trim_start_matches(|c| matches!(c, ' '..='/'));
    rest.strip_prefix(|c| matches!(c, '@'..='~'))
        .unwrap_or(rest)
}

/// Skips a string for the terminal. Of a string without an end, only the introducer is skipped.
fn after_string(text: &str) -> &str {
    let characters = text.char_indices();
    for (at, character) in characters.take_while(|(at, _)| *at < MAX_STRING_CHARS) {
        match character {
            '\u{7}' | '\u{9c}' => return &text[at + character.len_utf8()..],
            ESCAPE => {
                let rest = &text[at + 1..];
                return rest.strip_prefix('\\').unwrap_or(&text[at..]);
            }
            '\n' => break,
            _ => {}
        }
    }
    text
}

/// Removes characters that are invisible or change the direction of the following text: control characters except for
/// tabs and line breaks, zero-width and format characters, direction marks, and the invisible letters of Unicode's tag
/// block.
///
/// A joiner and the variation selector of an emoji are kept if they join or vary a character.
#[must_use]
pub fn strip_invisible(text: &str) -> Cow<'_, str> {
    let Some(first) = first_invisible(text) else {
        return text.into();
    };
    let mut kept = String::with_capacity(text.len());
    kept.push_str(&text[..first]);
    let mut characters = text[first..].chars().peekable();
    while let Some(character) = characters.next() {
        let stays = match character {
            // A joiner is kept if both neighbours are emoji or belong to a script that joins.
            '\u{200c}' | '\u{200d}' => {
                kept.chars().next_back().is_some_and(takes_joiner)
                    && characters.peek().is_some_and(|next| takes_joiner(*next))
            }
            '\u{fe0e}' | '\u{fe0f}' => {
                let before = kept.chars().next_back();
                before.is_some_and(|before| before != '\u{fe0f}' && takes_joiner(before))
            }
            other => !is_invisible(other),
        };
        if stays {
            kept.push(character);
        }
    }
    if kept.len() == text.len() {
        return text.into();
    }
    kept.into()
}

/// Returns the text from the first invisible character on.
pub(super) fn first_hidden(text: &str) -> Option<&str> {
    let is_hidden = matches!(strip_invisible(text), Cow::Owned(_));
    let first = first_invisible(text).filter(|_| is_hidden)?;
    Some(&text[first..])
}

fn first_invisible(text: &str) -> Option<usize> {
    // The bytes decide whether the characters have to be examined: ordinary text is ASCII without control characters.
    let suspicious =
        |byte: u8| byte >= 0x7f || (byte < b' ' && !matches!(byte, b'\n' | b'\t' | b'\r'));
    // Everything before the first such byte is ASCII, so a character begins at the byte.
    let start = text.bytes().position(suspicious)?;
    Some(start + text[start..].find(is_invisible)?)
}

fn takes_joiner(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{1fff}' | '\u{2190}'..='\u{2bff}' | '\u{a800}'..='\u{abff}' | '\u{fb50}'..='\u{fdff}' | '\u{fe0f}' | '\u{1f000}'..='\u{1faff}')
        && !is_always_invisible(character)
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
        || is_always_invisible(character)
}

fn is_always_invisible(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_sequence_goes_and_nothing_else() {
        for (text, left) in [
            ("\u{1b}]0;t\u{7}x", "x"),
            ("\u{1b}[1;2;3Hx", "x"),
            ("\u{1b}[>0c", ""),
            ("\u{1b}[2J\u{1b}[Hstart", "start"),
            ("\u{1b}(Bx\u{1b}=y\u{1b}7z", "xyz"),
            ("\u{1b}P1$r0m\u{1b}\\x", "x"),
            ("\u{9b}31mx", "x"),
            ("a\u{1b}", "a"),
            ("a\u{1b}[", "a"),
            ("a\u{1b}[31\u{e9}", "a\u{e9}"),
            ("\u{1b}]0;no end\nnext", "0;no end\nnext"),
            ("\u{1b}]8;;x\u{1b}[31mred", "red"),
            ("[31m", "[31m"),
        ] {
            assert_eq!(strip_escapes(text), left, "{text:?}");
        }
    }

    #[test]
    fn what_shows_nothing_goes_and_scripts_that_need_joiners_keep_them() {
        for (text, left) in [
            ("zero\u{200b}width", "zerowidth"),
            ("a\u{202e}b\u{2066}c\u{feff}", "abc"),
            ("a\u{0}b\u{7f}c\u{8}d", "abcd"),
            ("i\u{200d}gnore", "ignore"),
            ("hidden\u{e0041}\u{e0042}", "hidden"),
            ("tab\tline\nreturn\r\n", "tab\tline\nreturn\r\n"),
            (
                "\u{1f468}\u{200d}\u{1f469} \u{2764}\u{fe0f}",
                "\u{1f468}\u{200d}\u{1f469} \u{2764}\u{fe0f}",
            ),
            (
                "\u{645}\u{6cc}\u{200c}\u{62e}",
                "\u{645}\u{6cc}\u{200c}\u{62e}",
            ),
            ("x\u{fe0f}", "x"),
        ] {
            assert_eq!(strip_invisible(text), left, "{text:?}");
            let again = strip_invisible(left);
            assert!(matches!(again, Cow::Borrowed(_)), "{left:?}");
        }
    }
}
