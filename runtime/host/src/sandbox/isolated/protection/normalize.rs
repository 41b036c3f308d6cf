//! Normalises paths that contain `.` and `..`.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path lexically; `None` if a `..` leads above the path. The result is compared with
/// folders, and then walked component by component.
pub(super) fn normalize(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => plain.pop().then_some(())?,
            other => plain.push(other),
        }
    }
    Some(plain)
}
