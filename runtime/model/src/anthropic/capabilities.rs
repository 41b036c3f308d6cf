//! The capabilities of models, by name: the provider rejects parameters that a model does not support.

/// How thinking is requested from a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ThinkingMode {
    /// The model does not support thinking.
    Unavailable,
    /// With a budget of tokens.
    Budget,
    /// Adaptive thinking with an effort.
    Adaptive,
    /// Adaptive thinking that cannot be disabled.
    Always,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) thinking: ThinkingMode,
    pub(super) temperature: bool,
    /// The default limit of tokens in a reply: large, and within the model's own limit.
    pub(super) max_tokens: u32,
    /// Whether the model has the provider's memory tool.
    pub(super) memory_tool: bool,
}

/// The capabilities of unknown models: other providers of the protocol usually implement its older form.
const UNKNOWN: Capabilities = Capabilities {
    thinking: ThinkingMode::Budget,
    temperature: true,
    max_tokens: 32_000,
    memory_tool: false,
};

impl Capabilities {
    /// Returns the capabilities for a name, such as `claude-opus-4-6-20260205`, `us.anthropic.claude-3-7-sonnet-v1:0`
    /// or `anthropic/claude-sonnet-5`.
    pub(super) fn for_model(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        let words: Vec<_> = model.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        let family = words
            .iter()
            .position(|word| matches!(*word, "opus" | "sonnet" | "haiku" | "fable" | "mythos"));
        let Some(family) = family else {
            return UNKNOWN;
        };
        if matches!(words[family], "fable" | "mythos") {
            return Self {
                thinking: ThinkingMode::Always,
                temperature: false,
                memory_tool: true,
                ..UNKNOWN
            };
        }
        match version(&words[family + 1..]).or_else(|| version_before(&words[..family])) {
            Some(version) => Self::for_version(version, words[family] == "haiku"),
            None => UNKNOWN,
        }
    }

    fn for_version(version: (u32, u32), is_haiku: bool) -> Self {
        let adaptive = if is_haiku { (5, 0) } else { (4, 6) };
        Self {
            thinking: match version {
                _ if version >= adaptive => ThinkingMode::Adaptive,
                _ if version >= (3, 7) => ThinkingMode::Budget,
                _ => ThinkingMode::Unavailable,
            },
            temperature: version < (4, 7),
            max_tokens: match version {
                _ if version < (3, 5) => 4_096,
                _ if version < (3, 7) => 8_192,
                _ => UNKNOWN.max_tokens,
            },
            memory_tool: version >= (4, 0),
        }
    }
}

/// Parses `4-6`, `5` and similar versions at the beginning; a date is not a version.
fn version(words: &[&str]) -> Option<(u32, u32)> {
    let number =
        |word: Option<&&str>| -> Option<u32> { word.filter(|word| word.len() <= 2)?.parse().ok() };
    let major = number(words.first())?;
    Some((major, number(words.get(1)).unwrap_or(0)))
}

/// Parses the version in older names, such as `claude-3-7-sonnet`.
fn version_before(words: &[&str]) -> Option<(u32, u32)> {
    let start = words.iter().position(|word| *word == "claude")? + 1;
    version(&words[start..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_what_a_model_takes() {
        use ThinkingMode::{Adaptive, Always, Budget, Unavailable};
        let cases = [
            ("claude-opus-4-8", Adaptive, false, 32_000),
            ("claude-opus-4-6-20260205", Adaptive, true, 32_000),
            ("anthropic/claude-sonnet-4.6", Adaptive, true, 32_000),
            ("claude-sonnet-5", Adaptive, false, 32_000),
            ("claude-haiku-5-5", Adaptive, false, 32_000),
            ("claude-opus-4-5", Budget, true, 32_000),
            ("claude-haiku-4-5-20251001", Budget, true, 32_000),
            ("claude-opus-4-20250514", Budget, true, 32_000),
            (
                "us.anthropic.claude-3-7-sonnet-20250219-v1:0",
                Budget,
                true,
                32_000,
            ),
            ("claude-3-5-haiku-latest", Unavailable, true, 8_192),
            ("claude-3-haiku-20240307", Unavailable, true, 4_096),
            ("claude-mythos-5", Always, false, 32_000),
            ("glm-5", Budget, true, 32_000),
            ("", Budget, true, 32_000),
        ];
        for (name, thinking, temperature, max_tokens) in cases {
            let expected = Capabilities {
                thinking,
                temperature,
                max_tokens,
                memory_tool: name.contains("claude") && !name.contains("claude-3"),
            };
            assert_eq!(Capabilities::for_model(name), expected, "{name}");
        }
    }
}
