//! Sandboxes in containers.

mod enforcement;
mod engine;
mod mounts;
mod open;
mod settings;
mod target;

pub use self::settings::{DockerSettings, WorkspaceTransfer};
pub(super) use self::target::parse_settings;

use self::engine::Container;
use super::remote::{RemoteBackend, RemoteSandbox};
use helve_core::sandbox::{Egress, Enforcement, Layer, LayerStatus};
use helve_host::sandbox::SandboxFuture;

/// Commands in a container of Docker or podman.
///
/// Without network and capabilities, with a root that cannot be written, as an unprivileged user where the workspace
/// belongs to one. [`Enforcement`] says what of that the kernel confirms in the container. The image needs a POSIX shell,
/// the usual small programs (BusyBox is enough) and, for terminals, `script`.
///
/// The container ends when the sandbox is closed or dropped, and some seconds after the app died: its first process waits
/// for a lease that is renewed ([`DockerSettings::linger`]). Files go through the container, so they are those of its user.
pub type DockerSandbox = RemoteSandbox<Container>;

impl RemoteBackend for Container {
    /// A container takes its processes with it.
    const ENDS_PROCESSES: bool = true;

    fn egress(&self, enforcement: &Enforcement) -> Egress {
        match enforcement.layers.get(&Layer::Network) {
            // A container without an interface reaches nothing, whatever the policy allows.
            Some(LayerStatus::Yes { .. } | LayerStatus::Partly { .. }) => Egress::Closed,
            _ => Egress::Unchecked,
        }
    }

    fn shut_down(&self) -> SandboxFuture<'_, ()> {
        Box::pin(self.remove())
    }
}
