//! Converts the error responses of providers to typed errors.

use serde_json::Value;

use super::{Endpoint, ResponseHead};
use crate::{ApiError, ApiErrorKind};
use helve_core::support::text::truncate;

/// The greatest length of a provider's message, in characters.
const MAX_MESSAGE_CHARS: usize = 1000;

/// The greatest length of a provider's error code, in characters.
const MAX_CODE_CHARS: usize = 100;

/// The parsed body of an error response, in any of the usual formats.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ErrorBody {
    pub(crate) message: Option<String>,
    /// The error code, such as `overloaded_error`.
    pub(crate) code: Option<String>,
    /// A second, more general code, such as `invalid_request_error`.
    pub(crate) class: Option<String>,
}

impl ErrorBody {
    /// Parses the body of a response: JSON, an HTML page, or text.
    pub(crate) fn parse(body: &[u8]) -> Self {
        if let Ok(value) = serde_json::from_slice::<Value>(body) {
            return Self::from_json(&value);
        }
        let text = String::from_utf8_lossy(body);
        let text = text.trim();
        let message = match text.starts_with('<') {
            true => page_title(text).map(|title| format!("an HTML page titled `{title}`")),
            false => Some(text.to_owned()),
        };
        Self {
            message: message.filter(|message| !message.is_empty()),
            ..Self::default()
        }
    }

    /// Parses a JSON error: the body itself, or its field `error`.
    pub(crate) fn from_json(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null());
        let inner = error.filter(|error| error.is_object()).unwrap_or(value);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let word = |key: &str| inner.get(key).and_then(text).filter(|word| word != "error");
        let code = word("code").or_else(|| word("status"));
        let class = word("type");
        let message = [
            "message",
            "detail",
            "msg",
            "errors",
            "error",
            "error_description",
        ]
        .iter()
        .filter_map(|key| inner.get(key).or_else(|| value.get(key)))
        .find_map(find_message);
        let message = message.or_else(|| text(value));
        // Routers of requests put the upstream error here.
        let raw = inner.pointer("/metadata/raw").and_then(find_message);
        let message = match (message, raw) {
            (Some(message), Some(raw)) => Some(format!("{message}: {raw}")),
            (message, raw) => message.or(raw),
        };
        Self {
            message,
            code: code.or_else(|| class.clone()),
            class,
        }
    }

    /// Creates the error; `status` is `None` if the error was received within a stream.
    pub(crate) fn to_error(&self, provider: &str, status: Option<u16>) -> ApiError {
        let message = self.message.as_deref().unwrap_or("it does not say why");
        let message = truncate(message, MAX_MESSAGE_CHARS);
        let code = self.code.as_deref();
        let code = code.map(|code| truncate(code, MAX_CODE_CHARS).into_owned());
        ApiError {
            status,
            code,
            ..ApiError::new(self.kind(status), provider, message)
        }
    }

    fn kind(&self, status: Option<u16>) -> ApiErrorKind {
        let words = [self.code.as_deref(), self.class.as_deref()];
        let message = self.message.as_deref().unwrap_or_default();
        let by_word = words.into_iter().flatten().find_map(kind_from_code);
        by_word
            .or_else(|| kind_from_message(&message.to_ascii_lowercase(), status))
            .or_else(|| status.map(kind_from_status))
            .unwrap_or(match words.contains(&Some("invalid_request_error")) {
                true => ApiErrorKind::InvalidRequest,
                false => ApiErrorKind::Other,
            })
    }
}

pub(crate) fn parse_api_error(provider: &str, head: &ResponseHead, body: &[u8]) -> ApiError {
    let mut error = ErrorBody::parse(body).to_error(provider, Some(head.status()));
    error.retry_after = head.retry_after();
    error.request_id = head.request_id().map(str::to_owned);
    if let (300..400, Some(place)) = (head.status(), head.get("location")) {
        error.message = format!("it redirects to {place}");
        error.advice = Some("set the base URL to the provider's own address".to_owned());
    }
    error
}

impl Endpoint {
    /// Removes the endpoint's secrets from all fields of an error, because some providers repeat parts of the
    /// request.
    pub(crate) fn redact_error(&self, error: &mut ApiError) {
        let said = [error.code.as_mut(), error.request_id.as_mut()];
        for text in said.into_iter().flatten().chain([&mut error.message]) {
            self.redact(text);
        }
    }

    /// Returns advice for the user about an error of a kind.
    pub(crate) fn advice(&self, kind: ApiErrorKind) -> Option<String> {
        let advice = match kind {
            ApiErrorKind::Authentication => {
                let source = self.key_source.as_deref();
                let source = source.unwrap_or("the key that is configured for it");
                return Some(format!("check {source}"));
            }
            ApiErrorKind::NotFound => {
                let host = self.host();
                return Some(format!("check the model's name and the base URL ({host})"));
            }
            ApiErrorKind::Permission => "check the key's permissions and its access to the model",
            ApiErrorKind::Quota => "check the plan and the billing of the account",
            ApiErrorKind::ContextTooLong => "shorten the conversation or begin a new one",
            _ => return None,
        };
        Some(advice.to_owned())
    }
}

/// Returns the kind for a code that is more specific than the status. A general code, such as
/// `invalid_request_error`, is less specific.
fn kind_from_code(word: &str) -> Option<ApiErrorKind> {
    Some(match word.to_ascii_lowercase().as_str() {
        "authentication_error" | "invalid_api_key" | "unauthenticated" => {
            ApiErrorKind::Authentication
        }
        "permission_error" | "permission_denied" => ApiErrorKind::Permission,
        "not_found_error" | "model_not_found" | "not_found" => ApiErrorKind::NotFound,
        "insufficient_quota"
        | "billing_error"
        | "billing_hard_limit_reached"
        | "insufficient_balance" => ApiErrorKind::Quota,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "resource_exhausted"
        | "requests"
        | "tokens" => ApiErrorKind::RateLimited,
        "context_length_exceeded" | "request_too_large" | "string_above_max_length" => {
            ApiErrorKind::ContextTooLong
        }
        "overloaded_error" | "overloaded" | "unavailable" => ApiErrorKind::Overloaded,
        "api_error" | "server_error" | "internal_server_error" | "timeout_error" | "internal" => {
            ApiErrorKind::Server
        }
        _ => return None,
    })
}

/// Returns the kind for a message of providers that report these errors only in words, with the status of an invalid
/// request.
fn kind_from_message(message: &str, status: Option<u16>) -> Option<ApiErrorKind> {
    if status.is_some_and(|status| !matches!(status, 400 | 403 | 413 | 422)) {
        return None;
    }
    let says = |texts: &[&str]| texts.iter().any(|text| message.contains(text));
    if says(&[
        "prompt is too long",
        "maximum context length",
        "context length",
        "context window",
        "exceeds the context",
        "exceed context limit",
        "maximum number of tokens",
    ]) {
        return Some(ApiErrorKind::ContextTooLong);
    }
    says(&["credit balance is too low", "insufficient balance"]).then_some(ApiErrorKind::Quota)
}

fn kind_from_status(status: u16) -> ApiErrorKind {
    match status {
        400 | 405 | 406 | 415 | 422 => ApiErrorKind::InvalidRequest,
        401 => ApiErrorKind::Authentication,
        402 => ApiErrorKind::Quota,
        403 => ApiErrorKind::Permission,
        404 | 410 => ApiErrorKind::NotFound,
        // Only a long conversation results in a request that large.
        413 => ApiErrorKind::ContextTooLong,
        429 => ApiErrorKind::RateLimited,
        503 | 529 => ApiErrorKind::Overloaded,
        // A request that timed out, or conflicted with another one, may succeed later.
        408 | 409 | 425 | 500.. => ApiErrorKind::Server,
        _ => ApiErrorKind::Other,
    }
}

/// Finds a message in a JSON value of any shape.
fn find_message(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Array(values) => values.iter().find_map(find_message),
        Value::Object(object) => ["message", "msg", "detail"]
            .iter()
            .find_map(|key| object.get(*key).and_then(find_message)),
        _ => None,
    }
}

/// Finds the title of an HTML page; tag names are compared by ASCII case.
fn page_title(page: &str) -> Option<&str> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let end = start + lower[start..].find("</title>")?;
    Some(page[start..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(status: u16, body: &str) -> (ApiErrorKind, Option<String>, String) {
        let error = parse_api_error("p", &ResponseHead::new(status), body.as_bytes());
        (error.kind, error.code, error.message)
    }

    #[test]
    fn bodies_of_every_shape_say_what_happened() {
        use ApiErrorKind::{Authentication, InvalidRequest, NotFound, Quota, RateLimited, Server};
        for (status, body, kind, code, message) in [
            (
                429,
                r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                Quota,
                "insufficient_quota",
                "m",
            ),
            (
                429,
                r#"{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}"#,
                RateLimited,
                "rate_limit_exceeded",
                "m",
            ),
            (
                401,
                r#"{"error":{"message":"m","type":"authentication_error","code":"invalid_request_error"}}"#,
                Authentication,
                "invalid_request_error",
                "m",
            ),
            (
                429,
                r#"{"error":{"message":"m","code":429,"metadata":{"raw":"more"}}}"#,
                RateLimited,
                "",
                "m: more",
            ),
            (
                404,
                r#"{"error":"model not found"}"#,
                NotFound,
                "",
                "model not found",
            ),
            (
                404,
                r#"{"object":"error","message":"m","type":"NotFoundError","code":404}"#,
                NotFound,
                "NotFoundError",
                "m",
            ),
            (
                400,
                r#"[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]"#,
                InvalidRequest,
                "INVALID_ARGUMENT",
                "m",
            ),
            (
                422,
                r#"{"detail":[{"loc":["body"],"msg":"m"}]}"#,
                InvalidRequest,
                "",
                "m",
            ),
            (401, r#"{"message":"m"}"#, Authentication, "", "m"),
            (500, r#""m""#, Server, "", "m"),
            (500, "m\n", Server, "", "m"),
            (500, "{}", Server, "", "it does not say why"),
            (500, "[]", Server, "", "it does not say why"),
            (500, "null", Server, "", "it does not say why"),
            (500, "<html>", Server, "", "it does not say why"),
            (
                500,
                "<TITLE>m\u{130}</TITLE>",
                Server,
                "",
                "an HTML page titled `m\u{130}`",
            ),
            (500, "", Server, "", "it does not say why"),
        ] {
            let code = (!code.is_empty()).then(|| code.to_owned());
            assert_eq!(
                read(status, body),
                (kind, code, message.to_owned()),
                "{body}"
            );
        }
    }

    #[test]
    fn long_messages_are_cut() {
        let (_, _, message) = read(500, &"ö".repeat(5_000));
        assert_eq!(message.chars().count(), MAX_MESSAGE_CHARS + 1);
    }
}
