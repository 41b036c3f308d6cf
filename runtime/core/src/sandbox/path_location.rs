//! The entry that a path names and the target that it resolves to, recorded when a call is judged.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Component, Components, Path, PathBuf};

use super::{FsError, SandboxFs};

/// The entry that a path names and the target that it resolves to, as absolute paths, whether or not they exist.
///
/// The two differ if the last component of the path is a link: removing and renaming affect the entry, which is the
/// link; reading and writing affect the target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathLocation {
    /// The folder of the path with all links resolved, and the last component.
    pub entry: PathBuf,
    /// The same with a link at the last component resolved, too.
    pub target: PathBuf,
}

impl PathLocation {
    /// Creates the location of a path.
    pub fn new(entry: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        Self {
            entry: entry.into(),
            target: target.into(),
        }
    }

    /// Creates the location of a path whose last component is no link.
    #[doc(hidden)]
    pub fn without_link(place: PathBuf) -> Self {
        Self::new(place.clone(), place)
    }
}

/// The locations of the paths of a call, as they were when the call was judged.
///
/// A path without an entry was not judged. `None` is a path without a usable location.
#[derive(Debug, Clone, Default)]
pub struct JudgedPaths(BTreeMap<PathBuf, Option<PathLocation>>);

impl JudgedPaths {
    /// Records the location of a path, in the spelling of the call.
    pub fn insert(&mut self, path: impl Into<PathBuf>, place: Option<PathLocation>) {
        self.0.insert(normalize(&path.into()), place);
    }

    /// Reports whether no path was judged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the recorded location of a path, if the path was judged.
    #[must_use]
    pub fn get(&self, path: &Path) -> Option<Option<&PathLocation>> {
        self.0.get(&normalize(path)).map(Option::as_ref)
    }
}

/// Removes the parts of a path that do not change its meaning: `.`, repeated slashes and a trailing slash.
fn normalize(path: &Path) -> PathBuf {
    path.components()
        .filter(|part| !matches!(part, Component::CurDir))
        .collect()
}

/// Finds the location of a path by its longest part that can be resolved: missing components are located below the
/// folder that exists.
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

/// Splits a path into its folder and its last component, if the path ends in a name.
pub fn split_last(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((or_current(path.parent()?), path.file_name()?))
}

/// Returns `.` for an empty folder path.
fn or_current(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        return Path::new(".");
    }
    folder
}

/// The missing components at the end of a path.
pub struct MissingComponents<'a> {
    above: Components<'a>,
    names: Vec<Component<'a>>,
}

impl<'a> MissingComponents<'a> {
    /// Starts with a path that has no missing components.
    #[doc(hidden)]
    pub fn new(path: &'a Path) -> Self {
        Self {
            above: path.components(),
            names: Vec::new(),
        }
    }

    /// Adds the last component to the missing ones, and returns the parent path.
    #[doc(hidden)]
    pub fn pop_missing(&mut self) -> Option<&'a Path> {
        self.names.push(self.above.next_back()?);
        Some(or_current(self.above.as_path()))
    }

    /// Appends the missing components to a folder. None of them is a link, so `..` removes a component.
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
