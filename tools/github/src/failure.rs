//! What the API answers in place of what was asked for, in words for the model.

use helve::ToolError;
use helve::capability::{CapabilityError, HttpError, HttpResponse, RefusalCode};
use helve::transcript::Timestamp;
use serde_json::Value;

use crate::text::one_line;
use crate::value::{header, items, text};

/// The greatest length of a message of the API, in characters.
const MAX_MESSAGE_CHARS: usize = 300;

/// The most single faults of a request that are named.
const MAX_FAULTS: usize = 5;

/// Returns the seconds after which a request may be sent again, where the answer is that there were too many.
pub(crate) fn retry_after(response: &HttpResponse) -> Option<u64> {
    let is_limit = matches!(response.status, 403 | 429);
    let after = header(response, "retry-after").filter(|_| is_limit)?;
    after.trim().parse().ok()
}

/// Describes an answer that is a failure. `what` is what was asked for.
pub(crate) fn describe(response: &HttpResponse, what: &str, has_token: bool) -> ToolError {
    let said = message(&response.body);
    let said = |prefix: &str| match &said {
        None => prefix.to_owned(),
        Some(said) => format!("{prefix}; GitHub says: {said}"),
    };
    let text = match response.status {
        401 => said(
            "GitHub does not accept the token; the user has to set another one in `GITHUB_TOKEN`",
        ),
        403 | 429 => limit(response, has_token).unwrap_or_else(|| {
            let needed = header(response, "x-accepted-github-permissions")
                .map(|needed| format!("; it needs {}", one_line(needed, MAX_MESSAGE_CHARS)));
            said(&format!(
                "the token may not do that with {what}{}",
                needed.unwrap_or_default()
            ))
        }),
        404 | 410 if has_token => said(&format!(
            "GitHub does not find {what}: it is not there, or the token may not see it"
        )),
        404 | 410 => said(&format!(
            "GitHub does not find {what}: it is not there, or it is private and `GITHUB_TOKEN` is not set"
        )),
        406 | 413 => said(&format!("{what} is too large for one answer")),
        409 => said(&format!(
            "{what} is in another state than the request expects; read it again"
        )),
        422 => said(&format!("GitHub refuses the request for {what}")),
        300..=399 => format!("the server redirects {what} to another place, which is not followed"),
        500..=599 => said(&format!(
            "GitHub failed with status {} for {what}; try again later",
            response.status
        )),
        status => said(&format!("GitHub answered with status {status} for {what}")),
    };
    ToolError::failed(text)
}

/// Describes a limit of the number of requests, if that is the reason.
fn limit(response: &HttpResponse, has_token: bool) -> Option<String> {
    if header(response, "x-ratelimit-remaining").is_some_and(|left| left.trim() == "0") {
        let reset = header(response, "x-ratelimit-reset")
            .and_then(|reset| reset.trim().parse::<u64>().ok());
        let until = reset.map_or_else(
            || "later".to_owned(),
            |reset| {
                let moment = Timestamp::from_millis(reset.saturating_mul(1_000)).to_string();
                format!("after {}Z", moment.split('.').next().unwrap_or(&moment))
            },
        );
        let more = if has_token {
            ""
        } else {
            "; with a token in `GITHUB_TOKEN` there are more"
        };
        return Some(format!(
            "the limit of requests to GitHub is used up; there are new ones {until}{more}"
        ));
    }
    if let Some(seconds) = retry_after(response) {
        return Some(format!(
            "GitHub asks to send fewer requests: try again after {seconds} s"
        ));
    }
    let said = message(&response.body)
        .unwrap_or_default()
        .to_ascii_lowercase();
    (response.status == 429 || said.contains("rate limit"))
        .then(|| "GitHub asks to send fewer requests: try again after a minute".to_owned())
}

/// Returns what an answer says of a failure, on one line.
fn message(body: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(&body[..body.len().min(64 << 10)]).ok()?;
    let mut said = one_line(text(&value, "/message"), MAX_MESSAGE_CHARS);
    let faults = items(&value, "/errors")
        .iter()
        .take(MAX_FAULTS)
        .filter_map(|fault| {
            let words = match fault.as_str() {
                Some(words) => words.to_owned(),
                None => ["/resource", "/field", "/code", "/message"]
                    .map(|pointer| text(fault, pointer))
                    .join(" "),
            };
            let words = one_line(&words, MAX_MESSAGE_CHARS);
            (!words.is_empty()).then_some(words)
        });
    let faults: Vec<String> = faults.collect();
    if !faults.is_empty() {
        said = format!("{said} ({})", faults.join("; "));
    }
    (!said.is_empty()).then_some(said)
}

/// Describes why there is no answer.
pub(crate) fn describe_unsent(error: CapabilityError, writes: bool) -> ToolError {
    if let Some(RefusalCode::HostNotAllowed) = error.code() {
        let text = ToolError::from(error);
        return ToolError::failed(format!(
            "{text}; for a host that the app does not allow, the user sets `hosts` in `[tools.\"github_*\"]`"
        ));
    }
    let is_too_large = match &error {
        CapabilityError::Failed { source, .. } => {
            matches!(source.downcast_ref(), Some(HttpError::TooLarge { .. }))
        }
        _ => false,
    };
    let is_sent = matches!(error, CapabilityError::Failed { .. });
    let text = ToolError::from(error);
    match (writes && is_sent, is_too_large) {
        (true, _) => ToolError::failed(format!(
            "{text}; whether GitHub did it is not known, so look before you try again"
        )),
        (false, true) => ToolError::failed(format!(
            "{text}: a single file, a later page or fewer lines"
        )),
        (false, false) => text,
    }
}
