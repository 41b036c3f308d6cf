//! A secret in base64 or base64url, alone or within other data.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::outcome::MatchOutcome;
use crate::pattern::{Spellings, line_break, match_units};

/// The digits that a secret alone determines, where it begins at one of the three offsets within a group of three bytes.
#[derive(Debug, Clone)]
pub(crate) struct Base64Form {
    digits: Vec<u8>,
    /// Whether the digit after these belongs to the secret in part.
    has_part_after: bool,
}

impl Base64Form {
    /// Returns the forms of a secret at the three offsets.
    pub(crate) fn all(secret: &str) -> Vec<Self> {
        let at_offset = |offset: usize| {
            let mut bytes = vec![0; offset];
            bytes.extend(secret.as_bytes());
            let encoded = STANDARD_NO_PAD.encode(&bytes);
            let start = (offset * 8).div_ceil(6);
            let end = bytes.len() * 8 / 6;
            Self {
                digits: encoded.as_bytes()[start..end].to_vec(),
                has_part_after: end < encoded.len(),
            }
        };
        (0..3).map(at_offset).collect()
    }

    /// Returns the bytes that the form can begin with.
    pub(crate) fn first_bytes(&self) -> Vec<u8> {
        match self.digits[0] {
            b'+' => b"+-%\\".to_vec(),
            b'/' => b"/_%\\".to_vec(),
            digit => vec![digit],
        }
    }

    /// Compares the text from a position on with the form.
    pub(crate) fn match_at(&self, text: &[u8], start: usize) -> MatchOutcome {
        let digits = self.digits.iter().enumerate();
        let found = match_units(start, digits, |(index, digit), position, found| {
            spell(text, position, **digit, found);
            if *index > 0 {
                match line_break(text, position) {
                    Some(after) if after == text.len() => found.set_pending(),
                    Some(after) => spell(text, after, **digit, found),
                    None => {}
                }
            }
        });
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
        match found {
            MatchOutcome::Found { end, is_open }
                if self.has_part_after && text.get(end).is_some_and(is_digit) =>
            {
                MatchOutcome::Found {
                    end: end + 1,
                    is_open,
                }
            }
            found => found,
        }
    }
}

/// Adds the spellings of a digit, of both alphabets, and as it stands in a URL or in JSON.
fn spell(text: &[u8], start: usize, digit: u8, found: &mut Spellings) {
    let spellings: &[&[u8]] = match digit {
        b'+' => &[b"+", b"-", b"%2B", b"%2D", b"\\u002b"],
        b'/' => &[b"/", b"_", b"%2F", b"%5F", b"\\/"],
        _ => return found.add(text, start, &[digit]),
    };
    for spelling in spellings {
        found.add_any_case(text, start, spelling);
    }
}
