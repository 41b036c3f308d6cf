//! Which well-known models read images.

use super::ModelName;

/// Families of models that read images, by the beginning of their names.
const READERS: [&str; 14] = [
    "claude",
    "gemini",
    "gemma-3",
    "gemma3",
    "gpt-4-turbo",
    "gpt-4.1",
    "gpt-4o",
    "gpt-5",
    "llama-4",
    "llama4",
    "llava",
    "o3",
    "o4-mini",
    "pixtral",
];

/// Families of models that read text alone, by the beginning of their names.
const TEXT_ONLY: [&str; 20] = [
    "codestral",
    "command-r",
    "deepseek",
    "glm-4.5",
    "glm-4.6",
    "gpt-3.5",
    "gpt-oss",
    "grok-3",
    "grok-code",
    "kimi-k2",
    "llama-3.1",
    "llama-3.3",
    "llama3.1",
    "llama3.3",
    "minimax-m2",
    "mixtral",
    "o1-mini",
    "o3-mini",
    "phi-4",
    "qwen3-coder",
];

/// Parts of names that say that a model of a family reads images.
const IMAGE_PARTS: [&str; 6] = ["image", "multimodal", "ocr", "omni", "vision", "vl"];

/// Reports whether a model reads images; `None` where that is not known.
pub(super) fn reads_images(name: &ModelName) -> Option<bool> {
    // Names of models of other makers begin with the maker: `deepseek-ai/deepseek-v3`.
    let name = name.model().rsplit('/').next().unwrap_or_default();
    let name = name.to_ascii_lowercase();
    let mut parts = name.split(['-', '_', ':', '.', '@']);
    if parts.any(|part| IMAGE_PARTS.contains(&part)) {
        return Some(true);
    }
    let is_of = |family: &&str| {
        let rest = name.strip_prefix(*family);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ':', '@', '_']))
    };
    if TEXT_ONLY.iter().any(is_of) {
        return Some(false);
    }
    let is_reader = |family: &&str| {
        let rest = name.strip_prefix(*family);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    READERS.iter().any(is_reader).then_some(true)
}

#[cfg(test)]
mod tests {
    use super::reads_images;

    #[test]
    fn families_are_recognized() {
        let reads = |name: &str| reads_images(&name.parse().expect("a name"));
        for name in [
            "anthropic/claude-sonnet-4-5",
            "openai/gpt-5.1",
            "openai/gpt-4o-mini",
            "openai/o3-2025-04-16",
            "gemini/gemini-2.5-pro",
            "acme/deepseek-ai/deepseek-vl-7b",
            "ollama/llama3.2-vision:11b",
            "acme/phi-4-multimodal",
        ] {
            assert_eq!(reads(name), Some(true), "{name}");
        }
        for name in [
            "acme/deepseek-ai/DeepSeek-V3.2",
            "openai/o3-mini",
            "openai/gpt-3.5-turbo",
            "ollama/gpt-oss:20b",
            "acme/kimi-k2-0905",
            "acme/glm-4.6",
        ] {
            assert_eq!(reads(name), Some(false), "{name}");
        }
        for name in [
            "acme/kimi-k2.5",
            "acme/glm-4.6v",
            "acme/anything",
            "openai/gpt-50",
        ] {
            assert_eq!(reads(name), None, "{name}");
        }
    }
}
