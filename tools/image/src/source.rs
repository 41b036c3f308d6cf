//! Where images come from.

use std::io::Read as _;
use std::path::PathBuf;

use helve::image::{ImageKind, MAX_INPUT_BYTES, describe_other_format};
use helve::prelude::*;
use url::Url;

use crate::error::one_line;
use crate::fetch;

/// The characters of an SVG drawing that are shown.
const MAX_SVG_CHARS: usize = 20_000;

/// The place of an image, as a call names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ImageSource {
    File(String),
    Url(Url),
    /// The id of a file that the user attached.
    Attachment(String),
}

/// The contents of a source.
pub(crate) enum Loaded {
    /// Bytes that are to be decoded.
    Image(Vec<u8>),
    /// The source text of a drawing, which is not drawn.
    Svg(String),
    /// Where the server says that the image is.
    Elsewhere { to: Url, status: u16 },
}

impl ImageSource {
    /// Parses a source: an address with `http://` or `https://`, `attachment:ID`, or a path.
    ///
    /// # Errors
    /// Says what the text is instead.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if let Some(id) = text.strip_prefix("attachment:") {
            return Ok(Self::Attachment(id.trim().to_owned()));
        }
        let scheme = text.split_once("://").map(|(scheme, _)| scheme);
        match scheme.map(str::to_ascii_lowercase).as_deref() {
            None if text.starts_with("data:") => Err(
                "`source` is the image itself; give the path of a file, or an address".to_owned(),
            ),
            None => Ok(Self::File(text.to_owned())),
            Some("file") => Err(format!(
                "`{}` is no path; leave out `file://`",
                one_line(text)
            )),
            Some(_) => {
                let url = Url::parse(text).ok();
                let url =
                    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
                let mut url = url.ok_or_else(|| {
                    format!(
                        "`{}` is no address of an image; give a whole URL with https://, or a path",
                        one_line(text)
                    )
                })?;
                url.set_fragment(None);
                Ok(Self::Url(url))
            }
        }
    }

    /// Returns the name of the source, on one line.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => one_line(path),
            Self::Url(url) => one_line(url.as_str()),
            Self::Attachment(id) => one_line(&format!("attachment:{id}")),
        }
    }

    /// Loads the bytes of the image, at most those that are decoded.
    pub(crate) async fn load(&self, cx: &ToolContext) -> Result<Loaded, ToolError> {
        let (bytes, is_svg) = match self {
            Self::File(path) => (read_file(cx, path).await?, false),
            Self::Attachment(id) => {
                let attachment = cx.attachments().get(id).await?;
                (attachment.bytes, attachment.mime_type == "image/svg+xml")
            }
            Self::Url(url) => match fetch::fetch(cx, url).await? {
                fetch::FetchedImage::Body { bytes, is_svg } => (bytes, is_svg),
                fetch::FetchedImage::Elsewhere { to, status } => {
                    return Ok(Loaded::Elsewhere { to, status });
                }
            },
        };
        if ImageKind::detect(&bytes).is_none()
            && describe_other_format(&bytes).is_none()
            && let Some(text) = svg_text(&bytes, is_svg)
        {
            return Ok(Loaded::Svg(text));
        }
        Ok(Loaded::Image(bytes))
    }
}

/// Reads a file through the files of the call: a link that leads out of the roots, and what is no regular file, are
/// refused.
async fn read_file(cx: &ToolContext, path: &str) -> Result<Vec<u8>, ToolError> {
    let path = resolve_path(cx, path);
    let handle = cx.fs()?.open(&path).await?;
    // One more byte than is decoded tells that there are too many.
    let limit = MAX_INPUT_BYTES as u64 + 1;
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        handle.take(limit).read_to_end(&mut bytes).map(|_| bytes)
    });
    let bytes = read.await.map_err(std::io::Error::other)?;
    bytes.map_err(|error| {
        let path = one_line(&path.to_string_lossy());
        ToolError::failed(format!("`{path}` cannot be read: {error}"))
    })
}

/// Resolves a path of a call: `~` is the home folder, as in the check of the call.
fn resolve_path(cx: &ToolContext, path: &str) -> PathBuf {
    match (path.strip_prefix('~'), cx.home()) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => {
            PathBuf::from(format!("{}{rest}", home.display()))
        }
        _ => PathBuf::from(path),
    }
}

/// Returns the beginning of the source text of an SVG drawing; `None` for other bytes.
fn svg_text(bytes: &[u8], is_declared: bool) -> Option<String> {
    let head = &bytes[..bytes.len().min(4 << 10)];
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let start = head.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let is_markup = start.starts_with("<svg")
        || (start.starts_with("<?xml") || start.starts_with("<!")) && start.contains("<svg");
    if !(is_markup || is_declared && start.starts_with('<')) {
        return None;
    }
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_SVG_CHARS * 4)]);
    Some(text.chars().take(MAX_SVG_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::{ImageSource, svg_text};

    #[test]
    fn sources() {
        let parse = |text: &str| ImageSource::parse(text).map(|source| source.name());
        assert_eq!(parse(" a b.png ").unwrap(), "a b.png");
        assert!(matches!(
            ImageSource::parse("C:/a.png"),
            Ok(ImageSource::File(_))
        ));
        assert_eq!(
            parse("HTTPS://Example.com/a#b").unwrap(),
            "https://example.com/a"
        );
        assert_eq!(
            ImageSource::parse("attachment: 3").unwrap(),
            ImageSource::Attachment("3".to_owned())
        );
        for wrong in [
            "file:///etc/passwd",
            "ftp://example.com/a.png",
            "https://",
            "data:image/png;base64,AAAA",
        ] {
            assert!(ImageSource::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn drawings_are_text() {
        assert!(svg_text(b"\n<?xml version='1.0'?><!-- a --><svg/>", false).is_some());
        assert!(svg_text(b"<SVG>", false).is_some() && svg_text(b"<g/>", true).is_some());
        assert!(svg_text(b"<html><svg>", false).is_none() && svg_text(b"words", true).is_none());
    }
}
