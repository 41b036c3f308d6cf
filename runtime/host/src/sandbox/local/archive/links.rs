//! Which symbolic links stay in their folder.

use std::path::{Component, Path};

/// Reports whether a link stays in a folder, `depth` levels below which it lies.
///
/// Only `..` at its start are counted, and others refused: after a name, which may be a link itself, it is unknown what
/// they lead to.
pub(super) fn stays_inside(target: &Path, depth: usize) -> bool {
    let mut above = 0;
    let mut named = false;
    for part in target.components() {
        match part {
            Component::ParentDir if named => return false,
            Component::ParentDir => above += 1,
            Component::Normal(_) => named = true,
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return false,
        }
    }
    above <= depth && !target.as_os_str().is_empty()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::stays_inside;

    #[test]
    fn only_what_surely_stays_does() {
        for (target, depth) in [("a", 0), ("../a", 1), ("./a/b", 0), ("../..", 2), ("..", 1)] {
            assert!(stays_inside(Path::new(target), depth), "{target}");
        }
        for (target, depth) in [
            ("..", 0),
            ("../../a", 1),
            ("/etc", 9),
            ("a/../..", 9),
            ("", 1),
        ] {
            assert!(!stays_inside(Path::new(target), depth), "{target}");
        }
    }
}
