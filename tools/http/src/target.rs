//! The URL of a request: absolute, or below the base of a preset.

use url::{Position, Url};

use crate::path_pattern::readings;

/// Parses the base of a preset, and adds the slash at the end of its path.
pub(crate) fn parse_base(text: &str) -> Result<Url, String> {
    let mut base = parse(text, "write `https://host/path`")?;
    base.set_query(None);
    base.set_fragment(None);
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    Ok(base)
}

/// Parses an absolute URL of HTTP, which has no credentials.
pub(crate) fn parse_absolute(text: &str) -> Result<Url, String> {
    parse(text, "write `https://host/path`, or name a preset")
}

fn parse(text: &str, hint: &str) -> Result<Url, String> {
    let url = Url::parse(text)
        .map_err(|_| format!("`{}` is not an absolute URL; {hint}", text.escape_debug()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}` is no URL of HTTP", text.escape_debug()));
    }
    check_user(&url)?;
    Ok(url)
}

/// Resolves a URL against a base, which it must stay below.
pub(crate) fn resolve_below(base: &Url, text: &str) -> Result<Url, String> {
    let left = || {
        let shown = &base[..Position::AfterPath];
        format!(
            "`{}` leaves `{shown}`; write a path below it",
            text.escape_debug()
        )
    };
    let url = match Url::parse(text) {
        Ok(url) => url,
        // Every slash at the beginning would be that of the origin.
        Err(_) => base
            .join(text.trim_start_matches(['/', '\\']))
            .map_err(|_| left())?,
    };
    check_user(&url)?;
    // A server may decode the path before it splits it, or after that.
    let readings = readings(base).into_iter().zip(readings(&url));
    let mut readings = readings.map(|(above, below)| below.starts_with(&above[..above.len() - 1]));
    if url.origin() == base.origin() && readings.all(|is_below| is_below) {
        return Ok(url);
    }
    Err(left())
}

fn check_user(url: &Url) -> Result<(), String> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(());
    }
    Err(
        "there are credentials in the URL; leave them out, or name a preset that has them"
            .to_owned(),
    )
}

/// Renders a URL without its query and fragment, which may be long or private.
pub(crate) fn display(url: &Url) -> String {
    url[..Position::AfterPath].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn below(text: &str) -> Result<String, String> {
        let base = parse_base("https://api.example.com/v1").unwrap();
        resolve_below(&base, text).map(|url| url.to_string())
    }

    #[test]
    fn what_is_below_the_base_is_joined() {
        for (text, url) in [
            ("items", "https://api.example.com/v1/items"),
            ("/items?a=b", "https://api.example.com/v1/items?a=b"),
            ("", "https://api.example.com/v1/"),
            ("a/../b", "https://api.example.com/v1/b"),
            (
                "@evil.example/x",
                "https://api.example.com/v1/@evil.example/x",
            ),
            (
                "//evil.example/x",
                "https://api.example.com/v1/evil.example/x",
            ),
            (
                "\\\\evil.example/x",
                "https://api.example.com/v1/evil.example/x",
            ),
            (
                "https://api.example.com/v1/x",
                "https://api.example.com/v1/x",
            ),
            (
                "https://API.example.com:443/v1/x",
                "https://api.example.com/v1/x",
            ),
        ] {
            assert_eq!(below(text).as_deref(), Ok(url), "{text}");
        }
    }

    #[test]
    fn what_leaves_the_base_is_refused() {
        for text in [
            "../admin",
            "/../admin",
            "%2e%2e/admin",
            "..%2fadmin",
            "x/..%5c..%5cadmin",
            "x/%252e%252e/..",
            "https://evil.example/v1/x",
            "https://api.example.com.evil.example/v1/x",
            "https://api.example.com@evil.example/v1/x",
            "http://api.example.com/v1/x",
            "https://api.example.com:8443/v1/x",
            "https://api.example.com/v10/x",
            "https://api.example.com/",
            "https://api.example.com/admin/..%2fv1/x",
            "https:/evil.example",
            "https:..\\..\\admin",
            "file:///etc/passwd",
            "javascript:alert(1)",
        ] {
            let found = below(text);
            let stays = text == "x/%252e%252e/..";
            assert_eq!(found.is_ok(), stays, "{text}: {found:?}");
        }
    }
}
