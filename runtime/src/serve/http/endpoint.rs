//! `/mcp`: a service of rmcp's for each principal, and the body of each message read before it gets there.

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

use super::answer::{told, unreadable};
use super::body::{self, Held};
use super::gate::Known;
use super::sessions::Sessions;
use super::settings::{Bounds, HttpSettings};
use crate::tool::Principal;

/// The services, and what their requests share.
pub(super) struct Endpoint<H> {
    services: HashMap<Option<Arc<str>>, Service<H>>,
    bounds: Bounds,
    /// One permit for each long body.
    large: Arc<Semaphore>,
    /// A permit is out for each message that is not answered.
    running: Arc<Semaphore>,
    /// Ends sessions and streams of events.
    end: CancellationToken,
}

struct Service<H> {
    http: StreamableHttpService<H, Sessions>,
    sessions: Arc<Sessions>,
}

/// The header that names a session.
const SESSION_ID: &str = "mcp-session-id";

/// How many messages may be at work; the connections bound them before.
const RUNNING: u32 = 1 << 20;

impl<H: ServerHandler + Send> Endpoint<H> {
    /// Makes the services of all principals, from what makes the handlers of one.
    pub(super) fn new(
        handler: impl Fn(Principal) -> H + Clone + Send + Sync + 'static,
        settings: &HttpSettings,
    ) -> Arc<Self> {
        let end = CancellationToken::new();
        let known = settings.tokens.principals().into_iter().map(Some);
        let nobody = settings.tokens.is_empty().then_some(None);
        let services = known.chain(nobody).map(|name| {
            let principal = name.as_deref().map(Principal::user).unwrap_or_default();
            let service = service(handler.clone(), principal, &settings.bounds, &end);
            (name, service)
        });
        Arc::new(Self {
            services: services.collect(),
            bounds: settings.bounds,
            large: Arc::new(Semaphore::new(body::LARGE_AT_ONCE)),
            running: Arc::new(Semaphore::new(RUNNING as usize)),
            end,
        })
    }

    /// Ends the sessions that nobody uses any more.
    pub(super) async fn end_idle_sessions(&self) {
        for service in self.services.values() {
            service.sessions.end_idle().await;
        }
    }

    /// Waits until every message is answered.
    pub(super) async fn answered(&self) {
        let _ = self.running.acquire_many(RUNNING).await;
    }

    /// Ends sessions and streams of events.
    pub(super) fn end(&self) {
        self.end.cancel();
    }
}

fn service<H: ServerHandler + Send>(
    handler: impl Fn(Principal) -> H + Send + Sync + 'static,
    principal: Principal,
    bounds: &Bounds,
    end: &CancellationToken,
) -> Service<H> {
    let sessions = Arc::new(Sessions::new(bounds));
    // The gate has judged hosts and origins, and the length of the body is known before it gets there.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_json_response(true)
        .with_max_request_body_bytes(bounds.body_bytes)
        .with_cancellation_token(end.clone());
    let make = move || Ok(handler(principal.clone()));
    Service {
        http: StreamableHttpService::new(make, sessions.clone(), config),
        sessions,
    }
}

/// Answers a request of somebody who is known.
pub(super) async fn answer<H: ServerHandler + Send>(
    State(endpoint): State<Arc<Endpoint<H>>>,
    Extension(Known(principal)): Extension<Known>,
    request: Request,
) -> Response<Body> {
    let Some(service) = endpoint.services.get(&principal) else {
        return told(
            StatusCode::FORBIDDEN,
            "there is nothing here for this principal",
        );
    };
    let (parts, body) = request.into_parts();
    // rmcp accepts the end of a session that it does not know.
    if parts.method == Method::DELETE
        && let Some(id) = parts.headers.get(SESSION_ID)
        && !id.to_str().is_ok_and(|id| service.sessions.contains(id))
    {
        return told(StatusCode::NOT_FOUND, "there is no such session");
    }
    if parts.method != Method::POST {
        // Such requests have no body that anybody would read.
        let request = Request::from_parts(parts, Full::<Bytes>::default());
        return service.http.handle(request).await.map(Body::new);
    }
    let bounds = &endpoint.bounds;
    let read = body::read(body, bounds.body_bytes, bounds.body, &endpoint.large).await;
    let read = match read {
        Ok(read) => read,
        Err(response) => return *response,
    };
    let Ok(running) = endpoint.running.clone().acquire_owned().await else {
        return told(StatusCode::SERVICE_UNAVAILABLE, "the server ends");
    };
    let is_json = |bytes: &[u8]| serde_json::from_slice::<IgnoredAny>(bytes).is_ok();
    let request = Request::from_parts(parts, Full::new(read.bytes.clone()));
    let declares_json = declares_json(&request);
    let response = service.http.handle(request).await;
    // rmcp says "unsupported media type" of a message that it cannot read, too.
    if declares_json && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return match is_json(&read.bytes) {
            false => unreadable(-32700, "this is no JSON"),
            true => unreadable(
                -32600,
                "this is no message of JSON-RPC 2.0, or a batch of them",
            ),
        };
    }
    response.map(|body| Body::new(Held::new(body, running)))
}

fn declares_json<B>(request: &Request<B>) -> bool {
    let value = request.headers().get(CONTENT_TYPE);
    let value = value.and_then(|value| value.to_str().ok()).unwrap_or("");
    let essence = value.split(';').next().unwrap_or("");
    essence.trim().eq_ignore_ascii_case("application/json")
}
