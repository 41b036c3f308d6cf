//! Parses the usage of a reply, in the formats of several providers.

use serde_json::Value;

use crate::openai::json::count;
use helve_core::transcript::Usage;

/// Parses a usage; returns `None` if it contains no counts.
pub(super) fn parse_usage(usage: &Value) -> Option<Usage> {
    let first = |paths: &[&[&str]]| paths.iter().find_map(|path| count(usage, path));
    let input = first(&[&["prompt_tokens"], &["input_tokens"]]);
    let output = first(&[&["completion_tokens"], &["output_tokens"]]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let reasoning = first(&[
        &["completion_tokens_details", "reasoning_tokens"],
        &["reasoning_tokens"],
    ])
    .unwrap_or(0);
    let mut read = Usage::new(input.unwrap_or(0), output.unwrap_or(0));
    // xAI does not include reasoning in the completion tokens; the total shows this.
    let beside = read
        .input_tokens
        .saturating_add(read.output_tokens)
        .saturating_add(reasoning);
    if reasoning > 0 && count(usage, &["total_tokens"]) == Some(beside) {
        read.output_tokens = read.output_tokens.saturating_add(reasoning);
    }
    read.reasoning_output_tokens = reasoning;
    read.cache_read_input_tokens = first(&[
        &["prompt_tokens_details", "cached_tokens"],
        &["prompt_cache_hit_tokens"],
        &["cached_tokens"],
        &["cache_read_input_tokens"],
    ])
    .unwrap_or(0);
    read.cache_creation_input_tokens = first(&[
        &["prompt_tokens_details", "cache_write_tokens"],
        &["prompt_tokens_details", "cache_creation_tokens"],
        &["cache_creation_input_tokens"],
    ])
    .unwrap_or(0);
    Some(read)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reasoning_is_a_part_of_the_output() {
        let usage = |total: u64| {
            parse_usage(&json!({
                "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": total,
                "completion_tokens_details": {"reasoning_tokens": 4},
            }))
            .unwrap()
        };
        assert_eq!(usage(15).output_tokens, 5);
        assert_eq!(usage(19).output_tokens, 9);
        assert_eq!(usage(19).reasoning_output_tokens, 4);
        assert_eq!(parse_usage(&json!({"queue_time": 1.5})), None);
        let odd = parse_usage(&json!({"prompt_tokens": 3.0, "completion_tokens": -1})).unwrap();
        assert_eq!((odd.input_tokens, odd.output_tokens), (3, 0));
    }
}
