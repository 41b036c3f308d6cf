//! What the server itself answers, before any message is read.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};

/// Answers with a sentence.
pub(super) fn told(status: StatusCode, sentence: &str) -> Response<Body> {
    tracing::debug!(%status, sentence, "a request was refused");
    let mut response = Response::new(Body::from(format!("{sentence}\n")));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// Answers that a token is needed, or another one.
pub(super) fn unauthorized(had_one: bool) -> Response<Body> {
    let (sentence, challenge) = match had_one {
        false => (
            "this server needs a token, in a header `Authorization: Bearer TOKEN`",
            "Bearer realm=\"mcp\"",
        ),
        true => (
            "this token is not known here",
            "Bearer realm=\"mcp\", error=\"invalid_token\"",
        ),
    };
    let mut response = told(StatusCode::UNAUTHORIZED, sentence);
    let challenge = HeaderValue::from_static(challenge);
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

/// Answers with an error of JSON-RPC that belongs to no request, since none could be read.
pub(super) fn unreadable(code: i32, sentence: &str) -> Response<Body> {
    tracing::debug!(code, sentence, "a message could not be read");
    let error = serde_json::json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": { "code": code, "message": sentence },
    });
    let mut response = Response::new(Body::from(error.to_string()));
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
