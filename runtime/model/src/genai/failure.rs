//! Converts genai's errors to [`ModelError`].

use ::genai::webc::{Error as WebError, StreamTimeout};
use ::genai::{BoxError, Error};
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::http::{
    Endpoint, ErrorBody, ResponseHead, parse_api_error, redact_error, unreachable_error,
};
use crate::{ApiError, ApiErrorKind, ModelError};

/// Converts an error, and removes keys from its message.
pub(super) fn convert_error(endpoint: &Endpoint, error: Error) -> ModelError {
    redact_error(endpoint, convert(endpoint, error))
}

fn convert(endpoint: &Endpoint, error: Error) -> ModelError {
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
        Error::StreamParse { serde_error, .. } => ModelError::Malformed(serde_error.to_string()),
        // The message of this error contains the whole request.
        Error::ChatResponseGeneration { cause, .. } => ModelError::Malformed(cause),
        Error::SerdeJson(error) => ModelError::Malformed(error.to_string()),
        Error::JsonValueExt(error) => ModelError::Malformed(error.to_string()),
        Error::InvalidJsonResponseElement { info } => ModelError::Malformed(info.to_owned()),
        other => {
            let mut text = other.to_string();
            endpoint.redact(&mut text);
            ModelError::provider(text)
        }
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
            ModelError::Malformed(format!("expected JSON, got `{content_type}`"))
        }
        WebError::ResponseFailedInvalidJson { cause, .. } => ModelError::Malformed(cause),
        WebError::JsonValueExt(error) => ModelError::Malformed(error.to_string()),
    }
}

/// Converts the error of a stream, which genai boxes.
fn convert_stream_error(endpoint: &Endpoint, error: BoxError) -> ModelError {
    let error = match error.downcast::<Error>() {
        Ok(error) => return convert(endpoint, *error),
        Err(error) => error,
    };
    let error = match error.downcast::<reqwest::Error>() {
        Ok(error) => return unreachable_error(endpoint, *error),
        Err(error) => error,
    };
    match error.downcast::<StreamTimeout>() {
        Ok(_) => ModelError::TimedOut {
            provider: endpoint.provider().to_owned(),
            waited: endpoint.idle_timeout,
        },
        Err(error) => ModelError::Malformed(error.to_string()),
    }
}

fn response_error(
    endpoint: &Endpoint,
    status: StatusCode,
    headers: &HeaderMap,
    body: &str,
) -> ModelError {
    let head = ResponseHead::from_response(status, headers);
    parse_api_error(endpoint.provider(), &head, body.as_bytes()).into()
}

/// Parses an error that was received in place of a chunk of a reply.
fn stream_body_error(endpoint: &Endpoint, body: &Value) -> ModelError {
    let provider = endpoint.provider();
    if body.get("error").is_none() && body.get("message").is_none() {
        // genai does not pass on Gemini's reason for a blocked prompt.
        let what = "it answered without a reply; it may have blocked the prompt";
        return ApiError::new(ApiErrorKind::Other, provider, what).into();
    }
    ErrorBody::from_json(body).to_error(provider, None).into()
}
