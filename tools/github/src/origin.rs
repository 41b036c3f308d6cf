//! The repository of a call: the one that it names, or the `origin` of the working folder.

use std::path::Path;

use helve::prelude::*;

use crate::client::Api;
use crate::repository::{PageAddress, RepositoryName};
use crate::settings;

/// The greatest size of a configuration of git that is read, in bytes.
const MAX_CONFIG: usize = 64 << 10;

/// What a call reads: a repository, and what the address names in it.
#[derive(Debug)]
pub(crate) struct ReadTarget {
    pub(crate) repository: RepositoryName,
    pub(crate) page: Option<PageAddress>,
}

impl ReadTarget {
    /// Returns the repository of a call. An address stands for the name and for what it shows.
    pub(crate) async fn new(
        api: &Api<'_>,
        repo: Option<&str>,
        url: Option<&str>,
    ) -> Result<Self, ToolError> {
        let page = url
            .map(|url| PageAddress::parse(url, &api.host.name))
            .transpose();
        let page = page.map_err(ToolError::failed)?;
        let named = repo
            .map(RepositoryName::parse)
            .transpose()
            .map_err(ToolError::failed)?;
        let repository = match (named, &page) {
            (Some(named), Some(page)) if !named.matches(&page.repository.to_string()) => {
                return Err(ToolError::failed(format!(
                    "`repo` is `{named}`, and `url` is of `{}`; leave one of them out",
                    page.repository
                )));
            }
            (_, Some(page)) => page.repository.clone(),
            (Some(named), None) => named,
            (None, None) => find_origin(api).await?,
        };
        settings::check_allowed(api.cx, &repository).map_err(ToolError::failed)?;
        Ok(Self { repository, page })
    }

    /// Returns the number that a call gives, or that of the address.
    pub(crate) fn number(&self, number: Option<u64>, words: &[&str]) -> Result<u64, ToolError> {
        let named = self.page.as_ref().and_then(|page| page.number(words));
        number.or(named).ok_or_else(|| {
            ToolError::failed(
                "name it by `number`, or by `url` as in `https://github.com/owner/name/issues/12`",
            )
        })
    }
}

/// Finds the repository of the working folder.
async fn find_origin(api: &Api<'_>) -> Result<RepositoryName, ToolError> {
    let unnamed = |why: &str| ToolError::failed(format!("name the repository by `repo`: {why}"));
    let Ok(fs) = api.cx.fs() else {
        return Err(unnamed("there is no working folder"));
    };
    let config = fs.read_whole(Path::new(".git/config"), MAX_CONFIG).await;
    let config = config.map_err(|_| unnamed("the working folder is not the root of a clone"))?;
    let config = String::from_utf8_lossy(&config);
    let url = origin_url(&config)
        .ok_or_else(|| unnamed("the clone of the working folder has no remote `origin`"))?;
    repository_of_remote(&url, &api.host.name).ok_or_else(|| {
        unnamed(&format!(
            "the `origin` of the working folder is not on `{}`",
            api.host.name
        ))
    })
}

/// Returns the URL of the remote `origin` of a configuration of git.
fn origin_url(config: &str) -> Option<String> {
    let mut is_origin = false;
    let mut found = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            is_origin = line
                .replace(' ', "")
                .eq_ignore_ascii_case("[remote\"origin\"]");
        } else if is_origin
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
            && found.is_none()
        {
            found = Some(value.trim().trim_matches('"').to_owned());
        }
    }
    found
}

/// Returns the repository of the URL of a remote: `https://…`, `ssh://…` or `git@host:owner/name.git`.
fn repository_of_remote(url: &str, host: &str) -> Option<RepositoryName> {
    let rest = match url.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => {
            let (authority, path) = rest.split_once('/')?;
            let own = authority.rsplit('@').next().unwrap_or_default();
            let name = own.split(':').next().unwrap_or_default();
            (own.eq_ignore_ascii_case(host) || name.eq_ignore_ascii_case(host)).then_some(path)?
        }
        Some(_) => return None,
        None => {
            let (authority, path) = url.split_once(':')?;
            let own = authority.rsplit('@').next().unwrap_or_default();
            own.eq_ignore_ascii_case(host)
                .then_some(path.trim_start_matches('/'))?
        }
    };
    let rest = rest.trim_end_matches('/');
    RepositoryName::parse(rest.strip_suffix(".git").unwrap_or(rest)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remotes_name_repositories() {
        let find = |url| repository_of_remote(url, "github.com").map(|name| name.to_string());
        for url in [
            "https://github.com/acme/app.git",
            "https://github.com/acme/app",
            "https://token@github.com/acme/app/",
            "git@github.com:acme/app.git",
            "ssh://git@github.com/acme/app.git",
            "ssh://git@github.com:22/acme/app",
            "github.com:acme/app",
            "https://GitHub.com/acme/app",
        ] {
            assert_eq!(find(url).as_deref(), Some("acme/app"), "{url}");
        }
        for url in [
            "https://evil.example/acme/app",
            "https://github.com.evil.example/acme/app",
            "git@evil.example:acme/app.git",
            "https://github.com@evil.example/acme/app",
            "/srv/git/app.git",
            "../app",
            "https://github.com/acme",
            "https://github.com/acme/app/x",
            "ext::sh -c x",
            "file://github.com/acme/app",
            "",
        ] {
            assert_eq!(find(url), None, "{url}");
        }
    }

    #[test]
    fn configurations_have_an_origin() {
        let config = "[core]\n\turl = a\n[remote \"fork\"]\n\turl = b\n[remote \"origin\"]\n\tfetch = x\n\tURL = \"c\"\n\turl = d\n[branch \"main\"]\n\turl = e\n";
        assert_eq!(origin_url(config).as_deref(), Some("c"));
        assert_eq!(origin_url("[remote \"fork\"]\nurl = b"), None);
        assert_eq!(origin_url(""), None);
    }
}
