//! The few devices that commands need.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::MountAttrFlags;

use super::super::mount::{self, MountPointKind, MountTree};

/// Those that hold nothing and lead nowhere.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
/// Names that lead to what a process has open itself.
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

#[derive(Debug)]
pub(super) struct HostDevices {
    devices: Vec<(PathBuf, OwnedFd)>,
    terminals: OwnedFd,
}

/// Takes the devices of this machine, and makes terminals of the sandbox's own.
pub(super) fn open_devices() -> io::Result<HostDevices> {
    let quiet = (MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC).bits();
    let devices = DEVICES.iter().map(|name| {
        let path = Path::new("/dev").join(name);
        let tree = mount::clone_tree(&path)?;
        mount::set_attributes(&tree, u64::from(quiet))?;
        Ok((path, tree))
    });
    Ok(HostDevices {
        devices: devices.collect::<io::Result<_>>()?,
        terminals: mount::new_filesystem(
            "devpts",
            &[("ptmxmode", "0666"), ("mode", "0620")],
            u64::from(quiet),
        )?,
    })
}

impl HostDevices {
    pub(super) fn mount(self, inside: &MountTree, stage: &Path) -> io::Result<()> {
        let folder = stage.join("dev");
        fs::create_dir_all(&folder)?;
        for (name, target) in LINKS {
            symlink(target, folder.join(name))?;
        }
        for (path, tree) in &self.devices {
            mount::attach(tree, inside.open_mount_point(path, MountPointKind::File)?)?;
        }
        mount::attach(
            self.terminals,
            inside.open_mount_point(Path::new("/dev/pts"), MountPointKind::Folder)?,
        )
    }
}
