//! A secret as numbers of its bytes, in hexadecimal or decimal.

use crate::outcome::MatchOutcome;
use crate::pattern::{SpellingBuffer, Spellings, line_break, match_units};

/// What may stand between the hexadecimal numbers of two bytes.
const SEPARATORS: [&[u8]; 9] = [
    b":", b" ", b"-", b",", b"\\x", b"0x", b" 0x", b", 0x", b",0x",
];

/// What may stand between the decimal numbers of two bytes.
const DECIMAL_SEPARATORS: [&[u8]; 3] = [b",", b", ", b" "];

/// What may stand before a hexadecimal number in a new line.
const PREFIXES: [&[u8]; 3] = [b"", b"0x", b"\\x"];

/// What may stand before a decimal number in a new line.
const DECIMAL_PREFIXES: [&[u8]; 1] = [b""];

/// Returns the bytes that the hexadecimal form can begin with.
pub(crate) fn first_bytes(secret: &str) -> Vec<u8> {
    let digits = hex(secret.as_bytes()[0]);
    vec![digits[0], digits[0].to_ascii_uppercase()]
}

/// Returns the byte that the decimal form begins with.
pub(crate) fn first_decimal_bytes(secret: &str) -> Vec<u8> {
    let first = decimal(secret.as_bytes()[0]);
    vec![first.as_bytes()[0]]
}

/// Compares the text from a position on with a secret in hexadecimal.
pub(crate) fn match_at(text: &[u8], start: usize, secret: &str) -> MatchOutcome {
    let bytes = secret.bytes().enumerate();
    match_units(start, bytes, |(index, byte), position, found| {
        let digits = hex(*byte);
        found.add_any_case(text, position, &digits);
        if *index > 0 {
            for separator in SEPARATORS {
                spell_after(text, position, separator, &digits, found);
            }
            spell_in_new_line(text, position, &PREFIXES, &digits, found);
        }
    })
}

/// Compares the text from a position on with the decimal numbers of a secret.
pub(crate) fn match_decimals_at(text: &[u8], start: usize, secret: &str) -> MatchOutcome {
    let bytes = secret.bytes().enumerate();
    match_units(start, bytes, |(index, byte), position, found| {
        let digits = decimal(*byte);
        let digits = digits.as_bytes();
        if *index == 0 {
            found.add(text, position, digits);
            return;
        }
        for separator in DECIMAL_SEPARATORS {
            spell_after(text, position, separator, digits, found);
        }
        spell_in_new_line(text, position, &DECIMAL_PREFIXES, digits, found);
    })
}

/// Adds the digits after a separator.
fn spell_after(text: &[u8], start: usize, separator: &[u8], digits: &[u8], found: &mut Spellings) {
    let rest = text.get(start..).unwrap_or_default();
    if rest.starts_with(separator) {
        found.add_any_case(text, start + separator.len(), digits);
    } else if separator.starts_with(rest) {
        found.set_pending();
    }
}

/// Adds the digits after a comma, if there is one, and a line break.
fn spell_in_new_line(
    text: &[u8],
    start: usize,
    prefixes: &[&[u8]],
    digits: &[u8],
    found: &mut Spellings,
) {
    let comma = usize::from(text.get(start) == Some(&b','));
    match line_break(text, start + comma) {
        Some(after) if after == text.len() => found.set_pending(),
        Some(after) => {
            for prefix in prefixes {
                spell_after(text, after, prefix, digits, found);
            }
        }
        // The text may end within an escaped line break.
        None => {
            let rest = text.get(start + comma..).unwrap_or_default();
            if b"\\r\\n".starts_with(rest) || b"\\n".starts_with(rest) {
                found.set_pending();
            }
        }
    }
}

fn decimal(byte: u8) -> SpellingBuffer {
    let mut digits = SpellingBuffer::new();
    digits.push_number(byte.into(), 10, 1);
    digits
}

fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| match value {
        0..=9 => b'0' + value,
        _ => b'a' + value - 10,
    };
    [digit(byte >> 4), digit(byte & 15)]
}
