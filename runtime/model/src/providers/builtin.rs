//! The built-in providers, which need no configuration but a key.

use super::Api;

#[derive(Debug, Clone, Copy)]
pub(super) struct BuiltinProvider {
    pub(super) name: &'static str,
    pub(super) api: Api,
    pub(super) location: ProviderLocation,
    /// The variable that overrides the base URL.
    pub(super) base_url_variable: Option<&'static str>,
    /// The variables for the key, in the order in which they are tried.
    pub(super) key_variables: &'static [&'static str],
    /// How a user gets a key; `None` if the provider needs no key.
    pub(super) key_help: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum ProviderLocation {
    /// A constant URL.
    Fixed(&'static str),
    /// A URL with the region of the environment.
    Bedrock,
    /// A URL with the project and the location of the environment.
    Vertex,
}

impl BuiltinProvider {
    const fn new(
        name: &'static str,
        api: Api,
        location: ProviderLocation,
        key_variables: &'static [&'static str],
        key_help: Option<&'static str>,
    ) -> Self {
        Self {
            name,
            api,
            location,
            base_url_variable: None,
            key_variables,
            key_help,
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

/// Creates a provider of OpenAI Chat Completions.
const fn chat(
    name: &'static str,
    base_url: &'static str,
    key_variables: &'static [&'static str],
    key_help: Option<&'static str>,
) -> BuiltinProvider {
    let location = ProviderLocation::Fixed(base_url);
    BuiltinProvider::new(name, Api::OpenaiChat, location, key_variables, key_help)
}

const OPENAI_LOCATION: ProviderLocation = ProviderLocation::Fixed("https://api.openai.com/v1");
const OPENAI_KEY_HELP: Option<&str> = Some("https://platform.openai.com/api-keys");

/// The built-in providers, in display order.
#[rustfmt::skip] // A table is read by its lines.
pub(super) static BUILTIN_PROVIDERS: &[BuiltinProvider] = &[
    BuiltinProvider::new("anthropic", Api::Anthropic, ProviderLocation::Fixed("https://api.anthropic.com"),
        &["ANTHROPIC_API_KEY"], Some("https://console.anthropic.com/settings/keys")).with_base_url_variable("ANTHROPIC_BASE_URL"),
    BuiltinProvider::new("openai", Api::OpenaiResponses, OPENAI_LOCATION,
        &["OPENAI_API_KEY"], OPENAI_KEY_HELP).with_base_url_variable("OPENAI_BASE_URL"),
    BuiltinProvider::new("openai-chat", Api::OpenaiChat, OPENAI_LOCATION,
        &["OPENAI_API_KEY"], OPENAI_KEY_HELP).with_base_url_variable("OPENAI_BASE_URL"),
    chat("openrouter", "https://openrouter.ai/api/v1",
        &["OPENROUTER_API_KEY"], Some("https://openrouter.ai/settings/keys")),
    chat("groq", "https://api.groq.com/openai/v1",
        &["GROQ_API_KEY"], Some("https://console.groq.com/keys")),
    chat("deepseek", "https://api.deepseek.com/v1",
        &["DEEPSEEK_API_KEY"], Some("https://platform.deepseek.com/api_keys")),
    chat("mistral", "https://api.mistral.ai/v1",
        &["MISTRAL_API_KEY"], Some("https://console.mistral.ai/api-keys")),
    chat("xai", "https://api.x.ai/v1",
        &["XAI_API_KEY"], Some("https://console.x.ai")),
    chat("together", "https://api.together.xyz/v1",
        &["TOGETHER_API_KEY"], Some("https://api.together.ai/settings/api-keys")),
    chat("fireworks", "https://api.fireworks.ai/inference/v1",
        &["FIREWORKS_API_KEY"], Some("https://app.fireworks.ai/settings/users/api-keys")),
    chat("cerebras", "https://api.cerebras.ai/v1",
        &["CEREBRAS_API_KEY"], Some("https://cloud.cerebras.ai")),
    chat("moonshot", "https://api.moonshot.ai/v1",
        &["MOONSHOT_API_KEY"], Some("https://platform.moonshot.ai/console/api-keys")),
    chat("huggingface", "https://router.huggingface.co/v1",
        &["HF_TOKEN"], Some("https://huggingface.co/settings/tokens")),
    chat("ollama", "http://localhost:11434/v1", &["OLLAMA_API_KEY"], None),
    chat("lmstudio", "http://localhost:1234/v1", &["LMSTUDIO_API_KEY"], None),
    chat("llamacpp", "http://localhost:8080/v1", &["LLAMACPP_API_KEY"], None),
    chat("vllm", "http://localhost:8000/v1", &["VLLM_API_KEY"], None),
    BuiltinProvider::new("gemini", Api::Gemini, ProviderLocation::Fixed("https://generativelanguage.googleapis.com/v1beta"),
        &["GEMINI_API_KEY", "GOOGLE_API_KEY"], Some("https://aistudio.google.com/apikey")),
    BuiltinProvider::new("ollama-native", Api::Ollama, ProviderLocation::Fixed("http://localhost:11434"), &["OLLAMA_API_KEY"], None),
    BuiltinProvider::new("bedrock", Api::Bedrock, ProviderLocation::Bedrock,
        &["BEDROCK_API_KEY", "AWS_BEARER_TOKEN_BEDROCK"],
        Some("https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys.html")),
    BuiltinProvider::new("vertex", Api::Vertex, ProviderLocation::Vertex,
        &["VERTEX_API_KEY"], Some("https://cloud.google.com/vertex-ai/docs/authentication; \
            `gcloud auth print-access-token` prints one")),
];
