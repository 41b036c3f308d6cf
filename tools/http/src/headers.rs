//! The headers of a request: those that a model may set, and the secrets that it may refer to.

use std::collections::BTreeMap;

use helve::capability::{Credential, SecretRef};
use url::Url;

/// The most headers that a request may name.
const MAX_HEADERS: usize = 64;

/// The headers that the client sets, or that would be those of a user who is logged in.
const REFUSED: [&str; 14] = [
    "connection",
    "content-length",
    "cookie",
    "cookie2",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// The headers of a request.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RequestHeaders {
    pub(crate) plain: Vec<(String, String)>,
    pub(crate) credentials: Vec<Credential>,
}

/// Reads the headers of the model. A value may end with `{{secret:NAME}}`, which is bound to the origin of the request.
pub(crate) fn read(
    headers: &BTreeMap<String, String>,
    url: &Url,
) -> Result<RequestHeaders, String> {
    if headers.len() > MAX_HEADERS {
        return Err(format!("there are more than {MAX_HEADERS} headers"));
    }
    let mut read = RequestHeaders::default();
    for (name, value) in headers {
        check(name, value)?;
        match split_secret(name, value)? {
            Some((prefix, secret)) => {
                let secret = SecretRef::new(secret, url.as_str());
                read.credentials
                    .push(secret.in_header(name.as_str(), prefix));
            }
            None if name.eq_ignore_ascii_case("authorization") => {
                return Err(
                    "the header `Authorization` needs a secret: write `Bearer {{secret:NAME}}`, or name a preset"
                        .to_owned(),
                );
            }
            None => read.plain.push((name.clone(), value.clone())),
        }
    }
    Ok(read)
}

fn check(name: &str, value: &str) -> Result<(), String> {
    let shown = name.escape_debug();
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(format!("`{shown}` is no name of a header"));
    }
    let lower = name.to_ascii_lowercase();
    if REFUSED.contains(&lower.as_str()) || lower.starts_with("proxy-") || lower.starts_with("sec-")
    {
        return Err(format!("the header `{shown}` cannot be set; leave it out"));
    }
    if value.chars().any(|c| c.is_control() && c != '\t') {
        return Err(format!(
            "the value of the header `{shown}` has a control character"
        ));
    }
    Ok(())
}

/// Splits a value into the text before a reference to a secret, and the name of the secret.
fn split_secret<'v>(name: &str, value: &'v str) -> Result<Option<(&'v str, &'v str)>, String> {
    let Some((prefix, rest)) = value.split_once("{{secret:") else {
        return Ok(None);
    };
    let secret = rest.strip_suffix("}}");
    let is_name = |secret: &&str| {
        !secret.is_empty()
            && secret
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
    };
    match secret.filter(is_name) {
        Some(secret) => Ok(Some((prefix, secret))),
        None => Err(format!(
            "the value of the header `{name}` does not end with one reference to a secret; write `{{{{secret:NAME}}}}`"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_one(name: &str, value: &str) -> Result<RequestHeaders, String> {
        let url = Url::parse("https://api.example.com/x").unwrap();
        read(&BTreeMap::from([(name.to_owned(), value.to_owned())]), &url)
    }

    #[test]
    fn a_secret_is_a_reference() {
        let headers = read_one("Authorization", "token {{secret:API_KEY}}").unwrap();
        let secret = SecretRef::new("API_KEY", "https://api.example.com/x");
        assert_eq!(
            headers.credentials,
            [secret.in_header("Authorization", "token ")]
        );
        assert!(headers.plain.is_empty());
    }

    #[test]
    fn what_no_request_may_say_is_refused() {
        for (name, value) in [
            ("Host", "evil.example"),
            ("Content-Length", "0"),
            ("Transfer-Encoding", "chunked"),
            ("Connection", "close"),
            ("Upgrade", "h2c"),
            ("Proxy-Authorization", "x"),
            ("Expect", "100-continue"),
            ("Cookie", "session=1"),
            ("Sec-Fetch-Site", "none"),
            ("Authorization", "Bearer typed-by-hand"),
            ("X-A", "a\r\nHost: evil.example"),
            ("X-A", "a\nb"),
            ("X-A", "a\0b"),
            ("X-A\r\nHost", "a"),
            ("X A", "a"),
            ("", "a"),
            ("X-A", "{{secret:A}} {{secret:B}}"),
            ("X-A", "{{secret:A}} and more"),
            ("X-A", "{{secret:}}"),
            ("X-A", "{{secret:A"),
        ] {
            assert!(read_one(name, value).is_err(), "{name}: {value}");
        }
        let many = (0..65).map(|n| (format!("x-{n}"), String::new())).collect();
        assert!(read(&many, &Url::parse("https://example.com").unwrap()).is_err());
    }
}
