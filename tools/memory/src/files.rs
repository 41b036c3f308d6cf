//! `memory`: files of the memory, in the commands that models know.

use helve::Check;
use helve::memory::{
    MemoryContext as _, MemoryError, MemoryPath, MemoryReceipt, SessionMemory, StoredEntry,
};
use helve::prelude::*;
use helve::transcript::Label;

use crate::arguments::{MemoryCommand, check_write};
use crate::{lines, listing};

/// Stores and retrieves what is worth remembering across conversations, in text files below `/memories`.
///
/// `/memories/user` is about the user in all projects, `/memories/project` about this project, `/memories/agent` yours alone,
/// `/memories/session` of this conversation. View `/memories` before a task to see what is known, note progress and decisions
/// while you work, and keep the files organised: correct and delete what is out of date. What you write after reading the web
/// or other untrusted text waits until the user has reviewed it.
#[tool(
    title = "Read and write memory",
    requires(memory),
    concurrency = "exclusive",
    check = check,
    examples = [
        r#"{"command": "view", "path": "/memories"}"#,
        r#"{"command": "create", "path": "/memories/project/decisions.md", "file_text": "Decisions\n\n- SQLite, not Postgres."}"#,
        r#"{"command": "str_replace", "path": "/memories/project/decisions.md", "old_str": "SQLite", "new_str": "DuckDB"}"#
    ]
)]
#[expect(
    clippy::too_many_arguments,
    reason = "they are the arguments of the model"
)]
pub async fn memory(
    /// What to do.
    command: MemoryCommand,
    /// The path of the file or folder, for all commands but `rename`.
    #[arg(max_len = 600)]
    path: Option<&str>,
    /// For `view` of a file: the first and the last line to show; -1 is the end.
    #[arg(min_len = 2, max_len = 2)]
    view_range: Option<Vec<i64>>,
    /// For `create`: the text of the file.
    #[arg(max_len = 65_536)]
    file_text: Option<&str>,
    /// For `str_replace`: the text to replace, which occurs once in the file.
    #[arg(max_len = 65_536)]
    old_str: Option<&str>,
    /// For `str_replace`: the new text; without it, the old one is removed.
    #[arg(max_len = 65_536)]
    new_str: Option<&str>,
    /// For `insert`: the line after which the text goes, 0 for the beginning.
    insert_line: Option<i64>,
    /// For `insert`: the text.
    #[arg(max_len = 65_536)]
    insert_text: Option<&str>,
    /// For `rename`: the path that exists.
    #[arg(max_len = 600)]
    old_path: Option<&str>,
    /// For `rename`: the new path.
    #[arg(max_len = 600)]
    new_path: Option<&str>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let request = FileRequest {
        memory: cx.memory()?,
        path,
        range: view_range.and_then(|range| Some((*range.first()?, *range.get(1)?))),
        file_text,
        old_str,
        new_str,
        insert_line,
        insert_text,
        old_path,
        new_path,
    };
    request.run(command).await
}

/// The arguments of a call.
struct FileRequest<'a> {
    memory: SessionMemory,
    path: Option<&'a str>,
    range: Option<(i64, i64)>,
    file_text: Option<&'a str>,
    old_str: Option<&'a str>,
    new_str: Option<&'a str>,
    insert_line: Option<i64>,
    insert_text: Option<&'a str>,
    old_path: Option<&'a str>,
    new_path: Option<&'a str>,
}

impl FileRequest<'_> {
    async fn run(self, command: MemoryCommand) -> Result<ToolOutput, ToolError> {
        let memory = &self.memory;
        if command == MemoryCommand::Rename {
            let old = parse(memory, needed(self.old_path, "old_path")?)?;
            let new = parse(memory, needed(self.new_path, "new_path")?)?;
            let receipt = memory.rename(&old, &new).await?;
            return Ok(done(&receipt, &format!("{old} was renamed to {new}.")));
        }
        let path = needed(self.path, "path")?;
        match command {
            MemoryCommand::Create => {
                let path = parse_file(memory, path)?;
                let text = needed(self.file_text, "file_text")?;
                let receipt = memory.write(&path, text, None).await?;
                Ok(done(&receipt, &format!("The file {path} was created.")))
            }
            MemoryCommand::StrReplace => {
                let old = needed(self.old_str, "old_str")?;
                let new = self.new_str.unwrap_or_default();
                edit(memory, path, |text, shown| {
                    lines::replace(text, shown, old, new)
                })
                .await
            }
            MemoryCommand::Insert => {
                let line = needed(self.insert_line, "insert_line")?;
                let new = needed(self.insert_text, "insert_text")?;
                edit(memory, path, |text, _| lines::insert(text, line, new)).await
            }
            MemoryCommand::Delete => {
                let path = parse(memory, path)?;
                let receipt = memory.delete(&path).await?;
                Ok(done(&receipt, &format!("{path} was deleted.")))
            }
            _ => view(memory, path, self.range).await,
        }
    }
}

/// Decides on a call by its command and its paths.
#[expect(
    clippy::too_many_arguments,
    reason = "they are the arguments of the model"
)]
fn check(
    _: &ToolContext,
    command: &MemoryCommand,
    path: Option<&str>,
    _: &Option<Vec<i64>>,
    _: Option<&str>,
    _: Option<&str>,
    _: Option<&str>,
    _: &Option<i64>,
    _: Option<&str>,
    old_path: Option<&str>,
    new_path: Option<&str>,
) -> Check {
    match command {
        MemoryCommand::View => Check::ReadOnly,
        _ => check_write([path, old_path, new_path].into_iter().flatten()),
    }
}

fn needed<T>(value: Option<T>, name: &str) -> Result<T, ToolError> {
    value.ok_or_else(|| ToolError::failed(format!("this command needs `{name}`")))
}

/// Parses a path; the folder of all memories is none of them.
fn parse(memory: &SessionMemory, text: &str) -> Result<MemoryPath, ToolError> {
    match is_root(text) {
        true => Err(ToolError::failed(format!(
            "{} itself cannot be changed",
            MemoryPath::ROOT
        ))),
        false => Ok(memory.parse(text)?),
    }
}

fn parse_file(memory: &SessionMemory, text: &str) -> Result<MemoryPath, ToolError> {
    let path = parse(memory, text)?;
    match path.is_scope() {
        true => Err(ToolError::failed(format!("{path} is a folder"))),
        false => Ok(path.as_file()),
    }
}

fn is_root(text: &str) -> bool {
    text.trim_matches('/').is_empty() || text.trim_end_matches('/') == MemoryPath::ROOT
}

async fn view(
    memory: &SessionMemory,
    text: &str,
    range: Option<(i64, i64)>,
) -> Result<ToolOutput, ToolError> {
    if is_root(text) {
        let entries = memory.list(None).await?;
        return Ok(listed(
            &entries,
            listing::render(memory, &entries, None).unwrap_or_default(),
        ));
    }
    let path = memory.parse(text)?;
    if !path.is_scope() {
        match memory.get(&path).await {
            Ok(StoredEntry { path, entry, .. }) => {
                memory.note_use(std::slice::from_ref(&path)).await;
                let shown = lines::number(&entry.text, range)?;
                let text = format!("The content of {path} with line numbers:\n{shown}");
                return Ok(ToolOutput::plain(text).with_label(&entry.label(&path)));
            }
            Err(MemoryError::NotFound { .. } | MemoryError::IsFolder { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let entries = memory.list(Some(path.scope())).await?;
    match listing::render(memory, &entries, Some(&path)) {
        Some(text) => Ok(listed(&entries, text)),
        None => Err(MemoryError::NotFound { path }.into()),
    }
}

/// Returns a list, with the label of the entries whose names it shows.
fn listed(entries: &[StoredEntry], text: String) -> ToolOutput {
    let labels = entries
        .iter()
        .map(|stored| stored.entry.label(&stored.path));
    let label = labels.fold(Label::user(), |label, other| label.joined(&other));
    ToolOutput::plain(text).with_label(&label)
}

async fn edit(
    memory: &SessionMemory,
    text: &str,
    edit: impl FnOnce(&str, &str) -> Result<(String, String), ToolError>,
) -> Result<ToolOutput, ToolError> {
    let path = parse_file(memory, text)?;
    let stored = memory.get(&path).await?;
    let before = &stored.entry.text;
    let (edited, shown) = edit(before, &path.to_string())?;
    let receipt = memory.write(&path, &edited, Some(before)).await?;
    let output = done(&receipt, &format!("The file {path} was edited:\n{shown}"));
    Ok(output.with_label(&stored.entry.label(&path)))
}

/// Tells what became of a change.
pub(crate) fn done(receipt: &MemoryReceipt, text: &str) -> ToolOutput {
    ToolOutput::plain(match receipt {
        MemoryReceipt::Pending(id) => format!(
            "The change waits for a review by the user, as `{id}`, because of its words, of what you have read in this conversation, \
             or of a project that the user has not accepted (`memory trust`). It is not visible until the user has accepted it; \
             you need not try again."
        ),
        _ => text.to_owned(),
    })
}
