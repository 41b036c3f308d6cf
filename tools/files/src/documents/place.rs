//! The folder that a call is about, and its documents in the index.

use std::path::{Path, PathBuf};

use helve::prelude::*;
use helve::sandbox::ResolvedPath;
use helve::text_index::{Collection, TextIndex, TextIndexError};

use crate::name;

/// A folder or a file, and the collection of the documents of its root, which is named by the principal and the path of the root.
/// Another folder may have that path later, or in another sandbox: the stamp of a file identifies the file.
pub(crate) struct DocumentPlace {
    pub(crate) start: ResolvedPath,
    /// The root that the folder is below.
    pub(crate) root: PathBuf,
    pub(crate) collection: Collection,
}

impl DocumentPlace {
    /// Finds a place by the argument of a call.
    pub(crate) async fn find(
        cx: &ToolContext,
        path: &str,
        index: &TextIndex,
    ) -> Result<Self, ToolError> {
        let path = name::resolve_path(cx, path);
        let start = cx.fs()?.resolve(&path).await?;
        let depth = start.relative.components().count();
        let root = start.absolute.ancestors().nth(depth);
        let root = root.unwrap_or(&start.absolute).to_owned();
        // The principals of a server have roots of their own, which may have the same path.
        let (tenant, user) = (&cx.principal().tenant, &cx.principal().user);
        let name = if tenant.is_none() && user.is_none() {
            format!("documents {}", root.display())
        } else {
            format!("documents of {tenant:?} {user:?} in {}", root.display())
        };
        let collection = index.collection(name).map_err(|error| failed(&error))?;
        Ok(Self {
            start,
            root,
            collection,
        })
    }

    /// Returns the name of a file in the index: its path below the root.
    pub(crate) fn source(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        below.to_string_lossy().into_owned()
    }

    /// Reports whether a file of the index is the place, or below it.
    pub(crate) fn holds(&self, source: &str) -> bool {
        Path::new(source).starts_with(&self.start.relative)
    }
}

/// Runs an operation on the index, on a thread that may block.
pub(crate) async fn with_index<T: Send + 'static>(
    collection: &Collection,
    operation: impl FnOnce(&Collection) -> Result<T, TextIndexError> + Send + 'static,
) -> Result<T, ToolError> {
    let collection = collection.clone();
    let done = tokio::task::spawn_blocking(move || operation(&collection)).await?;
    done.map_err(|error| failed(&error))
}

fn failed(error: &TextIndexError) -> ToolError {
    ToolError::failed(format!(
        "the index of the documents cannot be used: {error}"
    ))
}
