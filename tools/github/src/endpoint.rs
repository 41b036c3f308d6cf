//! Addresses of the API, whose parts are escaped, and the names in them that need a check.

use std::fmt;

use url::Url;

/// The most items of a page of a list.
pub(crate) const PER_PAGE: usize = 30;

/// The path and the query of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Endpoint {
    segments: Vec<String>,
    query: Vec<(&'static str, String)>,
}

impl Endpoint {
    /// Creates an endpoint from segments, which are escaped when the address is made.
    pub(crate) fn new<'a>(segments: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            segments: segments.into_iter().map(str::to_owned).collect(),
            query: Vec::new(),
        }
    }

    /// Adds segments.
    pub(crate) fn below<'a>(mut self, segments: impl IntoIterator<Item = &'a str>) -> Self {
        self.segments
            .extend(segments.into_iter().map(str::to_owned));
        self
    }

    /// Adds a parameter of the query.
    pub(crate) fn with(mut self, name: &'static str, value: impl fmt::Display + Copy) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// Adds the number of a page.
    pub(crate) fn page(self, page: usize) -> Self {
        self.page_of(page, PER_PAGE)
    }

    /// Adds the number of a page of this many items.
    pub(crate) fn page_of(self, page: usize, items: usize) -> Self {
        self.with("per_page", items).with("page", page)
    }

    /// Returns the address below a base.
    pub(crate) fn url(&self, base: &Url) -> Url {
        let mut url = base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(&self.segments);
        }
        if !self.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.query);
        }
        url
    }
}

/// Checks the name of a branch, a tag or a commit, by the rules of git.
pub(crate) fn check_ref(name: &str) -> Result<&str, String> {
    let has_wrong = name
        .chars()
        .any(|c| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c));
    let is_wrong = name.is_empty()
        || name.len() > 250
        || has_wrong
        || name.starts_with(['-', '/'])
        || name.ends_with(['/', '.'])
        || ["..", "//", "@{", "/."]
            .iter()
            .any(|part| name.contains(part))
        || name.starts_with('.')
        || name
            .split('/')
            .any(|part| part.to_ascii_lowercase().ends_with(".lock"));
    if is_wrong {
        return Err(format!(
            "`{}` is no name of a branch, a tag or a commit",
            name.escape_debug()
        ));
    }
    Ok(name)
}

/// Checks the whole id of a commit.
pub(crate) fn check_sha(sha: &str) -> Result<&str, String> {
    let is_sha = matches!(sha.len(), 40 | 64) && sha.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_sha {
        return Ok(sha);
    }
    Err(format!(
        "`{}` is no whole id of a commit; write its 40 digits, which `github_pr` and `github_repo` show",
        sha.escape_debug()
    ))
}

/// Checks a path below the root of a repository, and returns its segments.
pub(crate) fn check_path(path: &str) -> Result<Vec<&str>, String> {
    let trimmed = path.strip_prefix("./").unwrap_or(path);
    let trimmed = trimmed.trim_matches('/');
    if trimmed.is_empty() {
        return Ok(Vec::new());
    }
    let segments: Vec<&str> = trimmed.split('/').collect();
    let is_wrong = |part: &&str| {
        part.is_empty() || matches!(*part, "." | "..") || part.chars().any(char::is_control)
    };
    if trimmed.len() > 4_000 || segments.iter().any(is_wrong) {
        return Err(format!(
            "`{}` is no path below the root of the repository",
            path.escape_debug()
        ));
    }
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn base() -> Url {
        Url::parse("https://api.example.com/api/v3/").unwrap()
    }

    #[test]
    fn parts_are_escaped() {
        let url = |segments: &[&str]| {
            Endpoint::new(segments.iter().copied())
                .url(&base())
                .to_string()
        };
        assert_eq!(
            url(&["repos", "a", "b"]),
            "https://api.example.com/api/v3/repos/a/b"
        );
        assert_eq!(
            url(&["a/../b", "..%2fc", "?x#y"]),
            "https://api.example.com/api/v3/a%2F..%2Fb/..%252fc/%3Fx%23y"
        );
        let query = Endpoint::new(["search"]).with("q", "a b&page=9").page(2);
        assert_eq!(
            query.url(&base()).as_str(),
            "https://api.example.com/api/v3/search?q=a+b%26page%3D9&per_page=30&page=2"
        );
    }

    #[test]
    fn names_of_git_are_checked() {
        for name in [
            "main",
            "v1.0",
            "feature/a-b",
            "refs/heads/x",
            "a@b",
            "0123abc",
        ] {
            assert!(check_ref(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "--upload-pack=x",
            "-b",
            "a..b",
            "a b",
            "a\nb",
            "a~1",
            "a^",
            "a:b",
            "a?b",
            "a*",
            "[a",
            "a\\b",
            "/a",
            "a/",
            "a//b",
            "a@{1}",
            ".a",
            "a/.b",
            "a.",
            "x.lock",
            "x.lock/y",
        ] {
            assert!(check_ref(name).is_err(), "{name}");
        }
        assert!(check_sha(&"a1".repeat(20)).is_ok());
        for sha in ["", "abc", "HEAD", &"g".repeat(40), &"a".repeat(41)] {
            assert!(check_sha(sha).is_err(), "{sha}");
        }
        assert_eq!(check_path("/src/a b.rs/").unwrap(), ["src", "a b.rs"]);
        assert_eq!(check_path("..%2fx").unwrap(), ["..%2fx"]);
        for path in ["../x", "a/../b", "a//b", "a/./b", "a\0b", "a\nb"] {
            assert!(check_path(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn no_path_leaves_its_repository(path in "[a-z./%2fe\\\\?#: ü-]{0,24}") {
            if let Ok(segments) = check_path(&path) {
                let url = Endpoint::new(["repos", "a", "b", "contents"]).below(segments).url(&base());
                prop_assert!(url.path().starts_with("/api/v3/repos/a/b/contents"), "{url}");
                prop_assert_eq!(url.host_str(), Some("api.example.com"));
                prop_assert!(url.query().is_none() && url.fragment().is_none());
            }
        }
    }
}
