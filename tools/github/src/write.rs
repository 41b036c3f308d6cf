//! The tools that write, and what they have in common: the request is made before the user is asked, and is what is sent.

pub(crate) mod comment;
pub(crate) mod commit;
mod expected;
pub(crate) mod issue;
pub(crate) mod merge;
pub(crate) mod pull_request;
pub(crate) mod release;
pub(crate) mod rerun;
pub(crate) mod review;

use helve::prelude::*;
use helve::tool::{Check, CheckReport, Coverage};
use serde_json::{Map, Value};

use crate::client::Api;
use crate::endpoint::Endpoint;
use crate::repository::RepositoryName;
use crate::settings::{GithubHost, check_allowed, may_write, settings};

/// A request that changes GitHub, which is checked, but not sent.
#[derive(Debug, Clone)]
pub(crate) struct WriteRequest {
    repository: RepositoryName,
    method: &'static str,
    endpoint: Endpoint,
    body: Value,
    /// What it is about, for errors.
    what: String,
    /// What it does, for the question to the user.
    summary: String,
}

impl WriteRequest {
    /// Returns what a dry run shows; `None` if the request is to be sent.
    fn dry_run(&self, cx: &ToolContext) -> Result<Option<ToolOutput>, ToolError> {
        if !cx.is_dry_run() {
            return Ok(None);
        }
        let host = GithubHost::new(settings(cx)).map_err(ToolError::failed)?;
        let url = self.endpoint.url(&host.api);
        let body = serde_json::to_string_pretty(&self.body).unwrap_or_default();
        Ok(Some(ToolOutput::plain(format!(
            "dry run, nothing is sent: {}\n\n{} {url}\n{body}",
            self.summary, self.method
        ))))
    }

    /// Sends the request.
    async fn send(&self, api: &Api<'_>) -> Result<Value, ToolError> {
        self.send_after(api, async { Ok(()) }).await
    }

    /// Sends the request right after a check has found that it may be sent.
    async fn send_after(
        &self,
        api: &Api<'_>,
        check: impl Future<Output = Result<(), ToolError>>,
    ) -> Result<Value, ToolError> {
        let sending = async {
            check.await?;
            api.write(self.method, &self.endpoint, &self.body, &self.what)
                .await
        };
        api.in_turn(sending).await
    }
}

/// Parses the repository of a call that writes, which the call has to name.
fn repository(cx: &ToolContext, repo: &str) -> Result<RepositoryName, String> {
    let repository = RepositoryName::parse(repo)?;
    check_allowed(cx, &repository)?;
    if !may_write(cx) {
        return Err(
            "the settings let the tools for GitHub only read: `read_only` in `[github]`".to_owned(),
        );
    }
    Ok(repository)
}

/// Judges a call by what it does and where. A mistake in the arguments needs no question, since nothing is sent.
fn judge<T: Clone + Send + Sync + 'static>(
    planned: Result<T, String>,
    describe: impl Fn(&T) -> (RepositoryName, String),
) -> CheckReport {
    let (repository, summary) = match &planned {
        Ok(plan) => describe(plan),
        Err(_) => return CheckReport::from(Check::ReadOnly).with_value(planned),
    };
    let suggested = [repository.to_string(), format!("{}/*", repository.owner())];
    Check::ask(summary)
        .with_dry_run_diff()
        .with_suggested_rules(suggested)
        .with_rule_matcher(move |_, rule| Coverage::from(repository.matches(rule)))
        .with_value(planned)
}

/// Judges a call that sends one request.
fn judge_request(planned: Result<WriteRequest, String>) -> CheckReport {
    judge(planned, |request| {
        (request.repository.clone(), request.summary.clone())
    })
}

/// Returns what was judged; without a judgement it is made now.
fn planned<T: Clone + Send + Sync + 'static>(
    cx: &ToolContext,
    plan: impl FnOnce() -> Result<T, String>,
) -> Result<T, ToolError> {
    let judged = cx.check_value::<Result<T, String>>();
    judged
        .cloned()
        .unwrap_or_else(plan)
        .map_err(ToolError::failed)
}

/// Makes an object of the fields that are there.
fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Says how long a text is.
fn length(text: &str) -> String {
    match text.chars().count() {
        1 => "1 character".to_owned(),
        number => format!("{number} characters"),
    }
}
