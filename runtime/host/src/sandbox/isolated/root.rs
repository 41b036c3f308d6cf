//! The root that commands see: an allowlist of folders on an empty file system.

mod devices;
mod protect;
mod staged;
mod step;
mod system;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Mode};
use rustix::mount::UnmountFlags;

use self::step::step;
use super::mount::{
    self, MountTree, NO_PRIVILEGES, READ_ONLY, attach, kind_of, set_attributes, unshare_mount_tree,
};
use super::os::{MountAttributes, set_mount_attributes};
use super::wire::WireError;
use super::{owner_access, stage};
use crate::sandbox::Layer;

pub(super) use protect::AppliedProtection;
pub(super) use staged::mount_staged;
pub(super) use system::{system_folders, toolchains};

/// A folder or file that commands see at the same path as outside.
#[derive(Debug)]
pub(super) struct BindMount {
    pub(super) path: PathBuf,
    pub(super) writable: bool,
    /// The mount, if the supervisor has opened it already.
    pub(super) tree: Option<OwnedFd>,
}

impl BindMount {
    /// Takes the mount.
    fn take(&mut self) -> io::Result<OwnedFd> {
        let taken = self.tree.take();
        taken.map_or_else(|| mount::clone_tree(&self.path), Ok)
    }
}

/// The contents of a root.
#[derive(Debug)]
pub(super) struct RootSpec {
    pub(super) shown: Vec<BindMount>,
    pub(super) home: PathBuf,
    pub(super) user: u32,
    pub(super) group: u32,
    /// The memory limit of all commands together, in bytes; `None` if it is unlimited.
    pub(super) memory: Option<u64>,
    /// The folder with the layers of staged commands, which is mounted at another path inside.
    pub(super) staging: Option<BindMount>,
}

impl RootSpec {
    /// Iterates over the mounts that were opened already.
    pub(super) fn trees(&self) -> impl Iterator<Item = &OwnedFd> {
        let shown = self.shown.iter().chain(&self.staging);
        shown.filter_map(|shown| shown.tree.as_ref())
    }
}

/// The folder of projected folders.
pub(super) const PROJECTED: &str = "/run/projected";

/// The size limit of all private folders together, in bytes.
const PRIVATE_SIZE: u64 = 2 << 30;
const PRIVATE_FILES: &str = "1000000";
/// Folders that exist on every Linux system; a new root is built on one of them, invisible to other processes.
const ROOT_MOUNT_POINTS: &[&str] = &["/sys", "/tmp", "/mnt"];

/// A root that is built, and is the root of this process.
#[derive(Debug)]
pub(super) struct Root {
    pub(super) inside: MountTree,
    /// The folder of projections, writable.
    projections: OwnedFd,
}

/// Builds the root and changes into it.
pub(super) fn build(blueprint: RootSpec) -> Result<Root, WireError> {
    step("failed to make the mounts private", mount::make_private)?;
    // All sources are opened before the new root hides anything.
    let system = step(
        "a folder of the system cannot be shown",
        system::open_system,
    )?;
    let devices = step("a device cannot be shown", devices::open_devices)?;
    let mut shown = Vec::new();
    for mut bind in blueprint.shown {
        let tree = step(&cannot_show(&bind.path), || bind.take())?;
        shown.push((bind.path, bind.writable, tree));
    }
    if let Some(mut layers) = blueprint.staging {
        let tree = step("the layers of staged commands cannot be shown", || {
            layers.take()
        })?;
        shown.push((stage::INSIDE.into(), layers.writable, tree));
    }
    let (stage, inside) = new_root(blueprint.memory)?;
    step("the folders of the system cannot be shown", || {
        let (user, group) = (blueprint.user, blueprint.group);
        system.mount(&inside, &stage, user, group, &blueprint.home)
    })?;
    step("the devices cannot be shown", || {
        devices.mount(&inside, &stage)
    })?;
    let mut private = create_private(&stage, &blueprint.home)?;
    // A shown folder hides a private folder below it.
    private.retain(|private| !shown.iter().any(|(path, _, _)| private.starts_with(path)));
    place_all(&inside, shown, &private)?;
    let projections = step("a place for projected folders cannot be made", || {
        mount::clone_tree_at(inside.open_at(Path::new(PROJECTED))?, Path::new(""))
    })?;
    enter(&inside)?;
    Ok(Root {
        inside,
        projections,
    })
}

impl Root {
    /// Creates a file in an overlay, to check whether commands can be staged.
    pub(super) fn probe_overlay(&self, workspace: &Path) -> Result<(), WireError> {
        staged::try_overlay(&self.inside, workspace).map_err(|error| {
            WireError::layer(
                Layer::Files,
                "commands cannot be staged",
                error,
                "this needs Linux 5.13, and a folder for state (`XDG_STATE_HOME`) on a file system that keeps user attributes",
            )
        })
    }

    /// Mounts a folder from outside under its projected name.
    pub(super) fn project(&self, tree: OwnedFd, name: &str) -> io::Result<PathBuf> {
        rustix::fs::mkdirat(&self.projections, name, Mode::from_raw_mode(0o755))?;
        let path = Path::new(PROJECTED).join(name);
        attach(tree, self.inside.open_at(&path)?)?;
        Ok(path)
    }
}

/// Gives this process its own mounts, on which only the private folders are writable. Landlock allows writing
/// everywhere below the private folders, and a workspace may be there.
pub(super) fn make_read_only(private: &[PathBuf]) -> io::Result<()> {
    let inside = unshare_mount_tree()?;
    staged::hide_layers()?;
    set_attributes(inside.root(), READ_ONLY)?;
    let writable = MountAttributes {
        clear: READ_ONLY,
        ..MountAttributes::default()
    };
    // If a command has replaced the path with another file, the path stays read-only.
    for path in private {
        if let Ok(place) = inside.open_at(path)
            && inside.is_on_own_filesystem(&place)?
        {
            let _ = set_mount_attributes(&place, writable, None);
        }
    }
    let own = inside.open_at(Path::new("/proc"))?;
    set_mount_attributes(&own, writable, None)
}

/// Mounts an empty file system on a folder that is not visible to other processes.
fn new_root(memory: Option<u64>) -> Result<(PathBuf, MountTree), WireError> {
    // Its files use memory of the same control group as the processes: a full folder would otherwise cause the kernel
    // to kill processes.
    let size = memory.map_or(PRIVATE_SIZE, |memory| {
        PRIVATE_SIZE.min((memory / 2).max(1 << 16))
    });
    let size = size.to_string();
    let options = [
        ("size", &*size),
        ("nr_inodes", PRIVATE_FILES),
        ("mode", "0755"),
    ];
    let root = step("an empty file system cannot be made", || {
        mount::new_filesystem("tmpfs", &options, NO_PRIVILEGES)
    })?;
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for stage in ROOT_MOUNT_POINTS {
        let place = owner_access::open_folder(Path::new(stage));
        match place.and_then(|place| attach(&root, place)) {
            Ok(()) => {
                let inside = step("an empty file system cannot be used", || {
                    MountTree::new(root)
                })?;
                return Ok((PathBuf::from(stage), inside));
            }
            Err(error) => last = error,
        }
    }
    step("an empty file system cannot be mounted", || Err(last))
}

/// Creates the folders that are initially empty and writable.
fn create_private(stage: &Path, home: &Path) -> Result<Vec<PathBuf>, WireError> {
    let mut folders = super::private_folders(home);
    folders.push(PROJECTED.into());
    step("a private folder cannot be made", || {
        for folder in &folders {
            let path = stage.join(folder.strip_prefix("/").unwrap_or(folder));
            std::fs::create_dir_all(&path)?;
            if folder == home {
                rustix::fs::chmod(&path, Mode::from_raw_mode(0o700))?;
            } else if folder != Path::new(PROJECTED) {
                rustix::fs::chmod(&path, Mode::from_raw_mode(0o1777))?;
            }
        }
        Ok(())
    })?;
    Ok(folders)
}

/// Attaches mounts at their paths, parents before children.
fn place_all(
    inside: &MountTree,
    shown: Vec<(PathBuf, bool, OwnedFd)>,
    private: &[PathBuf],
) -> Result<(), WireError> {
    let written = shown.iter().filter(|(_, writable, _)| *writable);
    let written: Vec<&Path> = written.map(|(path, _, _)| path.as_path()).collect();
    let seen: Vec<&Path> = shown.iter().map(|(path, _, _)| path.as_path()).collect();
    let above = above(&written, &seen, private);
    let own = private.iter().cloned().chain(above);
    let mut all: Vec<_> = own.map(|path| (path, None)).collect();
    let shown = shown.into_iter();
    all.extend(shown.map(|(path, writable, tree)| (path, Some((writable, tree)))));
    // A shown folder is attached after a private folder at the same path, and hides it.
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, what) in all {
        step(&cannot_show(&path), || match what {
            None => {
                let place = inside.open_mount_point(&path, FileType::Directory)?;
                attach(mount::clone_tree_at(&place, Path::new(""))?, place)
            }
            Some((writable, tree)) => put(inside, &path, writable, &tree),
        })?;
    }
    Ok(())
}

fn cannot_show(path: &Path) -> String {
    format!("`{}` cannot be shown", path.display())
}

/// Returns the sandbox's own folders above the folders that commands write to, as far as commands could rename them: a
/// folder that is mounted over itself cannot be renamed. Protected paths in a folder are found by the path that the
/// folder has outside.
pub(super) fn above(written: &[&Path], shown: &[&Path], private: &[PathBuf]) -> Vec<PathBuf> {
    let movable = |folder: &&Path| {
        private.iter().any(|private| folder.starts_with(private))
            && !private.iter().any(|private| *folder == private)
            && !shown.iter().any(|shown| folder.starts_with(shown))
    };
    let folders = written.iter().flat_map(|path| path.ancestors().skip(1));
    let mut found: Vec<PathBuf> = folders.filter(movable).map(Path::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

fn put(inside: &MountTree, path: &Path, writable: bool, tree: &OwnedFd) -> io::Result<()> {
    let read_only = if writable { 0 } else { READ_ONLY };
    set_attributes(tree, NO_PRIVILEGES | read_only)?;
    attach(tree, inside.open_mount_point(path, kind_of(tree)?)?)
}

/// Makes the new root the root of this process, and unmounts everything else.
fn enter(inside: &MountTree) -> Result<(), WireError> {
    step("the root cannot be entered", || {
        let only_itself = MountAttributes {
            set: NO_PRIVILEGES | READ_ONLY,
            ..MountAttributes::default()
        };
        set_mount_attributes(inside.root(), only_itself, None)?;
        rustix::process::fchdir(inside.root())?;
        rustix::process::pivot_root(c".", c".")?;
        rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
        Ok(rustix::process::chdir(c"/")?)
    })
}
