//! The rules about the length of the body, which is loaded whenever the skill is used.

use crate::codes;
use crate::problem::{Finding, Position};

/// The greatest number of lines that the specification recommends.
const MAX_LINES: usize = 500;

/// The greatest number of tokens that the specification recommends.
const MAX_TOKENS: usize = 5_000;

/// The approximate number of UTF-8 bytes per token: right for English prose, and within a factor of two for code and
/// other scripts.
const BYTES_PER_TOKEN: usize = 4;

const HELP: &str = "move what is not always needed to files of its own, and link to them";

pub(super) fn check(text: &str, body_start: usize) -> Vec<Finding> {
    let body = &text[body_start..];
    let mut findings = Vec::new();
    let mut warn = |code, message: String| {
        let at = Position::after(&text[..body_start]);
        findings.push(
            Finding::new(code, message)
                .with_position(at)
                .with_help(HELP),
        );
    };
    let lines = body.lines().count();
    if lines > MAX_LINES {
        let message = format!("the body has {lines} lines; at most {MAX_LINES} are recommended");
        warn(codes::BODY_LINES, message);
    }
    let tokens = body.trim().len() / BYTES_PER_TOKEN;
    if tokens > MAX_TOKENS {
        let message = format!(
            "the body has about {tokens} tokens, a token for {BYTES_PER_TOKEN} bytes; at most {MAX_TOKENS} are recommended"
        );
        warn(codes::BODY_TOKENS, message);
    }
    findings
}
