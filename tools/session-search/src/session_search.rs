//! `session_search`: finds messages of past sessions.

use std::time::Duration;

use helve::prelude::*;
use helve::session_search::{IndexUpdate, MessageRole, SessionHit, SessionQuery, SessionSearch};
use helve::transcript::{Label, SessionId};

use crate::text::{excerpt_line, failed, heading, parse_time};

/// The longest time that a search waits for the index of new sessions.
const MAX_UPDATE: Duration = Duration::from_secs(20);

/// Which sessions are searched.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum SearchedFolders {
    /// Those of the current folder.
    #[default]
    Here,
    /// Those of all folders.
    All,
}

/// Whose messages are searched.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum SearchedRole {
    /// Those of the user.
    User,
    /// The replies of the model.
    Assistant,
    /// Calls of tools and their results.
    Tool,
}

/// Searches the messages of past sessions with this user, and returns the best matches with the messages around them.
///
/// Use it when the user refers to an earlier conversation, or when something was probably discussed or done before. Words
/// are matched by their stems, and a phrase in quotation marks as it stands. Read on with `session_read`. What past
/// sessions say was true at their time: check what may have changed since.
#[tool(
    read_only,
    title = "Search past sessions",
    max_result_chars = 20_000,
    examples = [
        r#"{"query": "which branch do we deploy from"}"#,
        r#"{"query": "\"connection reset\" proxy", "folders": "all", "since": "2026-10-01"}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "the model sees each of them")]
pub async fn session_search(
    /// What to look for: words, and phrases in quotation marks.
    #[arg(min_len = 1, max_len = 500, example = "which branch do we deploy from")]
    query: &str,
    /// Which sessions to search.
    #[arg(default)]
    folders: SearchedFolders,
    /// Only this session.
    session: Option<&str>,
    /// Only these messages; by default those of the user and the model.
    role: Option<SearchedRole>,
    /// Only messages since this day or time, such as `2026-10-01` or `2026-10-01T08:00:00Z`.
    since: Option<&str>,
    /// Only messages before this day or time.
    before: Option<&str>,
    /// How many messages to return.
    #[arg(default = 8, min = 1, max = 50)]
    limit: usize,
    search: &SessionSearch,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let mut wanted = SessionQuery::new(query, limit).principal(cx.principal().clone());
    match (session, folders) {
        (Some(session), _) => wanted = wanted.session(SessionId::from(session)),
        (None, SearchedFolders::All) => {}
        (None, SearchedFolders::Here) => {
            if let Some(folder) = cx.working_folder() {
                wanted = wanted.folder(folder.display().to_string());
            }
        }
    }
    if session.is_none() {
        wanted = wanted.excluded(cx.session_id().clone());
    }
    if let Some(role) = role {
        wanted = wanted.roles([role.into()]);
    }
    wanted.since = since.map(parse_time).transpose()?;
    wanted.before = before.map(parse_time).transpose()?;
    let update = search.update_within(MAX_UPDATE).await;
    let update = update.map_err(|error| failed(&error))?;
    let hits = search
        .search(&wanted)
        .await
        .map_err(|error| failed(&error))?;
    let is_here = session.is_none() && folders == SearchedFolders::Here;
    Ok(report(query, &hits, update, is_here))
}

impl From<SearchedRole> for MessageRole {
    fn from(role: SearchedRole) -> Self {
        match role {
            SearchedRole::User => Self::User,
            SearchedRole::Assistant => Self::Assistant,
            SearchedRole::Tool => Self::Tool,
        }
    }
}

fn report(query: &str, hits: &[SessionHit], update: IndexUpdate, is_here: bool) -> ToolOutput {
    // Whatever a session says is private to its user.
    let mut label = Label::workspace();
    let mut text = match hits.len() {
        0 if is_here => {
            format!(
                "No message of the sessions of this folder matches `{query}`; try other words, or `folders`: `all`."
            )
        }
        0 => format!("No message matches `{query}`; try other words."),
        1 => format!("1 message matches `{query}`:"),
        count => format!("{count} messages match `{query}`, the best first:"),
    };
    if !update.is_complete {
        text.push_str("\nNot all sessions are indexed yet; the same search finds more in a while.");
    }
    for (number, hit) in (1_u32..).zip(hits) {
        label.join(&hit.label);
        text.push_str(&format!("\n\n{number}. {}", heading(hit)));
        if let Some(previous) = &hit.previous {
            text.push_str(&format!("\n   {}", excerpt_line(previous)));
        }
        text.push_str(&format!("\n > [{}] {}", hit.role.name(), hit.snippet.text));
        if let Some(next) = &hit.next {
            text.push_str(&format!("\n   {}", excerpt_line(next)));
        }
    }
    ToolOutput::plain(text).with_label(&label)
}
