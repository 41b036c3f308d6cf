//! The wire format of requests.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Debug, Serialize)]
pub(super) struct MessagesRequest<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u32,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<ToolParam<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<ContentBlockParam<'a>>,
    pub(super) messages: Vec<MessageParam<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<ThinkingConfig>,
    #[serde(skip_serializing_if = "OutputConfig::is_empty")]
    pub(super) output_config: OutputConfig,
}

#[derive(Debug, Serialize)]
pub(super) struct ToolParam<'a> {
    /// The type, if the tool is one of the provider.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<&'static str>,
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<CacheControl>,
}

/// Marks the end of a prefix that the provider should cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct CacheControl {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

pub(super) const EPHEMERAL: CacheControl = CacheControl { kind: "ephemeral" };

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Assistant,
}

#[derive(Debug, Serialize)]
pub(super) struct MessageParam<'a> {
    pub(super) role: Role,
    pub(super) content: Vec<ContentBlockParam<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ContentBlockParam<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: MediaSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Document {
        title: &'a str,
        source: MediaSource<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    ToolUse {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        input: &'a RawValue,
    },
    ToolResult {
        tool_use_id: Cow<'a, str>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        content: Vec<ContentBlockParam<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    /// A provider item, unchanged.
    #[serde(untagged)]
    AsItCame(&'a RawValue),
}

#[derive(Debug, Serialize)]
pub(super) struct MediaSource<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) media_type: &'a str,
    pub(super) data: &'a str,
}

impl<'a> MediaSource<'a> {
    pub(super) fn base64(media_type: &'a str, data: &'a str) -> Self {
        Self {
            kind: "base64",
            media_type,
            data,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ThinkingConfig {
    Disabled,
    Enabled { budget_tokens: u32 },
    Adaptive { display: &'static str },
}

#[derive(Debug, Default, Serialize)]
pub(super) struct OutputConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<OutputFormatParam>,
}

impl OutputConfig {
    fn is_empty(&self) -> bool {
        self.effort.is_none() && self.format.is_none()
    }
}

#[derive(Debug, Serialize)]
pub(super) struct OutputFormatParam {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) schema: Box<RawValue>,
}

impl<'a> ContentBlockParam<'a> {
    /// Creates a text block; returns `None` for empty or white text, which the provider rejects.
    pub(super) fn text(text: Cow<'a, str>) -> Option<Self> {
        let text = Self::Text {
            text,
            cache_control: None,
        };
        match &text {
            Self::Text { text, .. } if text.trim().is_empty() => None,
            _ => Some(text),
        }
    }

    /// Marks the block as the end of a cached prefix; returns whether blocks of this type can be marked.
    pub(super) fn set_cache_control(&mut self) -> bool {
        match self {
            Self::Text { cache_control, .. }
            | Self::Image { cache_control, .. }
            | Self::Document { cache_control, .. }
            | Self::ToolResult { cache_control, .. } => {
                *cache_control = Some(EPHEMERAL);
                true
            }
            Self::Thinking { .. } | Self::ToolUse { .. } | Self::AsItCame(_) => false,
        }
    }
}

pub(super) fn raw_json(text: &str) -> &RawValue {
    // A rendered schema is always JSON; the fallback accepts any object.
    serde_json::from_str(text).unwrap_or_else(|_| any_object())
}

/// Returns the schema that accepts any object.
pub(super) fn any_object() -> &'static RawValue {
    serde_json::from_str(r#"{"type":"object"}"#).unwrap_or(RawValue::NULL)
}

pub(super) fn empty_object() -> &'static RawValue {
    serde_json::from_str("{}").unwrap_or(RawValue::NULL)
}
