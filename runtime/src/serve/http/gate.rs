//! What a request has to show before anything of it is read.

use std::net::IpAddr;
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
use super::answer::{told, unauthorized};
use super::endpoint::{self, Endpoint};
use super::names::NameRefusal;
use super::pages;
use super::settings::HttpSettings;

/// The address that a connection was made to.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReachedAt(pub(super) IpAddr);

/// Whose token a request carries; nobody's where none is needed.
#[derive(Debug, Clone)]
pub(super) struct Known(pub(super) Option<Arc<str>>);

/// Puts the routes together, all of them behind the gate.
pub(super) fn router<H: ServerHandler + Send>(
    endpoint: Arc<Endpoint<H>>,
    settings: HttpSettings,
) -> Router {
    Router::new()
        .route(super::PATH, any(endpoint::answer::<H>))
        .with_state(endpoint)
        .fallback(nothing_here)
        .layer(middleware::from_fn_with_state(Arc::new(settings), gate))
}

async fn nothing_here() -> Response<Body> {
    told(
        StatusCode::NOT_FOUND,
        "there is nothing here; the server is at `/mcp`",
    )
}

async fn gate(
    State(settings): State<Arc<HttpSettings>>,
    Extension(ReachedAt(address)): Extension<ReachedAt>,
    Extension(admission): Extension<Admission>,
    mut request: Request,
    next: Next,
) -> Response<Body> {
    let judged = settings
        .names
        .judge(request.uri(), request.headers(), address);
    let origin = match judged {
        Err(refusal) => return refused(refusal),
        Ok(origin) => origin.and_then(|origin| HeaderValue::from_str(origin).ok()),
    };
    let mut response = if origin.is_some() && pages::is_question(&request) {
        pages::may_send()
    } else {
        match known(&settings, request.headers()) {
            Err(response) => *response,
            Ok(known) => {
                admission.admit();
                request.extensions_mut().insert(known);
                next.run(request).await
            }
        }
    };
    if let Some(origin) = origin {
        pages::may_read(response.headers_mut(), origin);
    }
    response
}

fn refused(refusal: NameRefusal) -> Response<Body> {
    let status = match refusal {
        NameRefusal::Malformed => StatusCode::BAD_REQUEST,
        NameRefusal::Host | NameRefusal::Origin => StatusCode::FORBIDDEN,
    };
    told(status, &refusal.to_string())
}

/// Finds out who asks.
fn known(settings: &HttpSettings, headers: &HeaderMap) -> Result<Known, Box<Response<Body>>> {
    if settings.tokens.is_empty() {
        return Ok(Known(None));
    }
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (Some(given), None) = (given.next(), given.next()) else {
        return Err(Box::new(unauthorized(false)));
    };
    let token = bearer(given.as_bytes());
    let principal = token.and_then(|token| settings.tokens.principal(token));
    match principal {
        Some(principal) => Ok(Known(Some(principal))),
        None => Err(Box::new(unauthorized(token.is_some()))),
    }
}

/// Returns the token of a header `Authorization: Bearer TOKEN`.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(b"bearer ".len())?;
    scheme
        .eq_ignore_ascii_case(b"bearer ")
        .then(|| token.trim_ascii())
}
