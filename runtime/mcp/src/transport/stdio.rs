//! Servers that are local programs.

mod environment;
mod group;
mod program;
mod sandboxed;

use std::sync::Arc;

use super::Fault;
use super::pipe::Pipe;
use crate::StdioServer;
use helve_core::sandbox::LazySandbox;

/// Starts a program, in the sandbox if the configuration requires it. The error describes why the program did not
/// start, and what to do.
pub(crate) async fn open(
    server: &StdioServer,
    sandbox: Option<&Arc<LazySandbox>>,
    fault: &Arc<Fault>,
) -> Result<Pipe, String> {
    if !server.sandboxed {
        return program::start(server, fault);
    }
    let Some(sandbox) = sandbox else {
        return Err(
            "it is to run in the sandbox, and there is none here: allow the app one, or run it outside".to_owned(),
        );
    };
    sandboxed::start(server, sandbox, fault).await
}
