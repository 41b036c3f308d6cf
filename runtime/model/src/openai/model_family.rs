//! Properties of OpenAI's models that are derived from their names.

use crate::Effort;

/// Reports whether a name is that of one of OpenAI's reasoning models.
pub(super) fn is_reasoning_model(model: &str) -> bool {
    let name = strip_vendor(model);
    let series = |letter: char| {
        name.strip_prefix(letter)
            .is_some_and(|rest| rest.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    let generation = || {
        let rest = name.strip_prefix("gpt-")?;
        let end = rest.find(|letter: char| !letter.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse::<u32>().ok()
    };
    let chat = name.contains("-chat");
    series('o')
        || (generation().is_some_and(|number| number >= 5) && !chat)
        || name.starts_with("codex-")
}

pub(super) fn is_openai_model(model: &str) -> bool {
    let name = strip_vendor(model);
    (name.starts_with("gpt-") && !name.starts_with("gpt-oss"))
        || name.starts_with("chatgpt-")
        || is_reasoning_model(model)
}

/// Returns OpenAI's name of an effort. The name of "none" depends on the model's generation.
pub(super) fn effort_name(effort: Effort, model: &str) -> &'static str {
    let name = strip_vendor(model);
    match effort {
        Effort::None if is_reasoning_model(model) && name.starts_with('o') => "low",
        Effort::None if name == "gpt-5" || name.starts_with("gpt-5-") => "minimal",
        Effort::None => "none",
        Effort::Low => "low",
        Effort::Medium => "medium",
        Effort::High => "high",
    }
}

/// Reports whether the model accepts a temperature: OpenAI's models reject one while they reason.
pub(super) fn takes_temperature(model: &str, wanted: Option<Effort>) -> bool {
    let word = wanted.map(|wanted| effort_name(wanted, model));
    !is_reasoning_model(model) || word == Some("none")
}

/// Removes the vendor that some gateways put before the name.
fn strip_vendor(model: &str) -> &str {
    let name = model.rsplit('/').next().unwrap_or(model);
    name.strip_prefix("openai.").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_models_that_think() {
        for model in [
            "o1",
            "o4-mini",
            "gpt-5",
            "gpt-5.6-luna",
            "openai/gpt-5-mini",
            "gpt-6",
            "openai.gpt-5.6",
        ] {
            assert!(is_reasoning_model(model), "{model}");
        }
        for model in [
            "gpt-4o",
            "gpt-4.1",
            "gpt-3.5-turbo",
            "gpt-5-chat-latest",
            "qwen3",
            "olmo",
            "",
            "gpt-",
        ] {
            assert!(!is_reasoning_model(model), "{model}");
        }
        assert!(
            is_openai_model("openai/gpt-4o")
                && !is_openai_model("gpt-oss-120b")
                && !is_openai_model("grok-4")
        );
        assert_eq!(effort_name(Effort::None, "gpt-5.1"), "none");
        assert_eq!(effort_name(Effort::None, "gpt-5-mini"), "minimal");
        assert_eq!(effort_name(Effort::None, "o3"), "low");
        assert!(takes_temperature("gpt-4o", None) && !takes_temperature("gpt-5", None));
        let none = Some(Effort::None);
        assert!(takes_temperature("gpt-5.1", none) && !takes_temperature("gpt-5", none));
    }
}
