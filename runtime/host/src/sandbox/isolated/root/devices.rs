//! The devices that commands need.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::MountAttrFlags;

use super::super::mount::{self, MountTree};
use super::system::mount_all;

/// Devices without state that give access to nothing else.
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
/// Links to the open descriptors of a process.
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];

#[derive(Debug)]
pub(super) struct HostDevices(Vec<(PathBuf, OwnedFd)>);

/// Opens the devices of this machine, and creates the sandbox's own terminal file system.
pub(super) fn open_devices() -> io::Result<HostDevices> {
    let quiet = (MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC).bits();
    let devices = DEVICES.iter().map(|name| {
        let path = Path::new("/dev").join(name);
        let tree = mount::clone_tree(&path)?;
        mount::set_attributes(&tree, u64::from(quiet))?;
        Ok((path, tree))
    });
    let mut devices = devices.collect::<io::Result<Vec<_>>>()?;
    let options = [("ptmxmode", "0666"), ("mode", "0620")];
    let terminals = mount::new_filesystem("devpts", &options, u64::from(quiet))?;
    devices.push(("/dev/pts".into(), terminals));
    Ok(HostDevices(devices))
}

impl HostDevices {
    pub(super) fn mount(self, inside: &MountTree, stage: &Path) -> io::Result<()> {
        let folder = stage.join("dev");
        fs::create_dir_all(&folder)?;
        for (name, target) in LINKS {
            symlink(target, folder.join(name))?;
        }
        mount_all(inside, &self.0)
    }
}
