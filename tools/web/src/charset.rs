//! Decodes the text of a body.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};

/// The number of bytes in which a page declares its encoding.
const DECLARATION: usize = 1_024;

/// The number of bytes by which an encoding is guessed.
const SAMPLE: usize = 256 << 10;

/// A decoded text.
#[derive(Debug)]
pub(crate) struct DecodedText {
    pub(crate) text: String,
    pub(crate) encoding: &'static Encoding,
    /// The number of places that are no text in the encoding.
    pub(crate) replaced: usize,
}

/// Decodes a body by its byte order mark, the label of its header, the declaration in the page, or a guess: in this order,
/// as browsers do.
pub(crate) fn decode(bytes: &[u8], label: Option<&str>, domain: Option<&str>) -> DecodedText {
    let declared = || {
        let label = label.and_then(|label| known(label.as_bytes()));
        label.or_else(|| declaration(bytes))
    };
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = marked.or_else(declared).or_else(|| wide(bytes));
    let encoding = encoding.unwrap_or_else(|| guess(bytes, domain));
    let (text, encoding, has_errors) = encoding.decode(bytes);
    let replaced = if has_errors {
        text.matches('\u{fffd}').count()
    } else {
        0
    };
    let mut text = text.into_owned();
    text.retain(|c| c != '\0');
    DecodedText {
        text,
        encoding,
        replaced,
    }
}

/// Returns the encoding of a label; not the one that decodes to nothing.
fn known(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT)
}

/// Returns the encoding that a page of HTML or XML declares.
fn declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(DECLARATION)].to_ascii_lowercase();
    if !head.trim_ascii_start().starts_with(b"<") {
        return None;
    }
    let mut rest = &head[..];
    while let Some(at) = find(rest, b"charset").or_else(|| find(rest, b"encoding")) {
        rest = &rest[at + 7..];
        let value = rest.strip_prefix(b"g").unwrap_or(rest).trim_ascii_start();
        let Some(value) = value.strip_prefix(b"=") else {
            continue;
        };
        let value = value.trim_ascii_start();
        let value = value
            .strip_prefix(b"\"")
            .or(value.strip_prefix(b"'"))
            .unwrap_or(value);
        let is_end = |byte: &u8| !byte.is_ascii_alphanumeric() && !b"-_.:".contains(byte);
        let end = value.iter().position(is_end).unwrap_or(value.len());
        if let Some(encoding) = known(&value[..end]) {
            // What declares itself in ASCII is not in UTF-16.
            let is_wide = encoding == UTF_16LE || encoding == UTF_16BE;
            return Some(if is_wide { UTF_8 } else { encoding });
        }
    }
    None
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes
        .windows(wanted.len())
        .position(|window| window == wanted)
}

/// Returns UTF-16 where every other byte of the beginning is zero.
fn wide(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(DECLARATION)];
    let zeros = |from: usize| {
        head.iter()
            .skip(from)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let most = head.len() / 4;
    if head.len() < 8 {
        None
    } else if odd > most && even < odd / 8 {
        Some(UTF_16LE)
    } else if even > most && odd < even / 8 {
        Some(UTF_16BE)
    } else {
        None
    }
}

fn guess(bytes: &[u8], domain: Option<&str>) -> &'static Encoding {
    if std::str::from_utf8(bytes).is_ok() {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    detector.feed(sample, sample.len() == bytes.len());
    let domain =
        domain.filter(|domain| domain.is_ascii() && !domain.chars().any(char::is_uppercase));
    detector.guess(domain.map(str::as_bytes), Utf8Detection::Allow)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn encodings() {
        let latin = b"<meta charset=iso-8859-1><p>caf\xe9";
        let (japanese, ..) =
            encoding_rs::SHIFT_JIS.encode("日本語の文章です。これは長い文章です。");
        let wide: Vec<u8> = "<p>wide text"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        for (bytes, label, expected, encoding, replaced) in [
            (&latin[..], None, "café", "windows-1252", 0),
            (&latin[..], Some("utf-8"), "caf\u{fffd}", "UTF-8", 1),
            (
                b"\xef\xbb\xbfcaf\xc3\xa9",
                Some("latin1"),
                "café",
                "UTF-8",
                0,
            ),
            (b"caf\xc3\xa9", Some("utf-7"), "café", "UTF-8", 0),
            (
                b"<?xml version='1.0' encoding='koi8-r'?>\xc1",
                None,
                "а",
                "KOI8-R",
                0,
            ),
            (b"<meta charset=utf-16><p>a", None, "a", "UTF-8", 0),
            (b"a\0b", None, "ab", "UTF-8", 0),
            (&japanese, None, "日本語", "Shift_JIS", 0),
            (&wide, None, "wide text", "UTF-16LE", 0),
        ] {
            let decoded = decode(bytes, label, None);
            assert!(
                decoded.text.contains(expected),
                "{:?} {expected}",
                decoded.text
            );
            assert_eq!(
                (decoded.encoding.name(), decoded.replaced),
                (encoding, replaced),
                "{expected}"
            );
        }
    }
}
