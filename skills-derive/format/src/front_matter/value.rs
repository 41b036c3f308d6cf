//! The values of fields.

/// The value of a field. Every scalar is text: numbers and booleans are not parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A scalar, as written; empty if there is no value.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A mapping, in the order of the file.
    Mapping(Vec<(String, Value)>),
}

impl Value {
    /// Returns the text of a scalar.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Mapping(_) => None,
        }
    }

    /// Returns the value of a key in a mapping.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Mapping(entries) => entries
                .iter()
                .find_map(|(found, value)| (found == key).then_some(value)),
            Self::Text(_) | Self::List(_) => None,
        }
    }

    /// Returns the name of the value's kind for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Mapping(_) => "a mapping",
        }
    }
}
