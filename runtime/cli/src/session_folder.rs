//! The folder of an app's sessions.

use std::env;
use std::path::PathBuf;

use helve_agent::session::{FolderStore, Sessions};
#[cfg(all(feature = "chat", feature = "files"))]
use helve_core::transcript::SessionId;
use helve_results::FolderSpill;
use helve_storage::user_folders;

#[derive(Debug, thiserror::Error)]
#[error("no state folder was found: set `HELVE_STATE`, `XDG_STATE_HOME` or `HOME`")]
pub(super) struct NoStateFolder;

pub(super) fn sessions(app: &str) -> Result<Sessions, NoStateFolder> {
    Ok(Sessions::new(FolderStore::new(folder(app)?)))
}

pub(super) fn result_spill(app: &str) -> Result<FolderSpill, NoStateFolder> {
    Ok(FolderSpill::new(folder(app)?))
}

/// Returns the folder of the plans that the user approved, beside the session folder.
pub(super) fn plan_folder(app: &str) -> Result<PathBuf, NoStateFolder> {
    Ok(folder(app)?.with_file_name("plans"))
}

/// Returns the search in the sessions, whose index is beside the session folder.
#[cfg(feature = "session-search")]
pub(super) fn search(app: &str) -> Result<helve_session_search::SessionSearch, NoStateFolder> {
    let sessions = folder(app)?;
    let index = sessions.parent().unwrap_or(&sessions).to_owned();
    Ok(helve_session_search::SessionSearch::in_folder(
        sessions, index,
    ))
}

/// Adds the text index of the app to its state, for the tools that take it.
#[cfg(feature = "text-index")]
pub(super) fn add_text_index(app: &mut super::app::AppDefinition) {
    use helve_text_index::TextIndex;

    let name = app.package.name;
    if !app.state.contains(std::any::TypeId::of::<TextIndex>()) {
        app.state.insert_with(move || {
            let folder = folder(name)?;
            let folder = folder.parent().unwrap_or(&folder);
            TextIndex::open(folder).map_err(Box::<dyn std::error::Error + Send + Sync>::from)
        });
    }
}

/// Returns the state file, beside the session folder.
#[cfg(feature = "state")]
pub(super) fn state_path(app: &str) -> Result<PathBuf, NoStateFolder> {
    Ok(folder(app)?.with_file_name("state.db"))
}

/// Returns the file of the input history of chats, in the session folder.
#[cfg(feature = "chat")]
pub(super) fn history_path(app: &str) -> Result<PathBuf, NoStateFolder> {
    Ok(folder(app)?.with_file_name("history"))
}

/// Returns the folder of the history of the files of a session.
#[cfg(all(feature = "chat", feature = "files"))]
pub(super) fn file_history_path(app: &str, session: &SessionId) -> Result<PathBuf, NoStateFolder> {
    Ok(folder(app)?.join(format!("{session}.files")))
}

/// Returns the folder of an app's sessions: below `HELVE_STATE`, else below the user's folder for state.
pub(super) fn folder(app: &str) -> Result<PathBuf, NoStateFolder> {
    let set = env::var_os("HELVE_STATE").filter(|value| !value.is_empty());
    let state = set
        .map(PathBuf::from)
        .or_else(|| Some(user_folders::state()?.join("helve")))
        .ok_or(NoStateFolder)?;
    Ok(state.join(app).join("sessions"))
}
