//! The differences between providers of Chat Completions.

use crate::ModelName;
use crate::openai::{CallIdForm, is_at, model_family};

/// The differences of a provider's Chat Completions that requests must take into account.
///
/// [`ChatDialect::for_model`] returns the dialects of known providers;
/// [`OpenAiChatModel::dialect`](super::OpenAiChatModel::dialect) sets another one.
///
/// ```
/// use helve::model::{ChatDialect, MaxTokensField, ModelName, ThinkingField};
///
/// let openai = ChatDialect::for_model(&ModelName::new("openai", "gpt-5"), "api.openai.com");
/// assert_eq!(openai.max_tokens, MaxTokensField::MaxCompletionTokens);
/// let deepseek = ChatDialect::for_model(&ModelName::new("deepseek", "deepseek-v4"), "api.deepseek.com");
/// assert_eq!(deepseek.thinking, ThinkingField::Required("reasoning_content"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChatDialect {
    /// The field for the limit of a reply.
    pub max_tokens: MaxTokensField,
    /// Whether usage is requested with `stream_options`; other providers reject the field, and send usage by default.
    pub stream_options: bool,
    /// Whether the provider supports `prompt_cache_key`.
    pub prompt_cache_key: bool,
    /// The field for the effort.
    pub effort: EffortField,
    /// The field in which thinking is sent back.
    pub thinking: ThinkingField,
    /// The field for structured output.
    pub output: OutputField,
    /// The form of call ids that the provider accepts.
    pub call_ids: CallIdForm,
    /// Whether tool results may contain images; otherwise images follow in a separate message.
    pub images_in_results: bool,
    /// Whether the provider supports audio and documents.
    pub media: bool,
    /// Whether the provider parses the arguments of earlier calls as JSON, and rejects the conversation if they are
    /// invalid.
    pub requires_json_arguments: bool,
}

/// The field for the limit of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_tokens`, which most servers support.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI requires.
    MaxCompletionTokens,
}

/// The field for the effort.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EffortField {
    /// `reasoning_effort`.
    ReasoningEffort,
    /// `reasoning`, an object with an `effort`.
    Reasoning,
    /// `reasoning_effort`, and `thinking` to enable or disable it.
    Thinking,
}

/// The field in which the thinking of earlier replies is sent back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThinkingField {
    /// No field: the provider does not accept thinking.
    None,
    /// A text field beside the content.
    Named(&'static str),
    /// Like `Named`, and required beside calls even if there was no thinking.
    Required(&'static str),
    /// A part of the content, of the type `thinking`.
    Part,
}

/// The field for structured output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputField {
    /// `response_format` with the schema.
    JsonSchema,
    /// `response_format` with the type JSON, and the schema in the instructions.
    JsonObject,
}

impl Default for ChatDialect {
    /// Returns the dialect that an unknown server most likely supports.
    fn default() -> Self {
        Self {
            max_tokens: MaxTokensField::MaxTokens,
            stream_options: true,
            prompt_cache_key: false,
            effort: EffortField::ReasoningEffort,
            // A server that sent thinking in this field, the usual one, accepts it.
            thinking: ThinkingField::Named("reasoning_content"),
            output: OutputField::JsonSchema,
            call_ids: CallIdForm::UpTo(64),
            images_in_results: false,
            media: false,
            requires_json_arguments: false,
        }
    }
}

/// The providers with known hosts: the host of a base URL is more reliable than the provider's name.
const HOSTS: &[(&str, &str)] = &[
    ("api.openai.com", "openai"),
    ("openai.azure.com", "azure"),
    ("cognitiveservices.azure.com", "azure"),
    ("githubcopilot.com", "copilot"),
    ("openrouter.ai", "openrouter"),
    ("api.groq.com", "groq"),
    ("api.cerebras.ai", "cerebras"),
    ("api.deepseek.com", "deepseek"),
    ("api.z.ai", "zai"),
    ("bigmodel.cn", "zai"),
    ("api.moonshot.ai", "moonshot"),
    ("api.moonshot.cn", "moonshot"),
    ("api.mistral.ai", "mistral"),
    ("api.x.ai", "xai"),
    ("api.together.xyz", "together"),
];

impl ChatDialect {
    /// Returns the dialect of a model's provider at a host.
    #[must_use]
    pub fn for_model(name: &ModelName, host: &str) -> Self {
        let known = HOSTS.iter().find(|(known, _)| is_at(host, known));
        match (known, name.provider()) {
            (Some((_, provider)), _) => Self::for_provider(provider),
            // Another server that is configured under OpenAI's name.
            (None, "openai" | "openai-chat") => Self::unknown_provider(name.model()),
            (None, provider) => Self::for_provider(provider),
        }
    }

    fn unknown_provider(model: &str) -> Self {
        let mut dialect = Self::default();
        // A gateway in front of OpenAI forwards the field.
        if model_family::is_reasoning_model(model) {
            dialect.max_tokens = MaxTokensField::MaxCompletionTokens;
        }
        dialect
    }

    fn for_provider(provider: &str) -> Self {
        let dialect = Self::default();
        let named = |field| Self {
            thinking: ThinkingField::Named(field),
            ..Self::default()
        };
        match provider {
            "openai" | "azure" | "azure-openai" => Self {
                max_tokens: MaxTokensField::MaxCompletionTokens,
                prompt_cache_key: true,
                thinking: ThinkingField::None,
                call_ids: CallIdForm::UpTo(40),
                media: true,
                ..dialect
            },
            "copilot" | "github-copilot" => Self {
                thinking: ThinkingField::Named("reasoning_text"),
                call_ids: CallIdForm::UpTo(40),
                ..dialect
            },
            "openrouter" => Self {
                effort: EffortField::Reasoning,
                media: true,
                ..named("reasoning")
            },
            "xai" => Self {
                max_tokens: MaxTokensField::MaxCompletionTokens,
                thinking: ThinkingField::None,
                ..dialect
            },
            "groq" | "cerebras" => Self {
                max_tokens: MaxTokensField::MaxCompletionTokens,
                ..named("reasoning")
            },
            "deepseek" | "zai" | "zhipu" | "moonshot" | "kimi" => Self {
                effort: EffortField::Thinking,
                thinking: ThinkingField::Required("reasoning_content"),
                output: OutputField::JsonObject,
                ..dialect
            },
            "mistral" => Self {
                stream_options: false,
                thinking: ThinkingField::Part,
                call_ids: CallIdForm::NineAlphanumeric,
                images_in_results: true,
                ..dialect
            },
            "ollama" | "vllm" => Self {
                requires_json_arguments: true,
                ..named("reasoning")
            },
            "llamacpp" | "llama.cpp" | "lmstudio" | "sglang" => Self {
                requires_json_arguments: true,
                ..dialect
            },
            "together" => named("reasoning"),
            _ => dialect,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_truer_than_the_name() {
        let of = |provider: &str, model: &str, host: &str| {
            ChatDialect::for_model(&ModelName::new(provider, model), host)
        };
        let openai = of("openai", "gpt-4o", "api.openai.com");
        assert!(openai.prompt_cache_key);
        assert_eq!(of("work", "gpt-4o", "eu.api.openai.com"), openai);
        assert_ne!(of("openai", "gpt-4o", "notapi.openai.com"), openai);
        let local = of("openai", "qwen3", "localhost:8080");
        assert_eq!(local, ChatDialect::default());
        let gateway = of("openai", "gpt-5-mini", "llm.example.com");
        assert_eq!(gateway.max_tokens, MaxTokensField::MaxCompletionTokens);
        assert!(!gateway.prompt_cache_key);
        assert_eq!(
            of("mistral", "m", "proxy.example.com").thinking,
            ThinkingField::Part
        );
        assert!(of("ollama", "m", "localhost:11434").requires_json_arguments);
    }
}
