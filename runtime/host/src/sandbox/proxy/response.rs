//! The responses that the proxy itself sends.

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use helve_core::network::{HostRefusal, HostRefusalReason};

pub(super) type Body = BoxBody<Bytes, hyper::Error>;

/// A response of the proxy itself instead of a response of the server.
pub(super) type ErrorResponse = Box<Response<Body>>;

/// Returns the response for a refusal, with the reason in the body for readers, and in a header (RFC 9209) for programs
/// that do not show the body.
pub(super) fn refusal_response(refusal: &HostRefusal) -> ErrorResponse {
    let (status, error) = match &refusal.reason {
        HostRefusalReason::Unresolved { .. } => (StatusCode::BAD_GATEWAY, "dns_error"),
        HostRefusalReason::Address { .. } => (StatusCode::FORBIDDEN, "destination_ip_prohibited"),
        _ => (StatusCode::FORBIDDEN, "http_request_denied"),
    };
    error_response(status, error, &refusal.to_string())
}

pub(super) fn error_response(status: StatusCode, error: &str, sentence: &str) -> ErrorResponse {
    tracing::debug!(%status, error, sentence, "the sandbox's proxy refused");
    let body = Full::new(Bytes::from(format!("{sentence}\n")));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let text = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(CONTENT_TYPE, text);
    // A quoted string of a header cannot contain other characters.
    let quoted = sentence.replace(
        |c: char| !matches!(c, ' '..='~') || matches!(c, '"' | '\\'),
        "'",
    );
    let details = format!("helve; error={error}; details=\"{quoted}\"");
    if let Ok(details) = HeaderValue::from_str(&details) {
        headers.insert("proxy-status", details);
    }
    Box::new(response)
}

pub(super) fn tunnel_opened_response() -> Response<Body> {
    Response::new(Empty::new().map_err(|never| match never {}).boxed())
}
