//! What the model reads of an answer.

use helve::capability::{HttpRequest, HttpResponse};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::pick;
use crate::plan::RequestPlan;

/// The most characters of a body that are shown.
const MAX_SHOWN: usize = 12_000;

/// The headers that are shown.
const SHOWN: [&str; 14] = [
    "allow",
    "etag",
    "last-modified",
    "link",
    "location",
    "ratelimit-limit",
    "ratelimit-remaining",
    "ratelimit-reset",
    "retry-after",
    "www-authenticate",
    "x-ratelimit-limit",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-request-id",
];

/// The most characters of the value of a header that are shown.
const MAX_HEADER_CHARS: usize = 300;

/// A body as it is shown.
struct ShownBody {
    /// What it is, and how much of it is shown.
    summary: String,
    text: String,
}

/// Renders an answer: the status, what the body is and how much of it follows, some headers, and the body.
pub(crate) fn render(
    response: &HttpResponse,
    picked: Option<&str>,
    saved: Option<&str>,
) -> Result<String, String> {
    let content_type = header(response, "content-type").unwrap_or("no content type");
    let body = match saved {
        Some(path) => ShownBody {
            summary: format!("{} bytes, saved in `{path}`", response.body.len()),
            text: String::new(),
        },
        None => show_body(response, content_type, picked)?,
    };
    let mut lines = vec![format!(
        "{}, {content_type}, {}",
        status(response.status),
        body.summary
    )];
    for name in SHOWN {
        if let Some(value) = header(response, name) {
            let shown: String = value.chars().take(MAX_HEADER_CHARS).collect();
            lines.push(format!("{name}: {shown}"));
        }
    }
    if !body.text.is_empty() {
        lines.push(String::new());
        lines.push(body.text);
    }
    Ok(lines.join("\n"))
}

/// Renders a request that is not sent, without the values of its secrets.
pub(crate) fn render_request(plan: &RequestPlan, request: &HttpRequest) -> String {
    let mut lines = vec![format!("would send {}", plan.describe()), String::new()];
    lines.push(format!("{} {}", request.method, request.url));
    let headers = request.headers.iter();
    lines.extend(headers.map(|(name, value)| format!("{name}: {value}")));
    if !request.body.is_empty() {
        let text = String::from_utf8_lossy(&request.body);
        lines.push(String::new());
        lines.push(text.chars().take(MAX_SHOWN).collect());
    }
    lines.join("\n")
}

fn show_body(
    response: &HttpResponse,
    content_type: &str,
    picked: Option<&str>,
) -> Result<ShownBody, String> {
    let bytes = &response.body;
    if bytes.is_empty() {
        let summary = "no body".to_owned();
        return Ok(ShownBody {
            summary,
            text: String::new(),
        });
    }
    let Some(text) = decode(bytes, content_type) else {
        let digest = Sha256::digest(bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>();
        let summary = format!(
            "{} bytes that are no text, sha256 {digest}; use `save_to` to get them",
            bytes.len()
        );
        return Ok(ShownBody {
            summary,
            text: String::new(),
        });
    };
    let is_json = content_type.contains("json")
        || picked.is_some()
        || text.trim_start().starts_with(['{', '[']);
    match serde_json::from_str::<Value>(&text) {
        Ok(value) if is_json => show_json(&value, bytes.len(), picked),
        Err(error) if picked.is_some() => Err(format!(
            "the answer is no JSON, so that nothing can be picked: {error}"
        )),
        _ => Ok(show_text(&text, bytes.len())),
    }
}

fn show_json(value: &Value, bytes: usize, picked: Option<&str>) -> Result<ShownBody, String> {
    let (value, what) = match picked {
        Some(pointer) => (pick::pick(value, pointer)?, format!("`{pointer}` of ")),
        None => (value.clone(), String::new()),
    };
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let total = text.chars().count();
    if total <= MAX_SHOWN {
        return Ok(ShownBody {
            summary: format!("{what}{bytes} bytes, shown whole"),
            text,
        });
    }
    let shown: String = text.chars().take(MAX_SHOWN).collect();
    let outline = pick::outline(&value);
    Ok(ShownBody {
        summary: format!(
            "{what}{bytes} bytes, the first {MAX_SHOWN} of {total} characters shown; name a part with `pick`, or use `save_to`"
        ),
        text: format!("outline:\n{outline}\n\n{shown}"),
    })
}

fn show_text(text: &str, bytes: usize) -> ShownBody {
    let total = text.chars().count();
    if total <= MAX_SHOWN {
        return ShownBody {
            summary: format!("{bytes} bytes, shown whole"),
            text: text.to_owned(),
        };
    }
    ShownBody {
        summary: format!(
            "{bytes} bytes, the first {MAX_SHOWN} of {total} characters shown; use `save_to` and `read_file` for the rest"
        ),
        text: text.chars().take(MAX_SHOWN).collect(),
    }
}

/// Decodes a text of the named charset, or of UTF-8; `None` if it is no text.
fn decode(bytes: &[u8], content_type: &str) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return (!text.contains('\0')).then(|| text.to_owned());
    }
    let (_, charset) = content_type
        .to_ascii_lowercase()
        .split_once("charset=")
        .map(|(a, b)| (a.to_owned(), b.to_owned()))?;
    let label = charset
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .trim_matches('"')
        .to_owned();
    let encoding = encoding_rs::Encoding::for_label(label.as_bytes())?;
    let (text, _, is_wrong) = encoding.decode(bytes);
    (!is_wrong).then(|| text.into_owned())
}

/// Returns the value of a header.
pub(crate) fn header<'r>(response: &'r HttpResponse, name: &str) -> Option<&'r str> {
    let mut headers = response.headers.iter();
    let found = headers.find(|(own, _)| own.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

fn status(code: u16) -> String {
    let words = match code {
        200 => " OK",
        201 => " Created",
        202 => " Accepted",
        204 => " No Content",
        304 => " Not Modified",
        400 => " Bad Request",
        401 => " Unauthorized",
        403 => " Forbidden",
        404 => " Not Found",
        405 => " Method Not Allowed",
        409 => " Conflict",
        410 => " Gone",
        422 => " Unprocessable Content",
        429 => " Too Many Requests",
        500 => " Internal Server Error",
        502 => " Bad Gateway",
        503 => " Service Unavailable",
        504 => " Gateway Timeout",
        _ => "",
    };
    format!("{code}{words}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(content_type: &str, body: &[u8]) -> HttpResponse {
        let mut response = HttpResponse::new(200, body);
        response
            .headers
            .push(("content-type".into(), content_type.into()));
        response
    }

    #[test]
    fn the_first_line_says_how_much_is_shown() {
        let json = render(
            &response("application/json", b"{\"a\":[1,2]}"),
            Some("/a"),
            None,
        )
        .unwrap();
        assert_eq!(
            json,
            "200 OK, application/json, `/a` of 11 bytes, shown whole\n\n[\n  1,\n  2\n]"
        );
        let long = render(&response("text/plain", &b"ab ".repeat(10_000)), None, None).unwrap();
        assert!(
            long.starts_with(
                "200 OK, text/plain, 30000 bytes, the first 12000 of 30000 characters shown"
            ),
            "{}",
            &long[..100]
        );
        let latin = render(
            &response("text/plain; charset=iso-8859-1", b"caf\xe9"),
            None,
            None,
        )
        .unwrap();
        assert!(latin.ends_with("café"), "{latin}");
        let bytes = render(&response("image/png", b"\x89PNG\0"), None, None).unwrap();
        assert!(
            bytes.starts_with("200 OK, image/png, 5 bytes that are no text, sha256 "),
            "{bytes}"
        );
        assert!(render(&response("text/plain", b"no"), Some("/a"), None).is_err());
    }
}
