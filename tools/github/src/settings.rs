//! The settings: the table `[github]`, and what they lack.

use futures_util::FutureExt as _;
use helve::ToolContext;
use url::Url;

use crate::repository::RepositoryName;

/// The address of the guide page.
const GUIDE: &str = "https://docs.rs/helve/latest/helve/guide/github/";

/// The environment variables of the token, in the order in which they are looked for.
const TOKENS: [&str; 2] = ["GITHUB_TOKEN", "GH_TOKEN"];

/// The settings of the tools for GitHub.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct GithubSettings {
    /// The host, such as that of a GitHub Enterprise Server [default: github.com]
    pub host: Option<String>,
    /// Where the API is, if not at its usual address
    pub base_url: Option<String>,
    /// The only repositories, as `owner/name`, in which `*` stands for any characters [default: all]
    pub repos: Vec<String>,
    /// Whether texts in public repositories are shown only if their author has access to the repository
    pub lockdown: bool,
    /// Whether the tools that write are left out
    pub read_only: bool,
}

/// The host that the settings name.
#[derive(Debug, Clone)]
pub(crate) struct GithubHost {
    /// The base of the API, whose path ends with a slash.
    pub(crate) api: Url,
    /// The name of the host that people see.
    pub(crate) name: String,
}

impl GithubHost {
    /// Reads the host from the settings.
    pub(crate) fn new(settings: Option<&GithubSettings>) -> Result<Self, String> {
        let name = settings.and_then(|settings| settings.host.as_deref());
        let name = name.unwrap_or("github.com").to_ascii_lowercase();
        let is_name = !name.is_empty()
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | ':'));
        if !is_name {
            return Err(format!(
                "`host` in `[github]` is `{}`, which is no host; write it as in `github.example.com`",
                name.escape_debug()
            ));
        }
        let usual = match name.as_str() {
            "github.com" => "https://api.github.com/".to_owned(),
            name => format!("https://{name}/api/v3/"),
        };
        let base = settings.and_then(|settings| settings.base_url.clone());
        let base = base.unwrap_or(usual);
        let url = Url::parse(&base).ok();
        let url = url.filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.username().is_empty()
                && url.password().is_none()
        });
        let mut api = url.ok_or_else(|| {
            "`base_url` in `[github]` is no address of the web; write `https://…`".to_owned()
        })?;
        api.set_query(None);
        api.set_fragment(None);
        if !api.path().ends_with('/') {
            api.set_path(&format!("{}/", api.path()));
        }
        Ok(Self { api, name })
    }

    /// Returns the address of a page below the host, from parts that need no escape.
    pub(crate) fn page(&self, path: &str) -> String {
        format!("https://{}/{path}", self.name)
    }
}

/// Returns the settings of a context.
pub(crate) fn settings(cx: &ToolContext) -> Option<&GithubSettings> {
    cx.state::<GithubSettings>()
}

/// Checks that the settings let the tools reach a repository.
pub(crate) fn check_allowed(cx: &ToolContext, repository: &RepositoryName) -> Result<(), String> {
    let patterns = settings(cx).map_or(&[][..], |settings| &settings.repos);
    if patterns.is_empty() || patterns.iter().any(|pattern| repository.matches(pattern)) {
        return Ok(());
    }
    Err(format!(
        "the settings do not allow `{repository}`: `repos` in `[github]` has {}",
        patterns.join(", ")
    ))
}

/// Returns the patterns of repositories; none if all are allowed.
pub(crate) fn allowed_patterns(cx: &ToolContext) -> &[String] {
    settings(cx).map_or(&[], |settings| &settings.repos)
}

/// Reports whether the tools may write.
pub(crate) fn may_write(cx: &ToolContext) -> bool {
    !settings(cx).is_some_and(|settings| settings.read_only)
}

/// Returns the name of the token that there is.
pub(crate) async fn find_token(cx: &ToolContext) -> Option<&'static str> {
    for name in TOKENS {
        // The value is dropped: the HTTP client reads it again when it sends a request.
        if cx.secrets().get(name).await.is_ok() {
            return Some(name);
        }
    }
    None
}

/// Checks the settings of a tool that reads, which needs no token for public repositories.
pub(crate) fn check_settings(cx: &ToolContext) -> Result<(), String> {
    let settings = settings(cx);
    GithubHost::new(settings).map_err(|why| format!("{why}: {GUIDE}"))?;
    let patterns = settings.map_or(&[][..], |settings| &settings.repos);
    let wrong = patterns.iter().find(|pattern| {
        pattern.split('/').count() != 2 || pattern.chars().any(char::is_whitespace)
    });
    match wrong {
        Some(wrong) => Err(format!(
            "`repos` in `[github]` has `{}`; write it as in `owner/name` or `owner/*`: {GUIDE}",
            wrong.escape_debug()
        )),
        None => Ok(()),
    }
}

/// Checks the settings of a tool that needs a token.
pub(crate) fn check_token(cx: &ToolContext) -> Result<(), String> {
    check_settings(cx)?;
    // A store that has to wait is asked when the tool is called.
    let is_missing = |name| matches!(cx.secrets().get(name).now_or_never(), Some(Err(_)));
    if TOKENS.into_iter().all(is_missing) {
        return Err(format!(
            "set `GITHUB_TOKEN` in the environment to a token with access to the repositories: {GUIDE}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_their_api() {
        let api = |host: Option<&str>, base: Option<&str>| {
            let settings = GithubSettings {
                host: host.map(str::to_owned),
                base_url: base.map(str::to_owned),
                ..GithubSettings::default()
            };
            GithubHost::new(Some(&settings)).map(|host| host.api.to_string())
        };
        assert_eq!(api(None, None).as_deref(), Ok("https://api.github.com/"));
        let enterprise = api(Some("github.example.com"), None);
        assert_eq!(
            enterprise.as_deref(),
            Ok("https://github.example.com/api/v3/")
        );
        assert_eq!(
            api(None, Some("http://localhost:4010/x")).as_deref(),
            Ok("http://localhost:4010/x/")
        );
        for host in ["", "a/b", "user@host", "a b"] {
            assert!(api(Some(host), None).is_err(), "{host}");
        }
        for base in ["no address", "file:///x", "https://user:word@example.com"] {
            assert!(api(None, Some(base)).is_err(), "{base}");
        }
    }
}
