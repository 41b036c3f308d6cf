//! Requests to the API: with the token, within its limits, and never to another origin with it.

use std::time::Duration;

use helve::capability::{HttpRequest, HttpResponse, SecretRef};
use helve::prelude::*;
use helve::tool::Interruption;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::cache::EtagCache;
use crate::endpoint::Endpoint;
use crate::failure;
use crate::redirect::{self, ApiRepository, RedirectTarget};
use crate::repository::RepositoryName;
use crate::settings::{self, GithubHost};
use crate::text::one_line;
use crate::value::{flag, number, text};

/// The version of the API.
const API_VERSION: &str = "2022-11-28";

/// The form of an answer.
pub(crate) const JSON: &str = "application/vnd.github+json";
pub(crate) const RAW: &str = "application/vnd.github.raw+json";
/// JSON with the parts of texts that match a search.
pub(crate) const MATCHES: &str = "application/vnd.github.text-match+json";

/// How often a redirect within the API is followed.
const MAX_REDIRECTS: usize = 3;

/// The most seconds that a request waits before it is sent once more, where the API asks for that.
const MAX_WAIT: u64 = 5;

/// How long after a write the next one is sent: GitHub refuses those that follow faster.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// When the session wrote the last time.
#[derive(Debug, Default)]
struct LastWrite(Mutex<Option<Instant>>);

/// The API, for one call of a tool.
#[derive(Debug)]
pub(crate) struct Api<'c> {
    pub(crate) cx: &'c ToolContext,
    pub(crate) host: GithubHost,
    token: Option<&'static str>,
}

/// An answer of the API.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) body: Vec<u8>,
    /// Whether there is a further page of the list.
    pub(crate) has_next: bool,
}

impl Answer {
    /// Parses the answer.
    pub(crate) fn value(&self) -> Result<Value, ToolError> {
        if self.body.is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_slice(&self.body).map_err(|error| {
            ToolError::failed(format!("the answer of GitHub cannot be read: {error}"))
        })
    }
}

impl<'c> Api<'c> {
    /// Prepares requests with the settings and the token of a call.
    pub(crate) async fn new(cx: &'c ToolContext) -> Result<Self, ToolError> {
        let host = GithubHost::new(settings::settings(cx)).map_err(ToolError::failed)?;
        let token = settings::find_token(cx).await;
        Ok(Self { cx, host, token })
    }

    /// Reads JSON. `what` is what is asked for, in words.
    pub(crate) async fn read(&self, endpoint: &Endpoint, what: &str) -> Result<Value, ToolError> {
        self.get(endpoint, JSON, what).await?.value()
    }

    /// Reads something in a form; what is unchanged since the session read it is not sent again.
    pub(crate) async fn get(
        &self,
        endpoint: &Endpoint,
        form: &str,
        what: &str,
    ) -> Result<Answer, ToolError> {
        let url = endpoint.url(&self.host.api);
        let cache = self.cx.session_state().get_or_default::<EtagCache>();
        let key = format!("{form} {url}");
        let cached = cache.get(&key);
        let mut request = self.request("GET", &url, form);
        if let Some(cached) = &cached {
            request
                .headers
                .push(("If-None-Match".into(), cached.etag.clone()));
        }
        let mut response = self.send_within_api(request, what).await?;
        if let (304, Some(cached)) = (response.status, cached) {
            response = cached.response;
        } else {
            cache.put(&key, &response);
        }
        self.answer(response, &url, what)
    }

    /// Reads the log of a job, which the API redirects to a storage elsewhere: the token does not go there.
    pub(crate) async fn get_log(
        &self,
        endpoint: &Endpoint,
        what: &str,
    ) -> Result<Answer, ToolError> {
        let url = endpoint.url(&self.host.api);
        let request = self.request("GET", &url, JSON);
        let mut response = self.send_within_api(request, what).await?;
        if let Some(RedirectTarget::Elsewhere(storage)) =
            redirect::target(&response, &url, &self.host.api)
            && storage.scheme() == self.host.api.scheme()
        {
            let mut request = HttpRequest::new("GET", storage.as_str());
            request.follow_redirects = false;
            response = self.exchange(request, false).await?;
        }
        self.answer(response, &url, what)
    }

    /// Runs what writes: one call of the session at a time, each some time after the one before.
    pub(crate) async fn in_turn<T>(
        &self,
        writes: impl Future<Output = Result<T, ToolError>>,
    ) -> Result<T, ToolError> {
        let last_write = self.cx.session_state().get_or_default::<LastWrite>();
        let mut last = self.until_cancelled(last_write.0.lock()).await?;
        if let Some(last) = *last {
            self.until_cancelled(tokio::time::sleep_until(last + WRITE_INTERVAL))
                .await?;
        }
        let written = writes.await;
        *last = Some(Instant::now());
        written
    }

    /// Sends something that changes GitHub. It is sent once.
    pub(crate) async fn write(
        &self,
        method: &str,
        endpoint: &Endpoint,
        body: &Value,
        what: &str,
    ) -> Result<Value, ToolError> {
        let url = endpoint.url(&self.host.api);
        let mut request = self.request(method, &url, JSON);
        request
            .headers
            .push(("Content-Type".into(), "application/json".into()));
        request.body = body.to_string().into_bytes();
        let response = self.exchange(request, true).await?;
        if let Some(RedirectTarget::Api(to, Some(number))) =
            redirect::target(&response, &url, &self.host.api)
        {
            let name = self.moved_to(number).await?;
            let [before, now] = [&url, &to].map(|url| redirect::place(url, &self.host.api));
            let now = match (before, now) {
                (Some(before), Some(now)) if before.rest != now.rest => {
                    format!("{what} is now {}", describe_place(&name, &now.rest))
                }
                _ => format!("the repository is now `{name}`"),
            };
            return Err(ToolError::failed(format!(
                "{now}, and nothing was written; call again with that name"
            )));
        }
        self.answer(response, &url, what)?.value()
    }

    /// Checks that a redirect leads to the same thing in a repository that was renamed, and that the settings allow it. What
    /// is in another repository by now, as an issue that was transferred, has another name, and maybe other readers.
    async fn check_redirect(&self, from: &Url, to: &Url, what: &str) -> Result<(), ToolError> {
        let api = &self.host.api;
        let Some(target) = redirect::place(to, api) else {
            return Ok(());
        };
        let name = match &target.repository {
            ApiRepository::Number(number) => self.moved_to(*number).await?,
            ApiRepository::Name(name) => {
                settings::check_allowed(self.cx, name).map_err(ToolError::failed)?;
                name.clone()
            }
        };
        let is_same = match redirect::place(from, api) {
            Some(source) if source.repository == target.repository => true,
            Some(source) if source.rest == target.rest => {
                self.leads_to(&source.repository, &target.repository)
                    .await?
            }
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        let place = describe_place(&name, &target.rest);
        Err(ToolError::failed(format!(
            "GitHub moved {what} to another repository: {place}; call again with that name"
        )))
    }

    /// Reports whether a repository was renamed to another one.
    async fn leads_to(
        &self,
        source: &ApiRepository,
        target: &ApiRepository,
    ) -> Result<bool, ToolError> {
        let ApiRepository::Name(name) = source else {
            return Ok(false);
        };
        let url = name.endpoint([]).url(&self.host.api);
        let request = self.request("GET", &url, JSON);
        let response = self.exchange(request, false).await?;
        if let Some(RedirectTarget::Api(to, _)) = redirect::target(&response, &url, &self.host.api)
        {
            let found = redirect::place(&to, &self.host.api);
            return Ok(found.is_some_and(|found| found.repository == *target));
        }
        let value = self
            .answer(response, &url, &format!("the repository `{name}`"))?
            .value()?;
        Ok(number(&value, "/id").map(ApiRepository::Number).as_ref() == Some(target))
    }

    /// Returns the name of a repository that was found by its number, if the settings allow it.
    async fn moved_to(&self, number: u64) -> Result<RepositoryName, ToolError> {
        let endpoint = Endpoint::new(["repositories", &number.to_string()]);
        let url = endpoint.url(&self.host.api);
        let what = "the repository that was renamed";
        let response = self
            .exchange(self.request("GET", &url, JSON), false)
            .await?;
        let value = self.answer(response, &url, what)?.value()?;
        let name = RepositoryName::parse(text(&value, "/full_name")).map_err(ToolError::failed)?;
        settings::check_allowed(self.cx, &name).map_err(ToolError::failed)?;
        Ok(name)
    }

    /// Reports whether a repository is public.
    pub(crate) async fn is_public(&self, repository: &RepositoryName) -> Result<bool, ToolError> {
        let what = format!("the repository `{repository}`");
        let value = self.read(&repository.endpoint([]), &what).await?;
        Ok(!flag(&value, "/private"))
    }

    fn request(&self, method: &str, url: &Url, form: &str) -> HttpRequest {
        let mut request = HttpRequest::new(method, url.as_str());
        request.follow_redirects = false;
        request.headers.push(("Accept".into(), form.into()));
        request
            .headers
            .push(("X-GitHub-Api-Version".into(), API_VERSION.into()));
        if let Some(token) = self.token {
            let secret = SecretRef::new(token, self.host.api.as_str());
            request
                .credentials
                .push(secret.in_header("Authorization", "Bearer "));
        }
        request
    }

    /// Sends a request that reads, and follows redirects within the API.
    async fn send_within_api(
        &self,
        request: HttpRequest,
        what: &str,
    ) -> Result<HttpResponse, ToolError> {
        let mut request = request;
        for _ in 0..=MAX_REDIRECTS {
            let response = self.exchange(request.clone(), false).await?;
            let from = Url::parse(&request.url).ok();
            let Some(from) = from else {
                return Ok(response);
            };
            match redirect::target(&response, &from, &self.host.api) {
                Some(RedirectTarget::Api(url, _)) => {
                    self.check_redirect(&from, &url, what).await?;
                    request.url = url.to_string();
                }
                _ => return Ok(response),
            }
        }
        Err(ToolError::failed(format!(
            "GitHub redirects {what} again and again; gave up after {MAX_REDIRECTS} redirects"
        )))
    }

    /// Sends a request. One that reads is sent once more if the API asks for a short wait.
    async fn exchange(
        &self,
        request: HttpRequest,
        writes: bool,
    ) -> Result<HttpResponse, ToolError> {
        let http = self.cx.http();
        let mut may_wait = !writes;
        loop {
            let sent = self.until_cancelled(http.send(request.clone())).await;
            let sent = match sent {
                Err(_) if writes => return Err(Interruption::cancelled(true).into()),
                sent => sent?,
            };
            let response = sent.map_err(|error| failure::describe_unsent(error, writes))?;
            match failure::retry_after(&response) {
                Some(seconds) if may_wait && seconds <= MAX_WAIT => {
                    may_wait = false;
                    self.until_cancelled(tokio::time::sleep(Duration::from_secs(seconds)))
                        .await?;
                }
                _ => return Ok(response),
            }
        }
    }

    /// Waits for something until the call is cancelled.
    async fn until_cancelled<T>(&self, waited: impl Future<Output = T>) -> Result<T, ToolError> {
        tokio::select! {
            done = waited => Ok(done),
            () = self.cx.cancellation().cancelled() => Err(Interruption::cancelled(false).into()),
        }
    }

    fn answer(&self, response: HttpResponse, url: &Url, what: &str) -> Result<Answer, ToolError> {
        if !(200..300).contains(&response.status) {
            return Err(failure::describe(&response, what, self.token.is_some()));
        }
        Ok(Answer {
            has_next: redirect::has_next(&response, url),
            body: response.body,
        })
    }
}

/// Names something in a repository for the model, such as `acme/app#12`.
fn describe_place(repository: &RepositoryName, rest: &str) -> String {
    let mut segments = rest.split('/');
    match (segments.next(), segments.next().map(str::parse::<u64>)) {
        (Some("issues" | "pulls"), Some(Ok(number))) => format!("`{repository}#{number}`"),
        _ => format!("`{}` of `{repository}`", one_line(rest, 200)),
    }
}
