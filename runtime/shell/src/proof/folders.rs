//! Places, seen from each folder that a command may run in.

use crate::Touch;

/// Joins a relative path to a folder.
pub(super) fn below(folder: &str, path: &str) -> Option<String> {
    let is_relative = !path.starts_with(['/', '~']);
    is_relative.then(|| format!("{}/{path}", folder.trim_end_matches('/')))
}

/// Adds a place, seen from each folder that the command may run in.
pub(super) fn touch_from(folders: &[String], touch: Touch, part: &str, into: &mut Vec<Touch>) {
    for folder in folders {
        if let Some(path) = below(folder, &touch.path) {
            let is_pattern = touch.is_pattern || folder.contains(['*', '?', '[']);
            into.push(Touch {
                path,
                is_pattern,
                ..touch.clone().by(part.to_owned())
            });
        }
    }
    into.push(touch.by(part.to_owned()));
}
