//! What is told of a connection that failed: what happened, where, and what to do. Keys are in none of it.

use std::error::Error;
use std::io;

use super::Endpoint;
use crate::model::ModelError;

/// Says that no client can be made.
pub(super) fn client(provider: &str, error: reqwest::Error) -> ModelError {
    let cause = deepest(&error);
    let what = if is_about_certificates(&cause) {
        format!("{cause}; {CERTIFICATES}")
    } else {
        format!("the connection cannot be set up: {cause}")
    };
    network(provider, what, error)
}

/// Says why no answer came.
pub(crate) fn unreachable(endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let host = endpoint.host();
    let cause = deepest(&error);
    let mut what = if error.is_dns() {
        format!("the name `{host}` is not known ({cause}); check the network and the base URL")
    } else if is_refused(&error) {
        let running = match endpoint.is_on_this_machine() {
            true => "is the server running, and is that its port?",
            false => "check the base URL",
        };
        format!("{host} refuses the connection; {running}")
    } else if is_about_certificates(&cause) {
        format!("the certificate of {host} is not trusted ({cause}); {CERTIFICATES}")
    } else if error.is_timeout() {
        format!("{host} does not answer; check the network and the base URL")
    } else if error.is_connect() {
        format!("no connection to {host} ({cause}); check the network and the base URL")
    } else {
        format!("the connection to {host} broke before an answer came ({cause})")
    };
    if error.is_connect()
        && !endpoint.is_on_this_machine()
        && let Some(variable) = proxy()
    {
        what = format!("{what}; the way there may go through the proxy of {variable}");
    }
    network(endpoint.provider(), what, error)
}

/// Says that an answer broke off.
pub(super) fn broken(endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let (host, cause) = (endpoint.host(), deepest(&error));
    let what = format!("the connection to {host} broke in the middle of the reply ({cause})");
    network(endpoint.provider(), what, error)
}

const CERTIFICATES: &str = "install the system's certificates (`ca-certificates`), or name a file of those to trust in \
                            SSL_CERT_FILE";

/// An address may hold a key, so it is in no error.
fn network(provider: &str, what: String, error: reqwest::Error) -> ModelError {
    ModelError::Network {
        provider: provider.to_owned(),
        what,
        source: Box::new(error.without_url()),
    }
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(error.source(), |error| (*error).source())
}

fn deepest(error: &reqwest::Error) -> String {
    let last = causes(error).last().map(ToString::to_string);
    last.unwrap_or_else(|| "no reason is given".to_owned())
}

fn is_refused(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| {
        let error = cause.downcast_ref::<io::Error>();
        error.is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
    })
}

fn is_about_certificates(cause: &str) -> bool {
    let cause = cause.to_ascii_lowercase();
    cause.contains("certificate") || cause.contains("unknownissuer")
}

/// Returns the variable that sets a proxy.
fn proxy() -> Option<&'static str> {
    [
        "HTTPS_PROXY",
        "https_proxy",
        "HTTP_PROXY",
        "http_proxy",
        "ALL_PROXY",
        "all_proxy",
    ]
    .into_iter()
    .find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}
