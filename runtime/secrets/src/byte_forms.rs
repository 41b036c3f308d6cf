//! A secret as numbers of its bytes, in hexadecimal.

use crate::outcome::MatchOutcome;
use crate::pattern::{Spellings, match_units};

/// What may stand between the numbers of two bytes.
const SEPARATORS: [&[u8]; 9] = [
    b":", b" ", b"-", b",", b"\\x", b"0x", b" 0x", b", 0x", b",0x",
];

/// Returns the bytes that the form can begin with.
pub(crate) fn first_bytes(secret: &str) -> Vec<u8> {
    let digits = hex(secret.as_bytes()[0]);
    vec![digits[0], digits[0].to_ascii_uppercase()]
}

/// Compares the text from a position on with a secret.
pub(crate) fn match_at(text: &[u8], start: usize, secret: &str) -> MatchOutcome {
    let bytes = secret.bytes().enumerate();
    match_units(start, bytes, |(index, byte), position, found| {
        let digits = hex(*byte);
        found.add_any_case(text, position, &digits);
        for separator in SEPARATORS.iter().filter(|_| *index > 0) {
            spell_after(text, position, separator, &digits, found);
        }
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

fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| match value {
        0..=9 => b'0' + value,
        _ => b'a' + value - 10,
    };
    [digit(byte >> 4), digit(byte & 15)]
}
