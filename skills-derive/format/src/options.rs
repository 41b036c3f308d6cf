//! How a folder is read.

use crate::Profile;

/// How a folder is read: by which rules, without what, and how much of each file is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The rules.
    pub profile: Profile,
    /// What is left out: globs as in a `.gitignore`, below the folder that is read.
    pub exclude: Vec<String>,
    /// Whether every file is read.
    pub digests: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profile: Profile::Spec,
            exclude: Vec::new(),
            digests: true,
        }
    }
}

impl Options {
    /// Starts with the rules of the specification, nothing left out, every file read.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads by the rules of `profile`.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Leaves out what these globs match, as if it were not there.
    ///
    /// As in a `.gitignore`: a pattern without a `/` matches a name at any depth, one with a `/` matches from the folder
    /// that is read (where skills are: `pdf/tests/**`), one that ends with `/` matches folders only. A folder that
    /// matches is left out with all that is in it. There is no `!`. A pattern that is no glob is a problem of its own.
    #[must_use]
    pub fn exclude<P: Into<String>>(mut self, patterns: impl IntoIterator<Item = P>) -> Self {
        self.exclude.extend(patterns.into_iter().map(Into::into));
        self
    }

    /// Sets whether every file is read, which is the default: without it, only the SKILL.md of each skill is.
    ///
    /// A catalogue needs the front matter and the list of files, not their bytes. Without digests a file is listed with
    /// its path, its size and its mode bit; its [`File::sha256`](crate::FileInfo::sha256) and its
    /// [`File::utf8`](crate::FileInfo::utf8) are `None`, a `#!` line is not seen, and the rules about the contents of files
    /// other than SKILL.md (pointers of Git LFS, links from references, invisible characters there) are not applied.
    /// [`File::inspect`](crate::FileInfo::inspect) reads one file when it is asked for.
    #[must_use]
    pub fn digests(mut self, digests: bool) -> Self {
        self.digests = digests;
        self
    }
}
