//! The results of successful calls.

mod merge;

use serde::Serialize;

use crate::sandbox::Exit;
use crate::support::text::{first_chars, truncate_start};
use crate::tool::ToolError;
use crate::transcript::{ContentBlock, Cost, Label};

/// The result of a successful call: content for the model, and data that belongs to the call but not to the model's
/// context.
///
/// Most tools do not use this type directly: a `String` becomes text, any `Serialize` type becomes JSON.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::ToolOutput;
///
/// let output = ToolOutput::json(&serde_json::json!({ "sum": 5 })).unwrap();
/// assert_eq!(output.text(), r#"{"sum":5}"#);
/// assert_eq!(output.structured_content(), Some(r#"{"sum":5}"#));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    body: OutputBody,
    /// Boxed, because few outputs have extras, and every output passes through several functions.
    extra: Option<Box<OutputExtras>>,
}

/// The optional data of an output besides its content.
#[derive(Debug, Clone, Default, PartialEq)]
struct OutputExtras {
    structured: Option<String>,
    artifacts: Vec<Artifact>,
    notes: Vec<String>,
    cost: Option<Cost>,
    label: Option<Label>,
    exit: Option<Exit>,
}

/// The parts of an output.
#[derive(Debug)]
pub struct OutputParts {
    pub blocks: Vec<ContentBlock>,
    /// The JSON of structured content in addition to the blocks.
    pub structured: Option<String>,
    /// Whether the first block is the structured content itself.
    pub is_structured: bool,
    /// Whether the last block contains the notes.
    pub has_notes: bool,
    pub artifacts: Vec<Artifact>,
    pub cost: Option<Cost>,
    /// The label of the text, in addition to what the tool declares.
    pub label: Option<Label>,
    /// The exit of the command whose output the text is.
    pub exit: Option<Exit>,
}

#[derive(Debug, Clone, PartialEq)]
enum OutputBody {
    Text(String),
    Json(String),
    Blocks(Vec<ContentBlock>),
}

impl OutputBody {
    fn into_blocks(self) -> Vec<ContentBlock> {
        match self {
            Self::Text(text) | Self::Json(text) => vec![ContentBlock::Text { text }],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl From<OutputBody> for ToolOutput {
    #[inline]
    fn from(body: OutputBody) -> Self {
        Self { body, extra: None }
    }
}

impl Default for OutputBody {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

/// An artifact of a call that is not part of the model's context: a file, an image, a report.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::tool::Artifact;
///
/// let report = Artifact::new("report", "text/csv", "out/report.csv");
/// assert_eq!(report.mime_type, "text/csv");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Artifact {
    /// A short name, shown to the user and to the model.
    pub name: String,
    /// The MIME type, for example `text/csv`.
    pub mime_type: String,
    /// The location: a path below a root, or a URI.
    pub uri: String,
}

impl Artifact {
    /// Creates a reference to an artifact.
    pub fn new(
        name: impl Into<String>,
        mime_type: impl Into<String>,
        uri: impl Into<String>,
    ) -> Self {
        Self {
            name: name.into(),
            mime_type: mime_type.into(),
            uri: uri.into(),
        }
    }
}

impl ToolOutput {
    /// Creates an output of plain text.
    pub fn plain(text: impl Into<String>) -> Self {
        OutputBody::Text(text.into()).into()
    }

    /// Creates an output from a value's JSON; an object is structured content, too.
    ///
    /// # Errors
    ///
    /// If the value cannot be serialised: it is a map with keys that are not strings, or its `Serialize`
    /// implementation fails.
    #[inline]
    pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Self, ToolError> {
        match serde_json::to_string(value) {
            Ok(text) => Ok(OutputBody::Json(text).into()),
            Err(error) => Err(not_json(&error)),
        }
    }

    /// Creates an output from content blocks.
    #[must_use]
    pub fn blocks(blocks: Vec<ContentBlock>) -> Self {
        OutputBody::Blocks(blocks).into()
    }

    /// Adds structured content in addition to blocks or text.
    ///
    /// # Errors
    ///
    /// If the value cannot be serialised.
    pub fn with_structured<T: Serialize + ?Sized>(mut self, value: &T) -> Result<Self, ToolError> {
        self.extra().structured = Self::json(value)?.structured_content().map(str::to_owned);
        Ok(self)
    }

    /// Adds an artifact.
    #[must_use]
    pub fn with_artifact(mut self, artifact: Artifact) -> Self {
        self.extra().artifacts.push(artifact);
        self
    }

    /// Sets the cost of the call.
    #[must_use]
    pub fn with_cost(mut self, cost: Cost) -> Self {
        self.extra().cost = Some(cost);
        self
    }

    /// Sets the label of the text, in addition to what the tool declares: the result has both.
    #[must_use]
    pub fn with_label(mut self, label: &Label) -> Self {
        self.extra().label.get_or_insert_default().join(label);
        self
    }

    /// Sets the exit of the command whose output the text is. Users see a command that failed as a failure, though the
    /// call succeeded: the model reads the output.
    #[must_use]
    pub fn with_exit(mut self, exit: Exit) -> Self {
        self.extra().exit = Some(exit);
        self
    }

    /// Adds a line for the model after the content: what was repaired or omitted.
    ///
    /// Notes are the words of the tool, and are not enclosed as [untrusted](crate::ToolSpec::untrusted_output) text: what
    /// others wrote belongs in the content.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.extra().notes.push(note.into());
        self
    }

    /// Returns all text of the output without the notes, with blocks joined by line breaks.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match &self.body {
            OutputBody::Text(text) | OutputBody::Json(text) => text.into(),
            OutputBody::Blocks(blocks) => join_texts(blocks).into(),
        }
    }

    /// Returns the last characters of the text, after a line that indicates the omission if there are more.
    #[must_use]
    pub fn tail(&self, most: usize) -> String {
        truncate_start(&self.text(), most).into_owned()
    }

    /// Returns the text, without copying it if the output is one text or one JSON value.
    #[must_use]
    #[inline]
    pub fn into_text(self) -> String {
        // Dropped first: the text would be copied once more to be out of the way.
        drop(self.extra);
        match self.body {
            OutputBody::Text(text) | OutputBody::Json(text) => text,
            OutputBody::Blocks(blocks) => join_texts(&blocks),
        }
    }

    /// Returns the JSON of the structured content, which is always an object, as MCP requires.
    #[must_use]
    pub fn structured_content(&self) -> Option<&str> {
        let extra = self.extra.as_ref();
        let own = extra.and_then(|extra| extra.structured.as_deref());
        match (own, &self.body) {
            (Some(json), _) => Some(json),
            (None, OutputBody::Json(json)) if json.starts_with('{') => Some(json),
            _ => None,
        }
    }

    /// Returns the content as blocks, with the notes as the last text block: the form for transcripts and MCP clients.
    #[must_use]
    pub fn content(&self) -> Vec<ContentBlock> {
        let mut blocks = self.body.clone().into_blocks();
        if !self.notes().is_empty() {
            blocks.push(ContentBlock::text(self.notes().join("\n")));
        }
        blocks
    }

    /// Returns the artifacts.
    #[must_use]
    pub fn artifacts(&self) -> &[Artifact] {
        self.extra.as_ref().map_or(&[], |extra| &extra.artifacts)
    }

    /// Returns the notes.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        self.extra.as_ref().map_or(&[], |extra| &extra.notes)
    }

    /// Returns the cost of the call, if the tool reported it.
    #[must_use]
    pub fn cost(&self) -> Option<Cost> {
        self.extra.as_ref()?.cost
    }

    /// Returns the exit of the command whose output the text is, if the tool reported it.
    #[must_use]
    pub fn exit(&self) -> Option<&Exit> {
        self.extra.as_ref()?.exit.as_ref()
    }

    /// Splits the output into its parts without copying; the notes are the last text block.
    #[doc(hidden)]
    pub fn into_parts(self) -> OutputParts {
        let extra = self.extra.map(|extra| *extra).unwrap_or_default();
        let is_structured = matches!(&self.body, OutputBody::Json(json) if json.starts_with('{'));
        let mut blocks = self.body.into_blocks();
        let has_notes = !extra.notes.is_empty();
        if has_notes {
            blocks.push(ContentBlock::text(extra.notes.join("\n")));
        }
        OutputParts {
            blocks,
            structured: extra.structured,
            is_structured,
            has_notes,
            artifacts: extra.artifacts,
            cost: extra.cost,
            label: extra.label,
            exit: extra.exit,
        }
    }

    /// Removes the cost: a result that is reused costs nothing.
    #[doc(hidden)]
    pub fn without_cost(mut self) -> Self {
        if let Some(extra) = &mut self.extra {
            extra.cost = None;
        }
        self
    }

    /// Returns the approximate size of the output, in bytes.
    #[doc(hidden)]
    pub fn estimated_bytes(&self) -> usize {
        let body = match &self.body {
            OutputBody::Text(text) | OutputBody::Json(text) => text.len(),
            OutputBody::Blocks(blocks) => blocks.iter().map(ContentBlock::estimated_bytes).sum(),
        };
        let Some(extra) = &self.extra else {
            return body;
        };
        let structured = extra.structured.as_ref().map_or(0, String::len);
        let notes: usize = extra.notes.iter().map(String::len).sum();
        let artifacts = extra.artifacts.iter();
        let artifacts: usize = artifacts.map(|left| left.uri.len() + left.name.len()).sum();
        body + structured + notes + artifacts
    }

    fn extra(&mut self) -> &mut OutputExtras {
        self.extra.get_or_insert_default()
    }

    /// Truncates the text to `limit` characters and adds a note with the full size.
    ///
    /// Everything else is kept: structured content, which is not part of the model's context, artifacts and the cost.
    #[must_use]
    #[inline]
    pub fn truncated(mut self, limit: usize) -> Self {
        self.truncate(limit);
        self
    }

    /// Truncates the text in place, as [`truncated`](Self::capped) describes.
    #[inline]
    pub(crate) fn truncate(&mut self, limit: usize) {
        if self.text_len_upper_bound() > limit {
            self.truncate_text(limit);
        }
    }

    #[cold]
    fn truncate_text(&mut self, limit: usize) {
        let total = self.text().chars().count();
        if total <= limit {
            return;
        }
        self.body = match std::mem::take(&mut self.body) {
            OutputBody::Text(text) => OutputBody::Text(first_chars(&text, limit).to_owned()),
            OutputBody::Json(json) => {
                let shown = first_chars(&json, limit).to_owned();
                // A truncated object is not valid JSON, so the complete object is moved to the structured content.
                if json.starts_with('{') {
                    self.extra().structured.get_or_insert(json);
                }
                OutputBody::Text(shown)
            }
            OutputBody::Blocks(blocks) => OutputBody::Blocks(cut_blocks(blocks, limit)),
        };
        let note = format!("[cut: the first {limit} of {total} characters are shown]");
        self.extra().notes.push(note);
    }

    /// The number of bytes is an upper bound of the number of characters, and is known without a scan.
    #[inline]
    fn text_len_upper_bound(&self) -> usize {
        match &self.body {
            OutputBody::Text(text) | OutputBody::Json(text) => text.len(),
            OutputBody::Blocks(blocks) => blocks
                .iter()
                .filter_map(ContentBlock::as_text)
                .map(|text| text.len() + 1)
                .sum(),
        }
    }
}

#[cold]
fn join_texts(blocks: &[ContentBlock]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
    texts.join("\n")
}

pub(super) fn not_json(error: &serde_json::Error) -> ToolError {
    ToolError::failed(format!(
        "the tool's result is not expressible as JSON: {error}"
    ))
}

/// Truncates the blocks to `limit` characters in total, in their order; blocks without text do not count.
fn cut_blocks(blocks: Vec<ContentBlock>, limit: usize) -> Vec<ContentBlock> {
    let mut left = limit;
    let mut kept = Vec::with_capacity(blocks.len());
    for block in blocks {
        match block.as_text() {
            None => kept.push(block),
            Some(_) if left == 0 => {}
            Some(text) => {
                let shown = first_chars(text, left);
                left -= shown.chars().count();
                kept.push(if shown.len() == text.len() {
                    block
                } else {
                    ContentBlock::text(shown)
                });
            }
        }
    }
    kept
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::plain(text)
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::plain(text)
    }
}
