//! Which engine and which image a container is made of.

use std::time::Duration;

/// How to reach a container engine, and what to run there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DockerSettings {
    /// Where the engine listens: `unix:///run/podman/podman.sock`, or `tcp://host:port`.
    pub endpoint: String,
    /// The image. It has to be there already: nothing is pulled. It needs `/bin/sh` and the usual small programs;
    /// BusyBox is enough.
    pub image: String,
    /// How commands see the workspace.
    pub workspace: WorkspaceTransfer,
    /// Who commands run as, `uid` or `uid:gid`; without it, the owner of the workspace when it is mounted, and user
    /// 1000 when it is copied.
    pub user: Option<String>,
    /// How many bytes all private folders together may hold: what commands write outside of the workspace, and what is
    /// kept of their output. It counts as memory of the container.
    pub private_bytes: u64,
    /// How long the container outlives an app that died without a word, or whose connection broke.
    pub linger: Duration,
}

impl DockerSettings {
    /// Runs an image on an engine; the workspace is mounted where the endpoint is a socket of this machine, and copied
    /// otherwise.
    pub fn new(endpoint: impl Into<String>, image: impl Into<String>) -> Self {
        let endpoint = endpoint.into();
        let workspace = if is_tcp(&endpoint) {
            WorkspaceTransfer::Copy
        } else {
            WorkspaceTransfer::Mount
        };
        Self {
            endpoint,
            image: image.into(),
            workspace,
            user: None,
            private_bytes: 512 << 20,
            linger: Duration::from_secs(5),
        }
    }
}

/// Reports whether an endpoint is reached over TCP, so that the engine may run on another machine.
pub(super) fn is_tcp(endpoint: &str) -> bool {
    endpoint.starts_with("tcp://") || endpoint.starts_with("http://")
}

/// How a container comes to the files of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkspaceTransfer {
    /// The folder itself, at the same path: what commands change, changes here. The engine has to run on this machine.
    Mount,
    /// A copy, at the same path, without the masked files: what commands change stays in the container, and ends with
    /// it. Fetch what is to be kept with [`SandboxFs::pack`](helve_core::sandbox::SandboxFs::pack).
    Copy,
    /// An empty folder at the same path.
    Empty,
}
