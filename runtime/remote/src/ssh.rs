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

/// Commands on another machine, through SSH, as its user.
///
/// The workspace of the policy is a folder of that machine. Nothing isolates the commands there from what that user can
/// reach; [`Enforcement`](helve_core::sandbox::Enforcement) says so. The machine needs a POSIX shell, the usual small programs (BusyBox is enough) and, for
/// terminals, `script`. It has to be Linux.
///
/// A connection that breaks is made again. What runs there goes on meanwhile for as long as
/// [`SshSettings::linger`] says.
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
