//! The arguments of prompts.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// Suggests values for the beginning of a value.
pub(crate) type SuggestFn = Arc<dyn Fn(&str) -> Vec<String> + Send + Sync>;

/// An argument of a prompt, which is always text.
#[derive(Clone)]
pub struct PromptArgument {
    name: String,
    description: String,
    required: bool,
    suggest: Option<SuggestFn>,
}

impl PromptArgument {
    /// Creates an argument that is required.
    pub fn required(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            required: true,
            suggest: None,
        }
    }

    /// Creates an argument that is optional.
    pub fn optional(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            required: false,
            ..Self::required(name, description)
        }
    }

    /// Sets the function that suggests values for the beginning of a value. A client receives the first hundred.
    #[must_use]
    pub fn suggesting(
        mut self,
        suggest: impl Fn(&str) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.suggest = Some(Arc::new(suggest));
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns whether the argument is required.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    /// Returns suggestions for the beginning of a value.
    pub(crate) fn suggestions(&self, typed: &str) -> Vec<String> {
        self.suggest
            .as_ref()
            .map(|suggest| suggest(typed))
            .unwrap_or_default()
    }

    pub(super) fn to_rmcp(&self) -> rmcp::model::PromptArgument {
        rmcp::model::PromptArgument::new(&self.name)
            .with_description(&self.description)
            .with_required(self.required)
    }
}

impl fmt::Debug for PromptArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptArgument")
            .field("name", &self.name)
            .field("required", &self.required)
            .finish_non_exhaustive()
    }
}

/// The values of a prompt's arguments, as a client has sent them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptArguments(BTreeMap<String, String>);

impl PromptArguments {
    /// Returns the value of an argument.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Parses the arguments of a request.
    ///
    /// # Errors
    ///
    /// Returns the name of the first argument that is not a string.
    pub(crate) fn parse(arguments: Option<Map<String, Value>>) -> Result<Self, String> {
        let arguments = arguments.unwrap_or_default().into_iter();
        let texts = arguments.map(|(name, value)| match value {
            Value::String(text) => Ok((name, text)),
            _ => Err(name),
        });
        texts.collect::<Result<_, _>>().map(Self)
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for PromptArguments {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(arguments: I) -> Self {
        let arguments = arguments.into_iter();
        Self(
            arguments
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}
