//! The types of content blocks that providers distinguish: text, images, documents and audio.

use std::borrow::Cow;

use helve_core::transcript::{ContentBlock, Resource};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum OutboundBlock<'a> {
    /// A text, which every provider supports.
    Text(Cow<'a, str>),
    Image {
        mime: &'a str,
        data: &'a str,
    },
    Pdf {
        name: &'a str,
        data: &'a str,
    },
    Audio {
        mime: &'a str,
        data: &'a str,
    },
}

impl<'a> OutboundBlock<'a> {
    pub(crate) fn from_block(block: &'a ContentBlock) -> Self {
        match block {
            ContentBlock::Text { text } => Self::Text(Cow::Borrowed(text)),
            ContentBlock::Image { data, mime_type } => image_block(mime_type, data),
            ContentBlock::Audio { data, mime_type } => Self::Audio {
                mime: mime_type,
                data,
            },
            ContentBlock::Resource { resource } => Self::from_resource(resource),
            ContentBlock::ResourceLink { uri, name, .. } => {
                Self::Text(format!("[{name}]({uri})").into())
            }
        }
    }

    fn from_resource(resource: &'a Resource) -> Self {
        let uri = resource.uri.as_str();
        if let Some(text) = &resource.text {
            return Self::Text(format!("{uri}:\n{text}").into());
        }
        let mime = resource.mime_type.as_deref().unwrap_or("unknown");
        let data = resource.blob.as_deref().unwrap_or_default();
        match mime {
            "application/pdf" => Self::Pdf { name: uri, data },
            _ if mime.starts_with("image/") => image_block(mime, data),
            _ if mime.starts_with("audio/") => Self::Audio { mime, data },
            _ => Self::Text(unsupported_text(uri, mime, data).into()),
        }
    }

    /// Returns a text that replaces the block if a provider does not support its type.
    pub(crate) fn into_text(self) -> Cow<'a, str> {
        match self {
            Self::Text(text) => text,
            Self::Image { mime, data } => unsupported_text("image", mime, data).into(),
            Self::Pdf { name, data } => unsupported_text(name, "application/pdf", data).into(),
            Self::Audio { mime, data } => unsupported_text("sound", mime, data).into(),
        }
    }
}

pub(crate) fn data_url(mime: &str, data: &str) -> String {
    format!("data:{mime};base64,{data}")
}

/// Reports whether providers support an image type. An image of another type would make every further request fail.
pub(crate) fn is_supported_image(mime: &str) -> bool {
    matches!(
        mime,
        "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    )
}

/// Returns an id or a name in the form that providers accept: those of other providers, or invented by a model, may
/// contain any characters.
pub(crate) fn sanitize_identifier(text: &str, longest: usize) -> Cow<'_, str> {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if !text.is_empty() && text.len() <= longest && text.chars().all(is_fine) {
        return Cow::Borrowed(text);
    }
    let letters = text.chars().take(longest);
    let mended: String = letters.map(|c| if is_fine(c) { c } else { '_' }).collect();
    match mended.is_empty() {
        true => "_".into(),
        false => mended.into(),
    }
}

/// Converts an image to a block. Some tools return a `data:` URL in place of the base64 data.
fn image_block<'a>(mime: &'a str, data: &'a str) -> OutboundBlock<'a> {
    let split = data
        .strip_prefix("data:")
        .and_then(|url| url.split_once(";base64,"));
    let (mime, data) = split.unwrap_or((mime, data));
    let mime = match mime {
        "image/jpg" => "image/jpeg",
        mime => mime,
    };
    OutboundBlock::Image { mime, data }
}

fn unsupported_text(what: &str, mime: &str, data: &str) -> String {
    let bytes = data.len() / 4 * 3;
    format!("[{what}, {mime}, about {bytes} bytes: not supported by this model]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_sorted_by_what_they_hold() {
        let image = ContentBlock::Image {
            data: "data:image/jpg;base64,QUJD".into(),
            mime_type: "image/png".into(),
        };
        let sorted = OutboundBlock::from_block(&image);
        let (mime, data) = ("image/jpeg", "QUJD");
        assert_eq!(sorted, OutboundBlock::Image { mime, data });
        assert_eq!(
            sorted.into_text(),
            "[image, image/jpeg, about 3 bytes: not supported by this model]"
        );
        let resource = |mime: &str, text: Option<&str>| ContentBlock::Resource {
            resource: Resource {
                uri: "a.x".into(),
                mime_type: Some(mime.into()),
                text: text.map(str::to_owned),
                blob: Some("QUJD".into()),
            },
        };
        let text = resource("text/plain", Some("hello"));
        assert_eq!(
            OutboundBlock::from_block(&text),
            OutboundBlock::Text("a.x:\nhello".into())
        );
        let pdf = resource("application/pdf", None);
        let expected = OutboundBlock::Pdf { name: "a.x", data };
        assert_eq!(OutboundBlock::from_block(&pdf), expected);
        let zip = resource("application/zip", None);
        assert_eq!(
            OutboundBlock::from_block(&zip).into_text(),
            "[a.x, application/zip, about 3 bytes: not supported by this model]"
        );
    }
}
