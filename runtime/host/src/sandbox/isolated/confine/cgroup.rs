//! Control groups: limits for all processes of a sandbox together, if this process may create a group.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sandbox::Limits;

/// The group of one sandbox: a folder in cgroup v2, one folder for each controller in cgroup v1.
#[derive(Debug)]
pub(crate) struct Cgroup {
    is_v2: bool,
    folders: Vec<PathBuf>,
}

/// The number of processes in a group that belong to the sandbox itself: the init, and one shim for each command. The
/// limit of a group includes them, so that commands that have reached their limit do not prevent the next command from
/// starting. The commands themselves are bounded more narrowly by the limit of each process, except for commands that
/// are root outside.
const OWN_PROCESSES: u64 = 72;

/// The prefix of the name of every group; the ID of the process that created the group follows.
const PREFIX: &str = "helve-";

impl Cgroup {
    /// Creates a group with the limits of a sandbox.
    ///
    /// # Errors
    /// Fails if no group can be created here: most users have no permission for that, unless a group was delegated to
    /// them.
    pub(crate) fn create(name: &str, limits: &Limits) -> io::Result<Self> {
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        let name = format!("{PREFIX}{}-{name}", std::process::id());
        create_v2(&own, &mounts, &name, limits).or_else(|_| create_v1(&own, &mounts, &name, limits))
    }

    /// Moves a process into the group; its later children are in the group, too.
    pub(crate) fn add(&self, process: u32) -> io::Result<()> {
        self.folders
            .iter()
            .try_for_each(|folder| write(folder, "cgroup.procs", u64::from(process)))
    }

    /// Opens the files by which a single-threaded process enters the group.
    ///
    /// In cgroup v1 these files move single threads: a thread that moves itself does not wait, while the move of a
    /// process waits until no other process is in the middle of a fork.
    pub(crate) fn member_files(&self) -> io::Result<Vec<OwnedFd>> {
        let file = if self.is_v2 { "cgroup.procs" } else { "tasks" };
        let open = |folder: &PathBuf| {
            let door = fs::File::options().write(true).open(folder.join(file))?;
            Ok(door.into())
        };
        self.folders.iter().map(open).collect()
    }

    /// Moves this process into the group. Its later children are in the group, too.
    pub(crate) fn enter(files: &[OwnedFd]) -> io::Result<()> {
        files
            .iter()
            .try_for_each(|door| Ok(rustix::io::write(door, b"0").map(drop)?))
    }

    /// Returns the number of processes in the group that were killed because the memory limit was reached.
    pub(crate) fn memory_kills(&self) -> u64 {
        let file = if self.is_v2 {
            "memory.events"
        } else {
            "memory.oom_control"
        };
        let counts = self.folders.iter().filter_map(|folder| {
            let text = fs::read_to_string(folder.join(file)).ok()?;
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("oom_kill "))?;
            line.trim().parse::<u64>().ok()
        });
        counts.sum()
    }

    /// Returns the name of the mechanism, for [`Enforcement`](crate::sandbox::Enforcement).
    pub(crate) fn describe(&self) -> &'static str {
        if self.is_v2 {
            "cgroup v2 memory and pids"
        } else if self.folders.len() == 2 {
            "cgroup v1 memory and pids"
        } else {
            "cgroup v1 pids"
        }
    }
}

impl Drop for Cgroup {
    /// Removes the group. The kernel allows that a moment after the last process is reaped, without a notification.
    fn drop(&mut self) {
        /// The number of pauses. The pauses double, so that all of them together are a tenth of a second.
        const PAUSES: u32 = 11;
        for folder in &self.folders {
            for pause in 0..PAUSES {
                match fs::remove_dir(folder) {
                    Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                        std::thread::sleep(Duration::from_micros(50 << pause));
                    }
                    _ => break,
                }
            }
        }
    }
}

/// Creates a group beside the group of this process: a group that contains processes cannot have limited groups below
/// it.
fn create_v2(own: &str, mounts: &str, name: &str, limits: &Limits) -> io::Result<Cgroup> {
    let path = own
        .lines()
        .find_map(|line| line.strip_prefix("0::"))
        .ok_or(io::ErrorKind::NotFound)?;
    let mount = find_mount(mounts, |kind, _| kind == "cgroup2").ok_or(io::ErrorKind::NotFound)?;
    let here = join_mount(&mount, path);
    let parent = if here == mount {
        here.as_path()
    } else {
        here.parent().unwrap_or(&here)
    };
    // This is checked first: creating and removing a group costs more than not creating it.
    let given = fs::read_to_string(parent.join("cgroup.subtree_control"))?;
    let lacks = |name: &str| !given.split_whitespace().any(|given| given == name);
    if (limits.processes.is_some() && lacks("pids")) || (limits.memory.is_some() && lacks("memory"))
    {
        return Err(io::ErrorKind::NotFound.into());
    }
    let group = make(parent, name, true)?;
    let folder = &group.folders[0];
    limit_processes(folder, limits)?;
    if let Some(memory) = limits.memory {
        write(folder, "memory.max", memory)?;
        // Without swap this file does not exist, and there is nothing to limit.
        let _ = write(folder, "memory.swap.max", 0);
    }
    Ok(group)
}

/// Creates a group in cgroup v1. The memory limit is best effort: processes can be limited even if memory cannot.
fn create_v1(own: &str, mounts: &str, name: &str, limits: &Limits) -> io::Result<Cgroup> {
    let pids = controller_folder(own, mounts, "pids").ok_or(io::ErrorKind::NotFound)?;
    let mut group = make(&pids, name, false)?;
    limit_processes(&group.folders[0], limits)?;
    let memory = controller_folder(own, mounts, "memory").zip(limits.memory);
    if let Some((parent, bytes)) = memory
        && let Ok(mut memory) = make(&parent, name, false)
        && write(&memory.folders[0], "memory.limit_in_bytes", bytes).is_ok()
    {
        let _ = write(&memory.folders[0], "memory.memsw.limit_in_bytes", bytes);
        group.folders.append(&mut memory.folders);
    }
    Ok(group)
}

/// Creates the folder, and removes the folders of processes that ended without removing them.
fn make(parent: &Path, name: &str, second_version: bool) -> io::Result<Cgroup> {
    for entry in fs::read_dir(parent)?.flatten() {
        let old = entry.file_name();
        let maker = old.to_str().and_then(|old| old.strip_prefix(PREFIX));
        let process = maker.and_then(|rest| rest.split('-').next());
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            // A group that contains processes cannot be removed.
            let _ = fs::remove_dir(entry.path());
        }
    }
    let folder = parent.join(name);
    fs::create_dir(&folder)?;
    Ok(Cgroup {
        is_v2: second_version,
        folders: vec![folder],
    })
}

fn limit_processes(folder: &Path, limits: &Limits) -> io::Result<()> {
    limits.processes.map_or(Ok(()), |processes| {
        write(folder, "pids.max", processes.saturating_add(OWN_PROCESSES))
    })
}

fn write(folder: &Path, file: &str, value: u64) -> io::Result<()> {
    fs::write(folder.join(file), value.to_string())
}

/// Returns the folder of this process under a cgroup v1 controller.
fn controller_folder(own: &str, mounts: &str, name: &str) -> Option<PathBuf> {
    let has = |list: &str| list.split(',').any(|item| item == name);
    let path = own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        has(fields.next()?).then(|| fields.next())?
    })?;
    let mount = find_mount(mounts, |kind, options| kind == "cgroup" && has(options))?;
    Some(join_mount(&mount, path))
}

fn join_mount(mount: &Path, path: &str) -> PathBuf {
    let folder = mount.join(path.trim_start_matches('/'));
    // In a container the path may contain folders above the mounted one.
    if folder.is_dir() {
        folder
    } else {
        mount.to_owned()
    }
}

/// Finds a mount by its kind and options in `/proc/self/mountinfo`.
fn find_mount(mounts: &str, wanted: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (place, file_system) = line.split_once(" - ")?;
        let mut file_system = file_system.split(' ');
        let (kind, options) = (file_system.next()?, file_system.nth(1)?);
        let folder = place.split(' ').nth(4)?;
        wanted(kind, options).then(|| PathBuf::from(folder))
    })
}
