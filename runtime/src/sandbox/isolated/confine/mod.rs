//! What a command is confined by in its own process, just before its program starts.

mod environment;

use std::io;
use std::path::Path;

pub(crate) use environment::environment;

use super::Support;
use crate::sandbox::{Access, Limits, SandboxError, SandboxPolicy};

/// The rules that every command enters, made once for a sandbox: after its root is in place, before its first command.
#[derive(Debug)]
pub(crate) struct Confinement {}

impl Confinement {
    /// Prepares the rules. `private` are the folders that belong to the sandbox alone (`/tmp`, `/dev/shm`, the home):
    /// commands write there whatever their access.
    ///
    /// # Errors
    /// When something that confines cannot be had and was not accepted as missing.
    pub(crate) fn prepare(
        _policy: &SandboxPolicy,
        _support: &Support,
        _private: &[&Path],
    ) -> Result<Self, SandboxError> {
        Ok(Self {})
    }

    /// Confines this process for good; the next step is `execve`. Descriptors from 3 on are closed by that step, so a
    /// failure can still be told through one.
    ///
    /// # Errors
    /// When a step failed: the process must end without running anything.
    pub(crate) fn enter(&self, _access: Access, _limits: &Limits) -> io::Result<()> {
        Ok(())
    }
}
