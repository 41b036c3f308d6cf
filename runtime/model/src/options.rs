//! The options of a reply that all providers support.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use helve_core::schema::CanonicalSchema;

/// The options of a reply. The provider's default applies to options that are not set.
///
/// ```
/// use helve::agent::Agent;
/// use helve::model::{Effort, ModelOptions, ScriptedModel};
///
/// let options = ModelOptions::new().max_output_tokens(2_000).effort(Effort::Low);
/// let agent = Agent::new("main", ScriptedModel::new()).options(options);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ModelOptions {
    /// The greatest number of tokens in the reply, including reasoning.
    pub max_output_tokens: Option<u32>,
    /// The sampling temperature, at least 0.
    pub temperature: Option<f32>,
    /// The effort of thinking.
    pub effort: Option<Effort>,
    /// The format of structured output.
    pub output: Option<OutputFormat>,
}

/// The effort with which a model thinks before it answers.
///
/// ```
/// use helve::model::{Effort, ModelOptions};
///
/// let options = ModelOptions::new().effort(Effort::High);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// No thinking, if the model supports that.
    None,
    /// Low effort.
    Low,
    /// Medium effort.
    Medium,
    /// High effort.
    High,
}

/// The format of structured output: JSON that matches a schema.
///
/// ```
/// use helve::model::{ModelOptions, OutputFormat};
/// use helve::schema::from_value;
///
/// let schema = from_value(serde_json::json!({ "type": "object", "properties": { "city": { "type": "string" } } }))?;
/// let options = ModelOptions::new().output(OutputFormat::new("city", schema));
/// # Ok::<(), helve::schema::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct OutputFormat {
    /// The name of the format, of `[A-Za-z0-9_-]`.
    pub name: Arc<str>,
    /// The schema of the output.
    pub schema: Arc<CanonicalSchema>,
}

impl OutputFormat {
    /// Creates a format.
    pub fn new(name: impl Into<Arc<str>>, schema: impl Into<Arc<CanonicalSchema>>) -> Self {
        Self {
            name: name.into(),
            schema: schema.into(),
        }
    }
}

impl ModelOptions {
    /// Creates options of which none is set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the greatest number of tokens in the reply.
    #[must_use]
    pub fn max_output_tokens(mut self, tokens: u32) -> Self {
        self.max_output_tokens = Some(tokens);
        self
    }

    /// Sets the sampling temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: f32) -> Self {
        self.temperature = Some(temperature);
        self
    }

    /// Sets the effort of thinking.
    #[must_use]
    pub fn effort(mut self, effort: Effort) -> Self {
        self.effort = Some(effort);
        self
    }

    /// Sets the format of structured output.
    #[must_use]
    pub fn output(mut self, output: OutputFormat) -> Self {
        self.output = Some(output);
        self
    }
}
