//! A container engine, and commands in one of its containers.

use std::io;
use std::time::Duration;

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::errors::Error;
use bollard::exec::{CreateExecOptions, StartExecOptions, StartExecResults};
use bollard::query_parameters::RemoveContainerOptionsBuilder;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream;

use super::settings::is_tcp;
use crate::remote::{CommandEvent, RunningCommand, Transport, unreachable_error};
use helve_core::sandbox::{SandboxError, SandboxId};

/// The time limit for a response of the engine, in seconds.
const ENGINE_TIMEOUT_SECS: u64 = 120;

/// The time limit for the engine to report the exit of a command whose output has ended.
const EXIT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects to an engine.
pub(super) async fn connect(endpoint: &str) -> Result<Docker, SandboxError> {
    let unavailable = |error: Error| SandboxError::Unavailable {
        kind: "docker".to_owned(),
        why: format!(
            "no engine answers at {endpoint} ({error}); start it, or name the endpoint of another one"
        ),
    };
    let version = bollard::API_DEFAULT_VERSION;
    let docker = if is_tcp(endpoint) {
        Docker::connect_with_http(endpoint, ENGINE_TIMEOUT_SECS, version)
    } else {
        Docker::connect_with_unix(endpoint, ENGINE_TIMEOUT_SECS, version)
    };
    let negotiated = docker.map_err(unavailable)?.negotiate_version().await;
    negotiated.map_err(unavailable)
}

/// One container.
#[derive(Clone)]
pub struct Container {
    docker: Docker,
    name: String,
}

impl std::fmt::Debug for Container {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Container")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Container {
    pub(super) fn new(docker: Docker, id: &SandboxId) -> Self {
        let name = id.to_string();
        Self { docker, name }
    }

    /// Removes the container with all its processes; succeeds if the container does not exist any more.
    pub(super) async fn remove(&self) -> Result<(), SandboxError> {
        let options = RemoveContainerOptionsBuilder::new()
            .force(true)
            .v(true)
            .build();
        let removed = self.docker.remove_container(&self.name, Some(options));
        match removed.await {
            Ok(()) => Ok(()),
            // 409: another request is already removing the container.
            Err(Error::DockerResponseServerError {
                status_code,
                message,
            }) if matches!(status_code, 404 | 409) || message.contains("no such container") => {
                Ok(())
            }
            Err(error) => Err(SandboxError::Io {
                doing: format!("removing the container {}", self.name),
                source: io::Error::other(error),
            }),
        }
    }

    async fn start_exec(&self, command: &str) -> Result<RunningCommand, Error> {
        let options = CreateExecOptions {
            attach_stdin: Some(true),
            attach_stdout: Some(true),
            attach_stderr: Some(true),
            cmd: Some(vec!["sh", "-c", command]),
            ..CreateExecOptions::default()
        };
        let exec = self.docker.create_exec(&self.name, options).await?;
        let options = StartExecOptions {
            output_capacity: Some(64 << 10),
            ..StartExecOptions::default()
        };
        let StartExecResults::Attached { output, input } =
            self.docker.start_exec(&exec.id, Some(options)).await?
        else {
            return Err(Error::IOError {
                err: unreachable_error("the engine started the command without its output"),
            });
        };
        let pieces = output.filter_map(|part| async {
            match part {
                Ok(LogOutput::StdOut { message } | LogOutput::Console { message }) => {
                    Some(Ok(CommandEvent::Stdout(message.to_vec())))
                }
                Ok(LogOutput::StdErr { message }) => {
                    Some(Ok(CommandEvent::Stderr(message.to_vec())))
                }
                Ok(LogOutput::StdIn { .. }) => None,
                Err(error) => Some(Err(into_io_error(error))),
            }
        });
        let (docker, id) = (self.docker.clone(), exec.id);
        let exit =
            stream::once(async move { exit_code(&docker, &id).await.map(CommandEvent::Exit) });
        Ok(RunningCommand {
            input,
            output: Box::pin(pieces.chain(exit)),
        })
    }
}

impl Transport for Container {
    fn run<'a>(&'a self, command: &'a str) -> BoxFuture<'a, io::Result<RunningCommand>> {
        Box::pin(async move { self.start_exec(command).await.map_err(into_io_error) })
    }
}

/// Returns the exit code of a command; the output can end a moment before the engine reports the code.
async fn exit_code(docker: &Docker, exec: &str) -> io::Result<i32> {
    let known = async {
        loop {
            let inspected = docker.inspect_exec(exec).await.map_err(into_io_error)?;
            match (inspected.running, inspected.exit_code) {
                (Some(true), _) | (_, None) => tokio::time::sleep(Duration::from_millis(20)).await,
                (_, Some(code)) => return i32::try_from(code).map_err(io::Error::other),
            }
        }
    };
    let known = tokio::time::timeout(EXIT_TIMEOUT, known).await;
    known.unwrap_or_else(|_| Err(unreachable_error("the engine did not report the exit code")))
}

/// Distinguishes a container that is gone from an engine that cannot be reached.
fn into_io_error(error: Error) -> io::Error {
    match error {
        Error::DockerResponseServerError {
            status_code: 404 | 409,
            message,
        } => io::Error::new(
            io::ErrorKind::NotFound,
            format!("the container no longer exists: {}", message.trim()),
        ),
        // Podman's error for a container that is removed during the request.
        Error::DockerResponseServerError { ref message, .. }
            if message.contains("no such container") =>
        {
            io::Error::new(io::ErrorKind::NotFound, "the container no longer exists")
        }
        Error::DockerResponseServerError { .. } | Error::JsonDataError { .. } => {
            io::Error::other(error)
        }
        error => unreachable_error(error.to_string()),
    }
}
