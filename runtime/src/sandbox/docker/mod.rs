//! Sandboxes in containers.

mod settings;

pub use settings::{DockerSettings, WorkspaceTransfer};
