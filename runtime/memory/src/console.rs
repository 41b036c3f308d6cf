//! What a person sees of the memory and does with it, as text for a terminal.

use helve_core::tool::Principal;
use helve_storage::timestamp::Timestamp;
use helve_untrusted::{columns, visible};

use crate::entry::MemoryEntry;
use crate::error::MemoryError;
use crate::files::FileMemory;
use crate::front_matter;
use crate::memory::Memory;
use crate::path::{MemoryPath, MemoryScope};
use crate::recall::describe_age;
use crate::session_memory::SessionMemory;
use crate::store::{MemoryAction, PendingChange, StoredEntry};

/// The greatest length of a title in a table, in characters.
const MAX_TITLE_CHARS: usize = 80;

/// The memory as a person uses it: what a command line, or a chat, shows of it and changes.
///
/// Every text is safe for a terminal.
#[derive(Debug, Clone)]
pub struct MemoryConsole {
    memory: Memory,
    files: FileMemory,
    person: SessionMemory,
}

impl MemoryConsole {
    /// Creates the console of a principal, who also sees the memory of an agent.
    #[must_use]
    pub fn new(memory: &Memory, files: &FileMemory, principal: &Principal, agent: &str) -> Self {
        Self {
            memory: memory.clone(),
            files: files.clone(),
            person: memory.for_principal(principal, Some(agent)),
        }
    }

    /// Returns the entries of a scope, or of all.
    ///
    /// # Errors
    /// Fails if there is no memory of the scope, or files cannot be read.
    pub async fn entries(
        &self,
        scope: Option<MemoryScope>,
    ) -> Result<Vec<StoredEntry>, MemoryError> {
        self.person.list(scope).await
    }

    /// Returns the archived entries of a scope, or of all.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn archived(
        &self,
        scope: Option<MemoryScope>,
    ) -> Result<Vec<StoredEntry>, MemoryError> {
        let mut entries = Vec::new();
        for key in self.person.keys() {
            if scope.is_none_or(|scope| scope == key.scope()) {
                entries.extend(self.files.archived(key).await?);
            }
        }
        Ok(entries)
    }

    /// Returns the changes that wait for a review.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn pending(&self) -> Result<Vec<PendingChange>, MemoryError> {
        self.memory.pending().await
    }

    /// Lists the entries, and says how many changes wait.
    ///
    /// # Errors
    /// Fails if there is no memory of the scope, or files cannot be read.
    pub async fn list(
        &self,
        scope: Option<MemoryScope>,
        archived: bool,
    ) -> Result<String, MemoryError> {
        let entries = match archived {
            true => self.archived(scope).await?,
            false => self.entries(scope).await?,
        };
        self.render_list(&entries, "memory review").await
    }

    /// Renders entries, and says how many changes wait for the command that reviews them.
    async fn render_list(
        &self,
        entries: &[StoredEntry],
        command: &str,
    ) -> Result<String, MemoryError> {
        let mut text = match entries.is_empty() {
            true => "no entries\n".to_owned(),
            false => render_table(entries, Timestamp::now()),
        };
        match self.pending().await?.len() {
            0 => {}
            1 => text.push_str(&format!("1 change waits for a review: `{command}`\n")),
            many => text.push_str(&format!("{many} changes wait for a review: `{command}`\n")),
        }
        Ok(text)
    }

    /// Shows an entry.
    ///
    /// # Errors
    /// Fails if there is no such entry, or files cannot be read.
    pub async fn show(&self, id: &str) -> Result<String, MemoryError> {
        let stored = self.find(id).await?;
        Ok(render_entry(&stored))
    }

    /// Lists the earlier versions of an entry, which may be deleted.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn history(&self, id: &str) -> Result<String, MemoryError> {
        let path = self.person.parse(id)?.as_file();
        let key = self.person.key(path.scope())?;
        let lines = self.files.versions(key, &path).await?;
        let lines = lines.iter().map(|(time, change, digest)| {
            let digest = if digest.is_empty() { "-" } else { digest };
            format!("{time}  {change:7}  {digest}\n")
        });
        let text: String = lines.collect();
        Ok(match text.is_empty() {
            true => "no changes in the last thirty days\n".to_owned(),
            false => text,
        })
    }

    /// Writes an earlier version of an entry in place of what there is.
    ///
    /// # Errors
    /// Fails if there is no such version, or files cannot be written.
    pub async fn restore(&self, id: &str, digest: &str) -> Result<String, MemoryError> {
        let path = self.person.parse(id)?.as_file();
        let not_found = || MemoryError::NoVersion {
            id: path.id(),
            version: visible(digest),
        };
        let key = self.person.key(path.scope())?;
        let known = self.files.versions(key, &path).await?;
        let is_known = known.iter().any(|(_, _, known)| known == digest);
        let version = match is_known {
            true => self.files.version(digest).await?,
            false => None,
        };
        self.person
            .replace(&path, version.ok_or_else(not_found)?)
            .await?;
        Ok(format!("restored {}\n", path.id()))
    }

    /// Deletes an entry or a folder.
    ///
    /// # Errors
    /// Fails if it does not exist, or files cannot be written.
    pub async fn remove(&self, id: &str) -> Result<String, MemoryError> {
        let path = self.person.parse(id)?;
        self.person.delete(&path).await.map_err(for_person)?;
        Ok(format!("deleted {}\n", path.id()))
    }

    /// Shows all changes that wait for a review, with their ids.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn changes(&self) -> Result<String, MemoryError> {
        let pending = self.pending().await?;
        let texts: Vec<String> = pending.iter().map(render_change).collect();
        Ok(match texts.is_empty() {
            true => "no change waits for a review\n".to_owned(),
            false => texts.join("\n"),
        })
    }

    /// Shows a change that waits for a review, as accepting it would make it now; `None` if it does not wait any more.
    ///
    /// # Errors
    /// Fails if files cannot be read.
    pub async fn change(&self, id: &str) -> Result<Option<String>, MemoryError> {
        let pending = self.pending().await?;
        let change = pending.iter().find(|change| change.id == id);
        Ok(change.map(render_change))
    }

    /// Accepts or rejects a change that waits.
    ///
    /// # Errors
    /// Fails if there is no such change, it is no longer possible, or files cannot be written.
    pub async fn review(&self, id: &str, accept: bool) -> Result<String, MemoryError> {
        self.memory.review(id, accept).await?;
        let word = if accept { "accepted" } else { "rejected" };
        Ok(format!("{word} {id}\n"))
    }

    /// Returns an entry as its file, for an editor.
    ///
    /// # Errors
    /// Fails if there is no such entry, or files cannot be read.
    pub async fn file_text(&self, id: &str) -> Result<String, MemoryError> {
        Ok(front_matter::render(&self.find(id).await?.entry))
    }

    /// Replaces an entry by an edited file; `before` is the file that the person edited. The person has accepted the entry.
    ///
    /// # Errors
    /// Fails if there is no such entry any more, or it was changed meanwhile, the text contains a secret or is too long, or
    /// files cannot be written.
    pub async fn replace_file(
        &self,
        id: &str,
        before: &str,
        text: &str,
    ) -> Result<String, MemoryError> {
        let path = self.find(id).await?.path;
        let mut entry = front_matter::parse(text);
        entry.confirmed = Some(Timestamp::now());
        let before = front_matter::parse(before).text;
        self.person.replace_text(&path, before, entry).await?;
        Ok(format!("changed {}\n", path.id()))
    }

    /// Runs a command in words, as in a chat: `list`, `show ID`, `rm ID`, `review`, `accept ID`, `reject ID` or `where`; `None`
    /// for other words.
    ///
    /// # Errors
    /// As the command.
    pub async fn run(&self, line: &str) -> Result<Option<String>, MemoryError> {
        let (word, rest) = line
            .trim()
            .split_once(char::is_whitespace)
            .unwrap_or((line.trim(), ""));
        Ok(Some(match (word, rest.trim()) {
            ("" | "list", "") => {
                let entries = self.entries(None).await?;
                self.render_list(&entries, "/memory review").await?
            }
            ("review", "") if self.pending().await?.is_empty() => self.changes().await?,
            ("review", "") => {
                self.changes().await? + "answer with `/memory accept ID` or `/memory reject ID`\n"
            }
            ("where", "") => self.folders(),
            (_, "") => return Ok(None),
            ("show", id) => self.show(id).await?,
            ("rm", id) => self.remove(id).await?,
            ("accept", id) => self.review(id, true).await?,
            ("reject", id) => self.review(id, false).await?,
            _ => return Ok(None),
        }))
    }

    /// Lists the folders of the memories.
    #[must_use]
    pub fn folders(&self) -> String {
        let keys = self.person.keys().iter();
        let lines = keys.map(|key| {
            let folder = self.files.file(key, &MemoryPath::folder_of(key.scope()));
            format!("{:8} {}\n", key.scope().name(), folder.display())
        });
        lines.collect()
    }

    async fn find(&self, id: &str) -> Result<StoredEntry, MemoryError> {
        let found = self.person.get(&self.person.parse(id)?).await;
        found.map_err(for_person)
    }
}

/// Names an entry that does not exist as a person does, and not by its path.
fn for_person(error: MemoryError) -> MemoryError {
    match error {
        MemoryError::NotFound { path } => MemoryError::NoEntry {
            id: visible(&path.id()),
        },
        other => other,
    }
}

/// Renders entries as a table.
fn render_table(entries: &[StoredEntry], now: Timestamp) -> String {
    let rows: Vec<[String; 4]> = entries
        .iter()
        .map(|StoredEntry { path, entry }| {
            let age = describe_age(entry, now);
            let title: String = visible(&entry.title)
                .chars()
                .take(MAX_TITLE_CHARS)
                .collect();
            [visible(&path.id()), age, entry.trust.to_string(), title]
        })
        .collect();
    columns(&rows)
}

fn render_entry(StoredEntry { path, entry }: &StoredEntry) -> String {
    format!(
        "{}\n\n{}{}\n",
        visible(&path.id()),
        facts(entry),
        visible(entry.text.trim_end())
    )
}

/// Renders what is known of an entry, as in its file.
fn facts(entry: &MemoryEntry) -> String {
    let mut bare = entry.clone();
    bare.text = String::new();
    let file = front_matter::render(&bare);
    let lines = file.lines().filter(|line| *line != "---");
    let lines: String = lines.map(|line| format!("{}\n", visible(line))).collect();
    format!("{lines}\n")
}

/// Renders a change that waits: what it does, who made it and why it waits, and the texts.
fn render_change(pending: &PendingChange) -> String {
    let (action, source) = (&pending.change.action, &pending.change.source);
    let path = visible(&action.path().id());
    let what = match action {
        MemoryAction::Put { .. } if pending.before.is_empty() => format!("write {path}"),
        MemoryAction::Put { .. } => format!("change {path}"),
        MemoryAction::Delete { .. } => format!("delete {path}"),
        MemoryAction::Rename { to, .. } => format!("rename {path} to {}", visible(&to.id())),
        MemoryAction::Archive { .. } => format!("archive {path}"),
    };
    let mut text = format!("{}  {what}\n", pending.id);
    let mut row = |name: &str, value: &str| {
        if !value.is_empty() {
            text.push_str(&format!("  {name:8} {}\n", visible(value)));
        }
    };
    row("by", source.by.name());
    row("session", &source.session);
    row("call", &source.call);
    row("read", &source.origin);
    let replaced = pending.replaced.as_ref();
    if let Some(replaced) = replaced {
        row("archives", &replaced.path.id());
    }
    let mut lines = |sign: char, of: &str| {
        for line in visible(of.trim_end()).lines() {
            text.push_str(&format!("  {sign} {line}\n"));
        }
    };
    if let MemoryAction::Put { entry, .. } = action {
        lines('-', replaced.map_or("", |replaced| &replaced.entry.text));
        lines('-', &pending.before);
        if !entry.text.contains(&entry.title) {
            lines('+', &entry.title);
        }
        lines('+', &entry.text);
    } else {
        lines('-', &pending.before);
    }
    text
}
