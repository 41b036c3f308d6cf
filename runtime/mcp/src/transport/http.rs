//! Streamable HTTP: rmcp's transport over a client with access tokens and restricted redirects.

mod client;
mod repair;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;

pub(super) use client::HttpClient;
pub(super) use repair::broken;

use super::lines::MAX_MESSAGE_BYTES;
use super::{Fault, origin};
use crate::TokenSource;

/// The greatest size of an error body that is read, in bytes.
const ERROR_BODY: usize = 16 << 10;

/// Prepares the transport to a server at a URL without sending a request. The error describes an invalid
/// configuration.
pub(crate) async fn open(
    url: &str,
    headers: &BTreeMap<String, String>,
    tokens: Option<Arc<dyn TokenSource>>,
    fault: &Arc<Fault>,
) -> Result<StreamableHttpClientTransport<HttpClient>, String> {
    let url = origin::address(url)?;
    let client = HttpClient::new(origin::client(&url).await?, tokens, Arc::clone(fault));
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .custom_headers(custom(headers)?)
        .max_json_response_size(MAX_MESSAGE_BYTES)
        .max_sse_event_size(MAX_MESSAGE_BYTES)
        .max_error_response_size(ERROR_BODY)
        .reinit_on_expired_session(true);
    Ok(StreamableHttpClientTransport::with_client(client, config))
}

pub(super) fn custom(
    headers: &BTreeMap<String, String>,
) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let mut made = HashMap::new();
    for (name, value) in headers {
        let Ok(header) = HeaderName::from_bytes(name.trim().as_bytes()) else {
            return Err(format!("`{name}` is not a valid header name"));
        };
        // A value from a file ends with a newline.
        let Ok(mut value) = HeaderValue::from_str(value.trim()) else {
            return Err(format!(
                "the header `{header}` holds a line break or another character that no header can carry: set it anew"
            ));
        };
        if matches!(
            header.as_str(),
            "accept" | "mcp-session-id" | "last-event-id"
        ) {
            return Err(format!(
                "the header `{header}` belongs to the protocol: take it out"
            ));
        }
        value.set_sensitive(true);
        made.insert(header, value);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_that_cannot_be_sent_is_told_without_its_value() {
        let headers = |name: &str, value: &str| {
            custom(&BTreeMap::from([(name.to_owned(), value.to_owned())]))
        };
        assert_eq!(headers("authorization", "Bearer a\n").unwrap().len(), 1);
        for (name, value) in [("a b", "secret"), ("a", "secret\nb"), ("Accept", "secret")] {
            let error = headers(name, value).unwrap_err();
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
