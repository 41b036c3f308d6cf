//! What a browser needs before it shows a page the answers of another site (CORS).

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};

/// Reports whether a browser asks what a page may send; such a request carries no token.
pub(super) fn is_question<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// Answers what pages of an allowed origin may send.
pub(super) fn may_send() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE");
    // The star does not stand for the header that carries the token.
    set(ACCESS_CONTROL_ALLOW_HEADERS, "*, Authorization");
    set(ACCESS_CONTROL_MAX_AGE, "600");
    response
}

/// Lets pages of this origin read an answer.
pub(super) fn may_read(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let shown = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(shown),
    );
    headers.append(VARY, HeaderValue::from_static("Origin"));
}
