//! The providers that need no configuration but a key.

use super::Api;

/// What is known of a provider.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) api: Api,
    pub(super) place: Place,
    /// The variable by which the environment says that it is elsewhere.
    pub(super) base_url_variable: Option<&'static str>,
    pub(super) key: Key,
}

/// Where a provider is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// Always there.
    At(&'static str),
    /// In the region that the environment says.
    Bedrock,
    /// In the project and the location that the environment says.
    Vertex,
}

/// How a provider knows its user.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key {
    /// Whether it talks to nobody without one.
    pub(super) is_needed: bool,
    /// The variables that may hold it, in their order.
    pub(super) variables: &'static [&'static str],
    /// How a user gets one.
    pub(super) page: &'static str,
}

impl Known {
    const fn new(name: &'static str, api: Api, place: Place, key: Key) -> Self {
        Self {
            name,
            api,
            place,
            base_url_variable: None,
            key,
        }
    }

    const fn moved_by(mut self, variable: &'static str) -> Self {
        self.base_url_variable = Some(variable);
        self
    }

    pub(super) fn find(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|known| known.name == name)
    }
}

const fn needed(variables: &'static [&'static str], page: &'static str) -> Key {
    Key {
        is_needed: true,
        variables,
        page,
    }
}

const fn optional(variables: &'static [&'static str]) -> Key {
    Key {
        is_needed: false,
        variables,
        page: "",
    }
}

/// Makes a provider that speaks OpenAI Chat Completions.
const fn chat(name: &'static str, base_url: &'static str, key: Key) -> Known {
    Known::new(name, Api::OpenaiChat, Place::At(base_url), key)
}

const OPENAI: Key = needed(&["OPENAI_API_KEY"], "https://platform.openai.com/api-keys");
const OPENAI_PLACE: Place = Place::At("https://api.openai.com/v1");

/// In the order in which lists show them.
#[rustfmt::skip] // A table is read by its lines.
pub(super) static KNOWN: &[Known] = &[
    Known::new("anthropic", Api::Anthropic, Place::At("https://api.anthropic.com"),
        needed(&["ANTHROPIC_API_KEY"], "https://console.anthropic.com/settings/keys")).moved_by("ANTHROPIC_BASE_URL"),
    Known::new("openai", Api::OpenaiResponses, OPENAI_PLACE, OPENAI).moved_by("OPENAI_BASE_URL"),
    Known::new("openai-chat", Api::OpenaiChat, OPENAI_PLACE, OPENAI).moved_by("OPENAI_BASE_URL"),
    chat("openrouter", "https://openrouter.ai/api/v1",
        needed(&["OPENROUTER_API_KEY"], "https://openrouter.ai/settings/keys")),
    chat("groq", "https://api.groq.com/openai/v1",
        needed(&["GROQ_API_KEY"], "https://console.groq.com/keys")),
    chat("deepseek", "https://api.deepseek.com/v1",
        needed(&["DEEPSEEK_API_KEY"], "https://platform.deepseek.com/api_keys")),
    chat("mistral", "https://api.mistral.ai/v1",
        needed(&["MISTRAL_API_KEY"], "https://console.mistral.ai/api-keys")),
    chat("xai", "https://api.x.ai/v1",
        needed(&["XAI_API_KEY"], "https://console.x.ai")),
    chat("together", "https://api.together.xyz/v1",
        needed(&["TOGETHER_API_KEY"], "https://api.together.ai/settings/api-keys")),
    chat("fireworks", "https://api.fireworks.ai/inference/v1",
        needed(&["FIREWORKS_API_KEY"], "https://app.fireworks.ai/settings/users/api-keys")),
    chat("cerebras", "https://api.cerebras.ai/v1",
        needed(&["CEREBRAS_API_KEY"], "https://cloud.cerebras.ai")),
    chat("moonshot", "https://api.moonshot.ai/v1",
        needed(&["MOONSHOT_API_KEY"], "https://platform.moonshot.ai/console/api-keys")),
    chat("huggingface", "https://router.huggingface.co/v1",
        needed(&["HF_TOKEN"], "https://huggingface.co/settings/tokens")),
    chat("ollama", "http://localhost:11434/v1", optional(&["OLLAMA_API_KEY"])),
    chat("lmstudio", "http://localhost:1234/v1", optional(&["LMSTUDIO_API_KEY"])),
    chat("llamacpp", "http://localhost:8080/v1", optional(&["LLAMACPP_API_KEY"])),
    chat("vllm", "http://localhost:8000/v1", optional(&["VLLM_API_KEY"])),
    Known::new("gemini", Api::Gemini, Place::At("https://generativelanguage.googleapis.com/v1beta"),
        needed(&["GEMINI_API_KEY", "GOOGLE_API_KEY"], "https://aistudio.google.com/apikey")),
    Known::new("ollama-native", Api::Ollama, Place::At("http://localhost:11434"), optional(&["OLLAMA_API_KEY"])),
    Known::new("bedrock", Api::Bedrock, Place::Bedrock,
        needed(&["BEDROCK_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
            "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html")),
    Known::new("vertex", Api::Vertex, Place::Vertex,
        needed(&["VERTEX_API_KEY"], "https://cloud.google.com/vertex-ai/docs/authentication; \
            `gcloud auth print-access-token` prints one")),
];
