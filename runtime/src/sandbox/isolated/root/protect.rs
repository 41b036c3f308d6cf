//! Protected and masked paths as mounts over themselves, which cannot be renamed, removed or written through.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};

use super::super::Protection;
use super::super::mount::{self, Inside, PLAIN, Place, READ_ONLY, kind_of};
use super::super::wire::Failure;
use crate::sandbox::Layer;

/// What is protected already.
#[derive(Debug)]
pub(in super::super) struct Protected {
    done: BTreeSet<PathBuf>,
    /// What stands where a masked file is, and a masked folder: empty, and closed even to its owner.
    nothing: [PathBuf; 2],
}

impl Protected {
    pub(in super::super) fn new() -> Self {
        Self {
            done: BTreeSet::new(),
            nothing: ["/run/masked/file".into(), "/run/masked/folder".into()],
        }
    }

    /// Carries out a plan, as far as it is new or was undone from outside.
    pub(in super::super) fn apply(
        &mut self,
        inside: &Inside,
        plan: &Protection,
    ) -> Result<(), Failure> {
        for path in &plan.pinned {
            self.once(inside, path, Layer::ProtectedPaths, |path| {
                cover(inside, path, PLAIN)
            })?;
        }
        for path in &plan.read_only {
            self.once(inside, path, Layer::ProtectedPaths, |path| {
                cover(inside, path, PLAIN | READ_ONLY)
            })?;
        }
        let nothing = self.nothing.clone();
        for path in &plan.masked {
            self.once(inside, path, Layer::MaskedPaths, |path| {
                mask(inside, path, &nothing)
            })?;
        }
        Ok(())
    }

    fn once(
        &mut self,
        inside: &Inside,
        path: &Path,
        layer: Layer,
        work: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.done.contains(path) && is_covered(inside, path) {
            return Ok(());
        }
        match work(path) {
            // It went away meanwhile; there is nothing to protect.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(Failure::layer(
                layer,
                &format!("`{}` cannot be protected", path.display()),
                error,
                "remove it, or take it off the list of protected paths",
            )),
            Ok(()) => {
                self.done.insert(path.to_owned());
                Ok(())
            }
        }
    }
}

/// Reports whether a mount is on a path. The kernel takes a mount away when something is renamed over what it covers, or
/// that is removed, outside of the sandbox.
fn is_covered(inside: &Inside, path: &Path) -> bool {
    let (flags, mask) = (AtFlags::EMPTY_PATH, StatxFlags::empty());
    let place = inside.at(path).ok();
    let found = place.and_then(|place| statx(place, c"", flags, mask).ok());
    found.is_some_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

/// Mounts a path over itself.
fn cover(inside: &Inside, path: &Path, attributes: u64) -> io::Result<()> {
    let place = inside.at(path)?;
    let tree = mount::tree_at(&place, Path::new(""))?;
    mount::set(&tree, attributes)?;
    mount::attach(tree, place)
}

/// Mounts nothing over a path.
fn mask(inside: &Inside, path: &Path, nothing: &[PathBuf; 2]) -> io::Result<()> {
    let place: OwnedFd = inside.at(path)?;
    let nothing = match kind_of(&place)? {
        Place::File => &nothing[0],
        Place::Folder => &nothing[1],
    };
    let tree = mount::tree_at(inside.at(nothing)?, Path::new(""))?;
    mount::set(&tree, PLAIN | READ_ONLY)?;
    mount::attach(tree, place)
}
