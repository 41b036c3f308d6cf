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

/// A sandbox that runs commands in a container of Docker or podman.
///
/// The container has no network, no capabilities and a read-only root, and commands run as an unprivileged user if the
/// workspace belongs to one. [`Enforcement`] lists the layers that the kernel confirms in the container. The image
/// needs a POSIX shell, the standard utilities (BusyBox is enough) and, for terminals, `script`.
///
/// The container ends when the sandbox is closed or dropped, and some seconds after the app died: the first process of
/// the container ends when its lease is not renewed ([`DockerSettings::linger`]). File operations run in the container,
/// with the permissions of its user.
pub type DockerSandbox = RemoteSandbox<Container>;

impl RemoteBackend for Container {
    /// Removing a container ends its processes.
    const ENDS_PROCESSES: bool = true;

    fn egress(&self, enforcement: &Enforcement) -> Egress {
        match enforcement.layers.get(&Layer::Network) {
            // A container without a network interface reaches no host, whatever the policy allows.
            Some(LayerStatus::Yes { .. } | LayerStatus::Partly { .. }) => Egress::Closed,
            _ => Egress::Unchecked,
        }
    }

    fn shut_down(&self) -> SandboxFuture<'_, ()> {
        Box::pin(self.remove())
    }
}
