//! Detects the kind of a file by its first bytes.

use super::text::Encoding;

/// The number of bytes that are checked.
pub(super) const HEAD: usize = 8 << 10;

/// The kind of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    /// Text.
    Text,
    /// A PDF document.
    Pdf,
    /// An image that a model can see, with its media type.
    Image(&'static str),
    /// Any other kind, with a description.
    Binary(&'static str),
}

/// The magic numbers of known kinds.
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

/// Detects the kind of a file from its first [`HEAD`] bytes.
pub(super) fn detect(head: &[u8]) -> ContentKind {
    if let Some(media_type) = image(head) {
        return ContentKind::Image(media_type);
    }
    if head.starts_with(b"%PDF-") {
        return ContentKind::Pdf;
    }
    if Encoding::from_bom(head).is_some_and(Encoding::is_utf16) {
        return ContentKind::Text;
    }
    match KNOWN.iter().find(|(magic, _)| head.starts_with(magic)) {
        Some((_, words)) => ContentKind::Binary(words),
        None if head.contains(&0) => ContentKind::Binary("a binary file"),
        None => ContentKind::Text,
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
    use super::{ContentKind, detect};

    #[test]
    fn first_bytes_decide() {
        assert_eq!(detect(b"fn main() {}"), ContentKind::Text);
        assert_eq!(detect(b""), ContentKind::Text);
        assert_eq!(detect(b"GIF89a...."), ContentKind::Image("image/gif"));
        assert_eq!(
            detect(b"RIFF1234WEBPVP8 "),
            ContentKind::Image("image/webp")
        );
        assert_eq!(
            detect(b"RIFF1234WAVEfmt\0"),
            ContentKind::Binary("a binary file")
        );
        assert_eq!(detect(b"%PDF-1.7"), ContentKind::Pdf);
        assert_eq!(detect(b"\xff\xfea\0"), ContentKind::Text);
        assert_eq!(detect(b"a\0b"), ContentKind::Binary("a binary file"));
    }
}
