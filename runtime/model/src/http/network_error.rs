//! The messages of failed connections: the problem, the host, and what to do. They contain no keys.

use std::error::Error;
use std::io;

use super::Endpoint;
use crate::ModelError;

/// Returns the error of an HTTP client that cannot be created; nothing was sent.
pub(super) fn client_error(provider: &str, error: &reqwest::Error) -> ModelError {
    let cause = root_cause(error);
    let mut what = format!("no connection to `{provider}` can be set up: {cause}");
    if is_about_certificates(&cause) {
        what = format!("{what}; {CERTIFICATES_HELP}");
    }
    ModelError::NotConfigured { what }
}

pub(crate) fn unreachable_error(endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let (host, cause) = (endpoint.host(), root_cause(&error));
    // A retry fixes neither of these.
    if is_about_certificates(&cause) {
        return ModelError::not_configured(format!(
            "the certificate of {host} is not trusted ({cause}); {CERTIFICATES_HELP}"
        ));
    }
    if cause.contains("InvalidContentType") {
        return ModelError::not_configured(format!(
            "{host} does not support TLS: should the base URL begin with `http://`?"
        ));
    }
    let what = match proxy_variable(endpoint).filter(|_| error.is_connect()) {
        Some(variable) => format!(
            "no connection to {host} ({cause}); {variable} sets a proxy: check that, and the network"
        ),
        None => describe_unreachable(endpoint, &error, &host, &cause),
    };
    network_error(endpoint.provider(), what, error)
}

fn describe_unreachable(
    endpoint: &Endpoint,
    error: &reqwest::Error,
    host: &str,
    cause: &str,
) -> String {
    if error.is_dns() {
        return format!(
            "could not resolve the host `{host}` ({cause}); check the network and the base URL"
        );
    }
    if is_refused(error) {
        let advice = match endpoint.is_loopback() {
            true => "is the server running, and is that its port?",
            false => "check the base URL",
        };
        return format!("{host} refuses the connection; {advice}");
    }
    if error.is_timeout() {
        return format!("{host} does not answer; check the network and the base URL");
    }
    if error.is_connect() {
        return format!("no connection to {host} ({cause}); check the network and the base URL");
    }
    format!("the connection to {host} was lost before a response ({cause})")
}

pub(super) fn broken_connection_error(endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let (host, cause) = (endpoint.host(), root_cause(&error));
    let what = format!("the connection to {host} was lost during the reply ({cause})");
    network_error(endpoint.provider(), what, error)
}

const CERTIFICATES_HELP: &str = "install the system's certificates (`ca-certificates`), or name a file of those to trust in \
                            SSL_CERT_FILE";

/// Creates a network error without the URL, which may contain a key.
fn network_error(provider: &str, what: String, error: reqwest::Error) -> ModelError {
    ModelError::Network {
        provider: provider.to_owned(),
        what,
        source: Box::new(error.without_url()),
    }
}

fn causes<'e>(error: &'e (dyn Error + 'static)) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    std::iter::successors(error.source(), |error| (*error).source())
}

fn root_cause(error: &reqwest::Error) -> String {
    let last = causes(error).last().map(ToString::to_string);
    last.unwrap_or_else(|| "no reason is given".to_owned())
}

fn is_refused(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn is_about_certificates(cause: &str) -> bool {
    cause.to_ascii_lowercase().contains("certificate")
}

/// Returns the variable that sets the proxy for the endpoint, unless another variable exempts the endpoint.
fn proxy_variable(endpoint: &Endpoint) -> Option<&'static str> {
    if endpoint.is_loopback() {
        return None;
    }
    let variables = match endpoint.is_encrypted() {
        true => ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"],
        false => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
    };
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    variables.into_iter().find(is_set)
}
