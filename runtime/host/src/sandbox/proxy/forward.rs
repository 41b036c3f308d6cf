//! A request without TLS, sent on.

use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use hyper::body::{Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER, UPGRADE};
use hyper::http::uri::Authority;
use hyper::{Request, Response, StatusCode, Uri, client};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use super::dial::dial;
use super::response::{Body, error_response, refusal_response};
use super::shared::ProxyState;
use helve_core::network::{Host, HostRefusal, HostRefusalReason};

/// Reads where a request to the proxy is to go.
pub(super) fn request_target(
    request: &Request<Incoming>,
) -> Result<(Host, u16), Box<Response<Body>>> {
    let bad = |sentence| {
        let status = StatusCode::BAD_REQUEST;
        Err(Box::new(error_response(
            status,
            "http_request_error",
            sentence,
        )))
    };
    let uri = request.uri();
    let Some(authority) = uri.authority() else {
        return bad("the proxy needs an absolute URL, such as `http://example.com/`");
    };
    if uri.scheme_str() != Some("http") {
        return bad("the proxy only forwards `http`; use CONNECT for other schemes");
    }
    if authority.as_str().contains('@') {
        return bad("credentials in a URL are not passed on; send them in a header");
    }
    Host::parse_authority(authority.as_str(), Some(80))
        .ok_or_else(|| malformed_request(authority.as_str()))
}

/// Holds a request inside a tunnel against the host that the tunnel is for.
pub(super) fn request_origin(
    request: &Request<Incoming>,
    host: &Host,
    port: u16,
) -> Result<(), Box<Response<Body>>> {
    let mut names: Vec<&str> = Vec::new();
    names.extend(request.uri().authority().map(Authority::as_str));
    for name in request.headers().get_all(HOST) {
        names.push(name.to_str().unwrap_or_default());
    }
    for name in names {
        if Host::parse_authority(name, Some(80)) != Some((host.clone(), port)) {
            let sentence = format!(
                "this tunnel is for `{host}`; open another one for `{}`",
                name.escape_debug()
            );
            let response = error_response(StatusCode::FORBIDDEN, "http_request_denied", &sentence);
            return Err(Box::new(response));
        }
    }
    Ok(())
}

fn malformed_request(authority: &str) -> Box<Response<Body>> {
    let refusal = HostRefusal::new(authority, HostRefusalReason::InvalidHost);
    Box::new(refusal_response(&refusal))
}

/// Sends a request on, and its response back.
pub(super) async fn forward(
    mut request: Request<Incoming>,
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> Response<Body> {
    let server = match dial(shared, host, port).await {
        Ok(server) => server,
        Err(response) => return *response,
    };
    let failed = |error: hyper::Error| {
        let sentence = format!("`{host}` is allowed, but its response is invalid: {error}");
        error_response(StatusCode::BAD_GATEWAY, "http_protocol_error", &sentence)
    };
    if let Err(response) = rewrite(&mut request, host, port) {
        return *response;
    }
    let (mut sender, connection) = match client::conn::http1::handshake(TokioIo::new(server)).await
    {
        Ok(parts) => parts,
        Err(error) => return failed(error),
    };
    let driver = ConnectionDriver(tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection of the sandbox's proxy ended");
        }
    }));
    match sender.send_request(request).await {
        Ok(mut response) => {
            strip(response.headers_mut());
            response.map(|body| {
                DrivenBody {
                    body,
                    _driver: driver,
                }
                .boxed()
            })
        }
        Err(error) => failed(error),
    }
}

/// Makes of a request to a proxy a request to a server.
fn rewrite(
    request: &mut Request<Incoming>,
    host: &Host,
    port: u16,
) -> Result<(), Box<Response<Body>>> {
    let wrong = || {
        Box::new(error_response(
            StatusCode::BAD_REQUEST,
            "http_request_error",
            "invalid URL",
        ))
    };
    let path = request
        .uri()
        .path_and_query()
        .map_or("/", |path| path.as_str());
    let path: Uri = path.parse().map_err(|_| wrong())?;
    let name = match port {
        80 => host.to_string(),
        port => format!("{host}:{port}"),
    };
    let name = HeaderValue::from_str(&name).map_err(|_| wrong())?;
    *request.uri_mut() = path;
    strip(request.headers_mut());
    // The one that was judged, whatever the client wrote.
    request.headers_mut().insert(HOST, name);
    Ok(())
}

/// Removes the headers that are about one connection, and those that are for proxies.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let own = [CONNECTION, TE, TRAILER, UPGRADE];
    let for_proxies = [
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
    ];
    for name in named.iter().chain(&own) {
        // The length of a body stays known, even if a header says that it is about one connection.
        if !matches!(
            name.as_str(),
            "content-length" | "transfer-encoding" | "host"
        ) {
            headers.remove(name);
        }
    }
    for name in for_proxies {
        headers.remove(name);
    }
}

/// Runs the connection to a server, for as long as the client reads from it.
struct ConnectionDriver(JoinHandle<()>);

impl Drop for ConnectionDriver {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A body with the connection that it comes from.
struct DrivenBody {
    body: Incoming,
    _driver: ConnectionDriver,
}

impl hyper::body::Body for DrivenBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
