//! The rule about invisible characters.

use crate::codes;
use crate::invisible::invisible_characters;
use crate::problem::{Finding, Position};

/// Returns one finding for a text: the position of its first invisible character, and their number.
pub(crate) fn check(text: &str) -> Option<Finding> {
    let mut found = invisible_characters(text);
    let (at, first) = found.next()?;
    let more = found.count();
    let code = u32::from(first);
    let message = match more {
        0 => format!("U+{code:04X} cannot be seen, and a model reads it"),
        more => format!(
            "U+{code:04X} and {more} more characters cannot be seen, and a model reads them"
        ),
    };
    Some(
        Finding::new(codes::INVISIBLE_CHARACTERS, message)
            .with_position(Position::after(&text[..at]))
            .with_help("delete the invisible characters"),
    )
}
