//! Reads the output of a sandbox that another process opened.

use std::io;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use super::blocking::blocking;
use super::folder;
use crate::sandbox::spool::SpoolReader;
use crate::sandbox::{OutputChunk, ReadOutput, SandboxError};

/// The polling interval of a folder: another process sends no notification.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) async fn read(folder: &Path, read: ReadOutput) -> Result<OutputChunk, SandboxError> {
    let until = Instant::now().checked_add(read.wait);
    loop {
        let chunk = read_now(folder, &read).await?;
        let is_over = until.is_some_and(|until| Instant::now() >= until);
        if chunk.end || !chunk.bytes.is_empty() || read.max == 0 || is_over {
            return Ok(chunk);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

async fn read_now(folder: &Path, read: &ReadOutput) -> Result<OutputChunk, SandboxError> {
    let output = folder::output_folder(folder, &read.process);
    let (sandbox, read) = (folder.to_owned(), read.clone());
    blocking(move || {
        let reader = SpoolReader::new(&output, read.stream);
        reader.read(read.offset, read.max).map_err(|source| {
            if source.kind() != io::ErrorKind::NotFound {
                return SandboxError::Io {
                    doing: format!("reading `{}`", output.display()),
                    source,
                };
            }
            if sandbox.is_dir() {
                return SandboxError::UnknownProcess { id: read.process };
            }
            let why = format!("folder `{}` not found", sandbox.display());
            SandboxError::Closed { why }
        })
    })
    .await
}
