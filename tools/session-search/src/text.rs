//! Text that both tools write and read.

use std::error::Error;

use helve::prelude::*;
use helve::session_search::{self, Excerpt, SessionHit};
use helve::transcript::Timestamp;

/// Describes where a message is.
pub(crate) fn heading(hit: &SessionHit) -> String {
    let folder = hit
        .folder
        .as_ref()
        .map_or_else(String::new, |folder| format!(", in {folder}"));
    format!(
        "{}, session {}, turn {}: {:?}{folder}",
        minute(hit.at),
        hit.session,
        hit.turn,
        hit.title
    )
}

pub(crate) fn excerpt_line(excerpt: &Excerpt) -> String {
    format!("[{}] {}", excerpt.role.name(), excerpt.text)
}

/// Renders a time to the minute.
pub(crate) fn minute(at: Timestamp) -> String {
    let text = at.to_string();
    format!("{} {}", &text[..10], &text[11..16])
}

/// Parses a day or a point in time, in the zone UTC.
pub(crate) fn parse_time(text: &str) -> Result<Timestamp, ToolError> {
    session_search::parse_time(text).ok_or_else(|| {
        ToolError::failed(format!(
            "`{}` is not a time; write a day such as `2026-10-01`, or a time such as `2026-10-01T08:00:00Z`",
            text.escape_debug()
        ))
    })
}

pub(crate) fn failed(error: &dyn Error) -> ToolError {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    ToolError::failed(text)
}
