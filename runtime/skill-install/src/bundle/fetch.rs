//! Fetches a bundle, which is one folder of a source.

use std::path::Path;

use super::{FetchedBundle, MANIFEST};
use crate::archive::{self, ArchiveKind, EntryKind};
use crate::error::InstallError;
use crate::fetch::{FetchContext, Revision, github, sha256};
use crate::limits::MAX_ARCHIVE_BYTES;
use crate::source::InstallSource;
use crate::tree::{LEFT_OUT, SkillTree};
use helve_storage::bounded_read::read_if_exists;

impl FetchContext<'_> {
    /// Fetches the bundle of a source: a repository, or a folder of it, an archive, or a folder of this machine. Nothing is
    /// written.
    ///
    /// # Errors
    /// When the source does not answer, has no bundle or several, or the bundle exceeds the limits of a skill.
    pub async fn fetch_bundle(
        &self,
        source: &InstallSource,
    ) -> Result<FetchedBundle, InstallError> {
        let (tree, revision) = match source {
            InstallSource::GitHub {
                owner,
                repository,
                reference,
                path,
            } => {
                let repository = github::Repository { owner, repository };
                let downloaded =
                    github::download(self, source, &repository, reference.as_deref()).await;
                let (bytes, revision) = downloaded?;
                let base = path.clone().unwrap_or_default();
                let tree = blocking(move || unpack(&bytes, ArchiveKind::Repository, &base)).await?;
                (tree, revision)
            }
            InstallSource::Archive(url) => {
                let downloader = self.downloader(source, None)?;
                let bytes = downloader.get(url, "*/*", MAX_ARCHIVE_BYTES).await?;
                let revision = revision_of(&bytes);
                let tree = blocking(move || unpack(&bytes, ArchiveKind::Skills, "")).await?;
                (tree, revision)
            }
            InstallSource::ArchiveFile(path) => {
                let path = path.clone();
                blocking(move || {
                    let bytes = read_archive(&path)?;
                    let tree = unpack(&bytes, ArchiveKind::Skills, "")?;
                    Ok((tree, revision_of(&bytes)))
                })
                .await?
            }
            InstallSource::Folder(path) => {
                let path = path.clone();
                let tree = blocking(move || SkillTree::read_folder(&path)).await?;
                (tree, Revision::default())
            }
            _ => {
                let what = "a bundle comes from a repository, an archive or a folder";
                return Err(InstallError::Unavailable(format!(
                    "`{source}` is no bundle: {what}"
                )));
            }
        };
        FetchedBundle::new(source, revision, tree)
    }
}

fn read_archive(path: &Path) -> Result<Vec<u8>, InstallError> {
    let read = read_if_exists(path, MAX_ARCHIVE_BYTES as u64);
    let bytes = read.map_err(InstallError::io("read", path))?;
    bytes.ok_or_else(|| InstallError::refused(format!("`{}`", path.display()), "it does not exist"))
}

fn revision_of(bytes: &[u8]) -> Revision {
    Revision {
        sha256: Some(sha256(bytes)),
        ..Revision::default()
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, InstallError> + Send + 'static,
) -> Result<T, InstallError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(InstallError::Unavailable(error.to_string())))
}

/// Reads the bundle that is in an archive, in a folder or below.
fn unpack(bytes: &[u8], kind: ArchiveKind, base: &str) -> Result<SkillTree, InstallError> {
    let folder = find(bytes, kind, base)?;
    let mut tree = SkillTree::default();
    archive::visit(bytes, kind, &mut |mut entry| {
        let path = match folder.as_str() {
            "" => Some(entry.path.as_str()),
            folder => entry
                .path
                .strip_prefix(folder)
                .and_then(|rest| rest.strip_prefix('/')),
        };
        let Some(path) = path.map(str::to_owned).filter(|path| !path.is_empty()) else {
            return Ok(());
        };
        if path.split('/').any(|name| LEFT_OUT.contains(&name)) {
            return Ok(());
        }
        match entry.kind {
            EntryKind::Folder => Ok(()),
            EntryKind::Link => Err(InstallError::refused(
                format!("the file `{}`", crate::error::shown(&path)),
                "it is a symbolic link",
            )),
            EntryKind::File { executable } => tree.insert(&path, entry.read()?, executable),
        }
    })?;
    Ok(tree)
}

/// Finds the folder of the one bundle in a folder of an archive.
fn find(bytes: &[u8], kind: ArchiveKind, base: &str) -> Result<String, InstallError> {
    let mut folders = Vec::new();
    archive::visit(bytes, kind, &mut |entry| {
        let folder = entry.path.strip_suffix(MANIFEST);
        if let Some(folder) = folder.filter(|folder| folder.is_empty() || folder.ends_with('/')) {
            folders.push(folder.trim_end_matches('/').to_owned());
        }
        Ok(())
    })?;
    let is_below = |folder: &String| {
        base.is_empty()
            || folder == base
            || folder
                .strip_prefix(base)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    folders.retain(is_below);
    // A bundle in another one is a part of it.
    if folders.iter().any(|folder| folder == base) {
        return Ok(base.to_owned());
    }
    match &folders[..] {
        [folder] => Ok(folder.clone()),
        [] => Err(InstallError::refused(
            "the source",
            format!("it has no `{MANIFEST}`, which makes a folder a bundle"),
        )),
        several => {
            let shown: Vec<String> = several
                .iter()
                .take(12)
                .map(|one| crate::error::shown(one))
                .collect();
            let reason = format!(
                "it has several bundles; name the folder of one, as in `owner/repo#{}`: {}",
                shown[0],
                shown.join(", ")
            );
            Err(InstallError::refused("the source", reason))
        }
    }
}
