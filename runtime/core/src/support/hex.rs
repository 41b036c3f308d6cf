//! Bytes as hexadecimal digits.

use std::fmt::Write as _;

/// Returns bytes as lowercase hexadecimal digits, two a byte.
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn a_byte_has_two_digits() {
        assert_eq!(encode(&[0, 0x0a, 0xff]), "000aff");
        assert_eq!(encode(&[]), "");
    }
}
