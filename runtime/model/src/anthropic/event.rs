//! The provider's events, as they come.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::ModelError;
use helve_core::support::text;

/// An event. Its parts are read when its kind is known: one that there will be may have others by these names.
#[derive(Deserialize)]
pub(super) struct Event<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) index: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) message: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) content_block: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) delta: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) usage: Option<Value>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct MessagesResponse<'a> {
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(borrow, default)]
    pub(super) content: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    pub(super) stop_reason: Option<String>,
    #[serde(default)]
    pub(super) usage: Option<Value>,
}

impl Event<'_> {
    /// Returns the number of the block; those who leave it out have one block only.
    pub(super) fn index(&self) -> Result<u64, ModelError> {
        let index = self.index.map_or("0", RawValue::get);
        let number = index.parse();
        number.map_err(|_| {
            malformed(format!(
                "`{}` is not a block index",
                text::first_chars(index, 40)
            ))
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
    // An array would do for a structure, too.
    if !text.trim_start().starts_with('{') {
        return Err(malformed(format!("{what} is not a JSON object")));
    }
    serde_json::from_str(text).map_err(|error| malformed(format!("{what} is invalid: {error}")))
}

pub(super) fn missing_key(event: &str, key: &str) -> ModelError {
    malformed(format!("`{event}` came without its `{key}`"))
}

pub(super) fn malformed(what: impl Into<String>) -> ModelError {
    ModelError::Malformed(what.into())
}
