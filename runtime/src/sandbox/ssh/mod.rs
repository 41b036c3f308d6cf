//! Sandboxes on other machines.

mod settings;

pub use settings::{SshCredential, SshSettings};
