//! Asks the engines in turn.

use std::time::Duration;

use helve::capability::{CapabilityError, HttpResponse, SecretRef};
use helve::prelude::*;
use helve::tool::Interruption;
use serde::{Deserialize, Serialize};
use url::Url;

use super::cleanup::{self, PagePart};
use super::engine::{SearchAnswer, SearchEngines, SearchError, SearchQuery};
use super::provider::Provider;
use super::settings::{SearchBaseUrls, WebSearchSettings, gap};
use super::text::plain_text;

/// The seconds that an engine has where the settings do not say.
const DEFAULT_TIMEOUT: u64 = 20;
/// The greatest size of an answer, in bytes.
const MAX_ANSWER: usize = 2 << 20;
/// The most pages of an engine that are asked for one page of results.
const MAX_PAGES: usize = 4;
/// How long a search waits at most where an engine says when to ask again.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// The greatest length of what an engine says of an error, in characters.
const MAX_ERROR_CHARS: usize = 200;

/// An engine that gave no answer.
#[derive(Debug, Serialize)]
pub(crate) struct EngineFailure {
    pub(crate) engine: String,
    pub(crate) error: String,
}

/// The answer of the first engine that gave one.
#[derive(Debug)]
pub(crate) struct SearchOutcome {
    pub(crate) engine: String,
    pub(crate) answer: SearchAnswer,
    /// The engines that were asked before.
    pub(crate) failures: Vec<EngineFailure>,
}

/// Asks the engines in turn, until one answers.
pub(crate) async fn search(
    cx: &ToolContext,
    engines: &[String],
    query: &SearchQuery,
) -> Result<SearchOutcome, ToolError> {
    let mut failures: Vec<EngineFailure> = Vec::new();
    for engine in engines {
        let error = match ask_in_time(cx, engine, query).await? {
            Ok(answer) => {
                return Ok(SearchOutcome {
                    engine: engine.clone(),
                    answer,
                    failures,
                });
            }
            Err(error) => error,
        };
        let is_final = matches!(error, SearchError::Refused(_));
        failures.push(EngineFailure {
            engine: engine.clone(),
            error: error.to_string(),
        });
        if is_final {
            break;
        }
    }
    let failed: Vec<String> = failures
        .iter()
        .map(|failure| format!("{}: {}", failure.engine, failure.error))
        .collect();
    Err(ToolError::failed(format!(
        "the search gave no answer, which does not mean that there are no results: {}",
        failed.join("; ")
    )))
}

/// Asks an engine, within its time. The outer error ends the call.
async fn ask_in_time(
    cx: &ToolContext,
    engine: &str,
    query: &SearchQuery,
) -> Result<Result<SearchAnswer, SearchError>, ToolError> {
    let settings = cx.state::<WebSearchSettings>();
    let seconds = settings.and_then(|settings| settings.timeout);
    let limit = Duration::from_secs(seconds.unwrap_or(DEFAULT_TIMEOUT));
    tokio::select! {
        answer = tokio::time::timeout(limit, ask(cx, engine, query)) => match answer {
            Ok(answer) => answer,
            Err(_) => Ok(Err(SearchError::Unavailable(format!("no answer within {} s", limit.as_secs())))),
        },
        () = cx.cancellation().cancelled() => Err(Interruption::cancelled(false).into()),
    }
}

async fn ask(
    cx: &ToolContext,
    engine: &str,
    query: &SearchQuery,
) -> Result<Result<SearchAnswer, SearchError>, ToolError> {
    if let Some(gap) = gap(cx, engine) {
        return Ok(Err(SearchError::NotConfigured(gap)));
    }
    let own = cx
        .state::<SearchEngines>()
        .and_then(|engines| engines.get(engine));
    let (answer, part) = match (own, Provider::from_name(engine)) {
        (Some(own), _) => (own.search(cx, query).await, PagePart::First),
        (None, Some(provider)) => {
            let answer = match (provider.check_page(query), provider.page_part()) {
                (Err(error), _) => Err(error),
                (Ok(()), PagePart::OfWanted) => ask_for_pages(cx, provider, query).await?,
                (Ok(()), _) => ask_provider(cx, provider, query).await?,
            };
            (answer, provider.page_part())
        }
        (None, None) => (Err(unknown_engine(engine)), PagePart::First),
    };
    Ok(answer.and_then(|mut answer| {
        let was_empty = answer.hits.is_empty();
        if was_empty && !answer.failed_engines.is_empty() {
            let failed = plain_text(&answer.failed_engines.join(", "), MAX_ERROR_CHARS);
            return Err(SearchError::Unavailable(format!(
                "its engines failed: {failed}"
            )));
        }
        answer.has_more |= cleanup::clean(&mut answer, query, part);
        Ok(answer)
    }))
}

/// A name that `gap` would have reported.
fn unknown_engine(engine: &str) -> SearchError {
    SearchError::NotConfigured(format!("there is no engine `{engine}`"))
}

/// Asks an engine whose pages have any number of results for as many pages as the query needs.
async fn ask_for_pages(
    cx: &ToolContext,
    provider: Provider,
    query: &SearchQuery,
) -> Result<Result<SearchAnswer, SearchError>, ToolError> {
    let needed = query.page * query.count;
    let (mut all, mut found) = (SearchAnswer::new(), 0);
    for page in 1..=MAX_PAGES {
        let mut of_engine = query.clone();
        of_engine.page = page;
        let answer = match ask_provider(cx, provider, &of_engine).await? {
            Ok(answer) => answer,
            Err(error) if all.hits.is_empty() => return Ok(Err(error)),
            Err(error) => {
                all.remarks.push(format!("its page {page} failed: {error}"));
                return Ok(Ok(all));
            }
        };
        // What is left out of a week is no sign of the end.
        let is_empty = answer.hits.is_empty() && answer.remarks.is_empty();
        all.hits.extend(answer.hits);
        for (own, more) in [
            (&mut all.failed_engines, answer.failed_engines),
            (&mut all.remarks, answer.remarks),
        ] {
            let new = more.into_iter().filter(|one| !own.contains(one));
            let new: Vec<String> = new.collect();
            own.extend(new);
        }
        let before = std::mem::replace(&mut found, cleanup::count_wanted(&all.hits, query));
        if found >= needed {
            all.has_more = true;
            return Ok(Ok(all));
        }
        if found == before && (page > 1 || is_empty) {
            return Ok(Ok(all));
        }
    }
    if found > needed - query.count {
        return Ok(Ok(all));
    }
    Ok(Err(SearchError::Refused(format!(
        "{} gave {found} results on its first {MAX_PAGES} pages, and no further ones are asked for; search with other words",
        provider.name()
    ))))
}

async fn ask_provider(
    cx: &ToolContext,
    provider: Provider,
    query: &SearchQuery,
) -> Result<Result<SearchAnswer, SearchError>, ToolError> {
    let base = match base_url(cx, provider) {
        Ok(base) => base,
        Err(error) => return Ok(Err(error)),
    };
    let mut has_waited = false;
    loop {
        let response = match send(cx, provider, &base, query).await {
            Ok(response) => response,
            Err(error) => return classify(error),
        };
        let wait = retry_after(&response).filter(|_| response.status == 429 && !has_waited);
        match wait {
            Some(wait) => {
                has_waited = true;
                tokio::time::sleep(wait).await;
            }
            None => return Ok(read(provider, &response, query)),
        }
    }
}

fn base_url(cx: &ToolContext, provider: Provider) -> Result<Url, SearchError> {
    let name = provider.name();
    let settings = cx.state::<WebSearchSettings>();
    let usual = SearchBaseUrls::default();
    let urls = settings.map_or(&usual, |settings| &settings.base_url);
    let missing = || SearchError::NotConfigured(format!("`{name}` has no address"));
    let text = urls.get(provider).ok_or_else(missing)?;
    let url = Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| {
        SearchError::NotConfigured(format!(
            "`{name}` in `[web_search.base_url]` is no address of the web; write `https://…`"
        ))
    })
}

/// Sends a search with the key of the engine, which the HTTP client alone reads, sends to this address alone and masks in
/// the answer.
async fn send(
    cx: &ToolContext,
    provider: Provider,
    base: &Url,
    query: &SearchQuery,
) -> Result<HttpResponse, CapabilityError> {
    let mut request = provider.request(base, query);
    if let Some(secret) = provider.secret() {
        let key = provider.key_header();
        let credential = SecretRef::new(secret, base.as_str()).in_header(key.name, key.prefix);
        request.credentials.push(credential);
    }
    cx.http().send(request).await
}

/// Decides whether another engine is asked: not where the tool was refused what it needs.
fn classify(error: CapabilityError) -> Result<Result<SearchAnswer, SearchError>, ToolError> {
    match &error {
        CapabilityError::Refused(refusal) => {
            Ok(Err(SearchError::NotConfigured(refusal.to_string())))
        }
        _ => {
            let error = ToolError::from(error).to_string();
            Ok(Err(SearchError::Unavailable(plain_text(
                &error,
                2 * MAX_ERROR_CHARS,
            ))))
        }
    }
}

fn retry_after(response: &HttpResponse) -> Option<Duration> {
    let mut headers = response.headers.iter();
    let (_, value) = headers.find(|(name, _)| name.eq_ignore_ascii_case("retry-after"))?;
    let wait = Duration::from_secs(value.trim().parse().ok()?);
    (wait <= MAX_WAIT).then_some(wait)
}

fn read(
    provider: Provider,
    response: &HttpResponse,
    query: &SearchQuery,
) -> Result<SearchAnswer, SearchError> {
    if response.body.len() > MAX_ANSWER {
        return Err(SearchError::Unavailable(format!(
            "the answer has more than {} MiB",
            MAX_ANSWER >> 20
        )));
    }
    match response.status {
        200..=299 => provider.read(&response.body, query),
        status => Err(provider.error(status, &error_message(&response.body))),
    }
}

/// The messages of errors, in the forms of the engines.
#[derive(Deserialize)]
#[serde(untagged)]
enum ErrorMessage {
    Text(String),
    Object {
        #[serde(alias = "error", alias = "detail")]
        message: Box<Self>,
    },
}

impl ErrorMessage {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Object { message } => message.text(),
        }
    }
}

/// Returns what a response says of an error.
fn error_message(body: &[u8]) -> String {
    let head = &body[..body.len().min(16 << 10)];
    let text = String::from_utf8_lossy(head);
    match serde_json::from_str::<ErrorMessage>(&text) {
        Ok(message) => plain_text(message.text(), MAX_ERROR_CHARS),
        Err(_) => plain_text(&text, MAX_ERROR_CHARS),
    }
}
