//! What only sandboxes somewhere else do: who they trust, connections that break, apps that die.
//!
//! They run where `HELVE_TEST_SSH` and `HELVE_TEST_DOCKER` name peers; see `.ci/sandbox-peers`.

mod docker;
mod line;
mod ssh;

use std::time::Duration;

use helve_runtime::sandbox::{
    Layer, OutputChunk, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox, SandboxPolicy,
};

/// How long anything may take that is to happen.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// Reads a variable of several words; says so where it is not set.
pub(crate) fn words(variable: &str) -> Option<Vec<String>> {
    match std::env::var(variable) {
        Ok(text) => Some(text.split(' ').map(str::to_owned).collect()),
        Err(_) => {
            eprintln!("{variable} is not set, so nothing ran");
            None
        }
    }
}

/// A policy over a folder that lets every layer be missing.
pub(crate) fn policy(folder: &std::path::Path) -> SandboxPolicy {
    let mut policy = SandboxPolicy::new(folder);
    policy.accepted = Layer::ALL.into_iter().collect();
    policy
}

pub(crate) fn id(text: &str) -> ProcessId {
    ProcessId::new(text).expect("a handle")
}

pub(crate) fn sh(name: &str, script: &str) -> ProcessSpec {
    ProcessSpec::new(id(name), ["sh", "-c", script])
}

/// Reads a part of the standard output, from an offset on.
pub(crate) async fn read(sandbox: &dyn Sandbox, name: &str, offset: u64) -> OutputChunk {
    let read = ReadOutput {
        process: id(name),
        stream: OutputStream::Stdout,
        offset,
        max: OutputChunk::LIMIT,
        wait: SOON,
    };
    sandbox.read(read).await.expect("its output")
}
