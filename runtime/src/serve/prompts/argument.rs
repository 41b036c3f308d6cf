//! What a prompt takes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// What suggests values for what somebody has begun to type.
pub(in crate::serve) type Suggest = Arc<dyn Fn(&str) -> Vec<String> + Send + Sync>;

/// An argument of a prompt, which is always text.
#[derive(Clone)]
pub struct PromptArgument {
    name: String,
    description: String,
    required: bool,
    suggest: Option<Suggest>,
}

impl PromptArgument {
    /// Makes an argument that has to be given.
    pub fn required(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: description.into(),
            required: true,
            suggest: None,
        }
    }

    /// Makes an argument that may be left out.
    pub fn optional(name: impl Into<String>, description: impl Into<String>) -> Self {
        Self {
            required: false,
            ..Self::required(name, description)
        }
    }

    /// Suggests values for what somebody has begun to type. A client is shown the first hundred.
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

    /// Reports whether it has to be given.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required
    }

    pub(in crate::serve) fn suggestions(&self, typed: &str) -> Vec<String> {
        self.suggest
            .as_ref()
            .map(|suggest| suggest(typed))
            .unwrap_or_default()
    }

    pub(super) fn shown(&self) -> rmcp::model::PromptArgument {
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

/// The arguments that a client gave.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptArguments(BTreeMap<String, String>);

impl PromptArguments {
    /// Returns the value of an argument.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Takes what came over the wire; the name of the first that is no text is the error.
    pub(in crate::serve) fn read(given: Option<Map<String, Value>>) -> Result<Self, String> {
        let given = given.unwrap_or_default().into_iter();
        let texts = given.map(|(name, value)| match value {
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
