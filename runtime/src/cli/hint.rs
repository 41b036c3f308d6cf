//! Hints for errors of the operating system in the folder where the program keeps its state.

use std::error::Error;
use std::io::{self, ErrorKind};

use super::config::short;
use super::session_folder;

/// Says what to do about an error that the disk has to do with; nothing about another one.
pub(super) fn of_state(error: &(dyn Error + 'static), app: &str) -> Option<String> {
    let kind = causes(error).find_map(|cause| Some(cause.downcast_ref::<io::Error>()?.kind()))?;
    Some(advice(Some(kind), app))
}

/// Says what to do where a turn could not be recorded, and only the words of the error are left of it.
pub(super) fn of_record(app: &str) -> String {
    advice(None, app)
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}

fn advice(kind: Option<ErrorKind>, app: &str) -> String {
    let folder = session_folder::folder(app);
    let folder = folder.map_or_else(
        |_| "the folder of sessions".to_owned(),
        |folder| short(&folder),
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
