//! What fetching needs of its host program, and the rules for what is fetched.

use helve_skill_format::Profile;
use url::Url;

use crate::candidate::CandidateRules;
use crate::download::{Downloader, HttpClient};
use crate::error::{InstallError, shown};
use crate::source::{InstallSource, check_url};

/// What fetching needs of its host program.
#[derive(Debug)]
#[non_exhaustive]
pub struct FetchContext<'f> {
    /// What sends requests; without it, only sources of this machine are fetched.
    pub client: Option<&'f dyn HttpClient>,
    /// The base of the API of GitHub, whose path ends with a slash.
    pub github_api: Url,
    /// The token for GitHub.
    pub github_token: Option<String>,
    /// Whether skills are read as folders are at run time, whose names and fields may deviate.
    pub lenient: bool,
}

impl<'f> FetchContext<'f> {
    /// Creates a context for the public GitHub.
    #[must_use]
    pub fn new(client: Option<&'f dyn HttpClient>) -> Self {
        Self {
            client,
            github_api: default_api(),
            github_token: None,
            lenient: false,
        }
    }

    /// Sets the base of the API of GitHub.
    ///
    /// # Errors
    /// When it is no address of the web.
    pub fn with_github_api(mut self, api: &str) -> Result<Self, InstallError> {
        let api = match api.ends_with('/') {
            true => api.to_owned(),
            false => format!("{api}/"),
        };
        let url = Url::parse(&api).map_err(|error| error.to_string());
        let checked = url.and_then(|url| check_url(&url).map(|()| url));
        self.github_api = checked.map_err(|reason| InstallError::InvalidSource {
            text: shown(&api),
            reason,
        })?;
        Ok(self)
    }

    pub(crate) fn downloader<'d>(
        &'d self,
        source: &InstallSource,
        token: Option<&'d str>,
    ) -> Result<Downloader<'d>, InstallError> {
        let client = self.client.ok_or_else(|| {
            InstallError::Unavailable(
                "this program cannot download: it lacks the feature `http`".to_owned(),
            )
        })?;
        Ok(Downloader {
            client,
            hosts: source.hosts(&self.github_api),
            token,
        })
    }

    pub(super) fn rules(&self, source: &InstallSource) -> CandidateRules {
        CandidateRules {
            profile: if self.lenient {
                Profile::Lenient
            } else {
                Profile::Spec
            },
            allows_unicode_names: !source.is_remote(),
        }
    }
}

/// Returns the base of the public API.
fn default_api() -> Url {
    match Url::parse("https://api.github.com/") {
        Ok(url) => url,
        Err(error) => unreachable!("a constant address: {error}"),
    }
}
