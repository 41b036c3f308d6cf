//! The providers that need no configuration but a key.

use super::Api;

/// What is known of a provider.
#[derive(Debug, Clone, Copy)]
pub(super) struct BuiltinProvider {
    pub(super) name: &'static str,
    pub(super) api: Api,
    pub(super) location: ProviderLocation,
    /// The variable by which the environment says that it is elsewhere.
    pub(super) base_url_variable: Option<&'static str>,
    pub(super) key: KeyRequirement,
}

/// Where a provider is.
#[derive(Debug, Clone, Copy)]
pub(super) enum ProviderLocation {
    /// Always there.
    Fixed(&'static str),
    /// In the region that the environment says.
    Bedrock,
    /// In the project and the location that the environment says.
    Vertex,
}

/// How a provider knows its user.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyRequirement {
    /// Whether the provider needs a key.
    pub(super) is_needed: bool,
    /// The variables that may hold it, in their order.
    pub(super) variables: &'static [&'static str],
    /// How a user gets one.
    pub(super) help_page: &'static str,
}

impl BuiltinProvider {
    const fn new(
        name: &'static str,
        api: Api,
        place: ProviderLocation,
        key: KeyRequirement,
    ) -> Self {
        Self {
            name,
            api,
            location: place,
            base_url_variable: None,
            key,
        }
    }

    const fn with_base_url_variable(mut self, variable: &'static str) -> Self {
        self.base_url_variable = Some(variable);
        self
    }

    pub(super) fn find(name: &str) -> Option<&'static Self> {
        BUILTIN_PROVIDERS.iter().find(|known| known.name == name)
    }
}

const fn required_key(variables: &'static [&'static str], page: &'static str) -> KeyRequirement {
    KeyRequirement {
        is_needed: true,
        variables,
        help_page: page,
    }
}

const fn optional_key(variables: &'static [&'static str]) -> KeyRequirement {
    KeyRequirement {
        is_needed: false,
        variables,
        help_page: "",
    }
}

/// Makes a provider that speaks OpenAI Chat Completions.
const fn chat(name: &'static str, base_url: &'static str, key: KeyRequirement) -> BuiltinProvider {
    BuiltinProvider::new(
        name,
        Api::OpenaiChat,
        ProviderLocation::Fixed(base_url),
        key,
    )
}

const OPENAI_KEY: KeyRequirement =
    required_key(&["OPENAI_API_KEY"], "https://platform.openai.com/api-keys");
const OPENAI_LOCATION: ProviderLocation = ProviderLocation::Fixed("https://api.openai.com/v1");

/// In the order in which lists show them.
#[rustfmt::skip] // A table is read by its lines.
pub(super) static BUILTIN_PROVIDERS: &[BuiltinProvider] = &[
    BuiltinProvider::new("anthropic", Api::Anthropic, ProviderLocation::Fixed("https://api.anthropic.com"),
        required_key(&["ANTHROPIC_API_KEY"], "https://console.anthropic.com/settings/keys")).with_base_url_variable("ANTHROPIC_BASE_URL"),
    BuiltinProvider::new("openai", Api::OpenaiResponses, OPENAI_LOCATION, OPENAI_KEY).with_base_url_variable("OPENAI_BASE_URL"),
    BuiltinProvider::new("openai-chat", Api::OpenaiChat, OPENAI_LOCATION, OPENAI_KEY).with_base_url_variable("OPENAI_BASE_URL"),
    chat("openrouter", "https://openrouter.ai/api/v1",
        required_key(&["OPENROUTER_API_KEY"], "https://openrouter.ai/settings/keys")),
    chat("groq", "https://api.groq.com/openai/v1",
        required_key(&["GROQ_API_KEY"], "https://console.groq.com/keys")),
    chat("deepseek", "https://api.deepseek.com/v1",
        required_key(&["DEEPSEEK_API_KEY"], "https://platform.deepseek.com/api_keys")),
    chat("mistral", "https://api.mistral.ai/v1",
        required_key(&["MISTRAL_API_KEY"], "https://console.mistral.ai/api-keys")),
    chat("xai", "https://api.x.ai/v1",
        required_key(&["XAI_API_KEY"], "https://console.x.ai")),
    chat("together", "https://api.together.xyz/v1",
        required_key(&["TOGETHER_API_KEY"], "https://api.together.ai/settings/api-keys")),
    chat("fireworks", "https://api.fireworks.ai/inference/v1",
        required_key(&["FIREWORKS_API_KEY"], "https://app.fireworks.ai/settings/users/api-keys")),
    chat("cerebras", "https://api.cerebras.ai/v1",
        required_key(&["CEREBRAS_API_KEY"], "https://cloud.cerebras.ai")),
    chat("moonshot", "https://api.moonshot.ai/v1",
        required_key(&["MOONSHOT_API_KEY"], "https://platform.moonshot.ai/console/api-keys")),
    chat("huggingface", "https://router.huggingface.co/v1",
        required_key(&["HF_TOKEN"], "https://huggingface.co/settings/tokens")),
    chat("ollama", "http://localhost:11434/v1", optional_key(&["OLLAMA_API_KEY"])),
    chat("lmstudio", "http://localhost:1234/v1", optional_key(&["LMSTUDIO_API_KEY"])),
    chat("llamacpp", "http://localhost:8080/v1", optional_key(&["LLAMACPP_API_KEY"])),
    chat("vllm", "http://localhost:8000/v1", optional_key(&["VLLM_API_KEY"])),
    BuiltinProvider::new("gemini", Api::Gemini, ProviderLocation::Fixed("https://generativelanguage.googleapis.com/v1beta"),
        required_key(&["GEMINI_API_KEY", "GOOGLE_API_KEY"], "https://aistudio.google.com/apikey")),
    BuiltinProvider::new("ollama-native", Api::Ollama, ProviderLocation::Fixed("http://localhost:11434"), optional_key(&["OLLAMA_API_KEY"])),
    BuiltinProvider::new("bedrock", Api::Bedrock, ProviderLocation::Bedrock,
        required_key(&["BEDROCK_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
            "https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html")),
    BuiltinProvider::new("vertex", Api::Vertex, ProviderLocation::Vertex,
        required_key(&["VERTEX_API_KEY"], "https://cloud.google.com/vertex-ai/docs/authentication; \
            `gcloud auth print-access-token` prints one")),
];
