//! All that descends from this process.

use std::collections::{HashMap, HashSet};
use std::fs;

use rustix::process::{Pid, Signal as Number, kill_process};

use crate::sandbox::Signal;

/// How often a tree that keeps growing is looked through. The bound on processes ends any growth.
const ROUNDS: usize = 400;

/// Returns the number of a signal.
pub(super) fn number(signal: Signal) -> Number {
    match signal {
        Signal::Interrupt => Number::INT,
        Signal::Terminate => Number::TERM,
        Signal::Kill => Number::KILL,
        Signal::Hangup => Number::HUP,
    }
}

/// Sends a signal to all that descends from this process.
pub(super) fn signal(signal: Number) {
    if signal == Number::KILL {
        return kill();
    }
    for pid in descendants() {
        let _ = kill_process(pid, signal);
    }
}

/// Kills all that descends from this process.
pub(super) fn kill() {
    kill_all(descendants);
}

/// Kills, as the first process of a sandbox, all that came to it because its warden was killed.
pub(in super::super) fn kill_strays(wardens: &HashSet<Pid>) {
    kill_all(|| {
        let mut children = children();
        let own = rustix::process::getpid().as_raw_nonzero().get();
        let mut strays = children.remove(&own).unwrap_or_default();
        strays.retain(|&pid| Pid::from_raw(pid).is_some_and(|pid| !wardens.contains(&pid)));
        with_below(strays, children)
    });
}

/// Kills what is found, also what is born meanwhile: first everything is stopped, so that what is stopped can start
/// nothing, until nobody new is found.
fn kill_all(find: impl Fn() -> Vec<Pid>) {
    let mut stopped: HashSet<Pid> = HashSet::new();
    for _ in 0..ROUNDS {
        let mut fresh = find();
        fresh.retain(|pid| !stopped.contains(pid));
        if fresh.is_empty() {
            break;
        }
        for pid in &fresh {
            let _ = kill_process(*pid, Number::STOP);
        }
        stopped.extend(fresh);
    }
    for pid in find() {
        let _ = kill_process(pid, Number::KILL);
    }
}

/// Lists all that descends from this process, those above before those below.
fn descendants() -> Vec<Pid> {
    let own = rustix::process::getpid();
    let mut found = with_below(vec![own.as_raw_nonzero().get()], children());
    found.retain(|&pid| pid != own);
    found
}

/// Lists all processes by their parents.
fn children() -> HashMap<i32, Vec<i32>> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        let Some(pid) = pid else { continue };
        if let Some(parent) = parent_of(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    children
}

/// Lists processes with all that descends from them.
fn with_below(mut found: Vec<i32>, mut children: HashMap<i32, Vec<i32>>) -> Vec<Pid> {
    let mut at = 0;
    while let Some(pid) = found.get(at) {
        if let Some(below) = children.remove(pid) {
            found.extend(below);
        }
        at += 1;
    }
    found.into_iter().filter_map(Pid::from_raw).collect()
}

/// Reads whose child a process is; zombies are left out.
fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program may hold anything, but the last parenthesis ends it.
    let end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}
