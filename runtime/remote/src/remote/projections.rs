//! Projected folders of this machine, which are copied to the remote host.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::archive::pack_folder;
use super::host::{RemoteCall, RemoteHost, UPLOAD_TIMEOUT, arg, failure, path_arg};
use super::pipe::PipeWriter;
use super::transport::CommandInput;
use helve_core::sandbox::{ProcessId, SandboxError};

impl RemoteHost {
    /// Copies a folder to the private folder of the sandbox.
    pub(crate) async fn project(&self, folder: &Path, name: &str) -> Result<PathBuf, SandboxError> {
        let cannot = |why: String| SandboxError::Projection {
            folder: folder.to_owned(),
            why,
        };
        // The rule is that of process IDs, with dots allowed inside.
        if name.starts_with('.') || ProcessId::new(&name.replace('.', "-")).is_err() {
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
        let call =
            |operation: &str| RemoteCall::new([arg(operation), arg(name), path_arg(&canonical)]);
        let failed = |error| failure("showing a folder", error);
        let reply = self.call_idempotent(|| call("projected")).await;
        let mut reply = reply.map_err(failed)?;
        if reply.words()[0] == "absent" {
            let upload = || {
                let archive = pack_projection(canonical.clone(), Arc::new(|_: &Path| false));
                call("project")
                    .input(archive)
                    .with_extra_time(UPLOAD_TIMEOUT)
            };
            reply = self.call_idempotent(upload).await.map_err(failed)?;
        }
        match reply.words()[0] {
            "ok" => Ok(Path::new(self.folder()).join("projects").join(name)),
            "taken" => Err(cannot(format!(
                "another folder is shown as `{name}` already"
            ))),
            _ => Err(cannot(reply.line_rest().to_owned())),
        }
    }
}

/// Packs a folder of this machine on a blocking thread while it is read.
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
