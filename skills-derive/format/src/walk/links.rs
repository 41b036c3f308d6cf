//! Symbolic links, which are followed only within the skill.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::entries::unreadable;
use crate::codes;
use crate::problem::Finding;

/// The chain of folders that are being walked.
///
/// The real paths are resolved only when a link is found: few skills have links, and resolving is slow.
#[derive(Debug)]
pub(super) struct FolderChain {
    pub(super) location: PathBuf,
    pub(super) parent: Option<Rc<FolderChain>>,
}

impl FolderChain {
    /// Returns whether the walk is currently in `folder`.
    fn holds(&self, folder: &Path) -> bool {
        let mut link = Some(self);
        while let Some(chain) = link {
            // A path that can no longer be resolved is skipped.
            if chain
                .location
                .canonicalize()
                .map_or(true, |real| real == folder)
            {
                return true;
            }
            link = chain.parent.as_deref();
        }
        false
    }
}

/// Resolves a symbolic link, if its target is in `root`.
pub(super) fn follow(link: &Path, root: &Path, chain: &FolderChain) -> Result<PathBuf, Finding> {
    let root = root.canonicalize().map_err(|error| unreadable(&error))?;
    let target = link.canonicalize().map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let message = format!("this symbolic link leads nowhere{}", describe_target(link));
            Finding::new(codes::LINK_DANGLES, message).with_help("delete it, or put the file there")
        }
        ErrorKind::PermissionDenied => unreadable(&error),
        // Systems report different errors for a link that leads to itself.
        _ => cycle(link),
    })?;
    if !target.starts_with(root) {
        return Err(leaves(link));
    }
    if target.is_dir() && chain.holds(&target) {
        return Err(cycle(link));
    }
    Ok(target)
}

/// Returns the finding of a link whose target is outside of the skill.
pub(super) fn leaves(link: &Path) -> Finding {
    let message = format!(
        "this symbolic link leads out of the skill{}",
        describe_target(link)
    );
    Finding::new(codes::LINK_LEAVES, message)
        .with_help("a skill must contain its own files: add a copy here")
}

fn cycle(link: &Path) -> Finding {
    let target = fs::read_link(link)
        .map(|target| format!(" to `{}`", target.display()))
        .unwrap_or_default();
    let message = format!("this symbolic link{target} forms a cycle");
    Finding::new(codes::LINK_CYCLE, message).with_help("delete it")
}

fn describe_target(link: &Path) -> String {
    fs::read_link(link)
        .map(|target| format!(", to `{}`", target.display()))
        .unwrap_or_default()
}
