//! Decodes text from bytes that are received in pieces.

/// Decodes one stream as UTF-8: a character may be split between pieces, and invalid bytes are replaced.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The beginning of an incomplete character.
    pending: Vec<u8>,
}

impl Decoder {
    /// Adds bytes, and returns the text that is complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.pending.extend_from_slice(bytes);
        let complete = self.pending.len() - incomplete(&self.pending);
        let rest = self.pending.split_off(complete);
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.pending = rest;
        text
    }

    /// Returns the number of received bytes that are not decoded yet.
    pub(super) fn pending(&self) -> u64 {
        self.pending.len() as u64
    }

    /// Returns the remaining text at the end of the stream.
    pub(super) fn finish(&mut self) -> String {
        let rest = std::mem::take(&mut self.pending);
        String::from_utf8_lossy(&rest).into_owned()
    }
}

/// Returns the length of the incomplete character at the end: 0 to 3 bytes.
fn incomplete(bytes: &[u8]) -> usize {
    let last = &bytes[bytes.len().saturating_sub(3)..];
    for (at, &byte) in last.iter().enumerate().rev() {
        let needed = match byte {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        let there = last.len() - at;
        // An error without a length means that the text ends within a character that may become valid.
        let could_be =
            std::str::from_utf8(&last[at..]).is_err_and(|error| error.error_len().is_none());
        return if there < needed && could_be { there } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_give_the_text_of_the_whole() {
        let bytes = b"a\xc3\xa9 \xe2\x82\xac \xf0\x9f\xa6\x80 \xff \xe2\x82 \xf0\x9f\x80b\x80\xc3";
        let whole = String::from_utf8_lossy(bytes);
        for size in 1..bytes.len() {
            let mut decoder = Decoder::default();
            let mut text = String::new();
            for piece in bytes.chunks(size) {
                text.push_str(&decoder.push(piece));
                assert!(decoder.pending() < 4);
            }
            text.push_str(&decoder.finish());
            assert_eq!(text, whole, "in pieces of {size}");
        }
    }

    #[test]
    fn what_is_complete_is_not_held_back() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push("é\u{10000}".as_bytes()), "é\u{10000}");
        assert_eq!(decoder.push(b"\xe2\x82"), "");
        assert_eq!(decoder.pending(), 2);
        assert_eq!(decoder.push(b"\xac."), "€.");
    }
}
