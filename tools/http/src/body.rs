//! The body of a request.

use std::collections::BTreeMap;

use helve::sandbox::ReadRange;
use helve::{ToolContext, ToolError};
use serde_json::Value;

/// The most bytes of a body.
pub(crate) const MAX_BODY_BYTES: usize = 1 << 20;

/// The body that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestBody {
    None,
    /// Bytes of a kind, with the content type.
    Bytes {
        kind: &'static str,
        content_type: &'static str,
        bytes: Vec<u8>,
    },
    /// A file, which is read when the request is sent.
    File(String),
}

/// The arguments that may be a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BodyArguments<'a> {
    pub(crate) json: Option<&'a Value>,
    pub(crate) text: Option<&'a str>,
    pub(crate) form: Option<&'a BTreeMap<String, String>>,
    pub(crate) file: Option<&'a str>,
}

impl RequestBody {
    /// Reads the arguments, of which one at most is a body.
    pub(crate) fn read(arguments: BodyArguments<'_>) -> Result<Self, String> {
        let BodyArguments {
            json,
            text,
            form,
            file,
        } = arguments;
        let body = match (json, text, form, file) {
            (None, None, None, None) => Self::None,
            (Some(json), None, None, None) => {
                Self::bytes("JSON", "application/json", json.to_string())
            }
            (None, Some(text), None, None) => {
                Self::bytes("text", "text/plain; charset=utf-8", text.to_owned())
            }
            (None, None, Some(form), None) => {
                let mut pairs = url::form_urlencoded::Serializer::new(String::new());
                pairs.extend_pairs(form);
                Self::bytes(
                    "form data",
                    "application/x-www-form-urlencoded",
                    pairs.finish(),
                )
            }
            (None, None, None, Some(path)) => Self::File(path.to_owned()),
            _ => return Err("name one body at most: `json`, `text`, `form` or `file`".to_owned()),
        };
        match &body {
            Self::Bytes { bytes, .. } if bytes.len() > MAX_BODY_BYTES => {
                Err(too_large(bytes.len()))
            }
            _ => Ok(body),
        }
    }

    fn bytes(kind: &'static str, content_type: &'static str, text: String) -> Self {
        Self::Bytes {
            kind,
            content_type,
            bytes: text.into_bytes(),
        }
    }

    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// Says what the body is, for the user.
    pub(crate) fn describe(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Bytes { kind, bytes, .. } => Some(format!("{} bytes of {kind}", bytes.len())),
            Self::File(path) => Some(format!("the file `{path}`")),
        }
    }

    /// Returns the bytes and their content type. A file is read now.
    pub(crate) async fn load(
        &self,
        cx: &ToolContext,
    ) -> Result<(Vec<u8>, Option<&'static str>), ToolError> {
        match self {
            Self::None => Ok((Vec::new(), None)),
            Self::Bytes {
                content_type,
                bytes,
                ..
            } => Ok((bytes.clone(), Some(content_type))),
            Self::File(path) => {
                let range = ReadRange {
                    offset: 0,
                    max: MAX_BODY_BYTES + 1,
                };
                let slice = cx.fs()?.read(path.as_ref(), range).await?;
                if slice.bytes.len() > MAX_BODY_BYTES {
                    return Err(ToolError::failed(too_large(slice.bytes.len())));
                }
                Ok((slice.bytes, Some("application/octet-stream")))
            }
        }
    }
}

fn too_large(bytes: usize) -> String {
    format!("the body has {bytes} bytes or more; the most is {MAX_BODY_BYTES}")
}
