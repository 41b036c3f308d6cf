//! From genai's errors to ours.

use ::genai::webc::{Error as WebError, StreamTimeout};
use ::genai::{BoxError, Error};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::http::{Endpoint, ErrorBody, ResponseHead, parse_api_error, unreachable_error};
use crate::{ApiError, ApiErrorKind, ModelError};

/// Makes an error of what genai says, without keys in it.
pub(super) fn convert_error(endpoint: &Endpoint, error: Error) -> ModelError {
    match error {
        Error::HttpError {
            status,
            body,
            headers,
            ..
        } => response_error(endpoint, status, &headers, &body),
        Error::WebModelCall { webc_error, .. } | Error::WebAdapterCall { webc_error, .. } => {
            convert_web_error(endpoint, webc_error)
        }
        Error::WebStream { error, .. } => convert_stream_error(endpoint, error),
        Error::ChatResponse { body, .. } => stream_body_error(endpoint, &body),
        Error::StreamParse { serde_error, .. } => malformed(endpoint, serde_error.to_string()),
        // Its text holds the whole request.
        Error::ChatResponseGeneration { cause, .. } => malformed(endpoint, cause),
        Error::SerdeJson(error) => malformed(endpoint, error.to_string()),
        Error::JsonValueExt(error) => malformed(endpoint, error.to_string()),
        Error::InvalidJsonResponseElement { info } => malformed(endpoint, info.to_owned()),
        other => ModelError::provider(redact(endpoint, other.to_string())),
    }
}

fn convert_web_error(endpoint: &Endpoint, error: WebError) -> ModelError {
    match error {
        WebError::ResponseFailedStatus {
            status,
            body,
            headers,
        } => response_error(endpoint, status, &headers, &body),
        WebError::Reqwest(error) => unreachable_error(endpoint, error),
        WebError::ResponseFailedNotJson { content_type, .. } => {
            malformed(endpoint, format!("expected JSON, got `{content_type}`"))
        }
        WebError::ResponseFailedInvalidJson { cause, .. } => malformed(endpoint, cause),
        WebError::JsonValueExt(error) => malformed(endpoint, error.to_string()),
    }
}

/// A stream's error is boxed, whatever it is.
fn convert_stream_error(endpoint: &Endpoint, error: BoxError) -> ModelError {
    let error = match error.downcast::<Error>() {
        Ok(error) => return convert_error(endpoint, *error),
        Err(error) => error,
    };
    let error = match error.downcast::<reqwest::Error>() {
        Ok(error) => return unreachable_error(endpoint, *error),
        Err(error) => error,
    };
    match error.downcast::<StreamTimeout>() {
        Ok(_) => ModelError::TimedOut {
            provider: endpoint.provider().to_owned(),
            waited: endpoint.idle_limit(),
        },
        Err(error) => malformed(endpoint, error.to_string()),
    }
}

/// Reads an answer whose status is no success.
fn response_error(
    endpoint: &Endpoint,
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
) -> ModelError {
    let mut head = ResponseHead::new(status.as_u16());
    for (name, value) in headers {
        head = head.header(name.as_str(), String::from_utf8_lossy(value.as_bytes()));
    }
    api(
        endpoint,
        parse_api_error(endpoint.provider(), &head, body.as_bytes()),
    )
}

/// Reads an error that came in place of the next piece of a reply.
fn stream_body_error(endpoint: &Endpoint, body: &Value) -> ModelError {
    let provider = endpoint.provider();
    if body.get("error").is_none() && body.get("message").is_none() {
        // What Gemini says of a prompt that it blocks, genai does not pass on.
        let what = "it answered without a reply; it may have blocked the prompt";
        return ApiError::new(ApiErrorKind::Other, provider, what).into();
    }
    api(
        endpoint,
        ErrorBody::from_json(body).into_error(provider, None),
    )
}

fn api(endpoint: &Endpoint, mut error: ApiError) -> ModelError {
    endpoint.redact_error(&mut error);
    error.advice = error.advice.or_else(|| endpoint.advice(error.kind));
    error.into()
}

fn malformed(endpoint: &Endpoint, what: String) -> ModelError {
    ModelError::Malformed(redact(endpoint, what))
}

fn redact(endpoint: &Endpoint, mut text: String) -> String {
    endpoint.redact(&mut text);
    text
}
