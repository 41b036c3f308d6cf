//! Cross-origin resource sharing (CORS): the headers that let pages of allowed origins use the server.

use axum::body::Body;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};

/// Returns whether a request is a preflight request, which carries no token.
pub(super) fn is_preflight<B>(request: &Request<B>) -> bool {
    request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

pub(super) fn preflight_response() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    let mut set = |name, value| headers.insert(name, HeaderValue::from_static(value));
    set(ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, DELETE");
    // The wildcard does not include `Authorization`.
    set(ACCESS_CONTROL_ALLOW_HEADERS, "*, Authorization");
    set(ACCESS_CONTROL_MAX_AGE, "600");
    response
}

/// Adds the headers that let pages of an origin read a response.
pub(super) fn allow_origin(headers: &mut HeaderMap, origin: HeaderValue) {
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    let exposed = "Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate";
    headers.insert(
        ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(exposed),
    );
    headers.append(VARY, HeaderValue::from_static("Origin"));
}
