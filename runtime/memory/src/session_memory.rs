//! The memories that a call reaches, and what is read and written there.

use helve_core::transcript::Label;
use helve_storage::timestamp::Timestamp;
use helve_text_index::fuse_searches;

use crate::base::MemoryBase;
use crate::entry::{MemoryAuthor, MemoryEntry, MemoryKind, MemorySource, MemoryTrust, one_line};
use crate::error::MemoryError;
use crate::path::{MemoryPath, MemoryScope};
use crate::store::{
    MemoryAction, MemoryChange, MemoryHit, MemoryKey, MemoryReceipt, MemoryStore, PutCondition,
    StoredEntry,
};

/// The part of the best score that a worse entry must have to be recalled with it.
const LEAST_SHARE: f64 = 0.3;

/// The length of the part of an entry that a search by meaning shows, in characters.
const SNIPPET_CHARS: usize = 200;

/// Who writes.
#[derive(Debug, Clone)]
pub(crate) struct MemoryWriter {
    pub(crate) source: MemorySource,
    /// The label of what a model had read; `None` for a person.
    pub(crate) label: Option<Box<Label>>,
}

/// The memories that a call, or a person, reaches.
///
/// What a model writes after it has read text from outside, and what looks like an attempt to steer a model, waits for a
/// [review](crate::Memory::review); nothing returns it before. So does what it writes to the memories of the user and the team,
/// which other projects read, in a project that the user has not accepted.
#[derive(Debug, Clone)]
pub struct SessionMemory {
    pub(crate) base: MemoryBase,
    keys: Vec<MemoryKey>,
    writer: MemoryWriter,
}

/// A new entry: what is to be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewMemory {
    /// The title, in one line.
    pub title: String,
    /// The text.
    pub text: String,
    /// What it is about.
    pub kind: MemoryKind,
    /// The scope; the default scope if there is none.
    pub scope: Option<MemoryScope>,
    /// The id of the entry that it replaces, which is archived.
    pub replaces: Option<String>,
}

impl NewMemory {
    /// Creates a new entry of the default scope.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            text: text.into(),
            kind: MemoryKind::Fact,
            scope: None,
            replaces: None,
        }
    }

    /// Sets what it is about.
    #[must_use]
    pub fn with_kind(mut self, kind: MemoryKind) -> Self {
        self.kind = kind;
        self
    }

    /// Sets the scope.
    #[must_use]
    pub fn with_scope(mut self, scope: Option<MemoryScope>) -> Self {
        self.scope = scope;
        self
    }

    /// Sets the id of the entry that it replaces.
    #[must_use]
    pub fn with_replaced(mut self, id: Option<String>) -> Self {
        self.replaces = id;
        self
    }
}

impl SessionMemory {
    pub(crate) fn new(base: MemoryBase, keys: Vec<MemoryKey>, writer: MemoryWriter) -> Self {
        Self { base, keys, writer }
    }

    fn store(&self) -> &dyn MemoryStore {
        &*self.base.store
    }

    /// Returns the session of the memories; empty outside of one.
    pub(crate) fn session(&self) -> &str {
        &self.writer.source.session
    }

    /// Returns the keys of the memories, the user's first.
    #[must_use]
    pub fn keys(&self) -> &[MemoryKey] {
        &self.keys
    }

    /// Returns the key of the memory of a scope.
    ///
    /// # Errors
    /// Fails if the call reaches no memory of the scope.
    pub fn key(&self, scope: MemoryScope) -> Result<&MemoryKey, MemoryError> {
        let found = self.keys.iter().find(|key| key.scope() == scope);
        found.ok_or_else(|| self.base.missing(scope))
    }

    /// Returns the scope of paths that name none: that of the project if there is one, and of the user otherwise.
    #[must_use]
    pub fn default_scope(&self) -> MemoryScope {
        match self.key(MemoryScope::Project) {
            Ok(_) => MemoryScope::Project,
            Err(_) => MemoryScope::User,
        }
    }

    /// Parses a path or an id, of the default scope if it names none.
    ///
    /// # Errors
    /// Fails if it is no path of the memory.
    pub fn parse(&self, text: &str) -> Result<MemoryPath, MemoryError> {
        Ok(MemoryPath::parse(text, self.default_scope())?)
    }

    /// Returns an entry.
    ///
    /// # Errors
    /// Fails if there is none, or the store fails.
    pub async fn get(&self, path: &MemoryPath) -> Result<StoredEntry, MemoryError> {
        let path = path.as_file();
        let found = self.store().get(self.key(path.scope())?, &path).await?;
        match found {
            Some(entry) => Ok(StoredEntry { path, entry }),
            None => Err(MemoryError::NotFound { path }),
        }
    }

    /// Lists the entries of a scope, or of all.
    ///
    /// # Errors
    /// Fails if the scope is not reached, or the store fails.
    pub async fn list(&self, scope: Option<MemoryScope>) -> Result<Vec<StoredEntry>, MemoryError> {
        let mut entries = Vec::new();
        for key in self.keys_of(scope)? {
            entries.extend(self.store().list(key).await?);
        }
        Ok(entries)
    }

    /// Finds at most `limit` entries, the best first.
    ///
    /// # Errors
    /// Fails if the scope is not reached, or the store fails.
    pub async fn search(
        &self,
        question: &str,
        scope: Option<MemoryScope>,
        limit: usize,
    ) -> Result<Vec<MemoryHit>, MemoryError> {
        self.find(question, scope, limit, SearchMode::Wide).await
    }

    /// Finds entries by words, and by meaning if there is an embedding model.
    pub(crate) async fn find(
        &self,
        question: &str,
        scope: Option<MemoryScope>,
        limit: usize,
        mode: SearchMode,
    ) -> Result<Vec<MemoryHit>, MemoryError> {
        let keys = self.keys_of(scope)?;
        let mut hits = self.store().search(keys, question, limit).await?;
        if mode == SearchMode::Close {
            let best = hits.first().map_or(0.0, |hit| hit.score);
            hits.retain(|hit| hit.score >= best * LEAST_SHARE);
        }
        let Some(vectors) = &self.base.vectors else {
            return Ok(hits);
        };
        let now = Timestamp::now();
        let mut entries = self.list(scope).await?;
        entries.retain(|stored| !stored.entry.is_expired(now));
        match vectors
            .rank(question, &entries, mode.least_similarity())
            .await
        {
            Ok(ranked) => Ok(fuse(hits, &entries, &ranked, limit)),
            Err(error) => {
                tracing::warn!(%error, "the memory is searched by words alone");
                Ok(hits)
            }
        }
    }

    fn keys_of(&self, scope: Option<MemoryScope>) -> Result<&[MemoryKey], MemoryError> {
        Ok(match scope {
            Some(scope) => std::slice::from_ref(self.key(scope)?),
            None => &self.keys,
        })
    }

    /// Notes that entries were recalled, so that they are not archived. A failure is logged: it loses no entry.
    pub async fn note_use(&self, entries: &[MemoryPath]) {
        for key in &self.keys {
            let of_key = entries.iter().filter(|path| path.scope() == key.scope());
            let of_key: Vec<MemoryPath> = of_key.cloned().collect();
            if of_key.is_empty() {
                continue;
            }
            if let Err(error) = self.store().note_use(key, &of_key).await {
                tracing::warn!(%error, "the use of entries of the memory is not noted");
            }
        }
    }

    /// Adds an entry under a name that is made of its title.
    ///
    /// # Errors
    /// Fails if the entry that it replaces does not exist, the memory is full, the text contains a secret or was rejected
    /// before, or the store fails.
    pub async fn remember(
        &self,
        new: NewMemory,
    ) -> Result<(MemoryPath, MemoryReceipt), MemoryError> {
        let replaced = match &new.replaces {
            Some(id) => Some(self.get(&self.parse(id)?).await?.path),
            None => None,
        };
        let scope = new.scope.or_else(|| Some(replaced.as_ref()?.scope()));
        let scope = scope.unwrap_or_else(|| self.default_scope());
        let key = self.key(scope)?;
        let taken = self.store().list(key).await?;
        let is_taken = |path: &MemoryPath| {
            let mut taken = taken.iter();
            taken.any(|it| it.path.id().to_lowercase() == path.id().to_lowercase())
        };
        let path = MemoryPath::for_title(scope, &new.title, is_taken);
        let mut entry = MemoryEntry::new(new.title, new.text).with_kind(new.kind);
        entry.replaces = replaced.map(|path| path.id());
        let receipt = self.put(&path, entry, PutCondition::New).await?;
        Ok((path, receipt))
    }

    /// Writes the text of a file: a new one, or in place of the text that the caller has read before.
    ///
    /// # Errors
    /// Fails if the file exists although it is to be new, or has another text; if the memory is full, the text contains a
    /// secret or was rejected before, or the store fails.
    pub async fn write(
        &self,
        path: &MemoryPath,
        text: &str,
        before: Option<&str>,
    ) -> Result<MemoryReceipt, MemoryError> {
        let path = path.as_file();
        let existing = self.store().get(self.key(path.scope())?, &path).await?;
        let entry = match existing {
            Some(existing) => {
                // A title that is the first line follows the text.
                let follows = existing.title == one_line(&existing.text);
                let text = text.to_owned();
                let mut entry = MemoryEntry { text, ..existing };
                if follows {
                    entry.title = one_line(&entry.text);
                }
                entry
            }
            None => MemoryEntry::new(one_line(text), text),
        };
        let condition = match before {
            Some(before) => PutCondition::Unchanged(before.to_owned()),
            None => PutCondition::New,
        };
        self.put(&path, entry, condition).await
    }

    /// Replaces an entry with all that is known of it, whatever there is.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub async fn replace(
        &self,
        path: &MemoryPath,
        entry: MemoryEntry,
    ) -> Result<MemoryReceipt, MemoryError> {
        self.put(&path.as_file(), entry, PutCondition::Any).await
    }

    /// Replaces an entry that still has a text, as a person does who edits its file.
    pub(crate) async fn replace_text(
        &self,
        path: &MemoryPath,
        before: String,
        entry: MemoryEntry,
    ) -> Result<MemoryReceipt, MemoryError> {
        let condition = PutCondition::Unchanged(before);
        self.put(&path.as_file(), entry, condition).await
    }

    async fn put(
        &self,
        path: &MemoryPath,
        mut entry: MemoryEntry,
        condition: PutCondition,
    ) -> Result<MemoryReceipt, MemoryError> {
        let mut is_pending = false;
        if let Some(label) = &self.writer.label {
            let flags = helve_untrusted::find_flags(&format!("{}\n{}", entry.title, entry.text));
            is_pending = self.is_tainted(path.scope()) || !flags.is_empty();
            // An entry is trusted as little as the least trusted text that contributed to it.
            let trust = match flags.is_empty() {
                true => MemoryTrust::from_label(label),
                false => MemoryTrust::Outside,
            };
            let is_new = matches!(condition, PutCondition::New);
            entry.trust = if is_new {
                trust
            } else {
                trust.max(entry.trust)
            };
            entry.confirmed = None;
        }
        let action = MemoryAction::Put {
            path: path.clone(),
            entry: Box::new(entry),
            condition,
        };
        self.apply(action, is_pending).await
    }

    /// Deletes a file, or a folder with all that is in it.
    ///
    /// # Errors
    /// Fails if it does not exist, is a whole scope, or the store fails.
    pub async fn delete(&self, path: &MemoryPath) -> Result<MemoryReceipt, MemoryError> {
        let path = self.existing(path).await?;
        self.apply_tainted(MemoryAction::Delete { path }).await
    }

    /// Renames a file or a folder within its scope.
    ///
    /// # Errors
    /// Fails if it does not exist, the new path exists or is in another scope, or the store fails.
    pub async fn rename(
        &self,
        from: &MemoryPath,
        to: &MemoryPath,
    ) -> Result<MemoryReceipt, MemoryError> {
        let found = self.existing(from).await?;
        let is_folder = matches!(
            self.is_file(&found).await,
            Err(MemoryError::IsFolder { .. })
        );
        let to = if is_folder { to.clone() } else { to.as_file() };
        if found.scope() != to.scope() {
            return Err(MemoryError::OtherScope { from: found, to });
        }
        let action = MemoryAction::Rename { from: found, to };
        self.apply_tainted(action).await
    }

    /// Moves an entry to the archive, where no search finds it.
    ///
    /// # Errors
    /// Fails if it does not exist, or the store fails.
    pub async fn archive(&self, path: &MemoryPath) -> Result<MemoryReceipt, MemoryError> {
        let path = self.get(path).await?.path;
        self.apply_tainted(MemoryAction::Archive { path }).await
    }

    /// Returns the path of what exists: a folder under its own name, and a file also without its extension.
    async fn existing(&self, path: &MemoryPath) -> Result<MemoryPath, MemoryError> {
        if path.is_scope() {
            return Err(MemoryError::WholeScope { path: path.clone() });
        }
        match self.is_file(path).await {
            Ok(true) => Ok(path.clone()),
            Ok(false) if path.as_file() != *path => Ok(self.get(path).await?.path),
            Ok(false) => Err(MemoryError::NotFound { path: path.clone() }),
            Err(MemoryError::IsFolder { path }) => Ok(path),
            Err(error) => Err(error),
        }
    }

    async fn is_file(&self, path: &MemoryPath) -> Result<bool, MemoryError> {
        let found = self.store().get(self.key(path.scope())?, path).await?;
        Ok(found.is_some())
    }

    /// Returns whether a model writes that has read text which the readers of a scope may not trust: text from outside, and
    /// in what other projects read, a project that the user has not accepted.
    fn is_tainted(&self, scope: MemoryScope) -> bool {
        let reaches_others = matches!(scope, MemoryScope::User | MemoryScope::Team);
        let is_accepted = self.base.is_accepted;
        let label = self.writer.label.as_ref();
        label.is_some_and(|label| label.is_untrusted() || (reaches_others && !is_accepted))
    }

    /// Makes a change without a text, which waits if the model has read text that is not trusted.
    async fn apply_tainted(&self, action: MemoryAction) -> Result<MemoryReceipt, MemoryError> {
        let is_pending = self.is_tainted(action.path().scope());
        self.apply(action, is_pending).await
    }

    async fn apply(
        &self,
        action: MemoryAction,
        is_pending: bool,
    ) -> Result<MemoryReceipt, MemoryError> {
        let key = self.key(action.path().scope())?;
        let mut source = self.writer.source.clone();
        if source.by == MemoryAuthor::Model && is_pending {
            let origin = self.writer.label.as_ref().and_then(|label| label.origin());
            let other = match self.is_tainted(action.path().scope()) {
                true => "a project that the user has not accepted (`memory trust`)",
                false => "words that steer a model",
            };
            source.origin = one_line(&origin.unwrap_or_else(|| other.to_owned()));
        }
        let mut action = action;
        if let MemoryAction::Put { entry, .. } = &mut action {
            entry.source = source.clone();
        }
        let change = MemoryChange {
            action,
            source,
            is_pending,
        };
        self.store().apply(key, change).await
    }
}

/// What a search is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchMode {
    /// A model or a person asks, and chooses among the hits.
    Wide,
    /// The hits are read without being asked for.
    Close,
}

impl SearchMode {
    /// The similarity that an entry has at least which shares no word with the question.
    fn least_similarity(self) -> f32 {
        match self {
            Self::Wide => 0.2,
            Self::Close => 0.3,
        }
    }
}

/// Fuses the hits by words with the entries by meaning.
fn fuse(
    hits: Vec<MemoryHit>,
    entries: &[StoredEntry],
    ranked: &[usize],
    limit: usize,
) -> Vec<MemoryHit> {
    let by_meaning = ranked.iter().take(limit).map(|at| {
        let stored = &entries[*at];
        MemoryHit {
            path: stored.path.clone(),
            entry: stored.entry.clone(),
            score: 0.0,
            snippet: stored.entry.text.chars().take(SNIPPET_CHARS).collect(),
        }
    });
    let fused = fuse_searches(hits, by_meaning.collect(), limit, |hit| hit.path.clone());
    let fused = fused.into_iter();
    fused
        .map(|(hit, score)| MemoryHit { score, ..hit })
        .collect()
}
