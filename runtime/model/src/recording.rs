//! Recordings: the replies of a model in one text file.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::ModelEvent;
use super::playback::RecordedReply;

/// The version of the format that this crate reads and writes.
pub const RECORDING_VERSION: u32 = 1;

/// The replies of a model, in order. `to_string` returns the content of the file.
///
/// # Format
///
/// A recording is UTF-8 in the JSON Lines format. The first line is the header, `{"helve_recording":1}`, whose number
/// is the version of the format. The header may also contain a `prompt`: the first message of the user; and `files`: the
/// paths that the conversation is about, without which its calls fail. Every further line is one reply: its [`events`](ModelEvent) in order, and the `error` with which it ended, if any. Empty lines
/// are ignored, so that replies can be separated.
///
/// ```
/// use helve::model::Recording;
///
/// let recording = Recording::parse(r#"{"helve_recording":1}
/// {"events":[{"type":"tool_call_start","id":"c1","name":"get_weather"},{"type":"tool_call_delta","id":"c1","arguments":"{\"city\":\"Paris\"}"},{"type":"stop","reason":"tool_use"}]}
/// {"events":[{"type":"text_delta","text":"It rains "},{"type":"text_delta","text":"in Paris."},{"type":"usage","input_tokens":40,"output_tokens":6},{"type":"stop","reason":"end_turn"}]}
/// {"events":[],"error":"overloaded"}
/// "#)?;
/// assert_eq!(recording.len(), 3);
/// assert_eq!(Recording::parse(&recording.to_string())?, recording);
///
/// let error = Recording::parse("{\"helve_recording\":1}\n{\"events\":[{\"type\":\"text\"}]}").unwrap_err();
/// assert!(error.to_string().starts_with("line 2: unknown variant `text`"), "{error}");
/// # Ok::<(), helve::model::RecordingError>(())
/// ```
///
/// # Example
///
/// ```
/// use helve::model::{ModelEvent, Recording, StopReason};
///
/// let mut recording = Recording::default();
/// recording.push([
///     ModelEvent::TextDelta { text: "Hello.".into() },
///     ModelEvent::Stop { reason: StopReason::EndTurn },
/// ]);
/// recording.push_failed([], "overloaded");
/// assert_eq!(recording.to_string(), r#"{"helve_recording":1}
/// {"events":[{"type":"text_delta","text":"Hello."},{"type":"stop","reason":"end_turn"}]}
/// {"events":[],"error":"overloaded"}
/// "#);
/// assert_eq!(Recording::parse(&recording.to_string())?, recording);
/// # Ok::<(), helve::model::RecordingError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recording {
    pub(super) prompt: Option<String>,
    pub(super) files: Vec<String>,
    pub(super) replies: Vec<RecordedReply>,
}

/// The error of a recording that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file could not be read.
    #[error("the recording {path} could not be read: {source}")]
    File {
        /// The path, as given.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file could not be created or written.
    #[error("the recording {path} could not be written: {source}")]
    Write {
        /// The path, as given.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The file for a new recording is not empty.
    #[error("{path} already exists: choose another path for the recording, or delete the file")]
    Exists {
        /// The path, as given.
        path: String,
    },
    /// A line does not match the format.
    #[error("line {line}: {what}")]
    Line {
        /// The number of the line, counted from 1.
        line: usize,
        /// The problem.
        what: String,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    helve_recording: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
}

impl Recording {
    /// Parses a recording.
    ///
    /// # Errors
    /// [`RecordingError::Line`], with the first invalid line.
    pub fn parse(text: &str) -> Result<Self, RecordingError> {
        let mut lines = (1..).zip(text.lines());
        let header = read_header(lines.next().map_or("", |(_, line)| line))?;
        let mut replies = Vec::new();
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            replies.push(serde_json::from_str(text).map_err(|error| line_error(line, &error))?);
        }
        Ok(Self {
            prompt: header.prompt,
            files: header.files,
            replies,
        })
    }

    /// Returns the first message of the user, if the header contains it.
    #[must_use]
    pub fn prompt(&self) -> Option<&str> {
        self.prompt.as_deref()
    }

    /// Returns the paths that the conversation is about, if the header contains them.
    #[must_use]
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Adds a reply.
    pub fn push(&mut self, events: impl IntoIterator<Item = ModelEvent>) {
        self.replies.push(RecordedReply::new(events, None));
    }

    /// Adds a reply that ended with an error.
    pub fn push_failed(
        &mut self,
        events: impl IntoIterator<Item = ModelEvent>,
        error: impl Into<String>,
    ) {
        let error = Some(error.into());
        self.replies.push(RecordedReply::new(events, error));
    }

    /// Returns the number of replies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.replies.len()
    }

    /// Returns whether there are no replies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.replies.is_empty()
    }
}

fn read_header(text: &str) -> Result<Header, RecordingError> {
    let header: Header = serde_json::from_str(text).map_err(|error| RecordingError::Line {
        line: 1,
        what: format!("expected the header {{\"helve_recording\":{RECORDING_VERSION}}}: {error}"),
    })?;
    if header.helve_recording != RECORDING_VERSION {
        let version = header.helve_recording;
        let what = format!("version {version} of the format; this helve reads {RECORDING_VERSION}");
        return Err(RecordingError::Line { line: 1, what });
    }
    Ok(header)
}

/// Creates the error of a line. The column is included, because the parser's line number refers to the parsed text.
fn line_error(line: usize, error: &serde_json::Error) -> RecordingError {
    let text = error.to_string();
    let what = text.split(" at line 1 column").next().unwrap_or(&text);
    let what = match error.column() {
        0 => what.to_owned(),
        column => format!("{what} (column {column})"),
    };
    RecordingError::Line { line, what }
}

impl fmt::Display for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = Header {
            helve_recording: RECORDING_VERSION,
            prompt: self.prompt.clone(),
            files: self.files.clone(),
        };
        let header = serde_json::to_string(&header).map_err(|_| fmt::Error)?;
        writeln!(f, "{header}")?;
        self.replies.iter().try_for_each(|reply| {
            let line = serde_json::to_string(reply).map_err(|_| fmt::Error)?;
            writeln!(f, "{line}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| Recording::parse(text).unwrap_err().to_string();
        assert!(message("").starts_with("line 1: expected the header {\"helve_recording\":1}"));
        assert!(message("{\"events\":[]}").starts_with("line 1: expected the header"));
        assert!(message("{\"helve_recording\":2}").contains("line 1: version 2 of the format"));
        let late = message("{\"helve_recording\":1}\n\n{\"events\":[]}\n{\"events\":[}");
        assert!(
            late.starts_with("line 4: ") && late.contains("(column 12)"),
            "{late}"
        );
        let key = message("{\"helve_recording\":1}\n{\"events\":[],\"sleep\":1}");
        assert!(key.starts_with("line 2: unknown field `sleep`"), "{key}");
    }
}
