//! One line of a stream of events as NDJSON.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::AgentEvent;
use helve_core::transcript::SessionId;

/// The version of the format. It is raised when a line that was valid changes its meaning or becomes invalid.
///
/// New kinds of events and new fields do not change the version: a reader ignores unknown ones.
pub const NDJSON_VERSION: u32 = 1;

/// The first line: which format follows, and who writes it.
///
/// ```
/// use helve::agent::EventHeader;
///
/// let header = EventHeader::new("assistant", "0.1.0").session("s1");
/// assert_eq!(
///     serde_json::to_string(&header)?,
///     r#"{"type":"header","version":1,"app":"assistant","app_version":"0.1.0","session":"s1"}"#
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct EventHeader {
    #[serde(rename = "type")]
    tag: HeaderTag,
    /// The version of the format: 1.
    pub version: u32,
    /// The program that writes.
    pub app: String,
    /// Its version.
    pub app_version: String,
    /// The session that the events belong to, if it is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum HeaderTag {
    Header,
}

impl EventHeader {
    /// Creates the header for the events of a program.
    pub fn new(app: impl Into<String>, app_version: impl Into<String>) -> Self {
        Self {
            tag: HeaderTag::Header,
            version: NDJSON_VERSION,
            app: app.into(),
            app_version: app_version.into(),
            session: None,
        }
    }

    /// Sets the session that the events belong to.
    #[must_use]
    pub fn session(mut self, session: impl Into<SessionId>) -> Self {
        self.session = Some(session.into());
        self
    }
}

/// One line of a stream of events as NDJSON: first a header, then an event a line.
///
/// A reader passes over events of a type that it does not know, and over fields that it does not know.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[non_exhaustive]
pub enum EventLine {
    /// The first line.
    Header(EventHeader),
    /// Every other line.
    Event(AgentEvent),
}

/// A line is not part of a stream of events, or is of a kind that this version does not support.
#[derive(Debug, thiserror::Error)]
#[error("invalid event line: {source}")]
#[non_exhaustive]
pub struct InvalidEventLine {
    /// The error of the parser.
    #[from]
    pub source: serde_json::Error,
}

impl EventLine {
    /// Parses a line.
    ///
    /// # Errors
    /// The line is not JSON, or not an event that this version supports.
    pub fn parse(line: &str) -> Result<Self, InvalidEventLine> {
        #[derive(Deserialize)]
        struct Tag {
            r#type: String,
        }
        let tag: Tag = serde_json::from_str(line)?;
        Ok(match tag.r#type.as_str() {
            "header" => Self::Header(serde_json::from_str(line)?),
            _ => Self::Event(serde_json::from_str(line)?),
        })
    }

    /// Returns the JSON Schema of a line, in the 2020-12 dialect.
    #[must_use]
    pub fn schema() -> Value {
        let settings = SchemaSettings::draft2020_12();
        let settings = settings.with_transform(RecursiveTransform(describe_plainly));
        let generator = settings.into_generator();
        generator.into_root_schema_for::<Self>().to_value()
    }
}

/// Removes the parts of a description that only concern the documentation of a library: examples and links.
fn describe_plainly(schema: &mut Schema) {
    if let Some(Value::String(description)) = schema.get_mut("description") {
        let words = description.split("```").next().unwrap_or_default();
        *description = without_links(words.trim());
    }
}

/// Replaces `[text](target)` and `[text]` by the text.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, link)) = rest.split_once('[') {
        plain.push_str(before);
        let Some((shown, after)) = link.split_once(']') else {
            rest = link;
            continue;
        };
        plain.push_str(shown);
        let target = after.strip_prefix('(');
        let target = target.and_then(|target| target.split_once(')'));
        rest = target.map_or(after, |(_, after)| after);
    }
    plain + rest
}
