//! What kind of content the body of a response is.

use serde::{Deserialize, Serialize};

/// The number of bytes that are looked at.
const HEAD: usize = 1_024;

/// A kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Media {
    Html,
    Json,
    Feed,
    Text,
    Pdf,
    /// An image that models read, with its type.
    Image(ImageKind),
    Binary,
}

/// A kind of image that models read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ImageKind {
    Png,
    Jpeg,
    Gif,
    WebP,
}

impl ImageKind {
    pub(crate) fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

/// Returns the kind of a body: by its first bytes where they leave no doubt, and otherwise by its type.
pub(crate) fn detect(content_type: &str, body: &[u8]) -> Media {
    let head = &body[..body.len().min(HEAD)];
    if let Some(media) = by_magic(head) {
        return media;
    }
    let essence = content_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    match &*essence {
        "text/html" | "application/xhtml+xml" => Media::Html,
        "application/json" | "text/json" | "application/x-ndjson" => Media::Json,
        "" | "application/octet-stream" | "text/plain" | "unknown/unknown" => {
            by_text(&text, &essence, head)
        }
        name if name.ends_with("+json") => Media::Json,
        name if name.ends_with("/xml") || name.ends_with("+xml") => xml(&text),
        name if name.starts_with("text/") => Media::Text,
        "application/javascript"
        | "application/ecmascript"
        | "application/toml"
        | "application/yaml"
        | "application/x-yaml"
        | "application/x-sh"
        | "application/sql"
        | "application/graphql" => Media::Text,
        _ => Media::Binary,
    }
}

fn by_magic(head: &[u8]) -> Option<Media> {
    let is = |magic: &[u8]| head.starts_with(magic);
    let media = if is(b"%PDF-") {
        Media::Pdf
    } else if is(b"\x89PNG\r\n\x1a\n") {
        Media::Image(ImageKind::Png)
    } else if is(b"\xff\xd8\xff") {
        Media::Image(ImageKind::Jpeg)
    } else if is(b"GIF87a") || is(b"GIF89a") {
        Media::Image(ImageKind::Gif)
    } else if is(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        Media::Image(ImageKind::WebP)
    } else if is(b"\x1f\x8b")
        || is(b"PK\x03\x04")
        || is(b"\x7fELF")
        || is(b"BZh")
        || is(b"\xfd7zXZ")
    {
        Media::Binary
    } else {
        return None;
    };
    Some(media)
}

fn by_text(text: &str, essence: &str, head: &[u8]) -> Media {
    let start = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let is_declared_text = essence == "text/plain";
    if start.starts_with("<!doctype html") || start.starts_with("<html") {
        // Servers send source code of pages as plain text on purpose.
        return if is_declared_text {
            Media::Text
        } else {
            Media::Html
        };
    }
    if start.starts_with("<?xml") || start.starts_with("<rss") || start.starts_with("<feed") {
        return xml(text);
    }
    if is_declared_text {
        return Media::Text;
    }
    if start.starts_with(['{', '[']) {
        return Media::Json;
    }
    let has_bom = head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff");
    let is_control = |byte: &&u8| **byte < 0x09 || (0x0e..0x20).contains(*byte) && **byte != 0x1b;
    if has_bom || !head.iter().any(|byte| is_control(&byte)) {
        Media::Text
    } else {
        Media::Binary
    }
}

fn xml(text: &str) -> Media {
    if text.contains("<rss") || text.contains("<feed") || text.contains("<rdf:rdf") {
        Media::Feed
    } else if text.contains("<html") {
        Media::Html
    } else {
        Media::Text
    }
}

#[cfg(test)]
mod tests {
    use super::{ImageKind, Media, detect};

    #[test]
    fn kinds() {
        for (content_type, body, expected) in [
            ("text/html; charset=utf-8", "<p>", Media::Html),
            ("text/html", "%PDF-1.7", Media::Pdf),
            ("text/html", "\u{89}PNG", Media::Html),
            ("", "<!DOCTYPE html><p>", Media::Html),
            ("text/plain", "<!DOCTYPE html><p>", Media::Text),
            (
                "application/xml",
                "<?xml version='1.0'?><rss version='2.0'>",
                Media::Feed,
            ),
            ("application/atom+xml", "<feed>", Media::Feed),
            ("application/xml", "<svg/>", Media::Text),
            ("application/problem+json", "{}", Media::Json),
            ("application/octet-stream", "[1]", Media::Json),
            ("application/octet-stream", "a\0b", Media::Binary),
            ("", "plain words", Media::Text),
            ("image/gif", "GIF89a", Media::Image(ImageKind::Gif)),
            ("application/zip", "PK\u{3}\u{4}", Media::Binary),
        ] {
            assert_eq!(
                detect(content_type, body.as_bytes()),
                expected,
                "{content_type} {body}"
            );
        }
        let png = detect("text/html", b"\x89PNG\r\n\x1a\n....");
        assert_eq!(png, Media::Image(ImageKind::Png));
    }
}
