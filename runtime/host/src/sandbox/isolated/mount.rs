//! Mounts as descriptors: mounts are cloned from their sources, and attached at their targets.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen,
    mount_change, move_mount, open_tree,
};

use super::os::{self, MountAttributes, set_mount_attributes};
use super::owner_access::open_folder;

/// Programs on the mount gain no privileges, and its device nodes do not work.
pub(super) const NO_PRIVILEGES: u64 =
    (MountAttrFlags::MOUNT_ATTR_NOSUID.bits() | MountAttrFlags::MOUNT_ATTR_NODEV.bits()) as u64;
/// Files on the mount cannot be changed.
pub(super) const READ_ONLY: u64 = MountAttrFlags::MOUNT_ATTR_RDONLY.bits() as u64;

/// Copies the mount of a path, and the mounts below it, without attaching the copy.
pub(super) fn clone_tree(path: &Path) -> io::Result<OwnedFd> {
    clone_tree_at(CWD, path)
}

/// Like [`clone_tree`], but relative to an open folder.
pub(super) fn clone_tree_at(folder: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(folder, path, flags)?)
}

/// Sets attributes of a copied mount and of the mounts below it.
pub(super) fn set_attributes(mount: impl AsFd, attributes: u64) -> io::Result<()> {
    let attributes = MountAttributes {
        set: attributes,
        recursive: true,
        ..MountAttributes::default()
    };
    set_mount_attributes(mount, attributes, None)
}

/// Stops the propagation of mounts between this process and others, in both directions.
pub(super) fn make_private() -> io::Result<()> {
    let apart = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", apart)?)
}

/// Creates an overlay file system, which stores its metadata in extended attributes that every user may set.
pub(super) fn overlay(layers: &[(&str, &str)]) -> io::Result<OwnedFd> {
    let options = [layers, &[("index", "off"), ("userxattr", "")]].concat();
    new_filesystem("overlay", &options, NO_PRIVILEGES)
}

/// Creates a file system. An option without a value is a flag.
pub(super) fn new_filesystem(
    kind: &str,
    options: &[(&str, &str)],
    attributes: u64,
) -> io::Result<OwnedFd> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (name, value) in options {
        if value.is_empty() {
            fsconfig_set_flag(context.as_fd(), *name)?;
        } else {
            fsconfig_set_string(context.as_fd(), *name, *value)?;
        }
    }
    fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::from_bits_retain(attributes as u32);
    let flags = FsMountFlags::FSMOUNT_CLOEXEC;
    Ok(fsmount(context.as_fd(), flags, attributes)?)
}

/// Attaches a mount at an open mount point.
pub(super) fn attach(mount: impl AsFd, place: impl AsFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(mount, c"", place, c"", flags)?)
}

/// A root under construction. The kernel resolves paths in it one component at a time and never through a symbolic
/// link, so that no link in a workspace redirects a mount.
#[derive(Debug)]
pub(super) struct MountTree {
    root: OwnedFd,
    /// The device number of the root itself: mount points are created on this device only, so never in a project.
    device: u64,
}

impl MountTree {
    pub(super) fn new(root: OwnedFd) -> io::Result<Self> {
        let device = rustix::fs::fstat(&root)?.st_dev;
        Ok(Self { root, device })
    }

    pub(super) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Reports whether a path is on the root's own file system, which contains only the sandbox's own files.
    pub(super) fn is_on_own_filesystem(&self, place: &OwnedFd) -> io::Result<bool> {
        Ok(rustix::fs::fstat(place)?.st_dev == self.device)
    }

    /// Opens the file or folder at a path.
    pub(super) fn open_at(&self, path: &Path) -> io::Result<OwnedFd> {
        let mut here = self.root.try_clone()?;
        for name in path.components() {
            if let Component::Normal(name) = name {
                here = open_component(&here, Path::new(name))?;
            }
        }
        Ok(here)
    }

    /// Opens a path as a mount point, and creates missing components if they are on the root's own file system.
    pub(super) fn open_mount_point(&self, path: &Path, kind: FileType) -> io::Result<OwnedFd> {
        let mut here = self.root.try_clone()?;
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            let Component::Normal(name) = name else {
                continue;
            };
            let name = Path::new(name);
            here = match open_component(&here, name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let is_folder = kind.is_dir() || names.peek().is_some();
                    self.create_mount_point(&here, name, is_folder)?;
                    open_component(&here, name)?
                }
                found => found?,
            };
        }
        Ok(here)
    }

    fn create_mount_point(&self, folder: &OwnedFd, name: &Path, is_folder: bool) -> io::Result<()> {
        if !self.is_on_own_filesystem(folder)? {
            return Err(io::Error::other(
                "the path does not exist, and creating it would leave an empty file in the user's folder",
            ));
        }
        if is_folder {
            return Ok(rustix::fs::mkdirat(
                folder,
                name,
                Mode::from_raw_mode(0o755),
            )?);
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(folder, name, flags, Mode::from_raw_mode(0o644)).map(drop)?)
    }
}

/// Opens one path component in a folder.
fn open_component(folder: &OwnedFd, name: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    loop {
        match rustix::fs::openat2(folder, name, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN | Errno::INTR) => {}
            opened => return Ok(opened?),
        }
    }
}

/// Returns the file type of the root of a mount.
pub(super) fn kind_of(tree: impl AsFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode))
}

/// Gives this process a copy of the mounts of its root, and returns the copy.
pub(super) fn unshare_mount_tree() -> io::Result<MountTree> {
    os::unshare_mounts()?;
    MountTree::new(open_folder(Path::new("/"))?)
}
