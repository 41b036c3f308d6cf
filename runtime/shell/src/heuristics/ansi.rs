//! The C escapes in `$'…'` quotes.

/// Decodes the text up to the closing quote; returns the text and the length of the input including the quote, in
/// bytes.
pub(crate) fn decode(body: &str) -> Option<(String, usize)> {
    let mut text = Vec::new();
    let bytes = body.as_bytes();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'\'' => return Some((String::from_utf8_lossy(&text).into_owned(), at + 1)),
            b'\\' => {
                at += 1;
                at += escape(&bytes[at..], &mut text)?;
            }
            byte => {
                text.push(byte);
                at += 1;
            }
        }
    }
}

/// Decodes the escape after a backslash; returns its length in bytes.
fn escape(rest: &[u8], text: &mut Vec<u8>) -> Option<usize> {
    let first = *rest.first()?;
    let (radix, most, skipped) = match first {
        b'x' => (16, 2, 1),
        b'u' => (16, 4, 1),
        b'U' => (16, 8, 1),
        b'0'..=b'7' => (8, 3, 0),
        b'c' => {
            text.push(rest.get(1)? & 0x1f);
            return Some(2);
        }
        _ => {
            match first {
                b'a' => text.push(7),
                b'b' => text.push(8),
                b'e' | b'E' => text.push(27),
                b'f' => text.push(12),
                b'n' => text.push(b'\n'),
                b'r' => text.push(b'\r'),
                b't' => text.push(b'\t'),
                b'v' => text.push(11),
                b'\\' | b'\'' | b'"' | b'?' => text.push(first),
                other => text.extend([b'\\', other]),
            }
            return Some(1);
        }
    };
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let digits = rest[skipped..]
        .iter()
        .take(most)
        .take_while(is_digit)
        .count();
    if digits == 0 {
        text.extend([b'\\', first]);
        return Some(1);
    }
    let number = std::str::from_utf8(&rest[skipped..skipped + digits]).ok()?;
    let code = u32::from_str_radix(number, radix).ok()?;
    if matches!(first, b'u' | b'U') {
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        text.extend(character.to_string().bytes());
    } else {
        text.push(u8::try_from(code & 0xff).ok()?);
    }
    Some(skipped + digits)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn escapes_are_what_bash_makes_of_them() {
        let decoded = |body| decode(body).map(|(text, _)| text);
        assert_eq!(decoded(r"\x72m'").as_deref(), Some("rm"));
        assert_eq!(decoded(r"\162\155'").as_deref(), Some("rm"));
        assert_eq!(decoded(r"\u0072m'").as_deref(), Some("rm"));
        assert_eq!(decoded(r"it\'s'").as_deref(), Some("it's"));
        assert_eq!(decoded("open"), None);
    }
}
