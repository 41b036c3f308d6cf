//! The operations of commands: sources by the settings of a user, searches, and changes of status.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use helve_core::capability::HttpBackend;
use helve_core::network::HostRules;
use helve_core::support::text::truncate;
use helve_host::guarded_http::GuardedHttp;

use crate::bundle::FetchedBundle;
use crate::error::{InstallError, shown};
use crate::fetch::{FetchContext, FetchedSkills};
use crate::installer::{SkillCheck, SkillInstaller};
use crate::limits::MAX_ARCHIVE_BYTES;
use crate::source::InstallSource;
use crate::table::{has_failures, render_audit, render_checks};

/// How long a download may take.
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The greatest length of a description in a list, in characters.
const MAX_DESCRIPTION: usize = 100;

/// The sources of skills of a user: the settings that they depend on.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SkillSources {
    /// The folder that relative paths are below.
    pub folder: PathBuf,
    /// The API of GitHub, if it is not the public one.
    pub github: Option<String>,
    /// The token for GitHub.
    pub github_token: Option<String>,
    /// The hub, as a source.
    pub hub: Option<String>,
}

impl SkillSources {
    /// Creates the sources without a hub, for relative paths below a folder. The token is that of the environment:
    /// `GITHUB_TOKEN` or `GH_TOKEN`.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let token = |name| {
            std::env::var(name)
                .ok()
                .filter(|token: &String| !token.is_empty())
        };
        Self {
            folder: folder.into(),
            github_token: token("GITHUB_TOKEN").or_else(|| token("GH_TOKEN")),
            ..Self::default()
        }
    }

    /// Reads a source. The name of a skill of the hub becomes the hub, and is added to the names.
    ///
    /// # Errors
    /// When the text is no source, names a file that does not exist, has the form of a repository and is also a folder
    /// here, or when no hub is configured.
    pub fn parse(
        &self,
        text: &str,
        names: &mut Vec<String>,
    ) -> Result<InstallSource, InstallError> {
        let invalid = |reason: String| InstallError::InvalidSource {
            text: shown(text),
            reason,
        };
        let parsed = text.parse::<InstallSource>();
        let is_name = match parsed {
            Ok(InstallSource::Hub(_)) => self.hub.is_none(),
            Ok(InstallSource::GitHub { .. }) | Err(_) => true,
            Ok(_) => false,
        };
        if is_name && !text.is_empty() && self.folder.join(text).is_dir() {
            return Err(invalid(format!(
                "it is a folder here; write `./{}` for that, or `https://github.com/owner/repo` for a repository",
                shown(text)
            )));
        }
        match parsed? {
            InstallSource::Folder(path) | InstallSource::ArchiveFile(path)
                if !self.folder.join(&path).exists() =>
            {
                Err(invalid("it does not exist".to_owned()))
            }
            InstallSource::Hub(name) => {
                names.push(name);
                self.hub()
            }
            source => {
                if let InstallSource::Server {
                    skill: Some(skill), ..
                } = &source
                {
                    names.push(skill.clone());
                }
                Ok(source.below(&self.folder))
            }
        }
    }

    /// Reads the source of a lock file, which a person has chosen before.
    ///
    /// # Errors
    /// When the text is no source.
    pub fn parse_locked(&self, text: &str) -> Result<InstallSource, InstallError> {
        let source: InstallSource = text.parse()?;
        Ok(source.below(&self.folder))
    }

    /// Returns the hub.
    ///
    /// # Errors
    /// When none is configured, or its setting is no source.
    pub fn hub(&self) -> Result<InstallSource, InstallError> {
        let missing = "Skills hub is not configured\nhelp: set `source` in `[skills.hub]`, or name a source such as `owner/repo`";
        match self
            .hub
            .as_deref()
            .filter(|hub| !hub.is_empty())
            .map(str::parse)
        {
            None | Some(Ok(InstallSource::Hub(_))) => {
                Err(InstallError::Unavailable(missing.to_owned()))
            }
            Some(hub) => Ok(hub?.below(&self.folder)),
        }
    }

    /// Fetches the skills of a source, with a client that reaches its hosts alone.
    ///
    /// # Errors
    /// As [`FetchContext::fetch`].
    pub async fn fetch(
        &self,
        source: &InstallSource,
        names: &[String],
        lenient: bool,
    ) -> Result<FetchedSkills, InstallError> {
        let http = self.http(source)?;
        let mut context = self.context(&http)?;
        context.lenient = lenient;
        context.fetch(source, names).await
    }

    /// Fetches the bundle of a source, with a client that reaches its hosts alone.
    ///
    /// # Errors
    /// As [`FetchContext::fetch_bundle`].
    pub async fn fetch_bundle(
        &self,
        source: &InstallSource,
    ) -> Result<FetchedBundle, InstallError> {
        let http = self.http(source)?;
        self.context(&http)?.fetch_bundle(source).await
    }

    /// Lists the skills of a source with all of these words in their names or descriptions, one a line; all if there are
    /// no words.
    ///
    /// # Errors
    /// As [`FetchContext::fetch`].
    pub async fn search(
        &self,
        source: &InstallSource,
        words: &[String],
    ) -> Result<String, InstallError> {
        let http = self.http(source)?;
        let offered = self.context(&http)?.list(source).await?;
        let words: Vec<String> = words.iter().map(|word| word.to_lowercase()).collect();
        let found = offered.iter().filter(|skill| {
            let text = format!("{} {}", skill.name, skill.description).to_lowercase();
            words.iter().all(|word| text.contains(word.as_str()))
        });
        let lines = found.map(|skill| {
            let about = skill.description.lines().next().unwrap_or_default();
            format!(
                "{}  {}\n",
                shown(&skill.name),
                shown(&truncate(about, MAX_DESCRIPTION))
            )
        });
        let text: String = lines.collect();
        Ok(match text.is_empty() {
            true => format!("no skill of `{}` matches\n", shown(&source.to_string())),
            false => text,
        })
    }

    fn http(&self, source: &InstallSource) -> Result<Arc<dyn HttpBackend>, InstallError> {
        let rules = HostRules::from_allowed(source.hosts(&self.api()?.github_api));
        let http = GuardedHttp::new(&rules);
        let http = http.map_err(|error| InstallError::Unavailable(error.to_string()))?;
        let http = http
            .response_limit(MAX_ARCHIVE_BYTES)
            .time_limit(TIME_LIMIT);
        Ok(Arc::new(http))
    }

    /// Creates a context without a client.
    fn api(&self) -> Result<FetchContext<'static>, InstallError> {
        let context = FetchContext::new(None);
        match &self.github {
            Some(api) => context.with_github_api(api),
            None => Ok(context),
        }
    }

    fn context<'c>(
        &self,
        http: &'c Arc<dyn HttpBackend>,
    ) -> Result<FetchContext<'c>, InstallError> {
        let mut context = FetchContext::new(Some(http));
        context.github_api = self.api()?.github_api;
        context.github_token = self.github_token.clone();
        Ok(context)
    }
}

impl SkillInstaller {
    /// Checks skills, and returns the text for the user and whether everything is fine. An audit covers all skills that are
    /// there, with their scan findings; otherwise only the files of the installed ones are compared.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn report(&self, audit: bool, names: &[String]) -> Result<(String, bool), InstallError> {
        let mut checks = self.check(names)?;
        if audit {
            return Ok((render_audit(&checks), !has_failures(&checks)));
        }
        checks.retain(|check| check.locked.is_some());
        let is_fine = checks.iter().all(SkillCheck::is_unchanged);
        Ok((render_checks(&checks), is_fine))
    }

    /// Changes the status of a skill by the name of a command: `enable`, `disable`, `pause` or `resume`. Without a project,
    /// `disable` and `pause` apply everywhere. Returns what was done.
    ///
    /// # Errors
    /// When the statuses cannot be read or written.
    pub fn set_status(
        &self,
        command: &str,
        name: &str,
        project: &Path,
        everywhere: bool,
    ) -> Result<String, InstallError> {
        let statuses = self.statuses();
        let place = (!everywhere).then_some(project);
        match command {
            "disable" => statuses
                .change(name, place, |status| status.disabled = true)
                .map(drop)?,
            "pause" => statuses.pause(name, place, "by the user")?,
            "resume" => statuses.resume(name, project).map(drop)?,
            _ => {
                for place in [Some(project), None] {
                    statuses.change(name, place, |status| status.disabled = false)?;
                }
            }
        }
        Ok(format!("{command}d {name}"))
    }
}
