//! Protected and masked paths as bind mounts, which cannot be renamed, removed or written through.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};

use super::super::Protection;
use super::super::mount::{self, MountTree, NO_PRIVILEGES, READ_ONLY, kind_of};
use super::super::wire::WireError;
use crate::sandbox::Layer;

/// The file that is mounted over a masked file: empty, and without permissions even for its owner.
const EMPTY_FILE: &str = "/run/masked/file";
/// The folder that is mounted over a masked folder.
const EMPTY_FOLDER: &str = "/run/masked/folder";

/// The paths that are already protected.
#[derive(Debug, Default)]
pub(in super::super) struct AppliedProtection(BTreeSet<PathBuf>);

impl AppliedProtection {
    /// Applies a plan, as far as it is new or was undone from outside.
    pub(in super::super) fn apply(
        &mut self,
        inside: &MountTree,
        plan: &Protection,
    ) -> Result<(), WireError> {
        for (paths, attributes) in [(&plan.pinned, 0), (&plan.read_only, READ_ONLY)] {
            for path in paths {
                self.apply_once(inside, path, Layer::ProtectedPaths, || {
                    cover(inside, path, NO_PRIVILEGES | attributes)
                })?;
            }
        }
        for path in &plan.masked {
            self.apply_once(inside, path, Layer::MaskedPaths, || mask(inside, path))?;
        }
        Ok(())
    }

    fn apply_once(
        &mut self,
        inside: &MountTree,
        path: &Path,
        layer: Layer,
        work: impl FnOnce() -> io::Result<()>,
    ) -> Result<(), WireError> {
        if self.0.contains(path) && is_covered(inside, path) {
            return Ok(());
        }
        match work() {
            // The path was removed meanwhile; there is nothing to protect.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(WireError::layer(
                layer,
                &format!("`{}` cannot be protected", path.display()),
                error,
                "remove it, or take it off the list of protected paths",
            )),
            Ok(()) => {
                self.0.insert(path.to_owned());
                Ok(())
            }
        }
    }
}

/// Reports whether a mount covers a path. The kernel removes a mount when its mount point is renamed over or removed
/// from outside of the sandbox.
fn is_covered(inside: &MountTree, path: &Path) -> bool {
    let (flags, mask) = (AtFlags::EMPTY_PATH, StatxFlags::empty());
    let place = inside.open_at(path).ok();
    let found = place.and_then(|place| statx(place, c"", flags, mask).ok());
    found.is_some_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Mounts a path over itself.
fn cover(inside: &MountTree, path: &Path, attributes: u64) -> io::Result<()> {
    let place = inside.open_at(path)?;
    mount_copy(&place, &place, attributes)
}

/// Mounts an empty file or folder over a path.
fn mask(inside: &MountTree, path: &Path) -> io::Result<()> {
    let place = inside.open_at(path)?;
    let is_folder = kind_of(&place)?.is_dir();
    let nothing = if is_folder { EMPTY_FOLDER } else { EMPTY_FILE };
    let nothing = inside.open_at(Path::new(nothing))?;
    mount_copy(&nothing, &place, NO_PRIVILEGES | READ_ONLY)
}

fn mount_copy(source: &OwnedFd, place: &OwnedFd, attributes: u64) -> io::Result<()> {
    let tree = mount::clone_tree_at(source, Path::new(""))?;
    mount::set_attributes(&tree, attributes)?;
    mount::attach(tree, place)
}
