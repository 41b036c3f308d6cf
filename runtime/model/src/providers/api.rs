//! The protocols of providers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A protocol of a provider, as `api = "…"` names it in a configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Api {
    /// Anthropic Messages: `anthropic`.
    #[serde(alias = "anthropic-messages", alias = "anthropic.messages")]
    Anthropic,
    /// OpenAI Chat Completions, which most other providers support: `openai-chat`.
    #[serde(alias = "openai.chat")]
    OpenaiChat,
    /// OpenAI Responses: `openai-responses`.
    #[serde(alias = "openai.responses", alias = "openai")]
    OpenaiResponses,
    /// Gemini, through genai: `gemini`.
    #[serde(alias = "google.generate_content")]
    Gemini,
    /// Ollama's own protocol, through genai: `ollama`.
    #[serde(alias = "ollama.chat")]
    Ollama,
    /// Amazon Bedrock, through genai: `bedrock`.
    Bedrock,
    /// Google Vertex AI, through genai: `vertex`.
    Vertex,
}

impl Api {
    /// Reports whether the protocol needs genai, which the feature `genai` links.
    #[must_use]
    pub fn needs_genai(self) -> bool {
        matches!(
            self,
            Self::Gemini | Self::Ollama | Self::Bedrock | Self::Vertex
        )
    }

    /// Returns the header for a key.
    pub(super) fn key_header(self, key: &str) -> (&'static str, String) {
        match self {
            Self::Anthropic => ("x-api-key", key.to_owned()),
            Self::Gemini => ("x-goog-api-key", key.to_owned()),
            _ => ("authorization", format!("Bearer {key}")),
        }
    }
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Uses the name in configurations.
        self.serialize(f)
    }
}
