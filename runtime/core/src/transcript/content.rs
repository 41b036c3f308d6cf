//! Content blocks, with the names and the wire format of the Model Context Protocol.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One block of content in a message or a tool result, as in MCP's `ContentBlock`.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::ContentBlock;
///
/// let json = serde_json::to_string(&ContentBlock::text("Hello"))?;
/// assert_eq!(json, r#"{"type":"text","text":"Hello"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    #[serde(rename_all = "camelCase")]
    Image {
        /// The bytes, base64 with padding.
        data: String,
        /// For example `image/png`.
        mime_type: String,
    },
    /// A sound.
    #[serde(rename_all = "camelCase")]
    Audio {
        /// The bytes, base64 with padding.
        data: String,
        /// For example `audio/wav`.
        mime_type: String,
    },
    /// A resource, given whole.
    Resource {
        /// The resource.
        resource: Resource,
    },
    /// A resource, named only.
    #[serde(rename_all = "camelCase")]
    ResourceLink {
        /// Where it is.
        uri: String,
        /// A short name for it.
        name: String,
        /// For example `application/pdf`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
    },
}

/// The contents of a resource, as in MCP's `ResourceContents`: text, or bytes in base64.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Where it is.
    pub uri: String,
    /// For example `text/markdown`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The contents as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The contents as base64 with padding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

impl ContentBlock {
    /// Creates a text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }

    /// Returns the text of a text block or of a textual resource.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::Resource { resource } => resource.text.as_deref(),
            _ => None,
        }
    }

    /// Returns the approximate size of the block, in bytes.
    #[doc(hidden)]
    pub fn estimated_bytes(&self) -> usize {
        let content = match self {
            Self::Text { text } => text.len(),
            Self::Image { data, .. } | Self::Audio { data, .. } => data.len(),
            Self::Resource { resource } => {
                let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
                length(&resource.text) + length(&resource.blob)
            }
            Self::ResourceLink { uri, name, .. } => uri.len() + name.len(),
        };
        size_of::<Self>() + content
    }
}
