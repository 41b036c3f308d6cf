//! Personal data, which is redacted only where the app asks for it.

use super::scan::Hit;

/// Looks for an e-mail address around the `@` at a byte.
pub(super) fn email(text: &str, at: usize) -> Option<Hit> {
    let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + 1..]);
    let of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let name = before.iter().rev().take(64).take_while(of_name).count();
    let of_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let mut domain = after.iter().take(253).take_while(of_domain).count();
    // A sentence may end behind it.
    while domain > 0 && b".-".contains(&after[domain - 1]) {
        domain -= 1;
    }
    let last = after[..domain].rsplit(|byte| *byte == b'.').next()?;
    let is_one = name > 0
        && last.len() < domain
        && last.len() >= 2
        && last.iter().all(u8::is_ascii_alphabetic);
    is_one.then(|| Hit::new("email", at - name..at + 1 + domain))
}

/// Looks for an international telephone number at the `+` at a byte.
pub(super) fn phone(text: &str, at: usize) -> Option<Hit> {
    let (digits, length) = digits_from(&text.as_bytes()[at + 1..], b" -.()", 15);
    (digits.len() >= 8 && digits[0] != b'0').then(|| Hit::new("phone", at..at + 1 + length))
}

/// Looks for a social security number or the number of a card at the digit at a byte.
pub(super) fn number(text: &str, at: usize) -> Option<Hit> {
    let bytes = text.as_bytes();
    let before = at.checked_sub(1).map(|before| bytes[before]);
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"-_.+".contains(&byte)) {
        return None;
    }
    if let Some(number) = bytes.get(at..at + 11)
        && is_social_security(number)
        && !bytes
            .get(at + 11)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'-')
    {
        return Some(Hit::new("ssn", at..at + 11));
    }
    let (digits, length) = digits_from(&bytes[at..], b" -", 20);
    ((13..=19).contains(&digits.len()) && passes_luhn(&digits))
        .then(|| Hit::new("card-number", at..at + length))
}

/// Reads up to so many digits, single separators between them left out; returns them and how long they are as written.
fn digits_from(bytes: &[u8], separators: &[u8], most: usize) -> (Vec<u8>, usize) {
    let (mut digits, mut length) = (Vec::new(), 0);
    for (at, byte) in bytes.iter().enumerate() {
        if byte.is_ascii_digit() && digits.len() < most {
            digits.push(*byte);
            length = at + 1;
        } else if !separators.contains(byte) || at - length > 1 {
            break;
        }
    }
    (digits, length)
}

/// Reports whether it is `123-45-6789`, of a group that is given out.
fn is_social_security(number: &[u8]) -> bool {
    let shaped = number.iter().enumerate().all(|(at, byte)| match at {
        3 | 6 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    shaped && !matches!(&number[..3], b"000" | b"666") && number[0] != b'9'
}

fn passes_luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            match place % 2 {
                0 => digit,
                _ if digit > 4 => 2 * digit - 9,
                _ => 2 * digit,
            }
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|digit| *digit != b'0')
}
