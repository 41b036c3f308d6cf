//! Compiles the pattern of a search like ripgrep.

use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use helve::ToolError;

/// The greatest memory of a compiled pattern, and of its cache, in bytes.
const MAX_PATTERN_BYTES: usize = 16 << 20;

/// Compiles a pattern with the settings of `rg`.
pub(super) fn compile(pattern: &str, case_insensitive: bool) -> Result<RegexMatcher, ToolError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .multi_line(true)
        .unicode(true)
        .octal(false)
        .case_insensitive(case_insensitive)
        .line_terminator(Some(b'\n'))
        .ban_byte(Some(0))
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES);
    builder
        .build(pattern)
        .map_err(|error| ToolError::failed(format!("`pattern` {}", explain(pattern, &error))))
}

fn explain(pattern: &str, error: &Error) -> String {
    match error.kind() {
        ErrorKind::Regex(text) => {
            // ripgrep wraps the pattern before it parses it, which shifts the reported positions.
            if let Err(error) = regex_syntax::Parser::new().parse(pattern) {
                return mistake(pattern, &error);
            }
            if text.contains("size limit") {
                return "is too large once it is compiled; use smaller repetitions".to_owned();
            }
            format!("cannot be used: {text}")
        }
        ErrorKind::NotAllowed(_) => {
            "contains a line break, but each line is searched by itself; search for one of the lines and use `context`"
                .to_owned()
        }
        ErrorKind::Banned(_) => {
            "contains a NUL character, which only binary files have, and those are not searched"
                .to_owned()
        }
        _ => format!("cannot be used: {error}"),
    }
}

/// Renders the position of the error in the pattern.
fn mistake(pattern: &str, error: &regex_syntax::Error) -> String {
    let (span, what) = match error {
        regex_syntax::Error::Parse(error) => (error.span(), error.kind().to_string()),
        regex_syntax::Error::Translate(error) => (error.span(), error.kind().to_string()),
        error => return format!("is not a regular expression: {error}"),
    };
    let character = pattern[..span.start.offset].chars().count() + 1;
    let place = match &pattern[span.start.offset..span.end.offset] {
        "" => "at its end".to_owned(),
        text => format!("at character {character}, `{text}`"),
    };
    format!(
        "is not a regular expression: {what}, {place}; put `\\` before a character that is meant literally"
    )
}
