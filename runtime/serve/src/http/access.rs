//! Checks the host, the origin and the token of a request before its body is read.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, Response, StatusCode};
use axum::middleware::{self, Next};
use axum::routing::any;
use rmcp::ServerHandler;

use super::admission::Admission;
use super::allowed_names::NameRefusal;
use super::cors;
use super::endpoint::{self, Endpoint};
use super::extensions::{Authenticated, LocalAddress};
use super::responses::{text_response, unauthorized};
use super::settings::HttpSettings;

/// Returns the router, with the access check in front of all routes.
pub(super) fn router<H: ServerHandler + Send>(
    endpoint: Arc<Endpoint<H>>,
    settings: HttpSettings,
) -> Router {
    Router::new()
        .route(endpoint::PATH, any(endpoint::handle::<H>))
        .with_state(endpoint)
        .fallback(not_found)
        .layer(middleware::from_fn_with_state(
            Arc::new(settings),
            check_access,
        ))
}

async fn not_found() -> Response<Body> {
    text_response(
        StatusCode::NOT_FOUND,
        "there is nothing here; the server is at `/mcp`",
    )
}

async fn check_access(
    State(settings): State<Arc<HttpSettings>>,
    Extension(LocalAddress(address)): Extension<LocalAddress>,
    Extension(admission): Extension<Admission>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let checked = settings
        .names
        .check(request.uri(), request.headers(), address);
    let origin = match checked {
        Err(refusal) => return refusal_response(refusal),
        Ok(origin) => origin.and_then(|origin| HeaderValue::from_str(origin).ok()),
    };
    let mut response = if origin.is_some() && cors::is_preflight(&request) {
        cors::preflight_response()
    } else {
        match authenticate(&settings, request.headers()) {
            Err(response) => *response,
            Ok(authenticated) => {
                admission.admit();
                request.extensions_mut().insert(authenticated);
                next.run(request).await
            }
        }
    };
    if let Some(origin) = origin {
        cors::allow_origin(response.headers_mut(), origin);
    }
    response
}

fn refusal_response(refusal: NameRefusal) -> Response<Body> {
    let status = match refusal {
        NameRefusal::Malformed => StatusCode::BAD_REQUEST,
        NameRefusal::Host | NameRefusal::Origin => StatusCode::FORBIDDEN,
    };
    text_response(status, &refusal.to_string())
}

/// Finds the principal of a request by its token.
fn authenticate(
    settings: &HttpSettings,
    headers: &HeaderMap,
) -> Result<Authenticated, Box<Response<Body>>> {
    if settings.tokens.is_empty() {
        return Ok(Authenticated(None));
    }
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Err(Box::new(unauthorized(false)));
    };
    let token = bearer_token(value.as_bytes());
    let principal = token.and_then(|token| settings.tokens.principal(token));
    match principal {
        Some(principal) => Ok(Authenticated(Some(principal))),
        None => Err(Box::new(unauthorized(token.is_some()))),
    }
}

/// Returns the token of a header `Authorization: Bearer TOKEN`.
fn bearer_token(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(b"bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}
