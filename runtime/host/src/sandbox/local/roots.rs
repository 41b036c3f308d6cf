//! The roots of a local file system, and the assignment of paths to roots.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use super::apply::is_stash;
use super::deny_rules::{DenyRules, LocatedPath};
use super::folder::Folder;
use super::io_failure::{IoFailure, Result};
use super::system::{NoSymlinks, RootDir};
use crate::sandbox::path_location::{self, MissingComponents};
use crate::sandbox::{FsError, JudgedPaths, Listing, PathLocation};

/// The greatest number of absolute links into a root that are followed for one path, as in the kernel.
const MAX_LINKS: usize = 40;

/// The longest accepted path, in bytes; Linux accepts no longer path.
const MAX_PATH: usize = 4096;

/// A path that was assigned to a root.
struct RootedPath {
    root: usize,
    relative: PathBuf,
}

/// The roots of a file system.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    dirs: Vec<RootDir>,
    /// The resolved paths of `dirs`.
    pub(super) paths: Vec<PathBuf>,
    /// The paths of `dirs` as configured, which the model may have seen.
    aliases: Vec<PathBuf>,
    /// The rules for resolved paths that are always denied.
    pub(super) deny_rules: DenyRules,
    /// The resolved paths of a call when it was checked, for the file operations of that call.
    judged: Option<Arc<JudgedPaths>>,
}

/// The meaning of the last component of a path: the entry itself, or the target if it is a link.
#[derive(Clone, Copy)]
enum FinalComponent {
    Entry,
    Target,
}

/// A name in an open folder, at which an entry is created, replaced, moved or removed.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub(super) folder: Arc<Folder>,
    pub(super) name: OsString,
}

impl Slot {
    pub(super) fn location(&self) -> LocatedPath {
        self.folder.location.join(&self.name)
    }

    pub(super) fn stat(&self) -> Result<Option<fs::Metadata>> {
        self.folder.stat(&self.name)
    }
}

impl Roots {
    pub(super) fn new<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, FsError> {
        let mut roots = Self {
            dirs: Vec::new(),
            paths: Vec::new(),
            aliases: Vec::new(),
            deny_rules: DenyRules::default(),
            judged: None,
        };
        for path in paths {
            let path = path.as_ref();
            roots
                .add(path)
                .map_err(|fault| roots.explain_root(path, fault))?;
        }
        Ok(roots)
    }

    fn add(&mut self, path: &Path) -> Result<()> {
        check_path_text(path)?;
        self.dirs.push(RootDir::new(path)?);
        self.paths.push(fs::canonicalize(path)?);
        self.aliases.push(std::path::absolute(path)?);
        Ok(())
    }

    /// Restricts paths to their resolved locations when a call was checked.
    pub(super) fn with_judged_paths(&self, judged: Arc<JudgedPaths>) -> Self {
        Self {
            judged: Some(judged),
            ..self.clone()
        }
    }

    /// Rejects a path that resolves to another location than when the call was checked.
    fn check_judged_location(
        &self,
        path: &Path,
        at: &LocatedPath,
        end: FinalComponent,
    ) -> Result<()> {
        let Some(judged) = self.judged.as_ref().and_then(|judged| judged.get(path)) else {
            return Ok(());
        };
        let place = judged.map(|place| match end {
            FinalComponent::Entry => &place.entry,
            FinalComponent::Target => &place.target,
        });
        if place == Some(&at.absolute) {
            return Ok(());
        }
        Err(IoFailure::Diverted)
    }

    /// Rejects a path that is denied, or resolves to another location than when the call was checked.
    pub(super) fn check_readable(&self, path: &Path, at: &LocatedPath) -> Result<()> {
        self.deny_rules.read(at)?;
        self.check_judged_location(path, at, FinalComponent::Target)
    }

    /// Runs `work` on a path in its root.
    ///
    /// The kernel rejects a link with an absolute target even if the target is inside. Such a link is read here and
    /// replaced with its target, and the resulting path is resolved from the start: it is opened by the same rules as
    /// any path that the caller could have passed, so a link that changes meanwhile bypasses no check.
    pub(super) fn in_root<T>(
        &self,
        path: &Path,
        work: impl Fn(&RootDir, &Path) -> Result<T>,
    ) -> Result<T> {
        check_path_text(path)?;
        let mut place = self.assign_root(path).ok_or(IoFailure::Outside)?;
        for _ in 0..MAX_LINKS {
            match work(&self.dirs[place.root], &place.relative) {
                Err(IoFailure::Outside) => {
                    place = self.follow_first_link(&place).ok_or(IoFailure::Outside)?
                }
                result => return result,
            }
        }
        Err(IoFailure::Link)
    }

    /// Returns the metadata and the location of the file at a path.
    pub(super) fn find(&self, path: &Path) -> Result<(fs::Metadata, LocatedPath)> {
        let found = self.locate(path)?;
        self.check_readable(path, &found.1)?;
        Ok(found)
    }

    /// Like [`find`](Self::find), but also for a denied path.
    pub(super) fn locate(&self, path: &Path) -> Result<(fs::Metadata, LocatedPath)> {
        self.in_root(path, RootDir::find)
    }

    /// Opens the file at a path, if `suits` accepts its metadata. The metadata is checked before the file is opened,
    /// because opening a pipe or a device has side effects.
    pub(super) fn open(
        &self,
        path: &Path,
        suits: impl Fn(&fs::Metadata) -> Result<()>,
    ) -> Result<File> {
        let (file, location) = self.in_root(path, |root, at| {
            let (stat, location) = root.find(at)?;
            self.deny_rules.read(&location)?;
            suits(&stat)?;
            root.open(at)
        })?;
        self.check_readable(path, &location)?;
        Ok(file)
    }

    /// Returns the locations of the entry and of its target, even if the path is denied or does not exist.
    pub(super) fn locate_path(&self, path: &Path) -> Result<PathLocation> {
        let mut entry = None;
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let Some((folder, name)) = path_location::split_last(&path) else {
                return Ok(PathLocation::without_link(self.locate(&path)?.1.absolute));
            };
            let folder = match self.locate(folder) {
                Ok((_, folder)) => folder.absolute,
                Err(fault) if is_missing(&fault) => self.missing_folder(folder, fault)?,
                Err(fault) => return Err(fault),
            };
            let here = folder.join(name);
            let link = self.in_root(&here, |root, at| Ok(root.read_link(at)))?;
            let entry = entry.get_or_insert_with(|| here.clone());
            match link {
                None => return Ok(PathLocation::new(entry.clone(), here)),
                Some(target) => path = folder.join(target),
            }
        }
        Err(IoFailure::Link)
    }

    /// Returns the location of a folder that does not exist.
    fn missing_folder(&self, path: &Path, fault: IoFailure) -> Result<PathBuf> {
        let mut missing = MissingComponents::new(path);
        while let Some(above) = missing.pop_missing() {
            match self.locate(above) {
                Ok((_, above)) => return Ok(missing.join_missing(above.absolute)),
                Err(fault) if is_missing(&fault) => {}
                Err(fault) => return Err(fault),
            }
        }
        Err(fault)
    }

    pub(super) fn folder(&self, path: &Path) -> Result<Folder> {
        let folder = self.in_root(path, RootDir::folder)?;
        self.check_readable(path, &folder.location)?;
        Ok(folder)
    }

    /// Lists at most `limit` names of a folder, without the temporary names of changes.
    pub(super) fn list(&self, path: &Path, limit: usize) -> Result<Listing> {
        let (mut entries, truncated) = self.folder(path)?.names(limit)?;
        entries.retain(|entry| !is_stash(&entry.name));
        Ok(Listing::new(entries, truncated))
    }

    /// Returns the folder and the name of the last component of a path. With `follow`, links at the end are followed to
    /// the location of their target, which need not exist.
    pub(super) fn slot(&self, path: &Path, follow: bool) -> Result<Slot> {
        let given = path;
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let (parent, name) = split(&path)?;
            let slot = Slot {
                folder: Arc::new(self.folder(parent)?),
                name: name.to_owned(),
            };
            let link = follow && slot.stat()?.is_some_and(|stat| stat.is_symlink());
            if !link {
                let end = if follow {
                    FinalComponent::Target
                } else {
                    FinalComponent::Entry
                };
                self.check_judged_location(given, &slot.location(), end)?;
                return Ok(slot);
            }
            // The target is checked like any path that the caller could have passed.
            path = parent.join(slot.folder.read_link(name)?);
        }
        Err(IoFailure::Link)
    }

    /// Opens the folder at a path without links; `None` if there is a link, or if that cannot be proved.
    pub(super) fn no_symlinks(&self, path: &Path) -> Option<NoSymlinks<'_>> {
        check_path_text(path).ok()?;
        let place = self.assign_root(path)?;
        NoSymlinks::new(&self.dirs[place.root], &place.relative)
    }

    /// Rejects a folder that is not an ancestor of the location of a path when its call was checked.
    pub(super) fn check_judged_ancestor(&self, path: &Path, folder: &LocatedPath) -> Result<()> {
        let judged = self.judged.as_ref().and_then(|judged| judged.get(path));
        let is_on_way = judged.flatten().is_none_or(|place| {
            place.entry.starts_with(&folder.absolute) || place.target.starts_with(&folder.absolute)
        });
        if is_on_way {
            return Ok(());
        }
        Err(IoFailure::Diverted)
    }

    /// Creates a folder and its missing parents.
    pub(super) fn create_folder(&self, path: &Path) -> Result<Folder> {
        self.create_chain(path, None, &mut |_| {})
    }

    /// Creates the missing parents of a path, and reports each created folder.
    pub(super) fn create_parents(&self, path: &Path, made: &mut dyn FnMut(Slot)) -> Result<Folder> {
        self.create_chain(split(path)?.0, Some(path), made)
    }

    fn create_chain(
        &self,
        path: &Path,
        below: Option<&Path>,
        made: &mut dyn FnMut(Slot),
    ) -> Result<Folder> {
        match self.folder(path) {
            Err(fault) if fault.is_absence() => {}
            result => return result,
        }
        let (parent, name) = split(path)?;
        let slot = Slot {
            folder: Arc::new(self.create_chain(parent, below, made)?),
            name: name.to_owned(),
        };
        let location = slot.location();
        self.deny_rules.write(&location)?;
        if let Some(below) = below {
            self.check_judged_ancestor(below, &location)?;
        }
        match slot.folder.make_dir(name, 0o777) {
            Ok(()) => made(slot),
            // Another process created the folder, or a link is dangling, which is detected below.
            Err(fault) if fault.kind() == Some(io::ErrorKind::AlreadyExists) => {}
            Err(fault) => return Err(fault),
        }
        self.folder(path)
    }

    /// Rejects moving or removing a folder that contains a root.
    pub(super) fn check_movable(&self, at: &LocatedPath) -> Result<()> {
        if self.paths.iter().any(|root| root.starts_with(&at.absolute)) {
            return Err(IoFailure::Invalid("the path is or contains a root"));
        }
        Ok(())
    }

    /// Assigns a path to a root: a relative path to the first root, an absolute path to the innermost root that
    /// contains it.
    fn assign_root(&self, path: &Path) -> Option<RootedPath> {
        let (root, relative) = if path.is_absolute() {
            let spellings = self.paths.iter().enumerate();
            spellings
                .chain(self.aliases.iter().enumerate())
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
        (root < self.dirs.len()).then(|| RootedPath {
            root,
            relative: relative.to_owned(),
        })
    }

    /// Replaces the first link by which a path leaves its root with the target of that link.
    fn follow_first_link(&self, place: &RootedPath) -> Option<RootedPath> {
        let root = &self.dirs[place.root];
        let mut parent = PathBuf::new();
        let mut rest = place.relative.components();
        while let Some(name) = rest.next() {
            let prefix = parent.join(name);
            if !root.escapes(&prefix) {
                parent = prefix;
                continue;
            }
            // If there is no link here, a `..` left the root.
            let mut target = parent.join(root.read_link(&prefix)?);
            target.extend(rest);
            check_path_text(&target).ok()?;
            if target.is_absolute() {
                return self.assign_root(&target);
            }
            return Some(RootedPath {
                root: place.root,
                relative: target,
            });
        }
        None
    }
}

/// Reports whether a folder does not exist yet, or is still a file.
pub(super) fn is_missing(fault: &IoFailure) -> bool {
    fault.is_absence() || fault.kind() == Some(io::ErrorKind::NotADirectory)
}

/// Splits a path into its parent and its last component.
pub(super) fn split(path: &Path) -> Result<(&Path, &OsStr)> {
    check_path_text(path)?;
    path_location::split_last(path).ok_or(IoFailure::Invalid("it does not end in a name"))
}

/// Reports whether a path can only name a folder, by its spelling.
pub(super) fn names_a_folder(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.ends_with(b"/") || bytes.ends_with(b"/.")
}

/// Rejects a path that cannot be passed to a system call.
fn check_path_text(path: &Path) -> Result<()> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let why = if bytes.is_empty() {
        "the path is empty; use `.` for the folder itself"
    } else if bytes.contains(&0) {
        "it contains a NUL character"
    } else if bytes.len() >= MAX_PATH {
        "it is too long"
    } else {
        return Ok(());
    };
    Err(IoFailure::Invalid(why))
}
