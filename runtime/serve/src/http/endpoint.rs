//! The endpoint `/mcp`: reads the body of a message and hands it to the rmcp service of its principal.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Extension, Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Response, StatusCode};
use http_body_util::Full;
use rmcp::ServerHandler;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::body::{self, ResponseBody};
use super::extensions::Authenticated;
use super::responses::{json_rpc_error, text_response};
use super::sessions::Sessions;
use super::settings::{HttpLimits, HttpSettings};
use helve_core::tool::Principal;

pub(super) const PATH: &str = "/mcp";

/// The services of all principals, and the limits that they share.
pub(super) struct Endpoint<H> {
    services: HashMap<Option<Arc<str>>, PrincipalService<H>>,
    limits: HttpLimits,
    /// One permit for each large body.
    large: Arc<Semaphore>,
    /// One permit is taken for each message without a complete response.
    unanswered: Arc<Semaphore>,
    /// Ends sessions and event streams when it is cancelled.
    end: CancellationToken,
}

struct PrincipalService<H> {
    http: StreamableHttpService<H, Sessions>,
    sessions: Arc<Sessions>,
}

/// The header that names a session.
const SESSION_ID: &str = "mcp-session-id";

/// The number of permits for messages. The limit on connections is reached before.
const MAX_UNANSWERED: u32 = 1 << 20;

impl<H: ServerHandler + Send> Endpoint<H> {
    /// Creates the services of all principals. `handler` makes the handler of one session or request.
    pub(super) fn new(
        handler: impl Fn(Principal) -> H + Clone + Send + Sync + 'static,
        settings: &HttpSettings,
    ) -> Arc<Self> {
        let end = CancellationToken::new();
        let named = settings.tokens.principals().into_iter().map(Some);
        let anonymous = settings.tokens.is_empty().then_some(None);
        let services = named.chain(anonymous).map(|name| {
            let principal = name.as_deref().map(Principal::user).unwrap_or_default();
            let principal = principal.with_platform("http");
            let service = service(handler.clone(), principal, &settings.limits, &end);
            (name, service)
        });
        Arc::new(Self {
            services: services.collect(),
            limits: settings.limits,
            large: Arc::new(Semaphore::new(body::MAX_LARGE_BODIES)),
            unanswered: Arc::new(Semaphore::new(MAX_UNANSWERED as usize)),
            end,
        })
    }

    pub(super) async fn end_idle_sessions(&self) {
        for service in self.services.values() {
            service.sessions.end_idle().await;
        }
    }

    /// Waits until every message has a complete response.
    pub(super) async fn wait_for_responses(&self) {
        let _ = self.unanswered.acquire_many(MAX_UNANSWERED).await;
    }

    pub(super) fn end_sessions(&self) {
        self.end.cancel();
    }
}

fn service<H: ServerHandler + Send>(
    handler: impl Fn(Principal) -> H + Send + Sync + 'static,
    principal: Principal,
    limits: &HttpLimits,
    end: &CancellationToken,
) -> PrincipalService<H> {
    let sessions = Arc::new(Sessions::new(limits));
    // Hosts and origins are checked in `access`, and the body is limited before rmcp reads it.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(limits.body_bytes)
        .with_cancellation_token(end.clone());
    let make = move || Ok(handler(principal.clone()));
    PrincipalService {
        http: StreamableHttpService::new(make, sessions.clone(), config),
        sessions,
    }
}

/// Handles a request that has passed the access check.
pub(super) async fn handle<H: ServerHandler + Send>(
    State(endpoint): State<Arc<Endpoint<H>>>,
    Extension(Authenticated(principal)): Extension<Authenticated>,
    request: Request,
) -> Response<Body> {
    let Some(service) = endpoint.services.get(&principal) else {
        return text_response(
            StatusCode::FORBIDDEN,
            "there is nothing here for this principal",
        );
    };
    let (parts, body) = request.into_parts();
    // rmcp accepts the end of an unknown session.
    if parts.method == Method::DELETE
        && let Some(id) = parts.headers.get(SESSION_ID)
        && !id.to_str().is_ok_and(|id| service.sessions.contains(id))
    {
        return text_response(StatusCode::NOT_FOUND, "session not found");
    }
    if parts.method != Method::POST {
        // rmcp does not read the body of such a request.
        let request = Request::from_parts(parts, Full::<Bytes>::default());
        return service.http.handle(request).await.map(Body::new);
    }
    let limits = &endpoint.limits;
    let read = body::read_body(body, limits.body_bytes, limits.body, &endpoint.large).await;
    let body = match read {
        Ok(body) => body,
        Err(response) => return *response,
    };
    let Ok(unanswered) = endpoint.unanswered.clone().acquire_owned().await else {
        return text_response(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
    };
    let is_json = |bytes: &[u8]| serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    let request = Request::from_parts(parts, Full::new(body.bytes.clone()));
    let declares_json = declares_json(&request);
    let response = service.http.handle(request).await;
    // rmcp responds "unsupported media type" to a message that it cannot parse, too.
    if declares_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return if is_json(&body.bytes) {
            json_rpc_error(
                -32600,
                "this is not a JSON-RPC 2.0 message, or it is a batch",
            )
        } else {
            json_rpc_error(-32700, "this is no JSON")
        };
    }
    response.map(|body| Body::new(ResponseBody::new(body, unanswered)))
}

fn declares_json<B>(request: &Request<B>) -> bool {
    let value = request.headers().get(CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = value.split(';').next().unwrap_or("");
    essence.trim().eq_ignore_ascii_case("application/json")
}
