//! The root that commands see: an allowlist of folders on an empty file system.

mod devices;
mod protect;
mod staged;
mod step;
mod system;

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{MountPropagationFlags, UnmountFlags};

use self::step::{layer_failure, step};
use super::mount::{
    self, MountPointKind, MountTree, NO_PRIVILEGES, READ_ONLY, attach, kind_of, set_attributes,
    unshare_mount_tree,
};
use super::stage;
use super::wire::WireError;
use crate::sandbox::Layer;

pub(super) use protect::AppliedProtection;
pub(super) use staged::mount_staged;
pub(super) use system::{system_folders, toolchains};

/// A folder or file that commands see, at the path that it has outside.
#[derive(Debug)]
pub(super) struct BindMount {
    pub(super) path: PathBuf,
    pub(super) writable: bool,
    /// Its mount, where the supervisor has taken it already.
    pub(super) tree: Option<OwnedFd>,
}

/// What goes into a root.
#[derive(Debug)]
pub(super) struct RootSpec {
    pub(super) shown: Vec<BindMount>,
    pub(super) home: PathBuf,
    pub(super) user: u32,
    pub(super) group: u32,
    /// The most memory that all commands together may use, where it is limited.
    pub(super) memory: Option<u64>,
    /// The layers of staged commands.
    pub(super) staging: Option<StagingMount>,
}

/// The folder with the layers of staged commands, outside.
#[derive(Debug)]
pub(super) struct StagingMount {
    pub(super) path: PathBuf,
    /// Its mount, where the supervisor has taken it already.
    pub(super) tree: Option<OwnedFd>,
}

impl RootSpec {
    /// Iterates over the mounts that were taken already.
    pub(super) fn trees(&self) -> impl Iterator<Item = &OwnedFd> {
        let shown = self.shown.iter().map(|shown| &shown.tree);
        let staging = self.staging.iter().map(|staging| &staging.tree);
        shown.chain(staging).flatten()
    }
}

/// Where projected folders are.
pub(super) const PROJECTED: &str = "/run/projected";

/// How many bytes the private folders hold together, at most.
const PRIVATE_SIZE: u64 = 2 << 30;
const PRIVATE_FILES: &str = "1000000";
/// Folders that every Linux has; a new root is put together on one of them, unseen by anybody else.
const ROOT_MOUNT_POINTS: &[&str] = &["/sys", "/tmp", "/mnt"];

/// A root that stands, and is the root of this process.
#[derive(Debug)]
pub(super) struct Root {
    inside: MountTree,
    /// The folder of projections, where it can be written.
    projections: OwnedFd,
}

/// Builds the root and moves into it.
pub(super) fn build(blueprint: RootSpec) -> Result<Root, WireError> {
    step("failed to make the mounts private", || {
        let apart = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        Ok(rustix::mount::mount_change("/", apart)?)
    })?;
    // All sources are taken before the stage hides anything.
    let system =
        system::open_system().map_err(layer_failure("a folder of the system cannot be shown"))?;
    let devices = devices::open_devices().map_err(layer_failure("a device cannot be shown"))?;
    let mut shown = Vec::new();
    for BindMount {
        path,
        writable,
        tree,
    } in blueprint.shown
    {
        let tree = tree
            .map_or_else(|| mount::clone_tree(&path), Ok)
            .map_err(|error| {
                layer_failure(&format!("`{}` cannot be shown", path.display()))(error)
            })?;
        shown.push((path, writable, tree));
    }
    if let Some(StagingMount { path, tree }) = blueprint.staging {
        let tree = tree
            .map_or_else(|| mount::clone_tree(&path), Ok)
            .map_err(layer_failure(
                "the layers of staged commands cannot be shown",
            ))?;
        shown.push((stage::INSIDE.into(), true, tree));
    }
    let (stage, inside) = new_root(blueprint.memory)?;
    system
        .mount(
            &inside,
            &stage,
            blueprint.user,
            blueprint.group,
            &blueprint.home,
        )
        .map_err(layer_failure("the folders of the system cannot be shown"))?;
    devices
        .mount(&inside, &stage)
        .map_err(layer_failure("the devices cannot be shown"))?;
    let mut private = private_folders(&stage, &blueprint.home)?;
    // What is shown hides what would be private below it.
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
    /// Carries out a plan of what is protected, as far as it is new.
    pub(super) fn inside(&self) -> &MountTree {
        &self.inside
    }

    /// Makes a file in an overlay, to find out whether commands can be staged.
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

    /// Shows a folder that was taken outside under a name of its own.
    pub(super) fn project(&self, tree: OwnedFd, name: &str) -> io::Result<PathBuf> {
        rustix::fs::mkdirat(&self.projections, name, Mode::from_raw_mode(0o755))?;
        let path = Path::new(PROJECTED).join(name);
        attach(tree, self.inside.open_at(&path)?)?;
        Ok(path)
    }
}

/// Gives this process mounts of its own, on which nothing is written but in the private folders. Landlock allows all that
/// is below these, and a workspace may be.
pub(super) fn make_read_only(private: &[PathBuf]) -> io::Result<()> {
    let inside = unshare_mount_tree()?;
    staged::hide_layers()?;
    set_attributes(inside.root(), READ_ONLY)?;
    let writable = super::os::MountAttributes {
        set: 0,
        clear: READ_ONLY,
        recursive: false,
    };
    // Where a command has put something else at such a path, it stays read-only.
    for path in private {
        if let Ok(place) = inside.open_at(path)
            && inside.is_on_own_filesystem(&place)?
        {
            let _ = super::os::set_mount_attributes(&place, writable, None);
        }
    }
    let own = inside.open_at(Path::new("/proc"))?;
    super::os::set_mount_attributes(&own, writable, None)
}

/// Mounts an empty file system on a folder that is not visible elsewhere.
fn new_root(memory: Option<u64>) -> Result<(PathBuf, MountTree), WireError> {
    // The files are memory of the same control group as its processes: a full folder would have the kernel kill them.
    let size = memory.map_or(PRIVATE_SIZE, |memory| {
        PRIVATE_SIZE.min((memory / 2).max(1 << 16))
    });
    let size = size.to_string();
    let options = [
        ("size", &*size),
        ("nr_inodes", PRIVATE_FILES),
        ("mode", "0755"),
    ];
    let root = mount::new_filesystem("tmpfs", &options, NO_PRIVILEGES)
        .map_err(layer_failure("an empty file system cannot be made"))?;
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for stage in ROOT_MOUNT_POINTS {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let attached = rustix::fs::openat(CWD, *stage, flags, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|place| attach(&root, place));
        match attached {
            Ok(()) => {
                let inside = MountTree::new(root)
                    .map_err(layer_failure("an empty file system cannot be used"))?;
                return Ok((PathBuf::from(stage), inside));
            }
            Err(error) => last = error,
        }
    }
    Err(layer_failure("an empty file system cannot be mounted")(
        last,
    ))
}

/// Makes the folders that are empty at first and can be written.
fn private_folders(stage: &Path, home: &Path) -> Result<Vec<PathBuf>, WireError> {
    let mut folders = vec![
        PathBuf::from("/tmp"),
        "/var/tmp".into(),
        "/dev/shm".into(),
        PROJECTED.into(),
    ];
    step("a private folder cannot be made", || {
        for folder in &folders {
            let path = stage.join(folder.strip_prefix("/").unwrap_or(folder));
            std::fs::create_dir_all(&path)?;
            if folder != Path::new(PROJECTED) {
                let open = Mode::from_raw_mode(0o1777);
                rustix::fs::chmod(&path, open)?;
            }
        }
        let path = stage.join(home.strip_prefix("/").unwrap_or(home));
        std::fs::create_dir_all(&path)?;
        Ok(rustix::fs::chmod(&path, Mode::from_raw_mode(0o700))?)
    })?;
    folders.push(home.to_owned());
    Ok(folders)
}

/// Puts mounts where they belong, those above before those below.
fn place_all(
    inside: &MountTree,
    shown: Vec<(PathBuf, bool, OwnedFd)>,
    private: &[PathBuf],
) -> Result<(), WireError> {
    let mut all: Vec<(PathBuf, Option<(bool, OwnedFd)>)> =
        private.iter().map(|path| (path.clone(), None)).collect();
    let written = shown.iter().filter(|(_, writable, _)| *writable);
    let written: Vec<&Path> = written.map(|(path, _, _)| path.as_path()).collect();
    let seen: Vec<&Path> = shown.iter().map(|(path, _, _)| path.as_path()).collect();
    let above = above(&written, &seen, private);
    all.extend(above.into_iter().map(|path| (path, None)));
    all.extend(
        shown
            .into_iter()
            .map(|(path, writable, tree)| (path, Some((writable, tree)))),
    );
    // A folder that is shown comes after a private one at the same path, and hides it.
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (path, what) in all {
        let placed = match what {
            None => inside
                .open_mount_point(&path, MountPointKind::Folder)
                .and_then(|place| {
                    let tree = mount::clone_tree_at(&place, Path::new(""))?;
                    attach(tree, place)
                }),
            Some((writable, tree)) => put(inside, &path, writable, &tree),
        };
        placed.map_err(|error| {
            layer_failure(&format!("`{}` cannot be shown", path.display()))(error)
        })?;
    }
    Ok(())
}

/// Returns the folders of the sandbox's own above those that commands write, as far as commands could move them: a mount
/// over itself cannot be moved. What is protected in a folder is found by the path that it has outside.
pub(super) fn above(written: &[&Path], shown: &[&Path], private: &[PathBuf]) -> Vec<PathBuf> {
    let movable = |folder: &&Path| {
        private
            .iter()
            .any(|private| folder.starts_with(private) && *folder != private)
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
    set_attributes(
        tree,
        if writable {
            NO_PRIVILEGES
        } else {
            NO_PRIVILEGES | READ_ONLY
        },
    )?;
    let kind = kind_of(tree)?;
    attach(tree, inside.open_mount_point(path, kind)?)
}

/// Makes the stage the root, and unmounts everything else.
fn enter(inside: &MountTree) -> Result<(), WireError> {
    step("the root cannot be entered", || {
        let only_itself = super::os::MountAttributes {
            set: NO_PRIVILEGES | READ_ONLY,
            clear: 0,
            recursive: false,
        };
        super::os::set_mount_attributes(inside.root(), only_itself, None)?;
        rustix::process::fchdir(inside.root())?;
        rustix::process::pivot_root(c".", c".")?;
        rustix::mount::unmount(c".", UnmountFlags::DETACH)?;
        Ok(rustix::process::chdir(c"/")?)
    })
}
