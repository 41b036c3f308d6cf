//! Exports a session as one document.

mod markdown;

use serde::Serialize;
use serde_json::Value;

use super::{Entry, History, SessionError, Sessions};
use crate::journal::{Line, Timestamp};
use helve_core::transcript::{Message, SessionId};
use markdown::MarkdownWriter;

/// The format of an exported session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExportFormat {
    /// The conversation for human readers: messages, calls, questions, answers and results.
    Markdown,
    /// The messages of the conversation and all entries, for programs.
    Json,
}

#[derive(Serialize)]
struct ExportDocument {
    format: &'static str,
    version: u32,
    session: SessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    created: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated: Option<Timestamp>,
    messages: Vec<Message>,
    entries: Vec<Line<Entry>>,
}

impl Sessions {
    /// Exports a session as one document, even while another process writes to the session.
    ///
    /// # Errors
    /// The session does not exist, or its journal is damaged.
    pub async fn export(
        &self,
        session: &SessionId,
        form: ExportFormat,
    ) -> Result<String, SessionError> {
        match form {
            ExportFormat::Markdown => {
                let mut writer = MarkdownWriter::new(session);
                self.visit(session, u64::MAX, |line| writer.add(line))
                    .await?;
                Ok(writer.finish())
            }
            ExportFormat::Json => {
                let (mut history, mut entries) = (History::new(), Vec::new());
                let keep = |line: &Line<Entry>| {
                    history.apply(line);
                    entries.push(line.clone());
                };
                self.visit(session, u64::MAX, keep).await?;
                Ok(render_json(session, history, entries))
            }
        }
    }
}

fn render_json(session: &SessionId, history: History, entries: Vec<Line<Entry>>) -> String {
    let document = ExportDocument {
        format: "helve.session.export",
        version: 1,
        session: session.clone(),
        created: history.session_state.created,
        updated: history.session_state.updated,
        messages: history.messages,
        entries,
    };
    // The data was read from JSON, so it can be represented as JSON.
    let document = serde_json::to_value(&document).unwrap_or(Value::Null);
    format!("{document:#}\n")
}
