//! The overlays of a staged command.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, unlinkat};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount};

use super::super::mount::{MountTree, attach, overlay, unshare_mount_tree};
use super::super::owner_access;
use super::super::stage;
use super::super::wire::{StageSpec, WireError};
use super::protect::AppliedProtection;
use super::step::step;

/// Gives this process its own mounts, in which writes to a writable folder go to the layers of the command. The
/// overlays have the same protected paths as the folders.
pub(in super::super) fn mount_staged(order: &StageSpec) -> Result<(), WireError> {
    let inside = step(
        "a staged command cannot have mounts of its own",
        unshare_mount_tree,
    )?;
    step("a staged command cannot have overlays", || {
        mount_overlays(&inside, order)?;
        hide_layers()
    })?;
    AppliedProtection::default().apply(&inside, &order.plan)
}

/// Mounts an overlay over a folder, and creates a file in it.
pub(super) fn try_overlay(inside: &MountTree, root: &Path) -> io::Result<()> {
    let parts = stage::parts(Path::new(stage::INSIDE), stage::TRIAL_LAYER);
    let merged = mount_overlay(inside, &inside.open_at(root)?, &parts)?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let name = ".helve-staging";
    let mode = Mode::RUSR | Mode::WUSR;
    drop(rustix::fs::openat(&merged, name, flags, mode)?);
    Ok(unlinkat(&merged, name, AtFlags::empty())?)
}

/// Mounts an overlay that stores changes in the two folders of a layer.
fn mount_overlay(inside: &MountTree, lower: &OwnedFd, parts: &[PathBuf; 2]) -> io::Result<OwnedFd> {
    let [upper, work] = [inside.open_at(&parts[0])?, inside.open_at(&parts[1])?];
    let layers = [
        ("lowerdir", owner_access::proc_fd_path(lower)),
        ("upperdir", owner_access::proc_fd_path(&upper)),
        ("workdir", owner_access::proc_fd_path(&work)),
    ];
    overlay(&layers.each_ref().map(|(name, path)| (*name, path.as_str())))
}

fn mount_overlays(inside: &MountTree, order: &StageSpec) -> io::Result<()> {
    let folder = Path::new(stage::INSIDE).join(&order.name);
    // One folder may be inside another, and is opened before the outer overlay hides it.
    let lower = order.roots.iter().map(|root| inside.open_at(root));
    let lower = lower.collect::<io::Result<Vec<OwnedFd>>>()?;
    for (number, (root, lower)) in order.roots.iter().zip(lower).enumerate() {
        let merged = mount_overlay(inside, &lower, &stage::parts(&folder, number))?;
        attach(merged, inside.open_at(root)?)?;
    }
    Ok(())
}

/// Hides the layers of all commands, in this process's own mounts.
pub(super) fn hide_layers() -> io::Result<()> {
    match unmount(stage::INSIDE, UnmountFlags::DETACH) {
        // The sandbox has no staging.
        Err(Errno::INVAL | Errno::NOENT) => Ok(()),
        done => Ok(done?),
    }
}
