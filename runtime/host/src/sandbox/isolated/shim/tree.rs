//! The descendants of this process.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal as Number, kill_process};

use super::super::os;
use crate::sandbox::Signal;

/// The greatest number of scans of a tree that keeps growing. The process limit stops any growth.
const ROUNDS: usize = 400;
/// The time limit for killed processes to die: the kernel takes time to end hundreds of processes.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for stopped processes to stop. A later scan finds the effects of a process that still runs.
const STOP_TIMEOUT: Duration = Duration::from_millis(20);
/// The time to wait for a death before the tree is scanned again.
const PAUSE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 5_000_000,
};

/// Sends a signal to all descendants of this process. `deaths` reports those that die.
pub(super) fn signal(signal: Signal, deaths: &OwnedFd) {
    let number = match signal {
        Signal::Interrupt => Number::INT,
        Signal::Terminate => Number::TERM,
        Signal::Kill => return kill(deaths),
        Signal::Hangup => Number::HUP,
    };
    for pid in descendants() {
        let _ = kill_process(pid, number);
    }
}

/// Kills all descendants of this process, and returns when they are dead; the caller must reap them.
pub(super) fn kill(deaths: &OwnedFd) {
    kill_all(descendants, deaths);
}

/// Kills, as the first process of a sandbox, all processes that were reparented to it because their shim was killed.
pub(in super::super) fn kill_orphans(shims: &HashSet<Pid>, deaths: &OwnedFd) {
    let strays = || {
        let mut children = children();
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut strays = children.remove(&own).unwrap_or_default();
        strays.retain(|&pid| Pid::from_raw(pid).is_some_and(|pid| !shims.contains(&pid)));
        with_descendants(strays, children)
    };
    kill_all(strays, deaths);
}

/// Stopped commands.
#[derive(Debug)]
pub(in super::super) struct FrozenProcesses {
    /// The processes that had been stopped before, by themselves or by other processes.
    stopped_before: HashSet<Pid>,
}

impl FrozenProcesses {
    /// Stops, as the first process of a sandbox, all commands, but not their shims.
    pub(in super::super) fn new(shims: &HashSet<Pid>) -> Self {
        let own = rustix::process::getpid();
        let commands = || {
            let mut found = descendants();
            found.retain(|pid| !shims.contains(pid));
            found
        };
        let stopped_before = states().filter(|(_, state)| *state == 'T');
        let stopped_before = stopped_before.map(|(pid, _)| pid).collect();
        // Every process but the init process of a namespace is a command or an ancestor of one.
        let all = own.is_init() && os::stop_all_others().is_ok();
        if all {
            for shim in shims {
                let _ = kill_process(*shim, Number::CONT);
            }
        } else {
            stop_all(commands);
        }
        let is_command = |pid: &Pid| all && *pid != own && !shims.contains(pid);
        let patience = Instant::now() + STOP_TIMEOUT;
        // A signal is only handled between two system calls.
        while Instant::now() < patience {
            let found: HashSet<Pid> = if all {
                HashSet::new()
            } else {
                commands().into_iter().collect()
            };
            let moves = |(pid, state): (Pid, char)| {
                matches!(state, 'R' | 'S') && (is_command(&pid) || found.contains(&pid))
            };
            if !states().any(moves) {
                break;
            }
            std::thread::yield_now();
        }
        Self { stopped_before }
    }

    /// Resumes the processes: children first, so that no shell sees a stopped child.
    pub(in super::super) fn thaw(&self) {
        for pid in descendants().into_iter().rev() {
            if !self.stopped_before.contains(&pid) {
                let _ = kill_process(pid, Number::CONT);
            }
        }
    }
}

/// Kills the processes that `find` returns until it returns none. A process that was stopped in the middle of a fork
/// has a child that no earlier scan found, and a scan is not atomic, so the scan is repeated after each kill.
fn kill_all(find: impl Fn() -> Vec<Pid>, deaths: &OwnedFd) {
    let patience = Instant::now() + KILL_TIMEOUT;
    loop {
        stop_all(&find);
        let left = find();
        if left.is_empty() || Instant::now() > patience {
            return;
        }
        for pid in left {
            let _ = kill_process(pid, Number::KILL);
        }
        let _ = poll(&mut [PollFd::new(deaths, PollFlags::IN)], Some(&PAUSE));
        let _ = rustix::io::read(deaths, &mut [0; 1024][..]);
    }
}

/// Stops the processes that `find` returns, so that they cannot fork, until it returns no new process.
fn stop_all(find: impl Fn() -> Vec<Pid>) {
    let mut stopped: HashSet<Pid> = HashSet::new();
    for _ in 0..ROUNDS {
        let mut fresh = find();
        fresh.retain(|pid| !stopped.contains(pid));
        if fresh.is_empty() {
            return;
        }
        for pid in &fresh {
            let _ = kill_process(*pid, Number::STOP);
        }
        stopped.extend(fresh);
    }
}

/// Lists all descendants of this process, parents before children.
fn descendants() -> Vec<Pid> {
    let own = rustix::process::getpid();
    let mut found = with_descendants(vec![own.as_raw_nonzero().get()], children());
    found.retain(|&pid| pid != own);
    found
}

/// Lists all live processes by parent.
fn children() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in pids() {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok();
        if let Some(parent) = stat.and_then(|stat| parent_in(&stat)) {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

/// Lists all processes with their states.
fn states() -> impl Iterator<Item = (Pid, char)> {
    pids().filter_map(|pid| {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let end = stat.iter().rposition(|&byte| byte == b')')?;
        Some((Pid::from_raw(pid)?, char::from(*stat.get(end + 2)?)))
    })
}

fn pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Returns processes with all of their descendants.
fn with_descendants(mut found: Vec<i32>, mut children: HashMap<i32, Vec<i32>>) -> Vec<Pid> {
    let mut at = 0;
    while let Some(pid) = found.get(at) {
        if let Some(below) = children.remove(pid) {
            found.extend(below);
        }
        at += 1;
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

/// Parses the parent of a live process from its `stat`; `None` for a dead process.
fn parent_in(stat: &[u8]) -> Option<i32> {
    /// The position of the number of threads, counted from the parent.
    const THREADS: usize = 15;
    // The name of the program may contain any character; it ends at the last parenthesis.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // A process whose first thread has ended looks dead, but its other threads run.
    let threads = fields.nth(THREADS)?.parse().unwrap_or(0);
    (state != "Z" || threads > 1).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::parent_in;

    fn stat(state: &str, threads: u32) -> Vec<u8> {
        format!("7 (a) b) {state} 3 7 7 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 {threads} 0 99 0 0\n")
            .into_bytes()
    }

    #[test]
    fn the_dead_have_no_parent() {
        let cases = [
            ("R", 1, Some(3)),
            ("T", 1, Some(3)),
            ("Z", 1, None),
            // The first thread has ended, and another runs.
            ("Z", 2, Some(3)),
        ];
        for (state, threads, parent) in cases {
            assert_eq!(
                parent_in(&stat(state, threads)),
                parent,
                "{state} {threads}"
            );
        }
        assert_eq!(parent_in(b""), None);
    }
}
