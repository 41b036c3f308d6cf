//! Mounts as descriptors: taken from where they are, put where they belong.

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

/// Nothing on the mount gains privileges or is a device.
pub(super) const NO_PRIVILEGES: u64 =
    (MountAttrFlags::MOUNT_ATTR_NOSUID.bits() | MountAttrFlags::MOUNT_ATTR_NODEV.bits()) as u64;
/// Nothing on it changes.
pub(super) const READ_ONLY: u64 = MountAttrFlags::MOUNT_ATTR_RDONLY.bits() as u64;

/// Copies the mount of a path, and those below it, without putting the copy anywhere.
pub(super) fn clone_tree(path: &Path) -> io::Result<OwnedFd> {
    clone_tree_at(CWD, path)
}

/// [`clone_tree`], from an open folder on.
pub(super) fn clone_tree_at(folder: impl AsFd, path: &Path) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE
        | OpenTreeFlags::AT_EMPTY_PATH;
    Ok(open_tree(folder, path, flags)?)
}

/// Sets attributes of a copied mount and those below it.
pub(super) fn set_attributes(mount: impl AsFd, attributes: u64) -> io::Result<()> {
    let attributes = MountAttributes {
        set: attributes,
        recursive: true,
        ..MountAttributes::default()
    };
    set_mount_attributes(mount, attributes, None)
}

/// Keeps changes of the mounts of this process from those of others, and theirs from its own.
pub(super) fn make_private() -> io::Result<()> {
    let apart = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    Ok(mount_change("/", apart)?)
}

/// Makes a file system of layers, which keeps what it notes of its files in attributes that every user may set.
pub(super) fn overlay(layers: &[(&str, &str)]) -> io::Result<OwnedFd> {
    let options = [layers, &[("index", "off"), ("userxattr", "")]].concat();
    new_filesystem("overlay", &options, NO_PRIVILEGES)
}

/// Makes a new file system. An option without a value is a switch.
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

/// Puts a mount on an open place.
pub(super) fn attach(mount: impl AsFd, place: impl AsFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(mount, c"", place, c"", flags)?)
}

/// A root under construction. Paths are resolved in it by the kernel, one name at a time and never through a link, so that
/// no link in a workspace leads a mount elsewhere.
#[derive(Debug)]
pub(super) struct MountTree {
    root: OwnedFd,
    /// The device of the root itself: places are made there and nowhere else, so never in a project.
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

    /// Whether something lies on the root's own file system, which holds no files but the sandbox's.
    pub(super) fn is_on_own_filesystem(&self, place: &OwnedFd) -> io::Result<bool> {
        Ok(rustix::fs::fstat(place)?.st_dev == self.device)
    }

    /// Opens what is at a path.
    pub(super) fn open_at(&self, path: &Path) -> io::Result<OwnedFd> {
        let mut here = self.root.try_clone()?;
        for name in path.components() {
            if let Component::Normal(name) = name {
                here = open_component(&here, Path::new(name))?;
            }
        }
        Ok(here)
    }

    /// Opens a path as a place for a mount, and makes what is missing of it where that is ours.
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

/// Opens one name in a folder.
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

/// Reports what a mount shows.
pub(super) fn kind_of(tree: impl AsFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(tree)?.st_mode))
}

/// Returns this process a copy of the mounts of its root.
pub(super) fn unshare_mount_tree() -> io::Result<MountTree> {
    os::unshare_mounts()?;
    MountTree::new(open_folder(Path::new("/"))?)
}
