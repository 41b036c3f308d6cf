//! What a file is, by its first bytes.

use super::text::Encoding;

/// How many bytes are looked at.
pub(super) const HEAD: usize = 8 << 10;

/// What the first bytes say.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Something with lines.
    Text,
    /// A PDF document.
    Pdf,
    /// An image that a model can see, with its media type.
    Image(&'static str),
    /// Anything else, in words.
    Binary(&'static str),
}

/// First bytes that are known, and what they begin.
const KNOWN: [(&[u8], &str); 10] = [
    (b"PK\x03\x04", "a ZIP archive (or a document that is one)"),
    (b"\x1f\x8b", "gzip data"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data"),
    (b"\xfd7zXZ\0", "XZ data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"\x7fELF", "an ELF executable or library"),
    (b"\0asm", "a WebAssembly module"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O executable or library"),
    (b"\xca\xfe\xba\xbe", "a Java class or a universal binary"),
    (b"SQLite format 3\0", "an SQLite database"),
];

/// Looks at the first [`HEAD`] bytes of a file.
pub(super) fn of(head: &[u8]) -> Kind {
    if let Some(media_type) = image(head) {
        return Kind::Image(media_type);
    }
    if head.starts_with(b"%PDF-") {
        return Kind::Pdf;
    }
    if Encoding::marked(head).is_some_and(Encoding::is_utf16) {
        return Kind::Text;
    }
    match KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        Some((_, words)) => Kind::Binary(words),
        None if head.contains(&0) => Kind::Binary("a binary file"),
        None => Kind::Text,
    }
}

fn image(head: &[u8]) -> Option<&'static str> {
    match head {
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ if head.starts_with(b"\x89PNG\r\n\x1a\n") => Some("image/png"),
        _ if head.starts_with(b"\xff\xd8\xff") => Some("image/jpeg"),
        _ if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") => Some("image/gif"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, of};

    #[test]
    fn first_bytes_decide() {
        assert_eq!(of(b"fn main() {}"), Kind::Text);
        assert_eq!(of(b""), Kind::Text);
        assert_eq!(of(b"GIF89a...."), Kind::Image("image/gif"));
        assert_eq!(of(b"RIFF1234WEBPVP8 "), Kind::Image("image/webp"));
        assert_eq!(of(b"RIFF1234WAVEfmt\0"), Kind::Binary("a binary file"));
        assert_eq!(of(b"%PDF-1.7"), Kind::Pdf);
        assert_eq!(of(b"\xff\xfea\0"), Kind::Text);
        assert_eq!(of(b"a\0b"), Kind::Binary("a binary file"));
    }
}
