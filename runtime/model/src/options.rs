//! How a model should reply, as far as all providers have a word for it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use helve_core::schema::CanonicalSchema;

/// How a model should reply. What is not said is the provider's default.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelOptions {
    /// The most tokens of a reply, reasoning included.
    pub max_output_tokens: Option<u32>,
    /// How freely it chooses its words, from 0.
    pub temperature: Option<f32>,
    /// How much it should think first.
    pub effort: Option<Effort>,
    /// The form of its answer.
    pub output: Option<OutputFormat>,
}

/// How much a model should think before it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all, where the model can do without.
    None,
    /// A little.
    Low,
    /// Some.
    Medium,
    /// A lot.
    High,
}

/// The form of an answer: JSON of a schema.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutputFormat {
    /// A name for it, of `[A-Za-z0-9_-]`.
    pub name: Arc<str>,
    /// What the answer looks like.
    pub schema: Arc<CanonicalSchema>,
}

impl OutputFormat {
    /// Creates one.
    pub fn new(name: impl Into<Arc<str>>, schema: impl Into<Arc<CanonicalSchema>>) -> Self {
        Self {
            name: name.into(),
            schema: schema.into(),
        }
    }
}

impl ModelOptions {
    /// Makes options that say nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the most tokens of a reply.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets how freely it chooses its words.
    #[must_use]
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets how much it should think first.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Sets the form of its answer.
    #[must_use]
    pub fn output(mut self, output: OutputFormat) -> Self {
        self.output = Some(output);
        self
    }
}
