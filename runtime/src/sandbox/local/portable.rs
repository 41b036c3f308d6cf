//! A root whose paths are compared after links are resolved: systems without `openat2`.
//!
//! Racy: between the comparison and the opening, whoever can write inside the root can swap a directory for a link.
//! [`RESOLUTION`] says so to whoever asks.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::fault::Fault;
use crate::sandbox::{DirEntry, Listing, PathResolution};

/// How paths are resolved by this module.
pub(super) const RESOLUTION: PathResolution = PathResolution::Canonicalised;

/// A directory below which paths are opened.
#[derive(Debug)]
pub(super) struct Root {
    dir: PathBuf,
}

impl Root {
    /// Remembers where a directory is.
    pub(super) fn new(path: &Path) -> Result<Self, Fault> {
        let dir = fs::canonicalize(path)?;
        fs::read_dir(&dir)?;
        Ok(Self { dir })
    }

    /// Describes what is at a path.
    pub(super) fn stat(&self, path: &Path) -> Result<fs::Metadata, Fault> {
        Ok(fs::symlink_metadata(self.inside(path)?)?)
    }

    /// Opens a path for reading. The caller has seen that it is a regular file, and checks what it got.
    pub(super) fn open(&self, path: &Path) -> Result<File, Fault> {
        Ok(File::open(self.inside(path)?)?)
    }

    /// Lists at most `limit` names of a directory.
    pub(super) fn list(&self, path: &Path, limit: usize) -> Result<Listing, Fault> {
        let mut entries = Vec::new();
        for entry in fs::read_dir(self.inside(path)?)? {
            let entry = entry?;
            if entries.len() == limit {
                return Ok(Listing::new(entries, true));
            }
            entries.push(DirEntry::new(
                entry.file_name(),
                super::kind_of(entry.file_type()?),
            ));
        }
        Ok(Listing::new(entries, false))
    }

    /// Says where a path leads: below this root, and from the top.
    pub(super) fn locate(&self, path: &Path) -> Result<(PathBuf, PathBuf), Fault> {
        let absolute = self.inside(path)?;
        match absolute.strip_prefix(&self.dir) {
            Ok(relative) => Ok((relative.to_owned(), absolute)),
            Err(_) => Err(Fault::Outside),
        }
    }

    /// Reads the symbolic link at a path, if it is one.
    pub(super) fn link(&self, path: &Path) -> Option<PathBuf> {
        let parent = self.inside(path.parent()?).ok()?;
        fs::read_link(parent.join(path.file_name()?)).ok()
    }

    fn inside(&self, path: &Path) -> Result<PathBuf, Fault> {
        match fs::canonicalize(self.dir.join(path)) {
            Ok(real) if real.starts_with(&self.dir) => Ok(real),
            Ok(_) => Err(Fault::Outside),
            Err(error) => {
                // Whether something exists outside is not to be learnt from the error.
                if let Some(parent) = path.parent() {
                    self.inside(parent)?;
                }
                Err(error.into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Fault, PathResolution, RESOLUTION, Root};

    #[test]
    fn what_is_inside_opens_and_what_leaves_does_not() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(dir.path().join("root/sub")).expect("folders");
        std::fs::write(dir.path().join("root/a"), "a").expect("a file");
        std::fs::write(dir.path().join("secret"), "s").expect("a file");
        let root = Root::new(&dir.path().join("root")).expect("a root");
        assert!(root.open(Path::new("sub/../a")).is_ok());
        assert_eq!(
            root.list(Path::new(""), 10).expect("names").entries.len(),
            2
        );
        assert_eq!(
            root.locate(Path::new("a")).expect("a place").0,
            Path::new("a")
        );
        assert!(root.stat(Path::new("sub")).expect("a folder").is_dir());
        assert!(root.link(Path::new("a")).is_none());
        for leaving in ["../secret", "../absent", "sub/../../absent/x"] {
            assert!(
                matches!(root.open(Path::new(leaving)), Err(Fault::Outside)),
                "{leaving}"
            );
        }
        assert_eq!(RESOLUTION, PathResolution::Canonicalised);
    }
}
