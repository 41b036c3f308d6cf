//! Forwards a request without TLS.

use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, HOST, HeaderMap, HeaderName, HeaderValue, TE, TRAILER, UPGRADE};
use hyper::http::uri::Authority;
use hyper::{Request, Response, StatusCode, Uri, client};
use hyper_util::rt::TokioIo;
use tokio::task::JoinSet;

use super::dial::dial;
use super::idle::IdleTimeoutStream;
use super::response::{Body, ErrorResponse, error_response, refusal_response};
use super::shared::ProxyState;
use helve_core::network::{Host, HostRefusal, HostRefusalReason};

/// Returns the destination of a request to the proxy.
pub(super) fn request_target(request: &Request<Incoming>) -> Result<(Host, u16), ErrorResponse> {
    let bad = |sentence| Err(bad_request(sentence));
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
    Host::parse_authority(authority.as_str(), Some(80)).ok_or_else(|| {
        let reason = HostRefusalReason::InvalidHost;
        refusal_response(&HostRefusal::new(authority.as_str(), reason))
    })
}

/// Checks that the host of a request inside a tunnel is the host of the tunnel.
pub(super) fn request_origin(
    request: &Request<Incoming>,
    host: &Host,
    port: u16,
) -> Result<(), ErrorResponse> {
    let written = request.uri().authority().map(Authority::as_str);
    let headers = request.headers().get_all(HOST).iter();
    let headers = headers.map(|name| name.to_str().unwrap_or_default());
    for name in written.into_iter().chain(headers) {
        if Host::parse_authority(name, Some(80)) != Some((host.clone(), port)) {
            let sentence = format!(
                "this tunnel is for `{host}`; open another one for `{}`",
                name.escape_debug()
            );
            let status = StatusCode::FORBIDDEN;
            return Err(error_response(status, "http_request_denied", &sentence));
        }
    }
    Ok(())
}

fn bad_request(sentence: &str) -> ErrorResponse {
    error_response(StatusCode::BAD_REQUEST, "http_request_error", sentence)
}

/// Forwards a request, and its response.
pub(super) async fn forward(
    mut request: Request<Incoming>,
    shared: &ProxyState,
    host: &Host,
    port: u16,
) -> Response<Body> {
    let exchanged = async {
        let server = dial(shared, host, port).await?;
        rewrite(&mut request, host, port)?;
        exchange(server, request).await.map_err(|error| {
            let sentence = format!("`{host}` is allowed, but its response is invalid: {error}");
            error_response(StatusCode::BAD_GATEWAY, "http_protocol_error", &sentence)
        })
    };
    exchanged.await.unwrap_or_else(|response| *response)
}

async fn exchange(
    server: IdleTimeoutStream,
    request: Request<Incoming>,
) -> hyper::Result<Response<Body>> {
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(server)).await?;
    // Dropping the set ends the connection.
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "a connection of the sandbox's proxy ended");
        }
    });
    let mut response = sender.send_request(request).await?;
    strip(response.headers_mut());
    // The body holds the driver: the connection lasts as long as the client reads.
    let hold_driver = move |error| {
        let _ = &driver;
        error
    };
    Ok(response.map(|body| body.map_err(hold_driver).boxed()))
}

/// Converts a request to a proxy to a request to a server.
fn rewrite(request: &mut Request<Incoming>, host: &Host, port: u16) -> Result<(), ErrorResponse> {
    let invalid = || bad_request("invalid URL");
    let path = request.uri().path_and_query();
    let path: Uri = path
        .map_or("/", |path| path.as_str())
        .parse()
        .map_err(|_| invalid())?;
    let name = match port {
        80 => host.to_string(),
        port => format!("{host}:{port}"),
    };
    let name = HeaderValue::from_str(&name).map_err(|_| invalid())?;
    *request.uri_mut() = path;
    strip(request.headers_mut());
    // The host that was checked replaces the host that the client wrote.
    request.headers_mut().insert(HOST, name);
    Ok(())
}

/// Removes the hop-by-hop headers and the proxy headers.
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
        // The headers for the framing of the body and the host are kept, even if the client lists them as hop-by-hop.
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
