//! The entry that a path names and the target that it resolves to, and a call that is held to what was found when it was judged.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Components, Path, PathBuf};

use super::{FsError, SandboxFs};

/// The entry that a path names and the target that it resolves to, as absolute paths, whether anything is there or not.
///
/// The two differ where the last name of the path is a link: what is removed or renamed is the link, the entry; what is
/// read or written is the target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathLocation {
    /// The folder that the path goes through, all links followed, and its last name.
    pub entry: PathBuf,
    /// The same with a link at the end followed, too.
    pub target: PathBuf,
}

impl PathLocation {
    /// Describes the place of a path.
    pub fn new(entry: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        Self {
            entry: entry.into(),
            target: target.into(),
        }
    }

    /// Describes the place of a path that ends in no link.
    #[doc(hidden)]
    pub fn without_link(place: PathBuf) -> Self {
        Self::new(place.clone(), place)
    }
}

/// The places of the paths of a call, as they were when it was judged.
///
/// A path without an entry was not judged. `None` is a path that led to no place that could be used.
#[derive(Debug, Clone, Default)]
pub struct JudgedPaths(BTreeMap<PathBuf, Option<PathLocation>>);

impl JudgedPaths {
    /// Takes in where a path was, as the call wrote it.
    pub fn insert(&mut self, path: impl Into<PathBuf>, place: Option<PathLocation>) {
        self.0.insert(normalize(&path.into()), place);
    }

    /// Reports whether no path was judged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns where a path was, if it was judged.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<Option<&PathLocation>> {
        self.0.get(&normalize(path)).map(Option::as_ref)
    }
}

/// Takes away what does not change the meaning of a path: `.`, doubled slashes and one at its end.
fn normalize(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| !matches!(part, Component::CurDir))
        .collect()
}

/// Finds the place of a path by what can be resolved of it: what does not exist yet lies where its folder leads.
pub(super) async fn locate<F: SandboxFs + ?Sized>(
    files: &F,
    path: &Path,
) -> Result<PathLocation, FsError> {
    match files.resolve(path).await {
        Ok(found) => match split_last(path) {
            Some((folder, name)) => {
                let entry = files.resolve(folder).await?.absolute.join(name);
                Ok(PathLocation::new(entry, found.absolute))
            }
            None => Ok(PathLocation::without_link(found.absolute)),
        },
        Err(mut error) => {
            let mut missing = MissingComponents::new(path);
            while error.is_absence()
                && let Some(above) = missing.pop_missing()
            {
                match files.resolve(above).await {
                    Ok(found) => {
                        let place = missing.join_missing(found.absolute);
                        return Ok(PathLocation::without_link(place));
                    }
                    Err(next) => error = next,
                }
            }
            Err(error)
        }
    }
}

/// Parts a path into its folder and its last name, if it ends in one.
pub fn split_last(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((or_current(path.parent()?), path.file_name()?))
}

/// Writes `.` for the folder that has no name.
fn or_current(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        return Path::new(".");
    }
    folder
}

/// The end of a path that does not exist.
pub struct MissingComponents<'a> {
    above: Components<'a>,
    names: Vec<Component<'a>>,
}

impl<'a> MissingComponents<'a> {
    /// Begins with a path of which nothing is missing.
    #[doc(hidden)]
    pub fn new(path: &'a Path) -> Self {
        Self {
            above: path.components(),
            names: Vec::new(),
        }
    }

    /// Takes the last name for missing, and returns the path above it.
    #[doc(hidden)]
    pub fn pop_missing(&mut self) -> Option<&'a Path> {
        self.names.push(self.above.next_back()?);
        Some(or_current(self.above.as_path()))
    }

    /// Goes down from a folder through the missing names. No link is among them, so that `..` takes a name away.
    #[doc(hidden)]
    pub fn join_missing(&self, mut folder: PathBuf) -> PathBuf {
        for name in self.names.iter().rev() {
            match name {
                Component::ParentDir => {
                    folder.pop();
                }
                Component::Normal(name) => folder.push(name),
                _ => {}
            }
        }
        folder
    }
}
