//! Sandboxes on other machines.

mod connection;
mod enforcement;
mod hosts;
mod open;
mod settings;
mod target;

use std::sync::Arc;

pub use self::settings::{SshCredential, SshSettings};
pub(super) use self::target::parse_settings;

use self::connection::SshConnection;
use super::remote::{RemoteBackend, RemoteSandbox};
use helve_host::sandbox::SandboxFuture;

/// A sandbox that runs commands on another machine, through SSH, as a user of that machine.
///
/// The workspace of the policy is a folder of that machine. Commands are not isolated: they can access everything that
/// the user can access, as [`Enforcement`](helve_core::sandbox::Enforcement) reports. The machine must run Linux, and
/// needs a POSIX shell, the standard utilities (BusyBox is enough) and, for terminals, `script`.
///
/// A broken connection is re-established. Processes continue meanwhile, for at most [`SshSettings::linger`].
pub type SshSandbox = RemoteSandbox<Arc<SshConnection>>;

impl RemoteBackend for Arc<SshConnection> {
    const ENDS_PROCESSES: bool = false;

    fn shut_down(&self) -> SandboxFuture<'_, ()> {
        Box::pin(async move {
            self.close().await;
            Ok(())
        })
    }
}
