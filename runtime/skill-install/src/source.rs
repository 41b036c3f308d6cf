//! Sources of skills, as users write them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

use crate::archive::EXTENSIONS;
use crate::error::{InstallError, shown};
use crate::tree::check_path;

/// The host that the API of GitHub redirects to for archives.
const GITHUB_ARCHIVES: &str = "codeload.github.com:443";

/// A source that skills are installed from.
///
/// | form | source |
/// |---|---|
/// | `owner/repo`, `owner/repo@ref`, `owner/repo@ref#path` | a repository on GitHub, at the commit that a branch, a tag or a commit names |
/// | `https://host` | the skills that a host publishes, as `/.well-known/agent-skills/index.json` lists them |
/// | `https://host/skills.tar.gz` | an archive: `.tar.gz`, `.tgz`, `.tar` or `.zip` |
/// | `./folder`, `/folder`, `./skills.zip` | a folder or an archive of this machine |
/// | `mcp:server`, `mcp:server/skill` | the skills of an MCP server |
/// | `name` | a skill of the hub of the settings |
///
/// ```
/// use helve::skill_install::InstallSource;
///
/// let source: InstallSource = "acme/skills@v2#tools/pdf".parse()?;
/// assert_eq!(source.to_string(), "acme/skills@v2#tools/pdf");
/// # Ok::<_, helve::skill_install::InstallError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallSource {
    /// A repository on GitHub.
    GitHub {
        /// The owner.
        owner: String,
        /// The name of the repository.
        repository: String,
        /// The branch, the tag or the commit; the default branch if there is none.
        reference: Option<String>,
        /// The folder in the repository.
        path: Option<String>,
    },
    /// A host that publishes skills.
    Host(
        /// The address of the host.
        Url,
    ),
    /// An archive on the web.
    Archive(
        /// The address.
        Url,
    ),
    /// An archive of this machine.
    ArchiveFile(
        /// The path.
        PathBuf,
    ),
    /// A folder of this machine.
    Folder(
        /// The path.
        PathBuf,
    ),
    /// An MCP server of the settings.
    Server {
        /// The name of the server.
        server: String,
        /// The skill; all of them if there is none.
        skill: Option<String>,
    },
    /// A skill of the hub.
    Hub(
        /// The name of the skill.
        String,
    ),
}

impl FromStr for InstallSource {
    type Err = InstallError;

    fn from_str(text: &str) -> Result<Self, InstallError> {
        let text = text.trim();
        let invalid = |reason: String| InstallError::InvalidSource {
            text: shown(text),
            reason,
        };
        if text.is_empty() || text.chars().any(char::is_control) || text.len() > 2_000 {
            return Err(invalid(
                "write `owner/repo`, `https://host` or a path".to_owned(),
            ));
        }
        if let Some(server) = text.strip_prefix("mcp:") {
            return parse_server(server)
                .ok_or_else(|| invalid("write `mcp:SERVER` or `mcp:SERVER/SKILL`".to_owned()));
        }
        if text.contains("://") {
            return parse_url(text).map_err(invalid);
        }
        if is_local(text) {
            return Ok(Self::local(PathBuf::from(text)));
        }
        if text.contains('/') {
            return parse_repository(text).map_err(invalid);
        }
        let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '-');
        match is_name {
            true => Ok(Self::Hub(text.to_owned())),
            false => Err(invalid(
                "write `owner/repo`, `https://host` or a path such as `./folder`".to_owned(),
            )),
        }
    }
}

impl InstallSource {
    /// Creates the source of a path of this machine: an archive by its extension, otherwise a folder.
    #[must_use]
    pub fn local(path: PathBuf) -> Self {
        match is_archive(&path.to_string_lossy()) {
            true => Self::ArchiveFile(path),
            false => Self::Folder(path),
        }
    }

    /// Returns the same source with an absolute path, if it is of this machine.
    #[must_use]
    pub fn below(self, folder: &Path) -> Self {
        let absolute = |path: PathBuf| {
            let joined: PathBuf = folder.join(path).components().collect();
            joined.canonicalize().unwrap_or(joined)
        };
        match self {
            Self::ArchiveFile(path) => Self::ArchiveFile(absolute(path)),
            Self::Folder(path) => Self::Folder(absolute(path)),
            other => other,
        }
    }

    /// Returns the hosts that the source is fetched from, each with its port, where `github` is the API of GitHub.
    pub(crate) fn hosts(&self, github: &Url) -> Vec<String> {
        match self {
            Self::GitHub { .. } => vec![host_of(github), GITHUB_ARCHIVES.to_owned()],
            Self::Host(url) | Self::Archive(url) => vec![host_of(url)],
            _ => Vec::new(),
        }
    }

    /// Returns whether the source is on another machine, whose content is checked by stricter rules.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        !matches!(self, Self::Folder(_) | Self::ArchiveFile(_))
    }
}

/// Returns the host of an address, with its port.
pub(crate) fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    format!("{host}:{}", url.port_or_known_default().unwrap_or_default())
}

fn is_local(text: &str) -> bool {
    matches!(text, "." | "..")
        || ["./", "../", "/", "~/"]
            .iter()
            .any(|begin| text.starts_with(begin))
        || is_archive(text)
}

fn is_archive(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    EXTENSIONS.iter().any(|extension| path.ends_with(extension))
}

fn parse_server(text: &str) -> Option<InstallSource> {
    let (server, skill) = match text.split_once('/') {
        Some((server, skill)) => (server, Some(skill.to_owned())),
        None => (text, None),
    };
    let is_name = |name: &str| !name.is_empty() && !name.contains(['/', ' ', '\\']);
    if !is_name(server) || skill.as_deref().is_some_and(|skill| !is_name(skill)) {
        return None;
    }
    Some(InstallSource::Server {
        server: server.to_owned(),
        skill,
    })
}

fn parse_url(text: &str) -> Result<InstallSource, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    check_url(&url)?;
    if matches!(url.host_str(), Some("github.com" | "www.github.com")) {
        return parse_github_url(&url);
    }
    Ok(match is_archive(url.path()) {
        true => InstallSource::Archive(url),
        false => InstallSource::Host(url),
    })
}

/// Checks that an address is one of HTTPS, or of this machine, and has no password.
pub(crate) fn check_url(url: &Url) -> Result<(), String> {
    let is_here = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if url.scheme() != "https" && !(url.scheme() == "http" && is_here) {
        return Err("only `https://` is used".to_owned());
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("an address with a user or a password is not used".to_owned());
    }
    match url.host_str() {
        Some(_) => Ok(()),
        None => Err("the address has no host".to_owned()),
    }
}

/// Reads `https://github.com/owner/repo/tree/ref/path`.
fn parse_github_url(url: &Url) -> Result<InstallSource, String> {
    let path = helve_core::support::text::percent_decode(url.path()).unwrap_or_default();
    let mut parts = path.trim_matches('/').splitn(5, '/');
    let mut next = || parts.next().filter(|part| !part.is_empty());
    let (Some(owner), Some(repository)) = (next(), next()) else {
        return Err("write `https://github.com/OWNER/REPOSITORY`".to_owned());
    };
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    let (reference, path) = match next() {
        None => (None, None),
        Some("tree") => (next(), next()),
        Some(_) => return Err("write the address of a repository or of a folder in it".to_owned()),
    };
    github(owner, repository, reference, path)
}

/// Reads `owner/repo@ref#path`.
fn parse_repository(text: &str) -> Result<InstallSource, String> {
    let (text, path) = match text.split_once('#') {
        Some((text, path)) => (text, Some(path)),
        None => (text, None),
    };
    let (text, reference) = match text.split_once('@') {
        Some((text, reference)) => (text, Some(reference)),
        None => (text, None),
    };
    let Some((owner, repository)) = text.split_once('/') else {
        return Err("write `owner/repo`".to_owned());
    };
    github(owner, repository, reference, path)
}

fn github(
    owner: &str,
    repository: &str,
    reference: Option<&str>,
    path: Option<&str>,
) -> Result<InstallSource, String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_valid = |name: &str, most| {
        !name.is_empty()
            && name.len() <= most
            && name.chars().all(is_name)
            && !matches!(name, "." | "..")
    };
    if !is_valid(owner, 39) || owner.contains('.') || !is_valid(repository, 100) {
        return Err("write `owner/repo`, or `./folder` for a folder".to_owned());
    }
    if let Some(reference) = reference {
        check_reference(reference)?;
    }
    let path = path
        .map(|path| path.trim_matches('/'))
        .filter(|path| !path.is_empty());
    if let Some(path) = path {
        check_path(path).map_err(|reason| format!("the folder `{}`: {reason}", shown(path)))?;
    }
    Ok(InstallSource::GitHub {
        owner: owner.to_owned(),
        repository: repository.to_owned(),
        reference: reference.map(str::to_owned),
        path: path.map(str::to_owned),
    })
}

/// Checks the name of a branch, a tag or a commit, by the rules of git that matter in an address.
fn check_reference(reference: &str) -> Result<(), String> {
    let is_valid = !reference.is_empty()
        && reference.len() <= 200
        && !reference.starts_with(['-', '/', '.'])
        && !reference.ends_with(['/', '.'])
        && !reference.contains("..")
        && !reference.contains("//")
        && reference
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+'));
    match is_valid {
        true => Ok(()),
        false => Err(format!(
            "`{}` is no branch, tag or commit",
            shown(reference)
        )),
    }
}

impl fmt::Display for InstallSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::GitHub {
                owner,
                repository,
                reference,
                path,
            } => {
                write!(f, "{owner}/{repository}")?;
                if let Some(reference) = reference {
                    write!(f, "@{reference}")?;
                }
                match path {
                    Some(path) => write!(f, "#{path}"),
                    None => Ok(()),
                }
            }
            Self::Host(url) | Self::Archive(url) => f.write_str(url.as_str().trim_end_matches('/')),
            Self::ArchiveFile(path) | Self::Folder(path) => path.display().fmt(f),
            Self::Server { server, skill } => match skill {
                Some(skill) => write!(f, "mcp:{server}/{skill}"),
                None => write!(f, "mcp:{server}"),
            },
            Self::Hub(name) => f.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_read_as_it_is_written() {
        for text in [
            "acme/skills",
            "acme/skills@v1.2",
            "acme/skills@feature/x#tools/pdf",
            "acme/skills#pdf",
            "https://skills.example.com",
            "https://example.com/a/skills.tar.gz",
            "/srv/skills",
            "./skills.zip",
            "mcp:docs",
            "mcp:docs/pdf",
            "pdf",
        ] {
            let source: InstallSource = text.parse().unwrap();
            assert_eq!(source.to_string(), text);
        }
        let long: InstallSource = "https://github.com/acme/skills/tree/main/tools/pdf"
            .parse()
            .unwrap();
        assert_eq!(long.to_string(), "acme/skills@main#tools/pdf");
        let git: InstallSource = "https://github.com/acme/skills.git".parse().unwrap();
        assert_eq!(git.to_string(), "acme/skills");
    }

    #[test]
    fn what_is_no_source_is_refused() {
        for text in [
            "",
            "http://example.com",
            "https://me:secret@example.com",
            "ftp://example.com",
            "acme/skills@-x",
            "acme/skills@a..b",
            "acme/skills#../x",
            "acme/../x",
            "ac me/x",
            "acme/skills@",
            "mcp:",
            "mcp:a/b/c",
            "a\nb",
            "file:///etc",
            "a!b",
            "acme/..",
            "acme/skills@a b",
            "acme/skills@a%2fb",
            "acme/skills@a^{commit}",
        ] {
            assert!(text.parse::<InstallSource>().is_err(), "{text:?}");
        }
    }
}
