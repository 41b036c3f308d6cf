//! Batch operations for file systems without a faster implementation.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use futures_util::{StreamExt, stream};

use super::{FsError, Metadata, ReadHandle, SandboxFs};

/// Receives one file after another on a blocking thread, and returns whether to continue with the next file.
pub type FileVisitor = Box<dyn FnMut(Result<ReadHandle, FsError>) -> ControlFlow<()> + Send>;

/// The number of files that are described concurrently.
const MAX_CONCURRENT: usize = 16;

/// Opens each file and passes it to the visitor.
pub(super) async fn open_each<F: SandboxFs + ?Sized>(
    fs: &F,
    paths: Vec<PathBuf>,
    mut visitor: FileVisitor,
) -> Result<(), FsError> {
    for path in paths {
        let file = fs.open(&path).await;
        let job = tokio::task::spawn_blocking(move || {
            let flow = visitor(file);
            (visitor, flow)
        });
        let (back, flow) = job.await.map_err(|error| FsError::lost_job(&path, error))?;
        if flow.is_break() {
            break;
        }
        visitor = back;
    }
    Ok(())
}

/// Describes each path.
pub(super) async fn describe_each<F: SandboxFs + ?Sized>(
    fs: &F,
    paths: Vec<PathBuf>,
) -> Vec<Result<Metadata, FsError>> {
    let describe = |path: PathBuf| async move { fs.metadata(Path::new(&path)).await };
    let described = stream::iter(paths.into_iter().map(describe));
    described.buffered(MAX_CONCURRENT).collect().await
}
