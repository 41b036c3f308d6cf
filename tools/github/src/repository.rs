//! Names of repositories, and what addresses of GitHub's pages name.

use std::fmt;

use url::Url;

use crate::endpoint::Endpoint;

/// A repository: its owner and its name, which need no escape in an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RepositoryName {
    owner: String,
    name: String,
}

impl RepositoryName {
    /// Parses `owner/name`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{}` is no repository; write it as in `owner/name`",
                text.escape_debug()
            )
        };
        let (owner, name) = text.trim().split_once('/').ok_or_else(wrong)?;
        let is_fit = |part: &str, most: usize| {
            (1..=most).contains(&part.len())
                && !matches!(part, "." | "..")
                && part
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
        };
        if !is_fit(owner, 100) || !is_fit(name, 100) || owner.starts_with('-') {
            return Err(wrong());
        }
        Ok(Self {
            owner: owner.to_owned(),
            name: name.to_owned(),
        })
    }

    /// Returns the owner.
    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the endpoint of something in the repository.
    pub(crate) fn endpoint<'a>(&self, segments: impl IntoIterator<Item = &'a str>) -> Endpoint {
        Endpoint::new(["repos", &self.owner, &self.name]).below(segments)
    }

    /// Reports whether a pattern covers the repository, without regard to case as on GitHub.
    pub(crate) fn matches(&self, pattern: &str) -> bool {
        let Some((owner, name)) = pattern.trim().split_once('/') else {
            return false;
        };
        is_match(owner, &self.owner) && is_match(name, &self.name)
    }
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// Matches a text with a pattern in which `*` stands for any characters.
fn is_match(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_ascii_lowercase(), text.to_ascii_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What the address of a page names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PageAddress {
    pub(crate) repository: RepositoryName,
    /// The segments after the repository, decoded.
    pub(crate) rest: Vec<String>,
}

impl PageAddress {
    /// Parses the address of a page of a host.
    pub(crate) fn parse(text: &str, host: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{}` is no address of a repository on `{host}`; write it as in `https://{host}/owner/name`",
                text.escape_debug()
            )
        };
        let url = Url::parse(text.trim()).map_err(|_| wrong())?;
        let own = match url.port() {
            Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
            None => url.host_str().unwrap_or_default().to_owned(),
        };
        let has_user = !url.username().is_empty() || url.password().is_some();
        if url.scheme() != "https" || own != host || has_user {
            return Err(wrong());
        }
        let segments = url.path_segments().into_iter().flatten();
        let mut segments: Vec<String> = segments.map(decode).collect();
        if segments.last().is_some_and(String::is_empty) {
            segments.pop();
        }
        if segments.len() < 2 {
            return Err(wrong());
        }
        let rest = segments.split_off(2);
        let name = segments[1].strip_suffix(".git").unwrap_or(&segments[1]);
        let repository = RepositoryName::parse(&format!("{}/{name}", segments[0]));
        let repository = repository.map_err(|_| wrong())?;
        Ok(Self { repository, rest })
    }

    /// Returns the number after one of these words, such as that of `issues/12`.
    pub(crate) fn number(&self, words: &[&str]) -> Option<u64> {
        let (word, number) = (self.rest.first()?, self.rest.get(1)?);
        words
            .contains(&word.as_str())
            .then(|| number.parse().ok())?
    }
}

/// Decodes the escapes of a segment of a path once.
fn decode(segment: &str) -> String {
    let pair = format!("x={}", segment.replace('+', "%2B"));
    let mut pairs = url::form_urlencoded::parse(pair.as_bytes());
    pairs
        .next()
        .map(|(_, value)| value.into_owned())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_need_no_escape() {
        for name in ["acme/app", "a-b/c.d_e", "A/.github"] {
            assert_eq!(RepositoryName::parse(name).unwrap().to_string(), name);
        }
        for name in [
            "",
            "app",
            "acme/",
            "/app",
            "acme/..",
            "../app",
            "acme/app/x",
            "acme/a b",
            "acme/app?x",
            "acme/app#x",
            "acme/%2e%2e",
            "-acme/app",
            "acme/app\n",
            "acme\\app",
            "acme/äpp",
        ] {
            let parsed = RepositoryName::parse(name);
            assert!(parsed.is_err() || name == "acme/app\n", "{name}");
        }
    }

    #[test]
    fn patterns_cover_whole_names() {
        let name = RepositoryName::parse("Acme/app-core").unwrap();
        for pattern in [
            "acme/*",
            "*/*",
            "acme/app*",
            "ACME/APP-CORE",
            "acme/a*c*e",
            "*/app-core",
        ] {
            assert!(name.matches(pattern), "{pattern}");
        }
        for pattern in [
            "acme",
            "acme/app",
            "cme/*",
            "acme/*corex",
            "acme/core*",
            "",
            "acmes/*",
            "acme/app-core/*",
        ] {
            assert!(!name.matches(pattern), "{pattern}");
        }
    }

    #[test]
    fn addresses_name_what_they_show() {
        let parse = |text| PageAddress::parse(text, "github.com");
        let issue = parse("https://github.com/acme/app/issues/12#issuecomment-1").unwrap();
        assert_eq!(issue.number(&["issues", "pull"]), Some(12));
        assert_eq!(issue.number(&["pull"]), None);
        let file = parse("https://github.com/acme/app.git/blob/main/a%20b/c+d").unwrap();
        assert_eq!(file.repository.to_string(), "acme/app");
        assert_eq!(file.rest, ["blob", "main", "a b", "c+d"]);
        for text in [
            "http://github.com/acme/app",
            "https://github.com.evil.example/acme/app",
            "https://github.com/acme",
            "https://user@github.com/acme/app",
            "https://github.com:8443/acme/app",
            "https://evil.example/acme/app",
            "https://github.com/acme/%2e%2e",
            "acme/app",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
