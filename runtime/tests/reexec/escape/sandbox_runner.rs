//! A script that runs in the isolated sandbox.

use std::collections::BTreeMap;
use std::time::Duration;

use helve_runtime::sandbox::{
    Exit, IsolatedSandbox, OutputStream, ProcessId, ProcessSpec, ReadOutput, Sandbox,
    SandboxPolicy, Stdin, TerminalSize,
};

use crate::escape::fixture::EscapeWorld;
use crate::escape::plain_runner::{EscapeRun, Runner, SCRIPT_TIMEOUT};

/// In the isolated sandbox, opened for this script alone.
pub(crate) struct IsolatedRunner;

impl Runner for IsolatedRunner {
    fn run(&self, world: &EscapeWorld, script: &str, terminal: bool) -> Result<EscapeRun, String> {
        world.suite.runtime.block_on(async {
            let sandbox = open(policy(world)).await?;
            let ran = run_in(
                &sandbox,
                "case",
                script,
                &world.environment("sandbox"),
                terminal,
            )
            .await;
            sandbox
                .close()
                .await
                .map_err(|error| format!("it did not close: {error}"))?;
            ran
        })
    }
}

/// The policy that all cases share: the usual, for this world's workspace.
pub(crate) fn policy(world: &EscapeWorld) -> SandboxPolicy {
    let mut policy = SandboxPolicy::new(&world.workspace);
    policy.readable = vec![world.programs.clone(), world.suite.tools.clone()];
    policy
}

/// Opens a sandbox.
pub(crate) async fn open(policy: SandboxPolicy) -> Result<IsolatedSandbox, String> {
    IsolatedSandbox::open(policy)
        .await
        .map_err(|error| format!("the sandbox did not open: {}", error_chain(&error)))
}

/// Tells an error with its sources.
pub(crate) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        text.push_str(&format!(": {source}"));
        next = source.source();
    }
    text
}

/// Names a process.
pub(crate) fn process(name: &str) -> ProcessId {
    ProcessId::new(name).expect("a name")
}

/// Describes a script in the sandbox.
pub(crate) fn spec(
    name: &str,
    script: &str,
    environment: &BTreeMap<String, String>,
) -> ProcessSpec {
    let mut spec = ProcessSpec::new(process(name), ["/bin/sh", "-c", script]);
    spec.environment = environment.clone();
    spec
}

/// Runs a script in an open sandbox.
pub(crate) async fn run_in(
    sandbox: &dyn Sandbox,
    name: &str,
    script: &str,
    environment: &BTreeMap<String, String>,
    terminal: bool,
) -> Result<EscapeRun, String> {
    let mut spec = spec(name, script, environment);
    spec.terminal = terminal.then_some(TerminalSize {
        rows: 24,
        columns: 80,
    });
    if terminal {
        // Without an open input, it is not the terminal.
        spec.stdin = Stdin::Open;
    }
    finish(sandbox, spec).await
}

/// Starts a process, waits for its end, and reads all that it wrote.
pub(crate) async fn finish(
    sandbox: &dyn Sandbox,
    mut spec: ProcessSpec,
) -> Result<EscapeRun, String> {
    let id = spec.id.clone();
    spec.limits.wall_time = spec.limits.wall_time.or(Some(SCRIPT_TIMEOUT));
    sandbox
        .start(spec)
        .await
        .map_err(|error| format!("nothing started: {}", error_chain(&error)))?;
    let status = sandbox
        .status(&id, SCRIPT_TIMEOUT * 2)
        .await
        .map_err(|error| format!("no end was told: {}", error_chain(&error)))?;
    let exit = status.exit.ok_or("it did not end in time")?;
    if let Exit::SandboxFailed(why) = &exit {
        return Err(format!("the sandbox failed: {why}"));
    }
    let stdout = read_all(sandbox, &id, OutputStream::Stdout).await?;
    let stderr = read_all(sandbox, &id, OutputStream::Stderr).await?;
    Ok(EscapeRun {
        stdout,
        stderr,
        end: exit.to_string(),
    })
}

/// Reads what is there of a stream.
pub(crate) async fn read_all(
    sandbox: &dyn Sandbox,
    id: &ProcessId,
    stream: OutputStream,
) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    loop {
        let read = ReadOutput {
            process: id.clone(),
            stream,
            offset: all.len() as u64,
            max: usize::MAX,
            wait: Duration::from_millis(200),
        };
        let chunk = sandbox
            .read(read)
            .await
            .map_err(|error| format!("nothing to read: {}", error_chain(&error)))?;
        all.extend_from_slice(&chunk.bytes);
        if chunk.end || chunk.bytes.is_empty() {
            return Ok(all);
        }
    }
}
