//! Starts a process from its specification.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use tokio::sync::oneshot;

use super::process::PassthroughProcess;
use super::runner::ProcessRunner;
use super::shared::PassthroughState;
use super::spawn::{SpawnOptions, spawn};
use super::{environment, folder, limits, tree};
use crate::sandbox::{Limits, ProcessSpec, ProcessStatus, SandboxError};

/// Starts a process on a separate thread, which serves the process until its end.
///
/// The thread continues even if this future is dropped, so that a requested start is completed.
pub(super) async fn start(
    shared: &Arc<PassthroughState>,
    spec: ProcessSpec,
) -> Result<ProcessStatus, SandboxError> {
    let (reply, started) = oneshot::channel();
    let failed = |source| SandboxError::Io {
        doing: format!("starting `{}`", spec.id),
        source,
    };
    let folder = folder::output_folder(&shared.folder.path, &spec.id);
    let limits = shared.policy.limits.stricter(&spec.limits);
    let (process, woken) =
        PassthroughProcess::new(&shared.folder.id, &spec, &folder, limits.output)
            .map_err(failed)?;
    shared.processes.insert(&process)?;
    let id = spec.id.clone();
    let watch = {
        let (shared, process) = (Arc::clone(shared), Arc::clone(&process));
        move || {
            let started = begin(&shared, &process, &spec, limits, woken);
            process.set_started();
            match started {
                Ok(runner) => {
                    let _ = reply.send(Ok(process.status()));
                    runner.run();
                }
                Err(error) => {
                    shared.processes.remove(&spec.id);
                    let _ = reply.send(Err(error));
                }
            }
        }
    };
    let builder = thread::Builder::new().name("helve-process".to_owned());
    match builder.spawn(watch) {
        Ok(thread) => *process.thread.lock() = Some(thread),
        Err(source) => {
            shared.processes.remove(&id);
            return Err(SandboxError::Io {
                doing: format!("starting a thread for `{id}`"),
                source,
            });
        }
    }
    started.await.unwrap_or_else(|_| {
        Err(SandboxError::Closed {
            why: format!("the thread that started `{id}` is gone"),
        })
    })
}

fn begin(
    shared: &PassthroughState,
    process: &Arc<PassthroughProcess>,
    spec: &ProcessSpec,
    limits: Limits,
    woken: UnixStream,
) -> Result<ProcessRunner, SandboxError> {
    let program = || spec.argv.first().cloned().unwrap_or_default();
    let cannot = |why: String| SandboxError::CannotStart {
        program: program(),
        why,
    };
    let working_folder = working_folder(shared, spec.working_folder.as_deref()).map_err(cannot)?;
    shared.folder.create_process_folder(&spec.id)?;
    let mut environment = environment::environment(&shared.policy);
    let own = spec.environment.iter();
    environment.extend(own.map(|(name, value)| (name.into(), value.into())));
    environment.insert(
        tree::MARKER_VARIABLE.into(),
        tree::process_marker(&shared.folder.id, &spec.id).into(),
    );
    // The lock is held, so that a signal that arrives meanwhile reaches the process.
    let mut leader = process.leader.lock();
    let spawned = spawn(SpawnOptions {
        argv: &spec.argv,
        environment,
        folder: &working_folder,
        stdin: spec.stdin,
        terminal: spec.terminal,
        resources: limits::resources(&limits),
    })
    .map_err(|error| match error.kind() {
        // A missing working folder gives the same error as a missing program.
        io::ErrorKind::NotFound if working_folder.is_dir() => SandboxError::ProgramNotFound {
            program: program(),
            why: start_error_message(&error),
        },
        _ => cannot(start_error_message(&error)),
    })?;
    *leader = Some(spawned.child.id());
    drop(leader);
    Ok(ProcessRunner::new(
        Arc::clone(process),
        spawned,
        limits,
        woken,
    ))
}

fn start_error_message(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "program not found".to_owned(),
        io::ErrorKind::PermissionDenied => "it is not executable".to_owned(),
        io::ErrorKind::ArgumentListTooLong => "the arguments are too long".to_owned(),
        _ => error.to_string(),
    }
}

/// Returns the folder to start in, which is one of the policy's folders, or below one.
fn working_folder(shared: &PassthroughState, wanted: Option<&Path>) -> Result<PathBuf, String> {
    let policy = &shared.policy;
    let workspace = &policy.workspace;
    let folder = wanted.map_or_else(|| workspace.clone(), |folder| workspace.join(folder));
    let shown = folder.display();
    let found = folder
        .canonicalize()
        .map_err(|error| format!("its working folder `{shown}` cannot be used: {error}"))?;
    if !found.is_dir() {
        return Err(format!("the working folder `{shown}` is not a folder"));
    }
    let roots = policy
        .roots()
        .chain(&policy.readable)
        .map(PathBuf::as_path)
        .chain([shared.folder.path.as_path()]);
    let is_below = |root: &Path| {
        root.canonicalize()
            .is_ok_and(|root| found.starts_with(root))
    };
    if roots.into_iter().any(is_below) {
        return Ok(found);
    }
    Err(format!(
        "the working folder `{shown}` is outside of the workspace"
    ))
}
