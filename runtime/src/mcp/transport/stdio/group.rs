//! A program together with all that it started.

/// A group of processes, killed when this is dropped.
#[derive(Debug)]
pub(super) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    /// Takes charge of the group that a child leads.
    pub(super) fn of(child: &tokio::process::Child) -> Self {
        let leader = child.id().and_then(|id| i32::try_from(id).ok());
        Self {
            leader: leader.and_then(rustix::process::Pid::from_raw),
        }
    }

    /// Asks all of it to end.
    pub(super) fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all of it, once: its number may be another's afterwards.
    pub(super) fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.leader = None;
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader {
            // It may have ended already.
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(not(unix))]
impl Group {
    /// Takes charge of nothing: only the child itself is ended here, by whoever holds it.
    pub(super) fn of(_: &tokio::process::Child) -> Self {
        Self {}
    }

    /// Asks nobody.
    pub(super) fn terminate(&self) {}

    /// Ends nobody.
    pub(super) fn kill(&mut self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
