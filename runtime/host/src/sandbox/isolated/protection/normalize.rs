//! Paths without `.` and `..`.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` from a path, by its text; `None` where a `..` leads above the path. The result is compared with folders,
/// and then walked step by step.
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
