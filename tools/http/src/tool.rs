//! The tool.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use helve::capability::{HttpRequest, HttpResponse};
use helve::prelude::*;
use helve::sandbox::{FsError, WriteCondition};
use helve::tool::CheckReport;
use serde_json::Value;

use crate::body::BodyArguments;
use crate::error::SendError;
use crate::method::HttpMethod;
use crate::plan::{RequestArguments, RequestPlan};
use crate::report::ShownBody;
use crate::settings::{HttpRequestSettings, check_settings};
use crate::{error, permission, report};

/// Sends one HTTP request, and returns the status, some headers and the body.
///
/// For APIs: to read a web page as text, another tool is better where there is one. Name a preset for a service that the
/// user has set up; its credentials are added for you, and `url` is then a path below its base. A status such as 404 is a
/// result and no error; a redirect is not followed. Use `pick` to get a part of a long JSON answer, and `save_to` for files.
#[tool(
    title = "HTTP request",
    open_world,
    untrusted_output,
    requires(net, fs),
    check = judge,
    config_check = check_settings,
    examples = [
        r#"{"url": "https://api.example.com/v1/items?limit=5", "pick": "/items/*/name"}"#,
        r#"{"method": "POST", "preset": "tracker", "url": "issues", "json": {"title": "It fails"}}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "they are those of a request")]
pub async fn http_request(
    /// The absolute URL, or a path below the base of the preset.
    #[arg(example = "https://api.example.com/v1/items")]
    url: &str,
    /// The method.
    #[arg(default)]
    method: HttpMethod,
    /// The name of a preset of the settings.
    preset: Option<&str>,
    /// Parameters that are added to the query.
    query: Option<BTreeMap<String, String>>,
    /// Headers. A value may end with `{{secret:NAME}}`, for a secret that the settings grant.
    headers: Option<BTreeMap<String, String>>,
    /// The body as JSON.
    json: Option<Value>,
    /// The body as text.
    text: Option<&str>,
    /// The body as fields of a form.
    form: Option<BTreeMap<String, String>>,
    /// The path of a file that is the body.
    file: Option<&str>,
    /// A JSON pointer to the part of the answer to return; `*` stands for every item.
    #[arg(example = "/items/*/name")]
    pick: Option<&str>,
    /// The path of a new file for the body of the answer, which is then not shown.
    save_to: Option<&str>,
    /// The time limit in seconds.
    #[arg(default = 30, min = 1, max = 60)]
    timeout_s: u64,
    _settings: Option<&HttpRequestSettings>,
    cx: &ToolContext,
) -> Result<String, ToolError> {
    let arguments = RequestArguments {
        method,
        url,
        preset,
        query: query.as_ref(),
        headers: headers.as_ref(),
        body: BodyArguments {
            json: json.as_ref(),
            text,
            form: form.as_ref(),
            file,
        },
    };
    // What was judged is what is sent.
    let plan = match cx.check_value::<Result<RequestPlan, String>>() {
        Some(judged) => judged.clone(),
        None => RequestPlan::new(cx, arguments),
    };
    let plan = plan.map_err(ToolError::failed)?;
    let request = request(&plan, cx).await?;
    if cx.is_dry_run() {
        return Ok(report::render_request(&plan, &request));
    }
    if let Some(path) = save_to {
        check_absent(cx, path).await?;
    }
    cx.progress()
        .message(format!("sending {}", plan.describe()));
    let response = send(request, timeout_s, cx).await;
    let response = response.map_err(|error| error::describe(&error, plan.method))?;
    let saved_to = save_to.filter(|_| (200..300).contains(&response.status));
    // What a redirect leads to is not there yet.
    let pick = pick.filter(|_| !(300..400).contains(&response.status));
    let body = match saved_to {
        None => ShownBody::new(&response, pick),
        Some(path) => match save(cx, path, &response).await {
            Ok(()) => Ok(ShownBody::saved(&response, path)),
            // The request was sent: its answer is not lost with the file.
            Err(error) => Ok(ShownBody::not_saved(&response, path, &error)),
        },
    };
    let body = match body {
        Err(why) if plan.method.only_reads() => return Err(ToolError::failed(why)),
        // What was done is a result, and no reason to do it again.
        body => body.unwrap_or_else(|why| ShownBody::not_picked(&response, &why)),
    };
    Ok(report::render(&plan.url, &response, body))
}

/// Judges a call.
#[expect(clippy::too_many_arguments, reason = "they are those of the tool")]
fn judge(
    cx: &ToolContext,
    url: &str,
    method: &HttpMethod,
    preset: Option<&str>,
    query: &Option<BTreeMap<String, String>>,
    headers: &Option<BTreeMap<String, String>>,
    json: &Option<Value>,
    text: Option<&str>,
    form: &Option<BTreeMap<String, String>>,
    file: Option<&str>,
    _pick: Option<&str>,
    save_to: Option<&str>,
    _timeout_s: &u64,
) -> CheckReport {
    let arguments = RequestArguments {
        method: *method,
        url,
        preset,
        query: query.as_ref(),
        headers: headers.as_ref(),
        body: BodyArguments {
            json: json.as_ref(),
            text,
            form: form.as_ref(),
            file,
        },
    };
    permission::judge(cx, arguments, save_to)
}

/// Makes the request of a plan.
async fn request(plan: &RequestPlan, cx: &ToolContext) -> Result<HttpRequest, ToolError> {
    let mut request = HttpRequest::new(plan.method.as_str(), plan.url.as_str());
    request.headers.clone_from(&plan.headers);
    request.credentials.clone_from(&plan.credentials);
    let has = |request: &HttpRequest, name: &str| {
        request
            .headers
            .iter()
            .any(|(own, _)| own.eq_ignore_ascii_case(name))
    };
    let (body, content_type) = plan.body.load(cx).await?;
    request.body = body;
    if let Some(content_type) = content_type.filter(|_| !has(&request, "content-type")) {
        request
            .headers
            .push(("Content-Type".into(), content_type.into()));
    }
    let key = cx.idempotency_key().filter(|_| plan.sends_idempotency_key);
    if let Some(key) = key.filter(|_| !has(&request, "idempotency-key")) {
        request.headers.push(("Idempotency-Key".into(), key));
    }
    Ok(request)
}

/// Sends a request. It is never sent again, since the first one may have had an effect, and a redirect is not followed: what
/// was judged is the only request.
async fn send(
    mut request: HttpRequest,
    timeout_s: u64,
    cx: &ToolContext,
) -> Result<HttpResponse, SendError> {
    request.follow_redirects = false;
    let http = cx.http();
    let limit = Duration::from_secs(timeout_s);
    match tokio::time::timeout(limit, http.send(request)).await {
        Ok(sent) => sent.map_err(SendError::Failed),
        Err(_) => Err(SendError::TimedOut(timeout_s)),
    }
}

/// Checks that the file of an answer is not there, while nothing is sent. A folder that is not there either is created with
/// the file.
async fn check_absent(cx: &ToolContext, path: &str) -> Result<(), ToolError> {
    match cx.fs()?.metadata(Path::new(path)).await {
        Err(FsError::NotFound { .. }) => Ok(()),
        Err(error) => Err(error.into()),
        Ok(_) => Err(ToolError::failed(format!(
            "`{path}` exists, so that nothing was sent; give `save_to` a new path"
        ))),
    }
}

/// Writes the body of an answer to a new file.
async fn save(cx: &ToolContext, path: &str, response: &HttpResponse) -> Result<(), ToolError> {
    cx.fs()?
        .write(
            Path::new(path),
            response.body.clone(),
            WriteCondition::Absent,
        )
        .await?;
    Ok(())
}

/// Returns the toolset of `http_request`, with its settings: the table `[http_request]`.
#[must_use]
pub fn toolset() -> Toolset {
    toolset![http_request].settings::<HttpRequestSettings>("http_request")
}
