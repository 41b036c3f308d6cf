//! Checks that symbolic links stay inside their folder.

use std::path::{Component, Path};

/// Reports whether a link stays inside a folder; the link is `depth` levels below it.
///
/// Leading `..` components are counted, later ones are rejected: after a name, which may be a link itself, the target
/// of a `..` is unknown.
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
