//! The responses of the HTTP layer, before rmcp handles a message.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, Response, StatusCode};

pub(super) fn text_response(status: StatusCode, sentence: &str) -> Response<Body> {
    tracing::debug!(%status, sentence, "a request was refused");
    let mut response = Response::new(Body::from(format!("{sentence}\n")));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}

/// Returns the response to a request without a token, or with an unknown one.
pub(super) fn unauthorized(has_token: bool) -> Response<Body> {
    let (sentence, challenge) = if has_token {
        (
            "this token is not known here",
            "Bearer realm=\"mcp\", error=\"invalid_token\"",
        )
    } else {
        (
            "this server needs a token, in a header `Authorization: Bearer TOKEN`",
            "Bearer realm=\"mcp\"",
        )
    };
    let mut response = text_response(StatusCode::UNAUTHORIZED, sentence);
    let challenge = HeaderValue::from_static(challenge);
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
    response
}

/// Returns a JSON-RPC error without a request id, because the message could not be parsed.
pub(super) fn json_rpc_error(code: i32, sentence: &str) -> Response<Body> {
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
