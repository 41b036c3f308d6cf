//! Decodes and encodes files as text, preserving their encodings and line breaks.

use std::borrow::Cow;
use std::io::{self, Read};
use std::ops::Range;

use encoding_rs::WINDOWS_1252;

use super::content_kind::{self, ContentKind};

/// The text of a file, with its encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DecodedText {
    pub(super) text: String,
    pub(super) encoding: Encoding,
}

/// A character encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf8Bom,
    Utf16Little,
    Utf16Big,
    /// Latin-1 as used in practice: with quotation marks and dashes in place of the control characters of ISO 8859-1.
    Windows1252,
}

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";
const LITTLE_MARK: &[u8] = b"\xff\xfe";
const BIG_MARK: &[u8] = b"\xfe\xff";

impl Encoding {
    /// Returns the encoding of a byte order mark, if there is one.
    pub(super) fn from_bom(head: &[u8]) -> Option<Self> {
        // `ff fe 00 00` is the mark of UTF-32, which is not used in files.
        if head.starts_with(LITTLE_MARK) && !head.starts_with(b"\xff\xfe\0\0") {
            Some(Self::Utf16Little)
        } else if head.starts_with(BIG_MARK) {
            Some(Self::Utf16Big)
        } else if head.starts_with(UTF8_MARK) {
            Some(Self::Utf8Bom)
        } else {
            None
        }
    }

    /// Reports whether the encoding is UTF-16.
    pub(super) fn is_utf16(self) -> bool {
        matches!(self, Self::Utf16Little | Self::Utf16Big)
    }

    /// Encodes text; the error is the first character that the encoding does not contain.
    pub(super) fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        let units = |mark: &[u8], bytes: fn(u16) -> [u8; 2]| {
            let units = text.encode_utf16().flat_map(bytes);
            mark.iter().copied().chain(units).collect()
        };
        Ok(match self {
            Self::Utf8 => text.as_bytes().to_vec(),
            Self::Utf8Bom => [UTF8_MARK, text.as_bytes()].concat(),
            Self::Utf16Little => units(LITTLE_MARK, u16::to_le_bytes),
            Self::Utf16Big => units(BIG_MARK, u16::to_be_bytes),
            Self::Windows1252 => match WINDOWS_1252.encode(text) {
                (bytes, _, false) => bytes.into_owned(),
                (_, _, true) => return Err(unwritable(text)),
            },
        })
    }

    /// Returns the name of the encoding; `None` for UTF-8.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf8Bom => Some("UTF-8 with a byte order mark"),
            Self::Utf16Little | Self::Utf16Big => Some("UTF-16"),
            Self::Windows1252 => Some("Latin-1 (windows-1252)"),
        }
    }
}

fn unwritable(text: &str) -> char {
    let has = |c: char| !WINDOWS_1252.encode(c.encode_utf8(&mut [0; 4])).2;
    text.chars()
        .find(|c| !c.is_ascii() && !has(*c))
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

impl DecodedText {
    /// Decodes bytes as text; the error describes what they are instead.
    pub(super) fn decode(bytes: &[u8]) -> Result<Self, &'static str> {
        let (text, encoding) = match Encoding::from_bom(bytes) {
            Some(encoding @ Encoding::Utf16Little) => {
                (utf16(&bytes[2..], u16::from_le_bytes)?, encoding)
            }
            Some(encoding @ Encoding::Utf16Big) => {
                (utf16(&bytes[2..], u16::from_be_bytes)?, encoding)
            }
            Some(encoding) => (utf8(&bytes[UTF8_MARK.len()..])?, encoding),
            None => match std::str::from_utf8(bytes) {
                Ok(_) => (utf8(bytes)?, Encoding::Utf8),
                Err(_) => (latin(bytes)?, Encoding::Windows1252),
            },
        };
        Ok(Self { text, encoding })
    }
}

fn utf8(bytes: &[u8]) -> Result<String, &'static str> {
    plain(bytes)?;
    let text = std::str::from_utf8(bytes).map_err(|_| "neither UTF-8 nor another text")?;
    Ok(text.to_owned())
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, &'static str> {
    let (units, rest) = bytes.as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(units.iter().copied().map(unit)).collect();
    match text {
        Ok(text) if rest.is_empty() => Ok(text),
        _ => Err("broken UTF-16"),
    }
}

/// Decodes Latin-1. Any bytes are valid Latin-1, so that the bytes must also look like text.
fn latin(bytes: &[u8]) -> Result<String, &'static str> {
    plain(bytes)?;
    if bytes.iter().any(|byte| is_control(*byte)) {
        return Err("a binary file");
    }
    if bytes.utf8_chunks().any(|chunk| !chunk.valid().is_ascii()) {
        return Err("partly UTF-8 and partly not");
    }
    Ok(WINDOWS_1252
        .decode_without_bom_handling(bytes)
        .0
        .into_owned())
}

fn plain(bytes: &[u8]) -> Result<(), &'static str> {
    match content_kind::detect(bytes) {
        ContentKind::Text if !bytes.contains(&0) => Ok(()),
        ContentKind::Text => Err("a binary file"),
        ContentKind::Image(_) => Err("an image"),
        ContentKind::Pdf => Err("a PDF document"),
        ContentKind::Binary(words) => Err(words),
    }
}

/// Reports whether a byte does not occur in text.
pub(super) fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=8 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

/// Decodes bytes for display: as Latin-1 if they are not UTF-8 and look like Latin-1, else with `\u{fffd}` for
/// invalid bytes.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    let lossy = String::from_utf8_lossy(bytes);
    match &lossy {
        Cow::Owned(_) => latin(bytes).map_or(lossy, Cow::Owned),
        Cow::Borrowed(_) => lossy,
    }
}

/// A reader that converts UTF-16 to UTF-8, without the byte order mark and with `\u{fffd}` for invalid units.
pub(super) struct Utf16Reader<R> {
    reader: R,
    decoder: encoding_rs::Decoder,
    /// The bytes that are not decoded yet, and their number.
    raw: Box<[u8]>,
    filled: usize,
    /// The decoded text that is not read yet.
    decoded: Vec<u8>,
    consumed: usize,
    is_over: bool,
}

impl<R: Read> Utf16Reader<R> {
    pub(super) fn new(reader: R, encoding: Encoding) -> Self {
        let encoding = match encoding {
            Encoding::Utf16Big => encoding_rs::UTF_16BE,
            _ => encoding_rs::UTF_16LE,
        };
        Self {
            reader,
            decoder: encoding.new_decoder_with_bom_removal(),
            raw: vec![0; 32 << 10].into(),
            filled: 0,
            decoded: vec![0; 128 << 10],
            consumed: 0,
            is_over: false,
        }
        .at_end()
    }

    fn at_end(mut self) -> Self {
        self.consumed = self.decoded.len();
        self
    }

    /// Decodes the next bytes.
    fn fill(&mut self) -> io::Result<()> {
        let read = self.reader.read(&mut self.raw[self.filled..])?;
        self.is_over = read == 0;
        self.filled += read;
        self.decoded.resize(128 << 10, 0);
        let raw = &self.raw[..self.filled];
        let (_, used, wrote, _) = self
            .decoder
            .decode_to_utf8(raw, &mut self.decoded, self.is_over);
        self.raw.copy_within(used..self.filled, 0);
        self.filled -= used;
        self.decoded.truncate(wrote);
        self.consumed = 0;
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.consumed == self.decoded.len() && !self.is_over {
            self.fill()?;
        }
        let taken = (&self.decoded[self.consumed..]).read(buffer)?;
        self.consumed += taken;
        Ok(taken)
    }
}

/// Text with `\n` for all line breaks, and the positions of the original ones.
#[derive(Debug)]
pub(super) struct NormalizedText<'a> {
    raw: &'a str,
    pub(super) text: Cow<'a, str>,
    /// The positions in the text whose line breaks are `\r\n` in the file.
    crlf_positions: Vec<usize>,
}

impl<'a> NormalizedText<'a> {
    pub(super) fn new(raw: &'a str) -> Self {
        let mut returns = Vec::new();
        if !raw.contains("\r\n") {
            return Self {
                raw,
                text: raw.into(),
                crlf_positions: returns,
            };
        }
        let mut text = String::with_capacity(raw.len());
        let mut parts = raw.split("\r\n");
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            returns.push(text.len());
            text.push('\n');
            text.push_str(part);
        }
        Self {
            raw,
            text: text.into(),
            crlf_positions: returns,
        }
    }

    /// Converts a position in the text to one in the file.
    pub(super) fn raw_at(&self, at: usize) -> usize {
        at + self.crlf_positions.partition_point(|place| *place < at)
    }

    /// Reports whether most line breaks are `\r\n`.
    pub(super) fn is_mostly_crlf(&self) -> bool {
        let breaks = self.text.bytes().filter(|byte| *byte == b'\n').count();
        self.crlf_positions.len() * 2 > breaks
    }

    /// Replaces parts of the text, given in order; the new text gets the line breaks of its surroundings.
    pub(super) fn replace(&self, parts: &[(Range<usize>, &str)]) -> String {
        let mostly = self.is_mostly_crlf();
        let mut out = String::with_capacity(self.raw.len());
        let mut from = 0;
        for (part, new) in parts {
            let (start, end) = (self.raw_at(part.start), self.raw_at(part.end));
            let taken = &self.raw[start..end];
            let returns = match taken.find('\n') {
                Some(at) => taken[..at].ends_with('\r'),
                None => mostly,
            };
            out.push_str(&self.raw[from..start]);
            if new.contains('\n') {
                let plain = new.replace("\r\n", "\n");
                let broken = if returns {
                    plain.replace('\n', "\r\n")
                } else {
                    plain
                };
                out.push_str(&broken);
            } else {
                out.push_str(new);
            }
            from = end;
        }
        out.push_str(&self.raw[from..]);
        out
    }
}

/// Converts the line breaks of a text to those of the replaced text: if the old text only has `\r\n` and the new text
/// only has `\n`, they become `\r\n`.
pub(super) fn with_line_breaks_of<'a>(old: &str, new: &'a str) -> Cow<'a, str> {
    let all_returns = {
        let old = NormalizedText::new(old);
        let breaks = old.text.bytes().filter(|byte| *byte == b'\n').count();
        breaks > 0 && breaks == old.crlf_positions.len()
    };
    if all_returns && !new.contains("\r\n") {
        new.replace('\n', "\r\n").into()
    } else {
        new.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{DecodedText, Encoding, NormalizedText, with_line_breaks_of};

    #[test]
    fn what_is_read_is_written_back() {
        let utf16: Vec<u8> = "\u{feff}ä😀\r\n"
            .encode_utf16()
            .flat_map(u16::to_be_bytes)
            .collect();
        for (bytes, encoding) in [
            (&b"a\n"[..], Encoding::Utf8),
            ("ä".as_bytes(), Encoding::Utf8),
            (b"\xef\xbb\xbfa", Encoding::Utf8Bom),
            (b"\xff\xfea\0\n\0", Encoding::Utf16Little),
            (&utf16, Encoding::Utf16Big),
            (b"caf\xe9 \x93x\x94\x81\n", Encoding::Windows1252),
        ] {
            let text = DecodedText::decode(bytes).unwrap();
            assert_eq!(text.encoding, encoding, "{bytes:?}");
            assert_eq!(text.encoding.encode(&text.text).unwrap(), bytes);
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (bytes, is) in [
            (&b"a\0b"[..], "a binary file"),
            (b"\x7fELF", "a binary file"),
            (b"\xff\xfea", "broken UTF-16"),
            (b"\xff\xfe\0\xd8", "broken UTF-16"),
            (b"\xe9\x01", "a binary file"),
            ("ä\u{0}".as_bytes(), "a binary file"),
            (b"\xc3\xa4 \xe4", "partly UTF-8 and partly not"),
            (b"GIF89a..", "an image"),
        ] {
            let refused = DecodedText::decode(bytes).unwrap_err();
            assert!(
                refused == is || bytes.starts_with(b"\x7fELF"),
                "{refused} {is}"
            );
        }
    }

    #[test]
    fn a_character_that_has_no_place_is_named() {
        assert_eq!(Encoding::Windows1252.encode("a€→"), Err('→'));
    }

    #[test]
    fn line_breaks_stay() {
        let mixed = "a\r\nb\nc\r\n";
        let text = NormalizedText::new(mixed);
        assert_eq!(text.text, "a\nb\nc\n");
        assert_eq!(text.replace(&[(0..3, "x\ny")]), "x\r\ny\nc\r\n");
        assert_eq!(text.replace(&[(2..4, "x\ny\n")]), "a\r\nx\ny\nc\r\n");
        assert_eq!(text.replace(&[(4..5, "x\ny")]), "a\r\nb\nx\r\ny\r\n");
        assert_eq!(text.replace(&[(1..2, "")]), "ab\nc\r\n");
        assert_eq!(with_line_breaks_of("a\r\n", "x\ny\n"), "x\r\ny\r\n");
        assert_eq!(with_line_breaks_of("a\n", "x\r\n"), "x\r\n");
        assert_eq!(with_line_breaks_of(mixed, "x\n"), "x\n");
    }
}
