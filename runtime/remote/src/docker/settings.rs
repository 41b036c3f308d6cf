//! The settings of a container: its engine and its image.

use std::time::Duration;

/// The engine, the image and the options of a container.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DockerSettings {
    /// The address of the engine: `unix:///run/podman/podman.sock`, or `tcp://host:port`.
    pub endpoint: String,
    /// The image, which must exist locally: images are not pulled. The image needs `/bin/sh` and the standard
    /// utilities; BusyBox is enough.
    pub image: String,
    /// The transfer of the workspace files to the container.
    pub workspace: WorkspaceTransfer,
    /// The user of commands, `uid` or `uid:gid`; if `None`, the owner of a mounted workspace, and user 1000 for a
    /// copied one.
    pub user: Option<String>,
    /// The size limit of all private folders together, in bytes: files that commands write outside of the workspace,
    /// and their stored output. They count as memory of the container.
    pub private_bytes: u64,
    /// The time that the container outlives an app that died without closing it, or whose connection broke.
    pub linger: Duration,
}

impl DockerSettings {
    /// Returns settings for an image on an engine. The workspace is mounted if the endpoint is a socket of this
    /// machine, and copied otherwise.
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

/// Reports whether an endpoint uses TCP, so that the engine may run on another machine.
pub(super) fn is_tcp(endpoint: &str) -> bool {
    endpoint.starts_with("tcp://") || endpoint.starts_with("http://")
}

/// The ways to transfer the files of the workspace to a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorkspaceTransfer {
    /// The folder is mounted at the same path: changes by commands change the folder. The engine must run on this
    /// machine.
    Mount,
    /// A copy, at the same path, without the masked files: changes by commands stay in the container, and are lost when
    /// it ends. Fetch changed files with [`SandboxFs::pack`](helve_core::sandbox::SandboxFs::pack).
    Copy,
    /// An empty folder at the same path.
    Empty,
}
