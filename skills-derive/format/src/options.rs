//! The options for reading a folder.

use crate::Profile;

/// The options for reading a folder: the profile, the exclusions, and whether all files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The profile.
    pub profile: Profile,
    /// The exclude patterns: globs as in a `.gitignore`, relative to the folder that is read.
    pub exclude: Vec<String>,
    /// Whether all files are read.
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
    /// Creates the default options: the rules of the specification, no exclusions, all files are read.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the profile.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Excludes the files and folders that match these globs.
    ///
    /// The syntax is that of a `.gitignore`: a pattern without a `/` matches a name at any depth, one with a `/`
    /// matches a path relative to the folder that is read (where skills are: `pdf/tests/**`), and one that ends with
    /// `/` matches folders only. A matching folder is excluded with all of its contents. `!` is not supported. An
    /// invalid pattern is reported as a problem.
    #[must_use]
    pub fn exclude<P: Into<String>>(mut self, patterns: impl IntoIterator<Item = P>) -> Self {
        self.exclude.extend(patterns.into_iter().map(Into::into));
        self
    }

    /// Sets whether all files are read. The default is `true`; otherwise only the SKILL.md of each skill is read.
    ///
    /// A catalogue needs the front matter and the list of files, not their contents. Without digests, a file is
    /// listed with its path, its size and its mode bit; its [`File::sha256`](crate::FileInfo::sha256) and its
    /// [`File::utf8`](crate::FileInfo::utf8) are `None`, `#!` lines are not detected, and the rules about the
    /// contents of files other than SKILL.md (pointers of Git LFS, links from references, invisible characters) are
    /// not applied. [`File::inspect`](crate::FileInfo::inspect) reads a single file later.
    #[must_use]
    pub fn digests(mut self, digests: bool) -> Self {
        self.digests = digests;
        self
    }
}
