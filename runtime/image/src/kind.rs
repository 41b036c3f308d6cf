//! Formats of images, by their first bytes.

use image::ImageFormat;
use serde::{Deserialize, Serialize};

/// A format of images that is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImageKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// GIF.
    Gif,
    /// WebP.
    WebP,
}

impl ImageKind {
    /// Detects the format of a file by its first bytes, whatever its name and its declared type are.
    ///
    /// ```
    /// use helve::image::ImageKind;
    ///
    /// assert_eq!(ImageKind::detect(b"GIF89a"), Some(ImageKind::Gif));
    /// assert_eq!(ImageKind::detect(b"<svg/>"), None);
    /// ```
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Self::Png)
        } else if bytes.starts_with(b"\xff\xd8\xff") {
            Some(Self::Jpeg)
        } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
            Some(Self::Gif)
        } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Self::WebP)
        } else {
            None
        }
    }

    /// Returns the media type, such as `image/png`.
    #[must_use]
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }

    pub(crate) fn format(self) -> ImageFormat {
        match self {
            Self::Png => ImageFormat::Png,
            Self::Jpeg => ImageFormat::Jpeg,
            Self::Gif => ImageFormat::Gif,
            Self::WebP => ImageFormat::WebP,
        }
    }
}

/// Describes a file of a known format that is not decoded, with its article; `None` for another one.
///
/// ```
/// use helve::image::describe_other_format;
///
/// assert_eq!(describe_other_format(b"II*\0"), Some("a TIFF image"));
/// ```
#[must_use]
pub fn describe_other_format(bytes: &[u8]) -> Option<&'static str> {
    let brand = bytes.get(4..8).filter(|kind| *kind == b"ftyp");
    let brand = brand.and_then(|_| bytes.get(8..12));
    Some(match (bytes, brand) {
        (_, Some(b"avif" | b"avis")) => "an AVIF image",
        (_, Some(b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"mif1" | b"msf1")) => {
            "an HEIC image"
        }
        ([b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..], _) => "a TIFF image",
        ([b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..], _) => "a BMP image",
        ([0, 0, 1, 0, _, 0, ..], _) => "an icon file",
        ([b'8', b'B', b'P', b'S', ..], _) => "a Photoshop image",
        ([0xff, 0x0a, ..] | [0, 0, 0, 0x0c, b'J', b'X', b'L', b' ', ..], _) => "a JPEG XL image",
        ([0, 0, 0, 0x0c, b'j', b'P', b' ', b' ', ..], _) => "a JPEG 2000 image",
        ([b'%', b'P', b'D', b'F', b'-', ..], _) => "a PDF document",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{ImageKind, describe_other_format};

    #[test]
    fn first_bytes_decide() {
        let webp = ImageKind::detect(b"RIFF\0\0\0\0WEBPVP8 ");
        assert_eq!(webp, Some(ImageKind::WebP));
        assert_eq!(ImageKind::detect(b"RIFF\0\0\0\0WAVE"), None);
        assert_eq!(ImageKind::detect(b""), None);
        for (bytes, words) in [
            (&b"\0\0\0\x20ftypheic"[..], "an HEIC image"),
            (b"\0\0\0\x20ftypavif", "an AVIF image"),
            (b"%PDF-1.7", "a PDF document"),
            (b"BM\x36\0\0\0\0\0\0\0", "a BMP image"),
        ] {
            assert_eq!(describe_other_format(bytes), Some(words));
        }
        assert_eq!(describe_other_format(b"\0\0\0\x20ftypisom"), None);
        assert_eq!(describe_other_format(b"plain words"), None);
    }
}
