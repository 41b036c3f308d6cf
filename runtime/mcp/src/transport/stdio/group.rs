//! A process group: a program with all processes that it has started.

/// A process group, which is killed when the value is dropped.
#[derive(Debug)]
pub(super) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    /// Owns the process group that a child leads.
    pub(super) fn from_child(child: &tokio::process::Child) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        Self {
            leader: leader.and_then(rustix::process::Pid::from_raw),
        }
    }

    /// Sends SIGTERM to the group.
    pub(super) fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Kills the group, once: its id may be reused afterwards.
    pub(super) fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.leader = None;
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // The group may have ended already.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    /// Owns nothing: on this platform only the child itself is killed, by its handle.
    pub(super) fn from_child(_: &tokio::process::Child) -> Self {
        Self {}
    }

    /// Does nothing on this platform.
    pub(super) fn terminate(&self) {}

    pub(super) fn kill(&mut self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
