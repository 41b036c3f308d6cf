//! Protected and masked paths as mounts over themselves, which cannot be renamed, removed or written through.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};

use super::super::Protection;
use super::super::mount::{self, MountPointKind, MountTree, NO_PRIVILEGES, READ_ONLY, kind_of};
use super::super::wire::WireError;
use crate::sandbox::Layer;

/// What is protected already.
#[derive(Debug)]
pub(in super::super) struct AppliedProtection {
    applied: BTreeSet<PathBuf>,
    /// What stands where a masked file is, and a masked folder: empty, and closed even to its owner.
    empty_targets: [PathBuf; 2],
}

impl AppliedProtection {
    pub(in super::super) fn new() -> Self {
        Self {
            applied: BTreeSet::new(),
            empty_targets: ["/run/masked/file".into(), "/run/masked/folder".into()],
        }
    }

    /// Carries out a plan, as far as it is new or was undone from outside.
    pub(in super::super) fn apply(
        &mut self,
        inside: &MountTree,
        plan: &Protection,
    ) -> Result<(), WireError> {
        for path in &plan.pinned {
            self.apply_once(inside, path, Layer::ProtectedPaths, |path| {
                cover(inside, path, NO_PRIVILEGES)
            })?;
        }
        for path in &plan.read_only {
            self.apply_once(inside, path, Layer::ProtectedPaths, |path| {
                cover(inside, path, NO_PRIVILEGES | READ_ONLY)
            })?;
        }
        let nothing = self.empty_targets.clone();
        for path in &plan.masked {
            self.apply_once(inside, path, Layer::MaskedPaths, |path| {
                mask(inside, path, &nothing)
            })?;
        }
        Ok(())
    }

    fn apply_once(
        &mut self,
        inside: &MountTree,
        path: &Path,
        layer: Layer,
        work: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), WireError> {
        if self.applied.contains(path) && is_covered(inside, path) {
            return Ok(());
        }
        match work(path) {
            // It went away meanwhile; there is nothing to protect.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(WireError::layer(
                layer,
                &format!("`{}` cannot be protected", path.display()),
                error,
                "remove it, or take it off the list of protected paths",
            )),
            Ok(()) => {
                self.applied.insert(path.to_owned());
                Ok(())
            }
        }
    }
}

/// Reports whether a mount is on a path. The kernel takes a mount away when something is renamed over what it covers, or
/// that is removed, outside of the sandbox.
fn is_covered(inside: &MountTree, path: &Path) -> bool {
    let (flags, mask) = (AtFlags::EMPTY_PATH, StatxFlags::empty());
    let place = inside.open_at(path).ok();
    let found = place.and_then(|place| statx(place, c"", flags, mask).ok());
    found.is_some_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Mounts a path over itself.
fn cover(inside: &MountTree, path: &Path, attributes: u64) -> io::Result<()> {
    let place = inside.open_at(path)?;
    let tree = mount::clone_tree_at(&place, Path::new(""))?;
    mount::set_attributes(&tree, attributes)?;
    mount::attach(tree, place)
}

/// Mounts nothing over a path.
fn mask(inside: &MountTree, path: &Path, nothing: &[PathBuf; 2]) -> io::Result<()> {
    let place: OwnedFd = inside.open_at(path)?;
    let nothing = match kind_of(&place)? {
        MountPointKind::File => &nothing[0],
        MountPointKind::Folder => &nothing[1],
    };
    let tree = mount::clone_tree_at(inside.open_at(nothing)?, Path::new(""))?;
    mount::set_attributes(&tree, NO_PRIVILEGES | READ_ONLY)?;
    mount::attach(tree, place)
}
