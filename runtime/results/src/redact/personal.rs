//! Personal data, which is redacted only on request of the app.

use super::found_secret::FoundSecret;

/// Looks for an e-mail address around the `@` at a byte.
pub(super) fn find_email(text: &str, at: usize) -> Option<FoundSecret> {
    let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at + 1..]);
    let of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"._%+-".contains(byte);
    let name = before.iter().rev().take(64).take_while(of_name).count();
    let of_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || b".-".contains(byte);
    let longest = after.iter().take(253).take_while(of_domain).count();
    let whole = &after[..longest];
    // The first line of a private key may follow, which is redacted as well.
    let rule = whole.windows(5).position(|five| five == b"-----");
    let domain = domain_length(whole).or_else(|| domain_length(&whole[..rule?]))?;
    (name > 0).then(|| FoundSecret::new("email", at - name..at + 1 + domain))
}

/// Returns the length of a domain; `None` if the text is none.
fn domain_length(text: &[u8]) -> Option<usize> {
    // A full stop after the address may end a sentence.
    let end = text.iter().rposition(|byte| !b".-".contains(byte))? + 1;
    let last = text[..end].rsplit(|byte| *byte == b'.').next()?;
    let is_one = last.len() < end && last.len() >= 2 && last.iter().all(u8::is_ascii_alphabetic);
    is_one.then_some(end)
}

/// Looks for an international telephone number at the `+` at a byte.
pub(super) fn find_phone(text: &str, at: usize) -> Option<FoundSecret> {
    let (digits, length) = read_digits(&text.as_bytes()[at + 1..], b" -.()", 15);
    (digits.len() >= 8 && digits[0] != b'0').then(|| FoundSecret::new("phone", at..at + 1 + length))
}

/// Looks for a social security number or a card number at the digit at a byte.
pub(super) fn find_ssn_or_card(text: &str, at: usize) -> Option<FoundSecret> {
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
        return Some(FoundSecret::new("ssn", at..at + 11));
    }
    let (digits, length) = read_digits(&bytes[at..], b" -", 20);
    ((13..=19).contains(&digits.len()) && passes_luhn(&digits))
        .then(|| FoundSecret::new("card-number", at..at + length))
}

/// Looks for an international bank account number (IBAN) at the letter at a byte.
pub(super) fn find_iban(text: &str, at: usize) -> Option<FoundSecret> {
    let bytes = text.as_bytes();
    let [
        first @ b'A'..=b'Z',
        second @ b'A'..=b'Z',
        b'0'..=b'9',
        b'0'..=b'9',
        ..,
    ] = &bytes[at..]
    else {
        return None;
    };
    let is_in_word = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    if is_in_word(at.checked_sub(1).map(|before| &bytes[before])) {
        return None;
    }
    let country = [*first, *second];
    let is_country = |code: &str| code.as_bytes() == country;
    let mut lengths = IBAN_LENGTHS.iter();
    let (length, _) = lengths.find(|(_, countries)| countries.split(' ').any(is_country))?;
    let (mut number, mut end) = (Vec::with_capacity(*length), at);
    while number.len() < *length {
        match bytes.get(end)? {
            byte @ (b'0'..=b'9' | b'A'..=b'Z') => number.push(*byte),
            b' ' if bytes[end - 1] != b' ' => {}
            _ => return None,
        }
        end += 1;
    }
    let is_one = !is_in_word(bytes.get(end)) && has_check_digits(&number);
    is_one.then(|| FoundSecret::new("iban", at..end))
}

/// Reports whether the check digits are right: the number with its first four characters moved to the end, with letters
/// counted from ten, must have the remainder 1 when it is divided by 97 (ISO 13616).
fn has_check_digits(number: &[u8]) -> bool {
    let (head, body) = number.split_at(4);
    let rest = body
        .iter()
        .chain(head)
        .fold(0_u32, |rest, byte| match byte {
            b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
            _ => (rest * 100 + u32::from(byte - b'A') + 10) % 97,
        });
    rest == 1
}

/// The lengths of account numbers with the countries that use them, from the registry of ISO 13616.
const IBAN_LENGTHS: &[(usize, &str)] = &[
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FO GL NL"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ TL"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "LY PT ST"),
    (26, "IS TR"),
    (27, "FR GR IT MC MR SM"),
    (28, "AL AZ BY CY DO GT HU LB PL SV"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU"),
    (31, "MT SC"),
    (32, "LC"),
];

/// Reads up to `most` digits, and skips single separators between them. Returns the digits and the length of the text
/// that they span.
fn read_digits(bytes: &[u8], separators: &[u8], most: usize) -> (Vec<u8>, usize) {
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

/// Reports whether the number has the form `123-45-6789` and a group that is assigned.
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
