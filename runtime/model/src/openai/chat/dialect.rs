//! How a provider's Chat Completions differ from OpenAI's.

use crate::ModelName;
use crate::openai::{CallIdForm, is_at, model_family};

/// How a provider's Chat Completions differ from those of other providers, as far as a request must know.
///
/// [`ChatDialect::for_model`] knows the usual providers; a client takes another one with
/// [`OpenAiChatModel::dialect`](super::OpenAiChatModel::dialect).
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
    /// The field that says how long a reply may be.
    pub max_tokens: MaxTokensField,
    /// Whether it is asked for its usage with `stream_options`; others refuse the field, and send it unasked.
    pub stream_options: bool,
    /// Whether it takes a `prompt_cache_key`.
    pub prompt_cache_key: bool,
    /// The field that says how much to think.
    pub effort: EffortField,
    /// The field in which thinking goes back.
    pub thinking: ThinkingField,
    /// The field that says what an answer looks like.
    pub output: OutputField,
    /// The ids of calls that it takes.
    pub call_ids: CallIdForm,
    /// Whether results of tools may hold images; else these follow in a message of their own.
    pub images_in_results: bool,
    /// Whether it takes sounds and documents.
    pub media: bool,
    /// Whether it reads the arguments of earlier calls as JSON, and refuses the conversation where they are none.
    pub requires_json_arguments: bool,
}

/// The field that says how long a reply may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_tokens`, which most servers know.
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI requires.
    MaxCompletionTokens,
}

/// The field that says how much to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EffortField {
    /// `reasoning_effort`.
    ReasoningEffort,
    /// `reasoning`, an object with an `effort`.
    Reasoning,
    /// `reasoning_effort`, and `thinking` to switch it on and off.
    Thinking,
}

/// The field in which the thinking of earlier replies goes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThinkingField {
    /// None: the provider does not want it.
    None,
    /// A text beside the content.
    Named(&'static str),
    /// The same, which stands beside calls even where there was no thinking.
    Required(&'static str),
    /// A part of the content, of the type `thinking`.
    Part,
}

/// The field that says what an answer looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputField {
    /// `response_format` with the schema.
    JsonSchema,
    /// `response_format` that says JSON, and the schema in the instructions.
    JsonObject,
}

impl Default for ChatDialect {
    /// What a server most likely takes of which nothing is known.
    fn default() -> Self {
        Self {
            max_tokens: MaxTokensField::MaxTokens,
            stream_options: true,
            prompt_cache_key: false,
            effort: EffortField::ReasoningEffort,
            // A server that sent thinking under this name, the usual one, knows it.
            thinking: ThinkingField::Named("reasoning_content"),
            output: OutputField::JsonSchema,
            call_ids: CallIdForm::UpTo(64),
            images_in_results: false,
            media: false,
            requires_json_arguments: false,
        }
    }
}

/// The hosts of providers that have one: what a base URL says is truer than a name.
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
    /// Returns what is known of the provider of a model, at a host.
    #[must_use]
    pub fn for_model(name: &ModelName, host: &str) -> Self {
        let known = HOSTS.iter().find(|(known, _)| is_at(host, known));
        match (known, name.provider()) {
            (Some((_, provider)), _) => Self::for_provider(provider),
            // Another server behind OpenAI's name.
            (None, "openai" | "openai-chat") => Self::unknown_provider(name.model()),
            (None, provider) => Self::for_provider(provider),
        }
    }

    fn unknown_provider(model: &str) -> Self {
        let mut dialect = Self::default();
        // A gateway in front of OpenAI hands the field on.
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
