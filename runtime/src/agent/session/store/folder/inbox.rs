//! The drop folder of a session: what other processes leave for the one that has it.

use std::path::Path;

use crate::agent::session::{Posted, Posting, SessionError};

pub(super) fn post(_folder: &Path, _posting: &Posting) -> Result<(), SessionError> {
    Ok(())
}

pub(super) fn posted(_folder: &Path) -> Result<Vec<Posted>, SessionError> {
    Ok(Vec::new())
}

pub(super) fn clear(
    _folder: &Path,
    _posted: &Posted,
    _refused: Option<&str>,
) -> Result<(), SessionError> {
    Ok(())
}

pub(super) fn remove(_folder: &Path) -> Result<(), SessionError> {
    Ok(())
}
