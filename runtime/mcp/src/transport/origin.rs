//! The origins of addresses, and an HTTP client that does not leave its origin.

use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::{Attempt, Policy};
use url::Url;

use crate::oauth::is_loopback;

/// The time limit for a TCP connection.
const CONNECT: Duration = Duration::from_secs(20);
const REDIRECTS: usize = 5;

/// A redirect to another origin, which would send the headers with their credentials there.
#[derive(Debug, thiserror::Error)]
#[error(
    "it redirects to another place, `{0}`, where this program does not follow: write that address into the \
     configuration if it is meant"
)]
pub(super) struct Elsewhere(String);

/// Parses an address. The error describes what is invalid.
pub(super) fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| {
        // The text before an `@` may be a password.
        let shown = text.trim().rsplit('@').next().unwrap_or_default();
        format!(
            "`{shown}` is not a valid URL: write an absolute URL, such as `https://example.com/mcp`"
        )
    })
}

/// Returns an address for display, without the parts that may be secret.
pub(super) fn shown(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{}://{host}:{port}", url.scheme()),
        None => format!("{}://{host}", url.scheme()),
    }
}

/// Creates a client that follows redirects within one origin only.
pub(super) async fn client(url: &Url) -> Result<Client, String> {
    helve_core::network::install_tls_provider();
    let mut builder = Client::builder()
        .user_agent(concat!("helve/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT)
        .redirect(Policy::custom(follow))
        // A small compressed response could expand to a huge one, and compression delays events.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate();
    if is_loopback(url) {
        builder = builder.no_proxy();
    }
    // Loading the system's certificates takes a while.
    let built = tokio::task::spawn_blocking(move || builder.build()).await;
    let built = built.map_err(|error| error.to_string());
    built
        .and_then(|built| built.map_err(|error| error.to_string()))
        .map_err(|error| format!("no HTTP client can be made: {error}"))
}

fn follow(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let Some(first) = attempt.previous().first() else {
        return attempt.stop();
    };
    if first.origin() != attempt.url().origin() {
        let elsewhere = Elsewhere(shown(attempt.url()));
        return attempt.error(elsewhere);
    }
    // The other status codes turn a POST into a GET without a body.
    let keeps_the_message = matches!(attempt.status().as_u16(), 307 | 308);
    if keeps_the_message && attempt.previous().len() <= REDIRECTS {
        attempt.follow()
    } else {
        attempt.stop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_whole_and_its_password_is_not_shown() {
        for nonsense in [
            "",
            "example.com",
            "ftp://example.com",
            "file:///etc",
            "http://",
        ] {
            assert!(address(nonsense).is_err(), "{nonsense}");
        }
        assert!(!address("htp://me:secret@h").unwrap_err().contains("secret"));
        let url = address(" https://me:secret@example.com:444/mcp?key=1 ").unwrap();
        assert_eq!(shown(&url), "https://example.com:444");
        assert!(is_loopback(&address("http://[::1]:1/").unwrap()));
        assert!(!is_loopback(&address("http://10.0.0.1/").unwrap()));
    }
}
