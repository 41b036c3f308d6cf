//! Hints for errors of the operating system in the state folder.

use std::error::Error;
use std::io::{self, ErrorKind};

use super::config::display_path;
use super::session_folder;

/// Returns the hint for an error that the disk causes; `None` for other errors.
pub(super) fn for_state_error(error: &(dyn Error + 'static), app: &str) -> Option<String> {
    let kind = causes(error).find_map(|cause| Some(cause.downcast_ref::<io::Error>()?.kind()))?;
    Some(state_folder_hint(Some(kind), app))
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

/// Returns the hint for an error of a kind in the state folder; a turn that could not be recorded has only a text.
pub(super) fn state_folder_hint(kind: Option<ErrorKind>, app: &str) -> String {
    let folder = session_folder::folder(app);
    let folder = folder.map_or_else(
        |_| "the session folder".to_owned(),
        |folder| display_path(&folder),
    );
    let hint = match kind {
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge) => {
            "free disk space"
        }
        Some(ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            "make the folder writable"
        }
        Some(_) => "make sure that the folder can be created and written to",
        None => "free disk space or make the folder writable",
    };
    format!(
        "help: sessions are stored in {folder}: {hint}, set HELVE_STATE to another folder, or use `--no-session`"
    )
}
