//! The descendants of a command, and signals to all of them.

use crate::sandbox::{ProcessId, SandboxId, Signal};

/// The variable that marks the processes of a sandbox, even after they have left their session.
pub(super) const MARKER_VARIABLE: &str = "HELVE_SANDBOX_PROCESS";

/// The processes of one command, or of a whole sandbox.
#[derive(Debug, Clone)]
pub(super) struct ProcessTree {
    /// The marker of the members, or its prefix.
    marker: String,
    is_prefix: bool,
    /// The PID of the command's own process, as long as no other process can have this PID.
    leader: Option<u32>,
}

impl ProcessTree {
    /// Selects all descendants of the commands of a sandbox.
    pub(super) fn from_sandbox(sandbox: &SandboxId) -> Self {
        Self {
            marker: format!("{sandbox}/"),
            is_prefix: true,
            leader: None,
        }
    }

    /// Selects all descendants of one command.
    pub(super) fn from_process(
        sandbox: &SandboxId,
        process: &ProcessId,
        leader: Option<u32>,
    ) -> Self {
        Self {
            marker: process_marker(sandbox, process),
            is_prefix: false,
            leader,
        }
    }
}

pub(super) fn process_marker(sandbox: &SandboxId, process: &ProcessId) -> String {
    format!("{sandbox}/{process}")
}

pub(super) use system::{kill, signal};

fn number(signal: Signal) -> rustix::process::Signal {
    match signal {
        Signal::Interrupt => rustix::process::Signal::INT,
        Signal::Terminate => rustix::process::Signal::TERM,
        Signal::Kill => rustix::process::Signal::KILL,
        Signal::Hangup => rustix::process::Signal::HUP,
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::{HashMap, HashSet};
    use std::fs;
    use std::time::Duration;

    use rustix::process::{Pid, PidfdFlags, pidfd_open, pidfd_send_signal};

    use super::{MARKER_VARIABLE, ProcessTree, number};
    use crate::sandbox::Signal;

    /// The greatest number of times that the members are listed again while they start new processes.
    const MAX_ROUNDS: usize = 200;

    struct ProcStat {
        pid: u32,
        parent: u32,
        session: u32,
        /// The start time, which distinguishes the process from a later one with the same PID.
        started: u64,
        is_dead: bool,
    }

    /// Sends a signal to each member once.
    pub(in super::super) fn signal(family: &ProcessTree, signal: Signal) {
        for member in members(family) {
            send(&member, signal);
        }
    }

    /// Kills all members, and the processes that they started meanwhile.
    pub(in super::super) fn kill(family: &ProcessTree) {
        for round in 0..MAX_ROUNDS {
            let members = members(family);
            if members.is_empty() {
                return;
            }
            for member in &members {
                send(member, Signal::Kill);
            }
            if round > 0 {
                // Gives the dying processes time to end.
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }

    fn send(member: &ProcStat, signal: Signal) {
        let pid = i32::try_from(member.pid).ok().and_then(Pid::from_raw);
        let Some(opened) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
            return;
        };
        // The PID may have been reused since the process was listed, but not since its descriptor was opened.
        if read_stat(member.pid).is_some_and(|now| now.started == member.started) {
            let _ = pidfd_send_signal(&opened, number(signal));
        }
    }

    /// Lists the live members: by session and marker, and their descendants.
    fn members(family: &ProcessTree) -> Vec<ProcStat> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        let rows: Vec<ProcStat> = pids.filter_map(read_stat).collect();
        let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
        for row in &rows {
            children.entry(row.parent).or_default().push(row.pid);
        }
        let is_leader = |pid| family.leader == Some(pid);
        let is_seed = |row: &&ProcStat| {
            is_leader(row.pid) || is_leader(row.session) || has_marker(family, row.pid)
        };
        let mut found: HashSet<u32> = HashSet::new();
        let mut open: Vec<u32> = rows.iter().filter(is_seed).map(|row| row.pid).collect();
        while let Some(pid) = open.pop() {
            if found.insert(pid) {
                open.extend(children.get(&pid).into_iter().flatten());
            }
        }
        found.remove(&std::process::id());
        let lives = |row: &ProcStat| found.contains(&row.pid) && !row.is_dead;
        rows.into_iter().filter(lives).collect()
    }

    fn has_marker(family: &ProcessTree, pid: u32) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        environment.split(|&byte| byte == 0).any(|variable| {
            let value = variable
                .strip_prefix(MARKER_VARIABLE.as_bytes())
                .and_then(|rest| rest.strip_prefix(b"="));
            match value {
                Some(value) if family.is_prefix => value.starts_with(family.marker.as_bytes()),
                Some(value) => value == family.marker.as_bytes(),
                None => false,
            }
        })
    }

    /// Parses `/proc/PID/stat`, in which the name of the program may contain any character, even `)`.
    fn read_stat(pid: u32) -> Option<ProcStat> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let after_name = stat.iter().rposition(|&byte| byte == b')')? + 1;
        let text = std::str::from_utf8(&stat[after_name..]).ok()?;
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        Some(ProcStat {
            pid,
            is_dead: matches!(*fields.first()?, "Z" | "X"),
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use rustix::process::{Pid, kill_process_group};

    use super::{ProcessTree, number};
    use crate::sandbox::Signal;

    /// Sends a signal to the command's process group.
    pub(in super::super) fn signal(family: &ProcessTree, signal: Signal) {
        let leader = family.leader.and_then(|leader| i32::try_from(leader).ok());
        if let Some(leader) = leader.and_then(Pid::from_raw) {
            let _ = kill_process_group(leader, number(signal));
        }
    }

    /// Kills the command's process group.
    pub(in super::super) fn kill(family: &ProcessTree) {
        signal(family, Signal::Kill);
    }
}
