//! What the model reads of an answer.

use encoding_rs::{Encoding, UTF_8};
use helve::ToolError;
use helve::capability::{HttpRequest, HttpResponse};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use url::Url;

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

/// The most characters of addresses in headers, which are of no use in part: those of the longest URL.
const MAX_ADDRESS_CHARS: usize = 16 << 10;

/// A body as it is shown.
pub(crate) struct ShownBody {
    /// What it is, and how much of it is shown.
    summary: String,
    text: String,
}

impl ShownBody {
    /// Shows a body, or a part of it.
    ///
    /// # Errors
    /// When the body has no such part.
    pub(crate) fn new(response: &HttpResponse, picked: Option<&str>) -> Result<Self, String> {
        show_body(response, &content_type(response), picked)
    }

    pub(crate) fn saved(response: &HttpResponse, path: &str) -> Self {
        Self {
            summary: format!("{} bytes, saved in `{path}`", response.body.len()),
            text: String::new(),
        }
    }

    /// Shows a body that could not be written.
    pub(crate) fn not_saved(response: &HttpResponse, path: &str, error: &ToolError) -> Self {
        let why = format!(
            "the request was sent and answered; `{path}` was not written: {}",
            error.to_string().escape_debug()
        );
        Self::without_part(response, &why)
    }

    /// Shows a body that does not have the part that was wanted.
    pub(crate) fn not_picked(response: &HttpResponse, why: &str) -> Self {
        Self::without_part(response, &format!("the request was carried out; {why}"))
    }

    fn without_part(response: &HttpResponse, why: &str) -> Self {
        // Without a part, every body can be shown.
        let mut shown = Self::new(response, None).unwrap_or_else(|_| Self::empty());
        shown.summary = format!("{}; {why}", shown.summary);
        shown
    }

    fn empty() -> Self {
        Self {
            summary: "no body".to_owned(),
            text: String::new(),
        }
    }
}

/// Renders an answer: the status, what the body is and how much of it follows, some headers, and the body.
pub(crate) fn render(url: &Url, response: &HttpResponse, body: ShownBody) -> String {
    let mut lines = vec![format!(
        "{}, {}, {}",
        status(response.status),
        content_type(response),
        body.summary
    )];
    for name in SHOWN {
        if let Some(value) = joined_headers(response, name) {
            let most = match name {
                "link" | "location" => MAX_ADDRESS_CHARS,
                _ => MAX_HEADER_CHARS,
            };
            lines.push(format!("{name}: {}", cut(&value, most)));
        }
    }
    if (300..400).contains(&response.status)
        && let Some(target) = header(response, "location")
    {
        let target = url
            .join(target)
            .map_or_else(|_| "no URL".to_owned(), String::from);
        let target = cut(&target, MAX_ADDRESS_CHARS);
        lines.push(format!(
            "(the redirect was not followed; it leads to {target})"
        ));
    }
    if !body.text.is_empty() {
        lines.push(String::new());
        lines.push(body.text);
    }
    lines.join("\n")
}

/// Returns the beginning of a text, and says how long the text is if that is not all.
fn cut(text: &str, most: usize) -> String {
    let total = text.chars().count();
    if total <= most {
        return text.to_owned();
    }
    let shown: String = text.chars().take(most).collect();
    format!("{shown}… ({total} characters)")
}

/// Renders a request that is not sent, without the values of its secrets.
pub(crate) fn render_request(plan: &RequestPlan, request: &HttpRequest) -> String {
    let mut lines = vec![format!("would send {}", plan.describe()), String::new()];
    lines.push(format!("{} {}", request.method, request.url));
    let headers = request.headers.iter();
    lines.extend(headers.map(|(name, value)| format!("{name}: {value}")));
    if !request.body.is_empty() {
        let text = String::from_utf8_lossy(&request.body);
        let total = text.chars().count();
        lines.push(String::new());
        if total > MAX_SHOWN {
            lines.push(format!("(the first {MAX_SHOWN} of {total} characters)"));
        }
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
        return Ok(ShownBody::empty());
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

/// Decodes a text by its byte order mark, its named charset or as UTF-8; `None` if it is no text.
fn decode(bytes: &[u8], content_type: &str) -> Option<String> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = marked.or_else(|| charset(content_type)).unwrap_or(UTF_8);
    let (text, _, is_wrong) = encoding.decode(bytes);
    let text = match is_wrong {
        false => text.into_owned(),
        // The charset may be that of the server, and not that of the text.
        true => str::from_utf8(bytes).ok()?.to_owned(),
    };
    (!text.contains('\0')).then_some(text)
}

/// Returns the charset that a content type names.
fn charset(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let (_, label) = lower.split_once("charset=")?;
    let label = label.split(';').next().unwrap_or_default();
    Encoding::for_label(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// Returns the beginning of the content type.
fn content_type(response: &HttpResponse) -> String {
    let named = header(response, "content-type").unwrap_or("no content type");
    cut(named, MAX_HEADER_CHARS)
}

/// Returns the values of all headers of a name, as one list.
fn joined_headers(response: &HttpResponse, name: &str) -> Option<String> {
    let headers = response.headers.iter();
    let named = headers.filter(|(own, _)| own.eq_ignore_ascii_case(name));
    let values: Vec<&str> = named.map(|(_, value)| value.as_str()).collect();
    (!values.is_empty()).then(|| values.join(", "))
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
        301 => " Moved Permanently",
        302 => " Found",
        303 => " See Other",
        307 => " Temporary Redirect",
        308 => " Permanent Redirect",
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

    fn shown(response: &HttpResponse, picked: Option<&str>) -> Result<String, String> {
        let url = Url::parse("https://api.example.com/a").unwrap();
        let body = ShownBody::new(response, picked)?;
        Ok(render(&url, response, body))
    }

    #[test]
    fn the_first_line_says_how_much_is_shown() {
        let json = response("application/json", b"{\"a\":[1,2]}");
        assert_eq!(
            shown(&json, Some("/a")).unwrap(),
            "200 OK, application/json, `/a` of 11 bytes, shown whole\n\n[\n  1,\n  2\n]"
        );
        let long = shown(&response("text/plain", &b"ab ".repeat(10_000)), None).unwrap();
        assert!(
            long.starts_with(
                "200 OK, text/plain, 30000 bytes, the first 12000 of 30000 characters shown"
            ),
            "{}",
            &long[..100]
        );
        let bytes = shown(&response("image/png", b"\x89PNG\0"), None).unwrap();
        assert!(
            bytes.starts_with("200 OK, image/png, 5 bytes that are no text, sha256 "),
            "{bytes}"
        );
        assert!(shown(&response("text/plain", b"no"), Some("/a")).is_err());
    }

    #[test]
    fn a_body_is_decoded_by_what_its_header_says() {
        let wide: Vec<u8> = "{\"a\":1}"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let marked = [b"\xff\xfe", &*wide].concat();
        for (charset, bytes, expected) in [
            ("iso-8859-1", &b"caf\xe9"[..], "café"),
            ("\"UTF-16LE\"", &wide, "\"a\": 1"),
            ("iso-2022-jp", b"\x1b$B$\"\x1b(B", "あ"),
            ("utf-8", &marked, "\"a\": 1"),
            ("utf-8", b"\xef\xbb\xbf[1]", "[\n  1\n]"),
            // A server that names its usual charset.
            ("shift_jis", "à".as_bytes(), "à"),
            ("nonsense", "é".as_bytes(), "é"),
        ] {
            let answer = response(&format!("text/plain; charset={charset}"), bytes);
            let text = shown(&answer, None).unwrap();
            assert!(text.contains(expected), "{charset}: {text}");
        }
        let wide = response("text/plain", &wide);
        assert!(shown(&wide, None).unwrap().contains("no text"));
    }

    #[test]
    fn nothing_of_a_header_is_cut_without_a_word() {
        let mut answer = response("text/plain", b"");
        answer.status = 302;
        let target = format!("/b?{}", "c".repeat(1_000));
        for (name, value) in [
            ("Location", &*target),
            ("Link", "</a>; rel=first"),
            ("link", "</b>; rel=next"),
            ("etag", &"e".repeat(400)),
        ] {
            answer.headers.push((name.into(), value.into()));
        }
        let text = shown(&answer, None).unwrap();
        assert!(text.contains(&format!("location: {target}\n")), "{text}");
        let leads = format!("not followed; it leads to https://api.example.com{target})");
        assert!(text.contains(&leads), "{text}");
        assert!(
            text.contains("link: </a>; rel=first, </b>; rel=next\n"),
            "{text}"
        );
        assert!(text.contains("e… (400 characters)\n"), "{text}");
    }
}
