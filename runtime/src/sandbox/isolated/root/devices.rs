//! The few devices that commands need.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::mount::MountAttrFlags;

use super::super::mount::{self, Inside, Place};

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
pub(super) struct Devices {
    devices: Vec<(PathBuf, OwnedFd)>,
    terminals: OwnedFd,
}

/// Takes the devices of this machine, and makes terminals of the sandbox's own.
pub(super) fn take() -> io::Result<Devices> {
    let quiet = (MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NOEXEC).bits();
    let devices = DEVICES.iter().map(|name| {
        let path = Path::new("/dev").join(name);
        let tree = mount::tree(&path)?;
        mount::set(&tree, u64::from(quiet))?;
        Ok((path, tree))
    });
    Ok(Devices {
        devices: devices.collect::<io::Result<_>>()?,
        terminals: mount::new(
            "devpts",
            &[("ptmxmode", "0666"), ("mode", "0620")],
            u64::from(quiet),
        )?,
    })
}

impl Devices {
    pub(super) fn put(self, inside: &Inside, stage: &Path) -> io::Result<()> {
        let folder = stage.join("dev");
        fs::create_dir_all(&folder)?;
        for (name, target) in LINKS {
            symlink(target, folder.join(name))?;
        }
        for (path, tree) in &self.devices {
            mount::attach(tree, inside.place(path, Place::File)?)?;
        }
        mount::attach(
            self.terminals,
            inside.place(Path::new("/dev/pts"), Place::Folder)?,
        )
    }
}
