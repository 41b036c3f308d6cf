//! Folders of this machine, shown on the other side.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::pack_folder;
use super::host::{RemoteCall, RemoteHost, UPLOAD_TIMEOUT, arg, failure, path_arg};
use super::pipe::PipeWriter;
use super::transport::CommandInput;
use helve_core::sandbox::{ProcessId, SandboxError};

/// Shows folders of this machine in a sandbox.
#[derive(Debug)]
pub(crate) struct Projections {
    host: RemoteHost,
}

impl Projections {
    pub(crate) fn new(host: RemoteHost) -> Self {
        Self { host }
    }

    /// Copies a folder to the private folder of the sandbox.
    pub(crate) async fn project(&self, folder: &Path, name: &str) -> Result<PathBuf, SandboxError> {
        let cannot = |why: String| SandboxError::Projection {
            folder: folder.to_owned(),
            why,
        };
        // A name is as harmless as that of a process.
        let plain =
            |name: &str| !name.starts_with('.') && ProcessId::new(&name.replace('.', "-")).is_ok();
        if !plain(name) {
            return Err(cannot(format!(
                "`{name}` cannot be the name of a folder there"
            )));
        }
        let source = folder.to_owned();
        let canonical = tokio::task::spawn_blocking(move || source.canonicalize()).await;
        let canonical = canonical
            .unwrap_or_else(|error| Err(io::Error::other(error)))
            .map_err(|error| cannot(error.to_string()))?;
        if !canonical.is_dir() {
            return Err(cannot("not a folder".to_owned()));
        }
        let words = |operation: &str| vec![arg(operation), arg(name), path_arg(&canonical)];
        let failed = |error| failure("showing a folder", error);
        let reply = self
            .host
            .call_idempotent(|| RemoteCall::new(words("projected")))
            .await;
        let mut reply = reply.map_err(failed)?;
        if reply.words()[0] == "absent" {
            let question = || {
                RemoteCall::new(words("project"))
                    .input(pack_projection(
                        canonical.clone(),
                        Arc::new(|_: &Path| false),
                    ))
                    .with_extra_time(UPLOAD_TIMEOUT)
            };
            reply = self.host.call_idempotent(question).await.map_err(failed)?;
        }
        match reply.words()[0] {
            "ok" => Ok(Path::new(self.host.folder()).join("projects").join(name)),
            "taken" => Err(cannot(format!(
                "another folder is shown as `{name}` already"
            ))),
            _ => Err(cannot(reply.line_rest().to_owned())),
        }
    }
}

/// Packs a folder of this machine on a blocking thread, as it is wanted.
pub(crate) fn pack_projection(
    folder: PathBuf,
    skip: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
) -> CommandInput {
    let (mut writer, parts) = PipeWriter::new();
    tokio::task::spawn_blocking(move || {
        let done = pack_folder(&folder, &*skip, &mut writer);
        writer.finish(done);
    });
    CommandInput::Parts(parts)
}
