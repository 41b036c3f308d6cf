//! Text for calls, retries, durations and counts.

use std::time::Duration;

use serde_json::Value;

use crate::sanitize;
use crate::screen::{Line, theme};
use helve_agent::turn::EndReason;
use helve_core::sandbox::Exit;
use helve_core::transcript::ContentBlock;
use helve_model::Retry;
use helve_results::strip_enclosure;

/// The maximum length of one of several arguments, in characters.
const MAX_ARGUMENT_CHARS: usize = 60;
/// The maximum length of the arguments of a call, in characters.
const MAX_ARGUMENTS_CHARS: usize = 400;

/// Renders a call for the user: `→ bash cargo test`.
pub fn render_call(sign: &str, name: &str, arguments: &str) -> Line {
    let mut line = Line::styled(sign, theme::PLAIN);
    line.push(name, theme::NAME);
    let arguments = render_arguments(arguments);
    if !arguments.is_empty() {
        line.push(&format!(" {arguments}"), theme::PLAIN);
    }
    line
}

/// Renders a task of another agent: who works on it, and what it is.
pub(super) fn render_task(name: &str, delegate: &str, arguments: &str) -> Line {
    let mut line = Line::styled(name, theme::NAME);
    line.push(&format!(" {delegate}"), theme::STRONG);
    let arguments: Option<Value> = serde_json::from_str(arguments).ok();
    let prompt = arguments
        .as_ref()
        .and_then(|arguments| arguments["prompt"].as_str());
    if let Some(prompt) = prompt {
        line.push(&format!(": {}", sanitize::one_line(prompt)), theme::PLAIN);
    }
    line
}

/// A result as people see it: without the enclosures, which are for the model.
pub(super) struct ShownResult<'r> {
    pub(super) content: &'r [ContentBlock],
    pub(super) is_error: bool,
    /// The exit of the command that the call ran.
    pub(super) exit: Option<&'r Exit>,
}

impl ShownResult<'_> {
    /// Reports whether the call and the command that it ran succeeded.
    pub(super) fn is_success(&self) -> bool {
        !self.is_error && self.exit.is_none_or(Exit::is_success)
    }

    /// Describes the exit of a command that failed, which follows the name of the tool.
    pub(super) fn failed_exit(&self) -> Option<String> {
        let failed = self.exit.filter(|exit| !exit.is_success());
        failed.map(Exit::to_string)
    }

    /// Returns the text of the result.
    pub(super) fn text(&self) -> String {
        let texts = self.content.iter().filter_map(ContentBlock::as_text);
        let texts: Vec<&str> = texts
            .map(|text| strip_enclosure(text).trim_end_matches('\n'))
            .collect();
        texts.join("\n")
    }
}

/// Renders arguments without JSON syntax: a single argument as its value, and several by name.
pub(super) fn render_arguments(arguments: &str) -> String {
    let parsed: Option<serde_json::Map<String, Value>> = serde_json::from_str(arguments).ok();
    let Some(arguments) = parsed else {
        return sanitize::first_line(arguments, MAX_ARGUMENTS_CHARS);
    };
    let text = match arguments.len() {
        1 => arguments
            .values()
            .next()
            .map(|only| render_value(only, MAX_ARGUMENTS_CHARS))
            .unwrap_or_default(),
        _ => {
            let pairs = arguments.iter();
            let pairs = pairs
                .map(|(name, own)| format!("{name}: {}", render_value(own, MAX_ARGUMENT_CHARS)));
            pairs.collect::<Vec<_>>().join(" · ")
        }
    };
    sanitize::first_line(&text, MAX_ARGUMENTS_CHARS)
}

fn render_value(value: &Value, most: usize) -> String {
    let Value::String(text) = value else {
        return sanitize::first_line(&value.to_string(), most);
    };
    let text = text.trim();
    let first = sanitize::first_line(text, most);
    match text.lines().count() {
        0 | 1 => first,
        _ => format!("{} …", first.trim_end_matches('…')),
    }
}

pub(super) fn render_retry(retry: &Retry) -> String {
    let Retry {
        attempt,
        wait_ms,
        error,
        fallback,
        ..
    } = retry;
    let error = sanitize::first_line(error.trim_end_matches('.'), MAX_ARGUMENTS_CHARS);
    let wait = match wait_ms {
        0 => "immediately".to_owned(),
        wait => format!("in {}", format_duration(Duration::from_millis(*wait))),
    };
    let whom = match fallback {
        Some(model) => format!("trying {model} {wait}"),
        None => format!("retrying {wait}"),
    };
    format!("! {error}: {whom} ({} attempt)", format_ordinal(*attempt))
}

fn format_ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

pub(super) fn render_end(reason: EndReason, error: Option<&str>) -> String {
    match (reason, error) {
        (EndReason::Finished, _) => "— finished".to_owned(),
        (EndReason::Interrupted, _) => "— interrupted".to_owned(),
        (EndReason::HandedOff, None) => "— handed off to another agent".to_owned(),
        (reason, Some(error)) => format!("— ended: {reason}: {error}"),
        (reason, None) => format!("— ended: {reason}"),
    }
}

/// Renders a duration: `0.4 s`, `12 s`, `1 min 05 s`.
pub(super) fn format_duration(time: Duration) -> String {
    let tenths = time.as_millis() / 100;
    let seconds = time.as_secs();
    match seconds {
        0..10 if tenths.is_multiple_of(10) => format!("{seconds} s"),
        0..10 => format!("{seconds}.{} s", tenths % 10),
        10..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
    }
}

/// Renders a number with a noun, in the plural where the number is not 1.
pub fn counted(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Renders a number with commas as thousands separators.
pub fn format_count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_readable() {
        assert_eq!(
            render_arguments(r#"{"command":"cargo test"}"#),
            "cargo test"
        );
        assert_eq!(
            render_arguments(r#"{"command":"for x in *\ndo\n"}"#),
            "for x in * …"
        );
        assert_eq!(
            render_arguments(r#"{"pattern":"fn main","path":"src","limit":3}"#),
            "pattern: fn main · path: src · limit: 3"
        );
        assert_eq!(render_arguments("{}"), "");
        assert_eq!(render_arguments("{\"half"), "{\"half");
    }

    #[test]
    fn a_retry_says_what_went_wrong_and_what_is_done() {
        let again = Retry::new(2, Duration::from_secs(2), "overloaded.");
        assert_eq!(
            render_retry(&again),
            "! overloaded: retrying in 2 s (2nd attempt)"
        );
        let other = Retry::new(13, Duration::ZERO, "no").with_fallback("openai/x");
        assert_eq!(
            render_retry(&other),
            "! no: trying openai/x immediately (13th attempt)"
        );
    }

    #[test]
    fn times_and_numbers_are_said_as_people_say_them() {
        let said = |ms| format_duration(Duration::from_millis(ms));
        assert_eq!(said(420), "0.4 s");
        assert_eq!(said(2_000), "2 s");
        assert_eq!(said(12_999), "12 s");
        assert_eq!(said(65_000), "1 min 05 s");
        assert_eq!(said(3_660_000), "1 h 01 min");
        assert_eq!(format_count(999), "999");
        assert_eq!(format_count(1_234_567), "1,234,567");
    }
}
