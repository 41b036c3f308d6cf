//! The events of the provider, as received.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::ModelError;
use helve_core::support::text;

/// An event. Its fields are parsed after its type is known, because events of later versions may have other fields
/// with these names.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type")]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) index: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) delta: Option<&'a RawValue>,
    pub(super) usage: Option<Value>,
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct MessagesResponse<'a> {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    #[serde(borrow)]
    pub(super) content: Option<Vec<&'a RawValue>>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Option<Value>,
}

impl Event<'_> {
    /// Returns the index of the block; a provider that omits the index has one block only.
    pub(super) fn index(&self) -> Result<u64, ModelError> {
        let index = self.index.map_or("0", RawValue::get);
        index.parse().map_err(|_| {
            let shown = text::first_chars(index, 40);
            ModelError::malformed(format!("`{shown}` is not a block index"))
        })
    }

    pub(super) fn delta(&self) -> Result<Map<String, Value>, ModelError> {
        let delta = self.delta.ok_or_else(|| {
            let kind = self.kind.as_deref().unwrap_or("an event");
            missing_key(kind, "delta")
        })?;
        parse("a delta", delta.get())
    }
}

/// Parses a JSON object; the error begins with `what`.
pub(super) fn parse<'a, T: Deserialize<'a>>(what: &str, text: &'a str) -> Result<T, ModelError> {
    // serde also accepts an array for a struct.
    if !text.trim_start().starts_with('{') {
        let what = format!("{what} is not a JSON object");
        return Err(ModelError::Malformed(what));
    }
    serde_json::from_str(text)
        .map_err(|error| ModelError::malformed(format!("{what} is invalid: {error}")))
}

pub(super) fn missing_key(event: &str, key: &str) -> ModelError {
    ModelError::malformed(format!("`{event}` came without its `{key}`"))
}
