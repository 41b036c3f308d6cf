//! Places, seen from each folder that a command may run in.

use crate::FileAccess;

/// Joins a relative path to a folder.
pub(super) fn below(folder: &str, path: &str) -> Option<String> {
    let is_relative = !path.starts_with(['/', '~']);
    is_relative.then(|| format!("{}/{path}", folder.trim_end_matches('/')))
}

/// Adds a place, seen from each folder that the command may run in.
pub(super) fn touch_from(
    folders: &[String],
    touch: FileAccess,
    part: &str,
    into: &mut Vec<FileAccess>,
) {
    for folder in folders {
        if let Some(path) = below(folder, &touch.path) {
            let is_pattern = touch.is_pattern || folder.contains(['*', '?', '[']);
            into.push(FileAccess {
                path,
                is_pattern,
                ..touch.clone().with_part(part.to_owned())
            });
        }
    }
    into.push(touch.with_part(part.to_owned()));
}
