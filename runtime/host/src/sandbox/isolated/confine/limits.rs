//! Per-process resource limits, and the signals by which the kernel reports an exceeded limit.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use rustix::process::Resource;

use crate::sandbox::{Limit, Limits};
use crate::support::resource_limits::{lower, lower_both};

/// Sets the limits of this process and of its descendants.
///
/// The memory limit applies to private writable memory: a limit on address space would break runtimes that reserve far
/// more than they use, such as node, and sanitizers. Shared memory is limited only if there is a cgroup.
///
/// `neighbours` is the number of processes of the same user that the kernel counts together with those of the sandbox.
pub(super) fn apply(limits: &Limits, neighbours: u64) -> io::Result<()> {
    lower(Resource::Core, Some(0), Some(0))?;
    lower(Resource::Rtprio, Some(0), Some(0))?;
    let seconds = limits.cpu_time.map(whole_seconds);
    // The soft limit sends SIGXCPU; a process that ignores the signal is killed a second later.
    lower(Resource::Cpu, seconds, seconds.map(|s| s.saturating_add(1)))?;
    lower_both(Resource::Fsize, limits.file_size)?;
    lower_both(Resource::Nofile, limits.open_files)?;
    lower_both(Resource::Data, limits.memory)?;
    let processes = limits.processes.map(|own| own.saturating_add(neighbours));
    lower_both(Resource::Nproc, processes)
}

/// Returns the number of threads of this user, which the process limit includes without a separate user namespace.
pub(super) fn threads_of_this_user() -> u64 {
    let user = rustix::process::getuid().as_raw();
    let threads = |process: fs::DirEntry| {
        let owned = process.metadata().is_ok_and(|found| found.uid() == user);
        let tasks = fs::read_dir(process.path().join("task"));
        if owned {
            tasks.map_or(0, Iterator::count)
        } else {
            0
        }
    };
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.map(threads).sum::<usize>() as u64
}

/// Returns the limit that a signal indicates. The kernel sends these signals for no other reason, though a process may
/// send them, too.
pub(crate) fn limit_of_signal(signal: i32, limits: &Limits) -> Option<Limit> {
    match signal {
        libc::SIGXCPU if limits.cpu_time.is_some() => Some(Limit::CpuTime),
        libc::SIGXFSZ if limits.file_size.is_some() => Some(Limit::FileSize),
        _ => None,
    }
}

fn whole_seconds(time: Duration) -> u64 {
    let up = u64::from(time.subsec_nanos() > 0);
    time.as_secs().saturating_add(up).max(1)
}
