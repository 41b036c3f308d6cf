//! `web_fetch`: the text of a web page.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use helve::prelude::*;
use helve::tool::Interruption;
use helve::transcript::{ContentBlock, Label, Source};

use crate::cache::{self, PageCache};
use crate::fetch::{self, FetchOutcome, Fetched};
use crate::job::{Form, PageRequest};
use crate::media::{self, ImageKind, Media};
use crate::settings::WebFetchSettings;
use crate::{header, permission, question, reading};

/// The greatest size of an image in bytes: in base64 it has the 5 MB that providers accept.
const MAX_IMAGE_BYTES: usize = 3_750_000;

/// The characters of a page that the small model reads.
const QUESTION_CHARS: usize = 60_000;

/// The characters for the lines above the text.
const HEADER_CHARS: usize = 1_500;

/// The form in which a page is returned.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PageFormat {
    /// Markdown, with the addresses of links.
    #[default]
    Markdown,
    /// Plain text.
    Text,
    /// As the server sent it.
    Raw,
}

impl From<PageFormat> for Form {
    fn from(format: PageFormat) -> Self {
        match format {
            PageFormat::Markdown => Self::Markdown,
            PageFormat::Text => Self::Plain,
            PageFormat::Raw => Self::Raw,
        }
    }
}

/// Fetches a web page and returns its content as Markdown; also JSON, feeds, plain text and images.
///
/// The first line says which part of the page the text is. A long page goes on with `start`; `find` shows only the places
/// that match. With `question`, another model reads the page and answers with quotes that are checked, which costs you
/// less. A redirect to another site is reported, and not followed.
#[tool(
    read_only,
    open_world,
    untrusted_output,
    title = "Fetch a web page",
    requires(net),
    timeout = "90s",
    check = permission::check,
    match_rule = permission::match_rule,
    suggest_rules = permission::suggest,
    examples = [
        r#"{"url": "https://example.com/guide"}"#,
        r#"{"url": "https://example.com/prices", "question": "What does the smallest plan cost?"}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of the model")]
pub async fn web_fetch(
    /// The address, with `https://`.
    #[arg(example = "https://example.com/guide", max_len = 16_000)]
    url: &str,
    /// A question about the page, which is answered instead of showing the page.
    #[arg(max_len = 2_000)]
    question: Option<&str>,
    /// A regular expression, without regard to case: shows the places that match.
    #[arg(max_len = 500)]
    find: Option<&str>,
    /// The part of the page to return: a CSS selector such as "main > table"; for JSON a pointer such as "/items/0"; for
    /// a PDF document pages such as "5-8".
    #[arg(max_len = 500)]
    selector: Option<&str>,
    /// The form of the text.
    #[arg(default)]
    format: PageFormat,
    /// The first character to return.
    #[arg(default = 0)]
    start: usize,
    /// The most characters to return.
    #[arg(min = 100, max = 200_000)]
    max_chars: Option<usize>,
    settings: Option<&WebFetchSettings>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    if cx.is_dry_run() {
        return Ok(ToolOutput::plain(fetch::describe(&fetch::parse(url)?)));
    }
    let (page, age) = match load(cx, url, WebFetchSettings::max_age(settings)).await? {
        Loaded::Page(page, age) => (page, age),
        Loaded::Elsewhere(output) => return Ok(output),
    };
    let final_url = page.url.as_str();
    let content_type = fetch::header(&page.response, "content-type").unwrap_or_default();
    let media = media::detect(content_type, &page.response.body);
    let output = match media {
        Media::Image(kind) => image(&page, kind)?,
        Media::Binary => return Err(no_text(&page)),
        media => {
            let asked = question.is_some();
            let usual = || match asked {
                true => QUESTION_CHARS,
                false => WebFetchSettings::max_chars(settings),
            };
            let wanted = max_chars.unwrap_or_else(usual);
            let request = PageRequest {
                url: final_url.to_owned(),
                media,
                charset: charset(content_type),
                form: format.into(),
                selector: selector.map(str::to_owned),
                find: find.map(str::to_owned),
                start,
                limit: if asked { wanted } else { wanted.min(room(cx)) },
                outlines: !asked && max_chars.is_none(),
            };
            text(cx, &page, &request, question).await?
        }
    };
    let age = cache::describe_age(age).map(|age| format!("[{age}]"));
    let output = age.into_iter().fold(output, ToolOutput::with_note);
    Ok(output.with_label(&label(final_url)))
}

/// A page, or where it is instead.
enum Loaded {
    /// The page, and how long ago it was fetched.
    Page(Arc<Fetched>, Duration),
    Elsewhere(ToolOutput),
}

/// Fetches a page, unless the session has it.
async fn load(cx: &ToolContext, url: &str, max_age: Duration) -> Result<Loaded, ToolError> {
    let url = fetch::parse(url)?;
    let asked = url.to_string();
    let pages = cx.session_state().get_or_default::<PageCache>();
    if let Some((page, age)) = pages.get(&asked, max_age, Instant::now()) {
        return Ok(Loaded::Page(page, age));
    }
    cx.progress()
        .message(format!("requesting {}", fetch::display(&url)));
    let outcome = tokio::select! {
        outcome = fetch::fetch(cx, url) => outcome?,
        () = cx.cancellation().cancelled() => {
            return Err(ToolError::Cancelled(Interruption::cancelled(false)));
        }
    };
    match outcome {
        FetchOutcome::Fetched(page) => {
            let page = Arc::new(page);
            check_encoding(&page)?;
            pages.put(&asked, &page, Instant::now());
            Ok(Loaded::Page(page, Duration::ZERO))
        }
        FetchOutcome::Elsewhere { from, to, status } => {
            let text = format!(
                "[{from}: status {status}, a redirect to another site, which was not followed]\nredirects to: {to}"
            );
            let output = ToolOutput::plain(text).with_label(&label(from.as_str()));
            Ok(Loaded::Elsewhere(output.with_note(
                "[call again with that address if it is where the page should be]",
            )))
        }
    }
}

/// Shows the text of a page, or answers a question about it.
async fn text(
    cx: &ToolContext,
    page: &Fetched,
    request: &PageRequest,
    question: Option<&str>,
) -> Result<ToolOutput, ToolError> {
    let body = page.response.body.clone();
    let (mut text, mut window) = reading::read(cx, body, request).await?;
    let mut notes = Vec::new();
    if let Some(question) = question {
        let header = header::render(page, &window);
        match question::ask(cx, question, &header, &text, &request.url).await? {
            Some(answer) => {
                text = answer.render();
                notes.push(answer.note());
            }
            None => {
                notes.push(
                    "[no model can answer `question` here: this is the text itself]".to_owned(),
                );
                // The model reads more than a result may have.
                let total = text.chars().count();
                if total > room(cx) {
                    text = text.chars().take(room(cx)).collect();
                    text.push('…');
                    notes.push(format!(
                        "[the first {} of {total} characters of what was found]",
                        room(cx)
                    ));
                }
                window.end = window.end.min(window.start.saturating_add(room(cx)));
            }
        }
    }
    let header = header::render(page, &window);
    notes.extend(header::next_step(&window));
    let output = ToolOutput::plain(format!("{header}\n\n{text}"));
    Ok(notes.into_iter().fold(output, ToolOutput::with_note))
}

/// Returns how many characters of text a result has room for.
fn room(cx: &ToolContext) -> usize {
    cx.result_budget().saturating_sub(HEADER_CHARS).max(100)
}

/// Shows an image.
fn image(page: &Fetched, kind: ImageKind) -> Result<ToolOutput, ToolError> {
    let (bytes, url) = (&page.response.body, &page.url);
    if bytes.len() > MAX_IMAGE_BYTES {
        return Err(ToolError::failed(format!(
            "`{url}` is an image of {} bytes, and at most {MAX_IMAGE_BYTES} can be shown",
            bytes.len()
        )));
    }
    let text = format!(
        "[{url}, {}: an image of {} bytes]",
        kind.mime_type(),
        bytes.len()
    );
    let image = ContentBlock::Image {
        data: STANDARD.encode(bytes),
        mime_type: kind.mime_type().to_owned(),
    };
    Ok(ToolOutput::blocks(vec![ContentBlock::Text { text }, image]))
}

fn no_text(page: &Fetched) -> ToolError {
    ToolError::failed(format!(
        "`{}` is {} of {} bytes (status {}), and not text; only pages, JSON, feeds, PDF documents, text and images are shown",
        page.url,
        header::content_type(page),
        page.response.body.len(),
        page.response.status
    ))
}

/// Refuses a response that is compressed in a way that was not asked for.
fn check_encoding(page: &Fetched) -> Result<(), ToolError> {
    let encoding = fetch::header(&page.response, "content-encoding").unwrap_or_default();
    let encoding = encoding.trim();
    if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") {
        return Ok(());
    }
    Err(ToolError::failed(format!(
        "`{}` is compressed ({encoding}), which was not asked for, and cannot be read",
        page.url
    )))
}

/// Returns the encoding that a type names.
fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let mut named = parameters.filter_map(|parameter| parameter.split_once('='));
    let (_, value) = named.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Some(value.trim().trim_matches(['"', '\'']).to_owned())
}

fn label(url: &str) -> Label {
    Label::from(Source::web("web_fetch", url))
}

/// Returns the toolset of [`web_fetch`](fn@web_fetch), with its settings, the table `[web_fetch]`.
#[must_use]
pub fn toolset() -> Toolset {
    helve::toolset![web_fetch].settings::<WebFetchSettings>("web_fetch")
}
