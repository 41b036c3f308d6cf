//! The fields of a front matter.

use super::allowed_tools::allowed_tools;
use super::value::Value;
use crate::problem::Position;

/// A top-level field of the front matter.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Field {
    /// The field's name.
    pub key: String,
    /// The value.
    pub value: Value,
    /// The position of the value.
    pub at: Position,
}

/// The fields of a front matter, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FrontMatter {
    /// The fields.
    pub fields: Vec<Field>,
}

impl FrontMatter {
    /// Returns the first field with a name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Returns the trimmed text of a field; `None` if the field is missing or empty.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        let text = self.get(key)?.value.as_text()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the `license`.
    #[must_use]
    pub fn license(&self) -> Option<&str> {
        self.text("license")
    }

    /// Returns the `compatibility`: a description of the skill's requirements.
    #[must_use]
    pub fn compatibility(&self) -> Option<&str> {
        self.text("compatibility")
    }

    /// Returns the entries of `metadata` whose values are text.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = match self.get("metadata").map(|field| &field.value) {
            Some(Value::Mapping(entries)) => entries.as_slice(),
            _ => &[],
        };
        entries
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), value.as_text()?)))
    }

    /// Returns the `allowed-tools` in any of their forms. They are a request of the skill's author, and grant
    /// nothing.
    #[must_use]
    pub fn allowed_tools(&self) -> Vec<String> {
        self.get("allowed-tools")
            .map(|field| allowed_tools(&field.value))
            .unwrap_or_default()
    }

    /// Returns whether the skill is also exposed as a tool: `tool: true`, at the top level or in `metadata`.
    #[must_use]
    pub fn is_tool(&self) -> bool {
        self.text("tool").is_some_and(is_true)
            || self
                .metadata()
                .any(|(key, value)| key == "tool" && is_true(value))
    }

    /// Returns whether a model may start the skill. `disable-model-invocation: true` and, in a `skill.yaml`,
    /// `activation: manual` reserve the skill for the user.
    #[must_use]
    pub fn model_invocable(&self) -> bool {
        !self.text("disable-model-invocation").is_some_and(is_true)
            && !self
                .text("activation")
                .is_some_and(|activation| activation.eq_ignore_ascii_case("manual"))
    }
}

/// Parses a boolean as YAML does in the common form: `true`, in any case.
fn is_true(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("true")
}
