//! Hints for errors of the operating system in the folder where the program keeps its state.

use std::error::Error;
use std::io::{self, ErrorKind};

use super::config::display_path;
use super::session_folder;

/// Says what to do about an error that the disk has to do with; nothing about another one.
pub(super) fn for_state_error(error: &(dyn Error + 'static), app: &str) -> Option<String> {
    let kind = causes(error).find_map(|cause| Some(cause.downcast_ref::<io::Error>()?.kind()))?;
    Some(state_folder_hint(Some(kind), app))
}

/// Says what to do where a turn could not be recorded, and only the words of the error are left of it.
pub(super) fn for_record_error(app: &str) -> String {
    state_folder_hint(None, app)
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

fn state_folder_hint(kind: Option<ErrorKind>, app: &str) -> String {
    let folder = session_folder::folder(app);
    let folder = folder.map_or_else(
        |_| "the folder of sessions".to_owned(),
        |folder| display_path(&folder),
    );
    let hint = match kind {
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge) => {
            "make room on its disk"
        }
        Some(ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => "make it writable",
        Some(_) => "make sure that it can be made and written",
        None => "make room on its disk, or make it writable",
    };
    format!(
        "conversations are kept in {folder}: {hint}, set HELVE_STATE to another folder, or record nothing with `--no-session`"
    )
}
