//! All that descends from this process.

use std::collections::HashMap;
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

/// Kills all that descends from this process, also what is born meanwhile: first everything is stopped, so that what is
/// stopped can start nothing, until nobody new is found.
pub(super) fn kill() {
    let mut stopped: Vec<Pid> = Vec::new();
    for _ in 0..ROUNDS {
        let found = descendants();
        let fresh: Vec<Pid> = found
            .iter()
            .copied()
            .filter(|pid| !stopped.contains(pid))
            .collect();
        if fresh.is_empty() {
            break;
        }
        for pid in &fresh {
            let _ = kill_process(*pid, Number::STOP);
        }
        stopped.extend(fresh);
    }
    for pid in descendants() {
        let _ = kill_process(pid, Number::KILL);
    }
}

/// Lists all that descends from this process, those above before those below.
pub(super) fn descendants() -> Vec<Pid> {
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
    let mut found = vec![rustix::process::getpid().as_raw_nonzero().get()];
    let mut at = 0;
    while let Some(pid) = found.get(at) {
        if let Some(below) = children.remove(pid) {
            found.extend(below);
        }
        at += 1;
    }
    found
        .into_iter()
        .skip(1)
        .filter_map(Pid::from_raw)
        .collect()
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
