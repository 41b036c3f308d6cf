//! The history of the files of a chat: which one is attached, and where it is at the beginning of a turn.

#[cfg(feature = "files")]
use std::io;
#[cfg(feature = "files")]
use std::path::Path;

#[cfg(feature = "files")]
use serde_json::json;

use super::Chat;
use super::rewind::HistoryPosition;
#[cfg(feature = "files")]
use crate::chat::printing::print_hint;
use helve_agent::Conversation;
#[cfg(feature = "files")]
use helve_agent::journal::Durability;
#[cfg(feature = "files")]
use helve_agent::session::Entry;
use helve_core::transcript::SessionId;
#[cfg(feature = "files")]
use helve_host::file_history::{FileHistory, RewindPlan, RewindReport, RewindRow};

/// The state of a session that has the position of the history of its files at the beginning of the next turn.
pub(super) const POSITION: &str = "file_history";

/// The history that is attached to the tools of a chat.
#[derive(Debug, Default)]
pub(super) struct AttachedHistory {
    /// The session that it is attached for.
    pub(super) session: Option<SessionId>,
    /// The session that it began with; `None` if it could not be opened.
    #[cfg(feature = "files")]
    id: Option<SessionId>,
}

#[cfg(feature = "files")]
impl Chat<'_> {
    /// Attaches the history of a session, and records where it is before a turn.
    pub(super) async fn begin_files(&mut self, conversation: &mut Conversation, is_new: bool) {
        self.attach_files(conversation.session().id()).await;
        self.set_idle(false).await;
        if !is_new {
            return;
        }
        let Some(position) = self.file_position().await else {
            return;
        };
        // It is recorded for every turn, changed or not: a turn without it was not recorded here.
        let state = Entry::State {
            name: POSITION.to_owned(),
            value: json!(position),
        };
        let session = conversation.session_mut();
        if let Err(error) = session.append(state, Durability::Buffered).await {
            helve_terminal::output::error(&error);
        }
    }

    /// Attaches the history of a session, unless it is attached already.
    pub(super) async fn attach_files(&mut self, session: &SessionId) {
        let Some(tracker) = self.app.file_tracker.clone().filter(|_| self.is_recorded) else {
            return;
        };
        if self.history.session.as_ref() == Some(session) {
            return;
        }
        let id = self.history_of(session).await;
        self.history.session = Some(session.clone());
        if tracker.is_attached() && self.history.id.as_ref() == Some(&id) {
            return;
        }
        tracker.attach(None).await;
        match self.open_history(&id).await {
            Ok(history) => {
                tracker.attach(Some(history)).await;
                self.history.id = Some(id);
            }
            Err(error) => {
                self.history.id = None;
                print_hint(&format!(
                    "changes of files cannot be undone in this chat: {error}"
                ));
            }
        }
    }

    /// Returns the session that the history of a session began with: a copy goes on with that of its original.
    async fn history_of(&self, session: &SessionId) -> SessionId {
        let mut last = None;
        let visited = self.sessions.visit(session, u64::MAX, |line| {
            if let Entry::State { name, value } = &line.entry
                && name == POSITION
            {
                last = serde_json::from_value::<HistoryPosition>(value.clone()).ok();
            }
        });
        let read = visited.await;
        let known = last.filter(|_| read.is_ok()).map(|last| last.history);
        let is_there = |id: &SessionId| {
            let folder = crate::session_folder::file_history_path(self.app.package.name, id);
            folder.is_ok_and(|folder| folder.join("log").is_file())
        };
        known.filter(is_there).unwrap_or_else(|| session.clone())
    }

    async fn open_history(&self, id: &SessionId) -> io::Result<FileHistory> {
        let folder = crate::session_folder::file_history_path(self.app.package.name, id);
        let folder = folder.map_err(io::Error::other)?;
        let roots = match &self.app.grants.files {
            Some(files) => files.roots().to_vec(),
            None => vec![self.app.folder.clone()],
        };
        let opened = tokio::task::spawn_blocking(move || open(&folder, &roots));
        opened.await.map_err(io::Error::other)?
    }

    /// Returns the current position of the attached history.
    pub(super) async fn file_position(&self) -> Option<HistoryPosition> {
        let history = self.history.id.clone()?;
        let tracker = self.app.file_tracker.as_ref()?;
        let position = tracker.with_history(|history| history.position()).await?;
        Some(HistoryPosition { history, position })
    }

    /// Counts the files that the session changed since a position; `None` if that is not known.
    pub(super) async fn count_changed(&self, since: &HistoryPosition) -> Option<usize> {
        let position = self.known_position(since)?;
        let tracker = self.app.file_tracker.as_ref()?;
        let count = move |history: &mut FileHistory| {
            let now = history.position();
            (position <= now).then(|| history.count_changes(position, now))
        };
        tracker.with_history(count).await.flatten()
    }

    fn known_position(&self, at: &HistoryPosition) -> Option<u64> {
        (self.history.id.as_ref() == Some(&at.history)).then_some(at.position)
    }

    /// Compares the files with a position; `None` if the history of that position is not there.
    pub(in crate::chat) async fn plan_files(&self, at: &HistoryPosition) -> Option<RewindPlan> {
        let position = self.known_position(at)?;
        let tracker = self.app.file_tracker.as_ref()?;
        let plan = move |history: &mut FileHistory| {
            (position <= history.position()).then(|| history.plan(position))
        };
        tracker.with_history(plan).await.flatten()
    }

    /// Returns the contents of the files of a row, now and then.
    pub(in crate::chat) async fn compared_contents(
        &self,
        row: &RewindRow,
    ) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let Some(tracker) = self.app.file_tracker.as_ref() else {
            return (None, None);
        };
        let row = row.clone();
        let read = move |history: &mut FileHistory| {
            (
                history.current_contents(&row.path, &row.current),
                history.contents(&row.target),
            )
        };
        tracker.with_history(read).await.unwrap_or_default()
    }

    /// Restores the files of a plan.
    pub(in crate::chat) async fn restore_files(
        &self,
        rows: Vec<RewindRow>,
    ) -> io::Result<RewindReport> {
        let missing = || io::Error::other("there is no history of the files");
        let tracker = self.app.file_tracker.as_ref().ok_or_else(missing)?;
        let restored = tracker.with_history(move |history| history.restore(&rows));
        restored.await.ok_or_else(missing)?
    }

    /// Records what commands in the background have changed so far, at the end of a turn or before the next one.
    pub(super) async fn set_idle(&self, is_idle: bool) {
        if let Some(tracker) = &self.app.file_tracker {
            let set = move |history: &mut FileHistory| history.set_idle(is_idle);
            tracker.with_history(set).await;
        }
    }

    pub(super) async fn close_files(&self) {
        if let Some(tracker) = &self.app.file_tracker {
            tracker.attach(None).await;
        }
    }
}

#[cfg(feature = "files")]
fn open(folder: &Path, roots: &[std::path::PathBuf]) -> io::Result<FileHistory> {
    let files = helve_host::sandbox::LocalFs::with_roots(roots).map_err(io::Error::other)?;
    FileHistory::open(folder, files)
}

#[cfg(not(feature = "files"))]
#[expect(clippy::unused_async, reason = "with files it waits for the disk")]
impl Chat<'_> {
    pub(super) async fn begin_files(&mut self, _: &mut Conversation, _: bool) {}

    pub(super) async fn attach_files(&mut self, _: &SessionId) {}

    pub(super) async fn file_position(&self) -> Option<HistoryPosition> {
        None
    }

    pub(super) async fn count_changed(&self, _: &HistoryPosition) -> Option<usize> {
        None
    }

    pub(super) async fn set_idle(&self, _: bool) {}

    pub(super) async fn close_files(&self) {}
}
