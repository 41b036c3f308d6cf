//! Which names a search passes over: ripgrep's rules, with every ignore file read through the file capability.
//!
//! As ripgrep does it: the `glob` of the call decides first, then `.rgignore`, `.ignore`, `.gitignore` and
//! `.git/info/exclude`, the innermost folder first; what none of them names is left out where it is hidden. What git
//! ignores counts only inside a repository, whose rules end at its top. Nothing above the root is read, nor the user's
//! global configuration.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use helve::sandbox::{FileKind, SandboxFs};
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The most bytes of an ignore file.
const MAX_IGNORE_FILE_BYTES: usize = 1 << 20;

/// The kinds of ignore files, the strongest first, and whether git has to be there.
const FILES: [(&str, bool); 4] = [
    (".rgignore", false),
    (".ignore", false),
    (".gitignore", true),
    (".git/info/exclude", true),
];

/// The rules of a folder, and of the folders above it.
#[derive(Default)]
pub(crate) struct IgnoreRules {
    parent: Option<Arc<IgnoreRules>>,
    files: [Option<Gitignore>; FILES.len()],
    is_repository: bool,
}

impl IgnoreRules {
    /// Reads the rules of a folder; `may_have` saves looking for what a listing has not shown.
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

    /// Returns what the files say of a name: left out, wanted, or nothing.
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

/// Reads one ignore file; what cannot be read has no rules, and a bad line is passed over.
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

/// Reports whether a folder is a version control system's own, which is never searched from above.
pub(crate) fn is_vcs_folder(name: &OsStr, kind: FileKind) -> bool {
    kind == FileKind::Directory
        && [".git", ".hg", ".svn", ".jj", ".sl"]
            .iter()
            .any(|vcs| name == *vcs)
}
