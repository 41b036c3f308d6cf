//! Tools that leave a mark where everybody can count them.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use helve::agent::{CallSite, Hook, Next};
use helve::prelude::*;
use helve::tool::ToolResult;

use crate::kill::crash_point::{CrashInjector, CrashPoint};

/// The file in which every run of a tool leaves the key of its call.
#[derive(Debug)]
pub(crate) struct RunLog {
    pub(crate) file: PathBuf,
    pub(crate) trap: Arc<CrashInjector>,
}

impl RunLog {
    fn mark(&self, context: &ToolContext) -> io::Result<&'static str> {
        let key = context.idempotency_key().expect("a call of a turn");
        self.trap.pass(CrashPoint::InTool);
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.file)?;
        file.write_all(format!("{key}\n").as_bytes())?;
        file.sync_all()?;
        self.trap.pass(CrashPoint::InTool);
        Ok("done")
    }
}

/// Pays for something, which must not happen twice, and asks before.
#[tool(destructive)]
fn pay(
    /// What for.
    what: &str,
    witness: &RunLog,
    cx: &ToolContext,
) -> io::Result<&'static str> {
    let _ = what;
    witness.mark(cx)
}

/// Puts something in its place, where it may well be already.
#[tool(idempotent, risk = "low")]
fn put(
    /// What.
    what: &str,
    witness: &RunLog,
    cx: &ToolContext,
) -> io::Result<&'static str> {
    let _ = what;
    witness.mark(cx)
}

/// Looks at something, beside others.
#[tool(read_only)]
fn look(
    /// What.
    what: &str,
    witness: &RunLog,
    cx: &ToolContext,
) -> io::Result<&'static str> {
    let _ = what;
    witness.mark(cx)
}

pub(crate) fn tools() -> Toolset {
    toolset![pay, put, look]
}

/// Reports whether a tool may run again where nobody knows what came of it.
pub(crate) fn may_run_again(tool: &str) -> bool {
    matches!(tool, "put" | "look")
}

/// Dies on this side of a tool or on the other.
pub(crate) struct CrashingHook(pub(crate) Arc<CrashInjector>);

impl Hook for CrashingHook {
    fn tool_call<'a>(
        &'a self,
        _site: &'a CallSite,
        context: ToolContext,
        next: Next<'a, ToolContext, ToolResult>,
    ) -> BoxFuture<'a, ToolResult> {
        async move {
            self.0.pass(CrashPoint::BeforeTool);
            let result = next.run(context).await;
            self.0.pass(CrashPoint::AfterTool);
            result
        }
        .boxed()
    }
}
