//! Repositories on GitHub: the archive of the commit that a branch, a tag or a commit names.

use url::Url;

use super::context::FetchContext;
use super::fetched::{FetchedSkills, Revision, unpack};
use crate::archive::ArchiveKind;
use crate::download::{Downloader, describe_status};
use crate::error::InstallError;
use crate::limits::{MAX_ARCHIVE_BYTES, MAX_INDEX_BYTES};
use crate::source::InstallSource;

/// The media types of a commit's digest, and of other answers.
const SHA: &str = "application/vnd.github.sha";
const JSON: &str = "application/vnd.github+json";

/// A repository by its name.
pub(crate) struct Repository<'r> {
    pub(crate) owner: &'r str,
    pub(crate) repository: &'r str,
}

pub(super) async fn fetch(
    cx: &FetchContext<'_>,
    source: &InstallSource,
    repository: &Repository<'_>,
    reference: Option<&str>,
    path: Option<&str>,
) -> Result<FetchedSkills, InstallError> {
    let (bytes, revision) = download(cx, source, repository, reference).await?;
    let found = unpack(bytes, ArchiveKind::Repository, path.map(str::to_owned)).await?;
    FetchedSkills::new(source, revision, found, cx.rules(source))
}

/// Downloads the archive of the commit that a branch, a tag or a commit names.
pub(crate) async fn download(
    cx: &FetchContext<'_>,
    source: &InstallSource,
    repository: &Repository<'_>,
    reference: Option<&str>,
) -> Result<(Vec<u8>, Revision), InstallError> {
    let downloader = cx.downloader(source, cx.github_token.as_deref())?;
    let revision = resolve(cx, &downloader, repository, reference).await?;
    let commit = revision.commit.clone().unwrap_or_default();
    let url = repository.url(&cx.github_api, &["tarball", &commit])?;
    let bytes = downloader.get(&url, JSON, MAX_ARCHIVE_BYTES).await?;
    Ok((bytes, revision))
}

/// Resolves a branch, a tag or a commit to a commit.
async fn resolve(
    cx: &FetchContext<'_>,
    downloader: &Downloader<'_>,
    repository: &Repository<'_>,
    reference: Option<&str>,
) -> Result<Revision, InstallError> {
    if let Some(commit) = reference.filter(|reference| is_commit(reference)) {
        return Ok(Revision {
            commit: Some(commit.to_ascii_lowercase()),
            ..Revision::default()
        });
    }
    let url = repository.url(&cx.github_api, &["commits", reference.unwrap_or("HEAD")])?;
    let answer = downloader.get(&url, SHA, MAX_INDEX_BYTES).await?;
    let commit = String::from_utf8(answer)
        .ok()
        .map(|text| text.trim().to_owned());
    let commit = commit.filter(|commit| is_commit(commit));
    let commit = commit.ok_or_else(|| InstallError::fetch(&url, "the answer is no commit"))?;
    let mut tag = None;
    if let Some(reference) = reference {
        let url = repository.url(&cx.github_api, &["git", "ref", "tags", reference])?;
        let response = downloader.request(&url, JSON).await?;
        tag = match response.status {
            200 => Some(reference.to_owned()),
            404 => None,
            status => return Err(InstallError::fetch(&url, describe_status(status))),
        };
    }
    Ok(Revision {
        commit: Some(commit),
        tag,
        sha256: None,
    })
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl Repository<'_> {
    /// Returns an address of the API. The slashes of a branch separate segments of the path.
    fn url(&self, api: &Url, below: &[&str]) -> Result<Url, InstallError> {
        let mut url = api.clone();
        {
            let invalid = || InstallError::fetch(api, "the address of the API has no path");
            let mut segments = url.path_segments_mut().map_err(|()| invalid())?;
            segments.pop_if_empty();
            segments.extend(["repos", self.owner, self.repository]);
            segments.extend(below.iter().flat_map(|part| part.split('/')));
        }
        Ok(url)
    }
}
