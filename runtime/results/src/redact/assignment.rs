//! Secrets that are recognized by their name: `password=…`, `"api_key": "…"`.

use std::borrow::Cow;

use super::found_secret::FoundSecret;

const LABEL: &str = "generic-secret";

/// The maximum length of a name, and of a value in quotes, in bytes.
const MAX_NAME_BYTES: usize = 64;
const MAX_VALUE_BYTES: usize = 16 * 1_024;

/// Returns the endings of names whose values are secrets, by the last letter of the name. Most names have no such
/// letter.
fn strong_endings(last: u8) -> &'static [&'static str] {
    match last {
        b'd' => &["password", "passwd", "pwd"],
        b'e' => &["passphrase"],
        b'l' => &["credential"],
        b's' => &["credentials"],
        b't' => &["secret"],
        b'n' => &[
            "authtoken",
            "accesstoken",
            "refreshtoken",
            "sessiontoken",
            "bearertoken",
            "idtoken",
            "apitoken",
        ],
        b'y' => &[
            "apikey",
            "secretkey",
            "accesskey",
            "privatekey",
            "signingkey",
            "encryptionkey",
            "accountkey",
        ],
        _ => &[],
    }
}

/// Returns the endings of names whose values are secrets if they also look like secrets.
fn weak_endings(last: u8) -> &'static [&'static str] {
    match last {
        b'h' => &["auth"],
        b'n' => &["token", "authorization"],
        b's' => &["pass"],
        b'y' => &["key"],
        _ => &[],
    }
}

/// Looks for a secret at the `=` or `:` at a byte.
///
/// A long value that ends at `settled` was examined already; any assignment within it would get the same answer.
pub(super) fn find_at(text: &str, sign: usize, settled: &mut usize) -> Option<FoundSecret> {
    if sign < *settled {
        return None;
    }
    let name = name_before(&text.as_bytes()[..sign])?;
    let strength = Strength::from_name(name)?;
    let (value, quoted) = value_after(text, sign)?;
    let shown = &text[value.clone()];
    let accepted = strength.accepts(shown, quoted);
    if accepted || !quoted && !shown.bytes().any(|byte| byte.is_ascii_digit()) {
        *settled = value.end;
    }
    accepted.then(|| FoundSecret::new(LABEL, value))
}

/// Reports whether the value of a field of this name is a secret.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    Strength::from_name(name.as_bytes()).is_some_and(|strength| strength.accepts(value, true))
}

/// The strength of the evidence that a name makes its value a secret.
enum Strength {
    Strong,
    Weak,
}

impl Strength {
    fn from_name(name: &[u8]) -> Option<Self> {
        let last = name.iter().rev().find(|byte| byte.is_ascii_alphabetic())?;
        let last = last.to_ascii_lowercase();
        let ends = |end: &&str| {
            let mut letters = name.iter().rev().filter(|byte| byte.is_ascii_alphabetic());
            end.bytes().rev().all(|expected| {
                letters
                    .next()
                    .is_some_and(|letter| letter.eq_ignore_ascii_case(&expected))
            })
        };
        if strong_endings(last).iter().any(ends) {
            return Some(Self::Strong);
        }
        weak_endings(last).iter().any(ends).then_some(Self::Weak)
    }

    fn accepts(&self, value: &str, quoted: bool) -> bool {
        if is_reference(value) || value.contains(char::is_whitespace) {
            return false;
        }
        let value = &*without_marks(value);
        let has = |kind: fn(&u8) -> bool| value.as_bytes().iter().any(kind);
        let digit = has(u8::is_ascii_digit);
        let letter = has(u8::is_ascii_alphabetic);
        let capital = has(u8::is_ascii_uppercase);
        match self {
            // A value in quotes is not the name of another value, but words such as `"string"` and `"required"` are not
            // secrets.
            Self::Strong if quoted => {
                value.len() >= 6
                    && (digit || has(|byte| b"!@#$%^&*+=?~".contains(byte)) || value.len() >= 16)
            }
            Self::Strong => value.len() >= 8 && digit && letter,
            Self::Weak => value.len() >= 16 && digit && letter && (capital || value.len() >= 32),
        }
    }
}

/// Returns a value without the marks of what was redacted in it, which are no evidence for a secret.
fn without_marks(value: &str) -> Cow<'_, str> {
    const MARK: &str = "[REDACTED:";
    let mut pieces = value.split(MARK);
    let first = pieces.next().unwrap_or_default();
    if first.len() == value.len() {
        return value.into();
    }
    let after = |piece| match str::split_once(piece, ']') {
        Some((_, after)) => after,
        None => "",
    };
    let mut rest = first.to_owned();
    pieces.for_each(|piece| rest.push_str(after(piece)));
    rest.into()
}

/// Reports whether a value only refers to a secret, or marks a redacted one.
fn is_reference(value: &str) -> bool {
    value.starts_with(['$', '{', '<', '[', '*', '%'])
        || [
            "env.", "process.", "os.", "config.", "self.", "secrets.", "vault:", "REDACTED",
        ]
        .iter()
        .any(|reference| value.starts_with(reference))
}

/// Returns the name that ends before the sign, without its quotes.
fn name_before(before: &[u8]) -> Option<&[u8]> {
    let spaces = before
        .iter()
        .rev()
        .take(4)
        .take_while(|byte| **byte == b' ');
    let mut end = before.len() - spaces.count();
    for closing in [&b"\"]"[..], b"']", b"\\\"", b"\"", b"'"] {
        if before[..end].ends_with(closing) {
            end -= closing.len();
            break;
        }
    }
    let name = before[..end].iter().rev().take(MAX_NAME_BYTES);
    let length = name
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
        .count();
    (length >= 3).then(|| &before[end - length..end])
}

/// Returns the range of the value after the sign, and whether the value is in quotes.
fn value_after(text: &str, sign: usize) -> Option<(std::ops::Range<usize>, bool)> {
    let bytes = text.as_bytes();
    let mut start = sign + 1;
    // `==` is a comparison, `::` is part of a path; `:=` and `=>` are assignments.
    match (bytes[sign], bytes.get(start)?) {
        (b'=', b'=') | (b':', b':') => return None,
        (b':', b'=') | (b'=', b'>') => start += 1,
        _ => {}
    }
    let spaces = bytes[start..]
        .iter()
        .take(4)
        .take_while(|byte| **byte == b' ')
        .count();
    start += spaces;
    let escaped = usize::from(bytes.get(start) == Some(&b'\\'));
    let quote = bytes
        .get(start + escaped)
        .copied()
        .filter(|byte| b"\"'`".contains(byte));
    let rest = &bytes[start..];
    let length = match quote {
        Some(quote) => {
            start += 1 + escaped;
            quoted_length(&bytes[start..], quote, escaped > 0)
        }
        None => {
            let length = unquoted_length(rest);
            // The value is the result of a call, not the text itself.
            if rest.get(length) == Some(&b'(') {
                return None;
            }
            length
        }
    };
    let end = (start..=start + length)
        .rev()
        .find(|end| text.is_char_boundary(*end))?;
    Some((start..end, quote.is_some()))
}

fn quoted_length(bytes: &[u8], quote: u8, escaped: bool) -> usize {
    let mut length = 0;
    while length < bytes.len().min(MAX_VALUE_BYTES) {
        match bytes[length] {
            b'\n' => break,
            // If the quotes are escaped, the backslash of the closing quote ends the value; otherwise, a backslash
            // escapes the next character.
            b'\\' if escaped => break,
            b'\\' => length += 2,
            byte if byte == quote => break,
            _ => length += 1,
        }
    }
    length.min(bytes.len())
}

/// Returns the length of a value without quotes.
///
/// Text that was redacted before counts as a part of the value, so that redacting twice has the same result as
/// redacting once.
fn unquoted_length(bytes: &[u8]) -> usize {
    let mut length = 0;
    while length < bytes.len() && is_value_byte(bytes[length]) {
        length += 1;
        if bytes[length..].starts_with(b"REDACTED:") && bytes[length - 1] == b'[' {
            let label = bytes[length..].iter().take(MAX_NAME_BYTES);
            let end = label.take_while(|byte| **byte != b']').count();
            length += end + usize::from(bytes.get(length + end) == Some(&b']'));
        }
    }
    length
}

fn is_value_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-./+=~!@#$%^&*?|:[".contains(&byte)
}
