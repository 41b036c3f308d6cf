//! Batch operations for file systems without a faster implementation.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use futures_util::{StreamExt, stream};

use super::{FsError, Metadata, ReadHandle, SandboxFs};

/// Takes one file after the other, on a blocking thread, and returns whether the visitor takes the next.
pub type FileVisitor = Box<dyn FnMut(Result<ReadHandle, FsError>) -> ControlFlow<()> + Send>;

/// How many files are described at once.
const MAX_CONCURRENT: usize = 16;

/// Opens each file and shows it to the visitor.
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
