//! The pattern of a search, as ripgrep understands it.

use grep_regex::{Error, ErrorKind, RegexMatcher, RegexMatcherBuilder};
use helve::ToolError;

/// The most memory of a compiled pattern, and of its cache.
const MEMORY: usize = 16 << 20;

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
        .size_limit(MEMORY)
        .dfa_size_limit(MEMORY);
    builder.build(pattern).map_err(|error| explain(&error))
}

fn explain(error: &Error) -> ToolError {
    ToolError::failed(match error.kind() {
        // It shows the pattern with a mark under the place.
        ErrorKind::Regex(text) => format!(
            "`pattern` is not a regular expression that can be used; a `\\` makes the next character literal, as in `\\(`\n\
             {text}"
        ),
        ErrorKind::NotAllowed(_) => {
            "`pattern` contains a line break, but each line is searched by itself; search for one of the lines and use \
             `context`"
                .to_owned()
        }
        ErrorKind::Banned(_) => {
            "`pattern` contains a NUL character, which only binary files have, and those are not searched".to_owned()
        }
        _ => format!("`pattern` cannot be used: {error}"),
    })
}
