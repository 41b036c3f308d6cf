//! The providers that need no configuration but a key.

use super::Api;

/// What is known of a provider.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) api: Api,
    /// Where it is; empty where its client knows.
    pub(super) base_url: &'static str,
    /// Where the environment says that it is elsewhere.
    pub(super) base_url_variable: Option<&'static str>,
    pub(super) key: Key,
}

/// How a provider knows its user.
#[derive(Debug, Clone, Copy)]
pub(super) enum Key {
    /// By a key.
    Needed {
        /// The variables that may hold it, in their order.
        variables: &'static [&'static str],
        /// Where a user gets one.
        page: &'static str,
    },
    /// By nothing, or by a key where somebody put one before it.
    Optional { variables: &'static [&'static str] },
    /// By what its client finds in the environment by itself.
    Ambient {
        /// The variables, any one of which is a sign that something is there.
        variables: &'static [&'static str],
        /// How a user gets there.
        page: &'static str,
    },
}

impl Key {
    pub(super) fn variables(&self) -> &'static [&'static str] {
        match self {
            Self::Needed { variables, .. }
            | Self::Optional { variables }
            | Self::Ambient { variables, .. } => variables,
        }
    }
}

impl Known {
    const fn new(name: &'static str, api: Api, base_url: &'static str, key: Key) -> Self {
        Self {
            name,
            api,
            base_url,
            base_url_variable: None,
            key,
        }
    }

    const fn at(mut self, variable: &'static str) -> Self {
        self.base_url_variable = Some(variable);
        self
    }

    pub(super) fn find(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|known| known.name == name)
    }
}

const fn needed(variables: &'static [&'static str], page: &'static str) -> Key {
    Key::Needed { variables, page }
}

const fn optional(variables: &'static [&'static str]) -> Key {
    Key::Optional { variables }
}

const OPENAI: Key = needed(&["OPENAI_API_KEY"], "https://platform.openai.com/api-keys");

/// In the order in which `doctor` shows them.
#[rustfmt::skip] // A table is read by its lines.
pub(super) static KNOWN: &[Known] = &[
    Known::new("anthropic", Api::Anthropic, "https://api.anthropic.com",
        needed(&["ANTHROPIC_API_KEY"], "https://console.anthropic.com/settings/keys")).at("ANTHROPIC_BASE_URL"),
    Known::new("openai", Api::OpenaiResponses, "https://api.openai.com/v1", OPENAI).at("OPENAI_BASE_URL"),
    Known::new("openai-chat", Api::OpenaiChat, "https://api.openai.com/v1", OPENAI).at("OPENAI_BASE_URL"),
    Known::new("openrouter", Api::OpenaiChat, "https://openrouter.ai/api/v1",
        needed(&["OPENROUTER_API_KEY"], "https://openrouter.ai/settings/keys")),
    Known::new("groq", Api::OpenaiChat, "https://api.groq.com/openai/v1",
        needed(&["GROQ_API_KEY"], "https://console.groq.com/keys")),
    Known::new("deepseek", Api::OpenaiChat, "https://api.deepseek.com/v1",
        needed(&["DEEPSEEK_API_KEY"], "https://platform.deepseek.com/api_keys")),
    Known::new("mistral", Api::OpenaiChat, "https://api.mistral.ai/v1",
        needed(&["MISTRAL_API_KEY"], "https://console.mistral.ai/api-keys")),
    Known::new("xai", Api::OpenaiChat, "https://api.x.ai/v1",
        needed(&["XAI_API_KEY"], "https://console.x.ai")),
    Known::new("together", Api::OpenaiChat, "https://api.together.xyz/v1",
        needed(&["TOGETHER_API_KEY"], "https://api.together.ai/settings/api-keys")),
    Known::new("fireworks", Api::OpenaiChat, "https://api.fireworks.ai/inference/v1",
        needed(&["FIREWORKS_API_KEY"], "https://fireworks.ai/account/api-keys")),
    Known::new("cerebras", Api::OpenaiChat, "https://api.cerebras.ai/v1",
        needed(&["CEREBRAS_API_KEY"], "https://cloud.cerebras.ai")),
    Known::new("moonshot", Api::OpenaiChat, "https://api.moonshot.ai/v1",
        needed(&["MOONSHOT_API_KEY"], "https://platform.moonshot.ai/console/api-keys")),
    Known::new("huggingface", Api::OpenaiChat, "https://router.huggingface.co/v1",
        needed(&["HF_TOKEN"], "https://huggingface.co/settings/tokens")),
    Known::new("ollama", Api::OpenaiChat, "http://localhost:11434/v1", optional(&["OLLAMA_API_KEY"])),
    Known::new("lmstudio", Api::OpenaiChat, "http://localhost:1234/v1", optional(&["LMSTUDIO_API_KEY"])),
    Known::new("llamacpp", Api::OpenaiChat, "http://localhost:8080/v1", optional(&["LLAMACPP_API_KEY"])),
    Known::new("vllm", Api::OpenaiChat, "http://localhost:8000/v1", optional(&["VLLM_API_KEY"])),
    Known::new("gemini", Api::Gemini, "https://generativelanguage.googleapis.com/v1beta/",
        needed(&["GEMINI_API_KEY", "GOOGLE_API_KEY"], "https://aistudio.google.com/apikey")),
    Known::new("ollama-native", Api::Ollama, "http://localhost:11434/", optional(&["OLLAMA_API_KEY"])),
    Known::new("bedrock", Api::Bedrock, "", Key::Ambient {
        variables: &["BEDROCK_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"],
        page: "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html" }),
    Known::new("vertex", Api::Vertex, "", Key::Ambient {
        variables: &["VERTEX_API_KEY"],
        page: "https://cloud.google.com/vertex-ai/docs/authentication" }),
];
