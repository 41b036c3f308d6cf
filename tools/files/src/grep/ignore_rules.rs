//! The rules by which a search skips names: those of ripgrep, with all ignore files read through the file capability.
//!
//! As in ripgrep, the `glob` of the call takes precedence, followed by `.rgignore`, `.ignore`, `.gitignore` and
//! `.git/info/exclude`, from the innermost folder outwards. Hidden names that no rule matches are skipped. Rules of
//! git only apply in a repository, and end at its root. Files above the root of the search, and the user's global
//! configuration, are not read.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use helve::sandbox::{FileKind, SandboxFs};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The greatest size of an ignore file, in bytes.
const MAX_IGNORE_FILE_BYTES: usize = 1 << 20;

/// The ignore files in order of precedence, and whether each requires a git repository.
const FILES: [(&str, bool); 4] = [
    (".rgignore", false),
    (".ignore", false),
    (".gitignore", true),
    (".git/info/exclude", true),
];

/// The rules of a folder and of its parent folders.
#[derive(Default)]
pub(crate) struct IgnoreRules {
    parent: Option<Arc<IgnoreRules>>,
    files: [Option<Gitignore>; FILES.len()],
    is_repository: bool,
}

impl IgnoreRules {
    /// Reads the rules of a folder; `may_have` avoids reading files that a listing has not shown.
    pub(crate) async fn below(
        above: Option<Arc<Self>>,
        fs: &dyn SandboxFs,
        folder: &Path,
        may_have: impl Fn(&str) -> bool,
    ) -> Arc<Self> {
        let mut rules = Self {
            parent: above,
            ..Self::default()
        };
        for name in [".git", ".jj"] {
            rules.is_repository |= may_have(name) && fs.metadata(&folder.join(name)).await.is_ok();
        }
        for (slot, (name, _)) in rules.files.iter_mut().zip(FILES) {
            let first = name.split('/').next().unwrap_or(name);
            if may_have(first) {
                *slot = read(fs, folder, name).await;
            }
        }
        Arc::new(rules)
    }

    /// Returns the decision of the files about a name: ignored, included, or none.
    pub(crate) fn matched(&self, path: &Path, is_folder: bool) -> Match<()> {
        let in_repository = self.chain().any(|rules| rules.is_repository);
        let mut found = [const { Match::None }; FILES.len()];
        let mut left_repository = false;
        for rules in self.chain() {
            for ((found, file), (_, is_git)) in found.iter_mut().zip(&rules.files).zip(FILES) {
                let counts = !is_git || (in_repository && !left_repository);
                if let Some(file) = file
                    && found.is_none()
                    && counts
                {
                    *found = file.matched(path, is_folder).map(|_| ());
                }
            }
            left_repository |= rules.is_repository;
        }
        found.into_iter().fold(Match::None, Match::or)
    }

    fn chain(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |rules| rules.parent.as_deref())
    }
}

/// Reads one ignore file; an unreadable file has no rules, and invalid lines are skipped.
async fn read(fs: &dyn SandboxFs, folder: &Path, name: &str) -> Option<Gitignore> {
    let bytes = fs
        .read_whole(&folder.join(name), MAX_IGNORE_FILE_BYTES)
        .await
        .ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}

/// Reports whether a name is hidden.
pub(crate) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Reports whether a folder is that of a version control system, which is only searched if it is the root.
pub(crate) fn is_vcs_folder(name: &OsStr, kind: FileKind) -> bool {
    kind == FileKind::Directory
        && [".git", ".hg", ".svn", ".jj", ".sl"]
            .iter()
            .any(|vcs| name == *vcs)
}
