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
    /// What stands behind it.
    pub value: Value,
    /// Where the value stands.
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
    /// Finds the first field of that name.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key == key)
    }

    /// Returns the text of a field without the white space around it, if there is any text.
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

    /// Returns the `compatibility`: what the skill needs where it runs, in words.
    #[must_use]
    pub fn compatibility(&self) -> Option<&str> {
        self.text("compatibility")
    }

    /// Returns the entries of `metadata` that are text.
    pub fn metadata(&self) -> impl Iterator<Item = (&str, &str)> {
        let entries = match self.get("metadata").map(|field| &field.value) {
            Some(Value::Mapping(entries)) => entries.as_slice(),
            _ => &[],
        };
        entries
            .iter()
            .filter_map(|(key, value)| Some((key.as_str(), value.as_text()?)))
    }

    /// Returns the `allowed-tools`, in whatever form they are written: a request of the skill's author, never a grant.
    #[must_use]
    pub fn allowed_tools(&self) -> Vec<String> {
        self.get("allowed-tools")
            .map(|field| allowed_tools(&field.value))
            .unwrap_or_default()
    }

    /// Returns whether the skill is also a tool of its own: `tool: true`, at the top or under `metadata`.
    #[must_use]
    pub fn is_tool(&self) -> bool {
        self.text("tool").is_some_and(is_true)
            || self
                .metadata()
                .any(|(key, value)| key == "tool" && is_true(value))
    }

    /// Returns whether a model may start the skill, or only the user: `disable-model-invocation: true` and, in a
    /// `skill.yaml`, `activation: manual` keep it from the model.
    #[must_use]
    pub fn model_invocable(&self) -> bool {
        !self.text("disable-model-invocation").is_some_and(is_true)
            && !self
                .text("activation")
                .is_some_and(|activation| activation.eq_ignore_ascii_case("manual"))
    }
}

/// Reads a boolean as YAML does in the common form: `true`, in any case.
fn is_true(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("true")
}
