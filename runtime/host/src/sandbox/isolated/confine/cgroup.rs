//! Control groups: limits for all processes of a sandbox together, where this process may make a group.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::sandbox::Limits;

/// The group of one sandbox: a folder in the second version, one folder for each controller in the first.
#[derive(Debug)]
pub(crate) struct Cgroup {
    is_v2: bool,
    folders: Vec<PathBuf>,
}

/// How many processes of a group are the sandbox's own: the first one, and one above each command. The bound of a group
/// leaves room for them, so that commands that have as many processes as they may do not keep the next one from starting.
/// What commands have is bounded more narrowly by the limit of each process, but for those that are root outside.
const OWN_PROCESSES: u64 = 72;

/// What begins the name of every group; the number of the process that made it follows.
const PREFIX: &str = "helve-";

impl Cgroup {
    /// Creates a group with the limits of a sandbox.
    ///
    /// # Errors
    /// When no group can be made here: most users may not, unless one was delegated to them.
    pub(crate) fn create(name: &str, limits: &Limits) -> io::Result<Self> {
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let mounts = fs::read_to_string("/proc/self/mountinfo")?;
        let name = format!("{PREFIX}{}-{name}", std::process::id());
        create_v2(&own, &mounts, &name, limits).or_else(|_| create_v1(&own, &mounts, &name, limits))
    }

    /// Moves a process into the group; what it starts from then on is in it, too.
    pub(crate) fn add(&self, process: u32) -> io::Result<()> {
        self.folders
            .iter()
            .try_for_each(|folder| write(folder, "cgroup.procs", u64::from(process)))
    }

    /// Opens the ways into the group for a process with one thread that goes in by itself.
    ///
    /// In the first version these are for single threads: a thread that moves itself does not wait, while a move of a
    /// process waits until no other is in the middle of a fork.
    pub(crate) fn member_files(&self) -> io::Result<Vec<OwnedFd>> {
        let file = if self.is_v2 { "cgroup.procs" } else { "tasks" };
        let open = |folder: &PathBuf| {
            let door = fs::File::options().write(true).open(folder.join(file))?;
            Ok(door.into())
        };
        self.folders.iter().map(open).collect()
    }

    /// Goes in. What this process starts from then on is in the group, too.
    pub(crate) fn enter(files: &[OwnedFd]) -> io::Result<()> {
        files
            .iter()
            .try_for_each(|door| Ok(rustix::io::write(door, b"0").map(drop)?))
    }

    /// Counts how many processes in the group were killed because its memory was used up.
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

    /// Returns what keeps the limits, for [`Enforcement`](crate::sandbox::Enforcement).
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
    /// The kernel removes a group a moment after its last process is reaped, without a notification.
    fn drop(&mut self) {
        /// The pauses double, so that all of them together are a tenth of a second.
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

/// A group beside the one of this process: a group that holds processes can have no limited groups below it.
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
    // Looked at first: a group that is made and removed again costs more than one that is not made.
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
        // Without swap there is no such file, and nothing to forbid.
        let _ = write(folder, "memory.swap.max", 0);
    }
    Ok(group)
}

/// Memory is best effort: where it cannot be limited, processes still can.
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

/// Makes the folder, and takes away those of processes that are gone and could not.
fn make(parent: &Path, name: &str, second_version: bool) -> io::Result<Cgroup> {
    for entry in fs::read_dir(parent)?.flatten() {
        let old = entry.file_name();
        let maker = old.to_str().and_then(|old| old.strip_prefix(PREFIX));
        let process = maker.and_then(|rest| rest.split('-').next());
        if process.is_some_and(|id| !Path::new("/proc").join(id).exists()) {
            // A group with processes in it stays.
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

/// The folder of this process under a controller of the first version.
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
    // In a container the path may name folders above what is mounted.
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
