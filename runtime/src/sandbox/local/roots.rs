//! The roots of a local file system, and which of them a path means.

use std::path::{Path, PathBuf};

use super::fault::Fault;
use super::system::Root;
use crate::sandbox::FsError;

/// How many links into a root by an absolute path are followed in one path, as many as the kernel follows.
const MAX_LINKS: usize = 40;

/// The longest path that is looked at, in bytes; Linux takes no longer one.
const MAX_PATH: usize = 4096;

/// A path that was assigned to a root.
struct Place {
    root: usize,
    relative: PathBuf,
}

/// The directories that are reachable.
#[derive(Debug)]
pub(super) struct Roots {
    dirs: Vec<Root>,
    /// The real paths of `dirs`.
    pub(super) paths: Vec<PathBuf>,
    /// The paths of `dirs` as the host wrote them, which the model may have seen.
    aliases: Vec<PathBuf>,
}

impl Roots {
    pub(super) fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, FsError> {
        let mut roots = Self {
            dirs: Vec::new(),
            paths: Vec::new(),
            aliases: Vec::new(),
        };
        for path in paths {
            let path = path.as_ref();
            roots
                .add(path)
                .map_err(|fault| roots.explain_root(path, fault))?;
        }
        Ok(roots)
    }

    fn add(&mut self, path: &Path) -> Result<(), Fault> {
        check(path)?;
        self.dirs.push(Root::new(path)?);
        self.paths.push(std::fs::canonicalize(path)?);
        self.aliases.push(std::path::absolute(path)?);
        Ok(())
    }

    /// Does something with a path in its root.
    ///
    /// The kernel refuses a link with an absolute target even when it points inside. Such a link is read here and
    /// turned into the path that it means, and that path starts over: it is opened under the same rule as any path
    /// which the caller could have written, so a link that changes meanwhile gains nothing.
    pub(super) fn at<T>(
        &self,
        path: &Path,
        work: impl Fn(&Root, &Path) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        check(path)?;
        let mut place = self.place(path).ok_or(Fault::Outside)?;
        for _ in 0..MAX_LINKS {
            match work(&self.dirs[place.root], &place.relative) {
                Err(Fault::Outside) => place = self.behind_link(&place).ok_or(Fault::Outside)?,
                result => return result,
            }
        }
        Err(Fault::Link)
    }

    /// Assigns a path to a root: a relative one to the first, an absolute one to the innermost that holds it.
    fn place(&self, path: &Path) -> Option<Place> {
        let (root, relative) = if path.is_absolute() {
            let spellings = self
                .paths
                .iter()
                .enumerate()
                .chain(self.aliases.iter().enumerate());
            spellings
                .filter_map(|(root, dir)| Some((root, path.strip_prefix(dir).ok()?)))
                .min_by_key(|(_, relative)| relative.as_os_str().len())?
        } else {
            (0, path)
        };
        let relative = if relative.as_os_str().is_empty() {
            Path::new(".")
        } else {
            relative
        };
        (root < self.dirs.len()).then(|| Place {
            root,
            relative: relative.to_owned(),
        })
    }

    /// Replaces the first link on which a path leaves its root by the target of that link.
    fn behind_link(&self, place: &Place) -> Option<Place> {
        let root = &self.dirs[place.root];
        let mut parent = PathBuf::new();
        let mut rest = place.relative.components();
        while let Some(name) = rest.next() {
            let prefix = parent.join(name);
            if !matches!(root.stat(&prefix), Err(Fault::Outside)) {
                parent = prefix;
                continue;
            }
            // No link here means that a `..` left the root.
            let mut target = parent.join(root.link(&prefix)?);
            target.extend(rest);
            check(&target).ok()?;
            return if target.is_absolute() {
                self.place(&target)
            } else {
                Some(Place {
                    root: place.root,
                    relative: target,
                })
            };
        }
        None
    }
}

/// Refuses what no system call can express.
fn check(path: &Path) -> Result<(), Fault> {
    let bytes = path.as_os_str().as_encoded_bytes();
    if bytes.is_empty() {
        return Err(Fault::Invalid("it is empty; `.` is the folder itself"));
    }
    if bytes.contains(&0) {
        return Err(Fault::Invalid("it contains a NUL character"));
    }
    if bytes.len() >= MAX_PATH {
        return Err(Fault::Invalid("it is too long"));
    }
    Ok(())
}
