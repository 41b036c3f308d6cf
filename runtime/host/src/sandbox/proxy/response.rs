//! What the proxy itself answers.

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use helve_core::network::{HostRefusal, HostRefusalReason};

pub(super) type Body = BoxBody<Bytes, hyper::Error>;

/// Refuses, in words: the body for readers, and a header (RFC 9209) for programs that show no body.
pub(super) fn refusal_response(refusal: &HostRefusal) -> Response<Body> {
    let (status, error) = match &refusal.reason {
        HostRefusalReason::Unresolved { .. } => (StatusCode::BAD_GATEWAY, "dns_error"),
        HostRefusalReason::Address { .. } => (StatusCode::FORBIDDEN, "destination_ip_prohibited"),
        _ => (StatusCode::FORBIDDEN, "http_request_denied"),
    };
    error_response(status, error, &refusal.to_string())
}

/// Answers with a status and a sentence.
pub(super) fn error_response(status: StatusCode, error: &str, sentence: &str) -> Response<Body> {
    tracing::debug!(%status, error, sentence, "the sandbox's proxy refused");
    let body = Full::new(Bytes::from(format!("{sentence}\n")));
    let mut response = Response::new(body.map_err(|never| match never {}).boxed());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    // A quoted string of a header has no other characters.
    let quoted: String = sentence
        .chars()
        .map(|c| {
            if matches!(c, ' '..='~') && c != '"' && c != '\\' {
                c
            } else {
                '\''
            }
        })
        .collect();
    let details = format!("helve; error={error}; details=\"{quoted}\"");
    if let Ok(details) = HeaderValue::from_str(&details) {
        headers.insert("proxy-status", details);
    }
    response
}

/// Answers that a tunnel is open.
pub(super) fn tunnel_opened_response() -> Response<Body> {
    Response::new(Empty::new().map_err(|never| match never {}).boxed())
}
