//! The supervisor: a single-threaded process outside of the namespaces that serves the clients of a sandbox.

mod bubblewrap;
mod connection;
mod event_loop;
mod notes;
mod output;
mod process;
mod process_events;
mod reduced;
mod replies;
mod requests;
mod spawn;
mod staged;
mod starting;
mod state;
mod sweep;
mod sweeper;
mod watching;

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use self::state::SandboxSupervisor;
use super::wire::{
    self, OpenRequest, ReplyPayload, SandboxDescription, VERSION, WireError, WireReply,
};

/// Runs the supervisor in a process that an app started for that.
pub(crate) fn run_started() -> ! {
    std::process::exit(run())
}

/// Supervises a sandbox for the client at the other end of the standard input; returns the exit code.
fn run() -> i32 {
    // Ctrl-C at the terminal must only reach the app.
    let _ = rustix::process::setsid();
    let Ok(app) = io::stdin().as_fd().try_clone_to_owned() else {
        return 1;
    };
    let reply = |result| WireReply { number: 0, result };
    match open(&app) {
        Ok(Some(mut supervisor)) => {
            let description = Box::new(supervisor.description());
            let listener = supervisor.listener.take();
            let reply = reply(Ok(ReplyPayload::Sandbox(description)));
            if wire::send_with(&app, &reply, listener.as_slice()).is_ok() {
                drop(listener);
                supervisor.serve(app);
            }
            supervisor.end();
            0
        }
        Ok(None) => 1,
        Err(failure) => {
            let _ = wire::send(&app, &reply(Err(failure)));
            1
        }
    }
}

fn open(app: &OwnedFd) -> Result<Option<SandboxSupervisor>, WireError> {
    let opening = wire::receive::<OpenRequest>(app)
        .map_err(|error| WireError::io("failed to read the open request", error))?;
    let Some((opening, _)) = opening else {
        return Ok(None);
    };
    spawn::spawn(opening).map(Some)
}

impl SandboxSupervisor {
    fn description(&self) -> SandboxDescription {
        SandboxDescription {
            version: VERSION,
            id: self.id.clone(),
            enforcement: self.enforcement.clone(),
            policy: self.policy.clone(),
            proxy: self.listener.is_some(),
            support: self.support.clone(),
            path: self.environment.get("PATH").cloned(),
        }
    }
}
