//! Requests without an answer, in words and with a code.

use std::error::Error;

use helve::ToolError;
use helve::capability::{CapabilityError, HttpError, RefusalCode};

use crate::method::HttpMethod;

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum SendError {
    Failed(CapabilityError),
    /// The seconds within which there was no whole response.
    TimedOut(u64),
}

/// Describes why there is no answer. The code comes first, for programs and for a model that compares attempts.
pub(crate) fn describe(error: &SendError, method: HttpMethod) -> ToolError {
    let (code, text) = match error {
        SendError::Failed(error) => describe_failure(error),
        SendError::TimedOut(seconds) => (
            "timeout",
            format!("there was no whole response within {seconds} s"),
        ),
    };
    let may_have_arrived = matches!(code, "timeout" | "too_large" | "failed");
    let hint = match may_have_arrived && !method.only_reads() {
        true => "; the request may have been carried out: find out before you send it again",
        false => "",
    };
    ToolError::failed(format!("{code}: {text}{hint}"))
}

fn describe_failure(error: &CapabilityError) -> (&'static str, String) {
    let text = chain(error);
    let code = match error {
        CapabilityError::Refused(_) if text.contains("cannot be resolved") => "dns",
        CapabilityError::Refused(_) => "blocked",
        CapabilityError::Failed { source, .. } => code_of(source.downcast_ref(), &text),
        _ => "failed",
    };
    let hint = match error.code() {
        Some(RefusalCode::SecretNotDeclared) => {
            "; the user grants it in the settings, as `NAME = [\"https://host\"]` in `[tools.http_request.secrets]`"
        }
        Some(RefusalCode::HostNotAllowed) if text.contains("ask the user to allow") => {
            ": `hosts` in `[tools.http_request]`"
        }
        _ => "",
    };
    (code, format!("{text}{hint}"))
}

fn code_of(error: Option<&HttpError>, text: &str) -> &'static str {
    match error {
        Some(HttpError::TooLarge { .. }) => "too_large",
        Some(HttpError::TimedOut { .. }) => "timeout",
        Some(HttpError::Secret { .. } | HttpError::Header { .. } | HttpError::Method { .. }) => {
            "blocked"
        }
        _ => {
            let text = text.to_ascii_lowercase();
            match () {
                () if text.contains("timed out") => "timeout",
                () if text.contains("certificate")
                    || text.contains("tls")
                    || text.contains("handshake") =>
                {
                    "tls"
                }
                () if text.contains("refused") => "refused",
                () => "failed",
            }
        }
    }
}

/// Joins an error and its causes.
fn chain(error: &CapabilityError) -> String {
    let mut text = match error {
        // "refused" alone says nothing beside its cause.
        CapabilityError::Refused(_) => String::new(),
        other => other.to_string(),
    };
    let mut cause = error.source();
    while let Some(error) = cause {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
