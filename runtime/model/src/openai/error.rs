//! Parses errors in the format of OpenAI and compatible providers.

use std::time::Duration;

use serde_json::Value;

use super::json;
use crate::http::ErrorBody;
use crate::{ApiError, ApiErrorKind, ModelError};

/// The greatest delay of a "try again in" message.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60 * 60);

/// Parses an error that was received within a stream or a success response; its code may be an HTTP status.
pub(super) fn stream_error(provider: &str, error: &Value) -> ModelError {
    let code = ["/code", "/error/code", "/status", "/error/status"]
        .iter()
        .find_map(|path| error.pointer(path).and_then(Value::as_u64));
    let status = code
        .and_then(|code| u16::try_from(code).ok())
        .filter(|status| (300..600).contains(status));
    let mut read = ErrorBody::from_json(error).to_error(provider, status);
    read.status = None;
    read.code = read.code.or_else(|| code.map(|code| code.to_string()));
    refine_kind(read).into()
}

/// Creates the error of a reply that the provider ended, from its stop reason.
pub(super) fn ended_reply_error(kind: ApiErrorKind, provider: &str, word: &str) -> ModelError {
    let message = format!("it ended the reply with `{word}`");
    ApiError {
        code: Some(word.to_owned()),
        ..ApiError::new(kind, provider, message)
    }
    .into()
}

/// Parses JSON that the protocol requires.
pub(super) fn parse(text: &str) -> Result<Value, ModelError> {
    let value = serde_json::from_str(text)
        .map_err(|error| ModelError::malformed(format!("an event is not valid JSON: {error}")))?;
    match value {
        Value::Object(_) | Value::Array(_) | Value::Null => Ok(value),
        _ => Err(ModelError::malformed("an event is not a JSON object")),
    }
}

/// Refines the kind of an error by details that the status and the code do not contain.
pub(super) fn refine_kind(mut error: ApiError) -> ApiError {
    let code = error.code.as_deref().unwrap_or_default();
    let message = error.message.to_ascii_lowercase();
    error.kind = match (error.kind, code) {
        (_, "server_is_overloaded" | "slow_down" | "engine_overloaded_error") => {
            ApiErrorKind::Overloaded
        }
        (_, "exceed_context_size_error") => ApiErrorKind::ContextTooLong,
        (_, "exceeded_current_quota_error") => ApiErrorKind::Quota,
        // Some providers report an invalid key only in the message of an invalid request.
        (ApiErrorKind::InvalidRequest, _) if is_key_error(&message) => ApiErrorKind::Authentication,
        (kind, _) => kind,
    };
    if error.retry_after.is_none() && error.kind.is_transient() {
        error.retry_after = parse_retry_delay(&message);
    }
    error
}

fn is_key_error(message: &str) -> bool {
    ["incorrect api key", "invalid api key", "api key not valid"]
        .iter()
        .any(|words| message.contains(words))
}

/// Parses "try again in 1m2.5s", which replaces `retry-after` for an error within a stream.
fn parse_retry_delay(message: &str) -> Option<Duration> {
    let (_, rest) = message.split_once("try again in ")?;
    let mut rest = rest.trim_start();
    let mut seconds = 0.0;
    let mut found = false;
    loop {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.');
        let (number, after) = rest.split_at(digits.unwrap_or(rest.len()));
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else {
            break;
        };
        let after = after.trim_start();
        let letters = after.find(|letter: char| !letter.is_ascii_alphabetic());
        let (unit, after) = after.split_at(letters.unwrap_or(after.len()));
        seconds += number
            * match unit {
                "ms" | "milliseconds" => 0.001,
                "s" | "sec" | "second" | "seconds" => 1.0,
                "m" | "min" | "minute" | "minutes" => 60.0,
                "h" | "hour" | "hours" => 3600.0,
                _ => break,
            };
        found = true;
        rest = after;
    }
    let wait = Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|_| found)?;
    Some(wait.min(MAX_RETRY_AFTER))
}

/// Returns the error in a value, if it contains one.
pub(super) fn check(provider: &str, value: &Value) -> Result<(), ModelError> {
    match find_error(value) {
        Some(error) => Err(stream_error(provider, error)),
        None => Ok(()),
    }
}

fn find_error(value: &Value) -> Option<&Value> {
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        // An empty object, or `false`, means that there is no error.
        let says = match error {
            Value::Object(error) => !error.is_empty(),
            Value::String(error) => !error.is_empty(),
            _ => false,
        };
        return says.then_some(value);
    }
    let is_error = |key| json::text(value, key) == Some("error");
    (is_error("object") || is_error("type")).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_how_long_to_wait() {
        let wait = |text: &str| {
            parse_retry_delay(&format!("rate limit reached. please try again in {text}"))
        };
        assert_eq!(wait("11.054s. visit"), Some(Duration::from_millis(11_054)));
        assert_eq!(wait("6m0s."), Some(Duration::from_secs(360)));
        assert_eq!(wait("28ms."), Some(Duration::from_millis(28)));
        assert_eq!(wait("20 seconds"), Some(Duration::from_secs(20)));
        assert_eq!(wait("999999999h"), Some(MAX_RETRY_AFTER));
        for nonsense in ["", "a moment", "5 parsecs", ".", "1.2.3s"] {
            assert_eq!(wait(nonsense), None, "{nonsense}");
        }
    }

    #[test]
    fn errors_inside_of_a_stream_have_a_kind() {
        let read = |text: &str| {
            let value = serde_json::from_str(text).unwrap();
            match stream_error("p", find_error(&value).expect("an error")) {
                ModelError::Api(error) => *error,
                other => panic!("{other:?}"),
            }
        };
        let error = read(r#"{"error":{"code":400,"message":"Token limit reached"},"choices":[]}"#);
        assert_eq!(error.kind, ApiErrorKind::InvalidRequest);
        assert_eq!(error.status, None);
        assert_eq!(error.code.as_deref(), Some("400"));
        let error = read(r#"{"type":"error","code":"server_is_overloaded","message":"m"}"#);
        assert_eq!(error.kind, ApiErrorKind::Overloaded);
        assert_eq!(read(r#"{"error":"it broke"}"#).message, "it broke");
        let error = read(r#"{"object":"error","message":"m","code":429}"#);
        assert_eq!(error.kind, ApiErrorKind::RateLimited);
        let none = serde_json::json!({"error": {}, "choices": []});
        assert!(find_error(&none).is_none());
    }
}
