//! Fetches the skills of a source, checked and scanned. Nothing is written.

mod context;
mod fetched;
pub(crate) mod github;
mod host;
mod local;

use url::Url;

use crate::archive::ArchiveKind;
use crate::error::InstallError;
use crate::limits::MAX_ARCHIVE_BYTES;
use crate::source::InstallSource;
use fetched::unpack;

pub use context::FetchContext;
pub(crate) use fetched::sha256;
pub use fetched::{FetchedSkills, OfferedSkill, Revision};

impl FetchContext<'_> {
    /// Fetches the skills of a source; only those with these names if there are any.
    ///
    /// # Errors
    /// When the source does not answer, is refused as a whole, or has no skill. A single skill that is refused is among the
    /// problems.
    pub async fn fetch(
        &self,
        source: &InstallSource,
        names: &[String],
    ) -> Result<FetchedSkills, InstallError> {
        let fetched = match source {
            InstallSource::GitHub {
                owner,
                repository,
                reference,
                path,
            } => {
                let repository = github::Repository { owner, repository };
                github::fetch(
                    self,
                    source,
                    &repository,
                    reference.as_deref(),
                    path.as_deref(),
                )
                .await
            }
            InstallSource::Host(url) => host::fetch(self, source, url, names).await,
            InstallSource::Archive(url) => self.fetch_archive(source, url).await,
            InstallSource::ArchiveFile(path) => {
                local::fetch_archive(source, path, self.rules(source)).await
            }
            InstallSource::Folder(path) => {
                local::fetch_folder(source, path, self.rules(source)).await
            }
            InstallSource::Server { .. } => Err(InstallError::Unavailable(
                "the skills of an MCP server come from its connection".to_owned(),
            )),
            InstallSource::Hub(name) => Err(InstallError::Unavailable(format!(
                "`{name}` is a skill of the hub, and no hub is configured\nhelp: set `source` in `[skills.hub]`, or name a source such as `owner/repo`"
            ))),
        };
        let mut fetched = fetched?;
        fetched.select(names)?;
        Ok(fetched)
    }

    /// Lists the skills that a source offers.
    ///
    /// # Errors
    /// As [`fetch`](Self::fetch).
    pub async fn list(&self, source: &InstallSource) -> Result<Vec<OfferedSkill>, InstallError> {
        if let InstallSource::Host(url) = source {
            return host::list(self, source, url).await;
        }
        let fetched = self.fetch(source, &[]).await?;
        let offered = fetched.skills.into_iter().map(|skill| OfferedSkill {
            name: skill.name,
            description: skill.description,
        });
        Ok(offered.collect())
    }

    async fn fetch_archive(
        &self,
        source: &InstallSource,
        url: &Url,
    ) -> Result<FetchedSkills, InstallError> {
        let downloader = self.downloader(source, None)?;
        let bytes = downloader.get(url, "*/*", MAX_ARCHIVE_BYTES).await?;
        let revision = Revision {
            sha256: Some(sha256(&bytes)),
            ..Revision::default()
        };
        let rules = self.rules(source);
        let found = unpack(bytes, ArchiveKind::Skills, None).await?;
        FetchedSkills::new(source, revision, found, rules)
    }
}
