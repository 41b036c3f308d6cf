//! The request that a call makes: what is judged is what is sent.

use std::collections::BTreeMap;

use helve::ToolContext;
use helve::capability::Credential;
use url::Url;

use crate::body::{BodyArguments, RequestBody};
use crate::headers;
use crate::method::HttpMethod;
use crate::path_pattern;
use crate::settings::{HttpPreset, HttpRequestSettings};
use crate::target;

/// The arguments of a call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestArguments<'a> {
    pub(crate) method: HttpMethod,
    pub(crate) url: &'a str,
    pub(crate) preset: Option<&'a str>,
    pub(crate) query: Option<&'a BTreeMap<String, String>>,
    pub(crate) headers: Option<&'a BTreeMap<String, String>>,
    pub(crate) body: BodyArguments<'a>,
}

/// A request that is checked, but not sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequestPlan {
    pub(crate) method: HttpMethod,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) credentials: Vec<Credential>,
    pub(crate) body: RequestBody,
    pub(crate) sends_idempotency_key: bool,
}

impl RequestPlan {
    /// Makes the request of a call.
    pub(crate) fn new(cx: &ToolContext, arguments: RequestArguments<'_>) -> Result<Self, String> {
        let preset = arguments
            .preset
            .map(|name| find_preset(cx, name))
            .transpose()?;
        let mut url = match preset {
            Some(preset) => target::resolve_below(&preset.base()?, arguments.url)?,
            None => target::parse_absolute(arguments.url)?,
        };
        url.set_fragment(None);
        if let Some(query) = arguments.query.filter(|query| !query.is_empty()) {
            url.query_pairs_mut().extend_pairs(query);
        }
        let method = arguments.method;
        if let Some(preset) = preset {
            check_allowed(preset, method, &url)?;
        }
        let body = RequestBody::read(arguments.body)?;
        if !body.is_none() && !method.may_have_body() {
            return Err(format!(
                "a request with {} has no body; use POST, PUT or PATCH",
                method.as_str()
            ));
        }
        let none = BTreeMap::new();
        let mut read = headers::read(arguments.headers.unwrap_or(&none), &url)?;
        if let Some(preset) = preset {
            let own = |name: &str| {
                preset
                    .headers
                    .keys()
                    .any(|own| own.eq_ignore_ascii_case(name))
            };
            read.plain.retain(|(name, _)| !own(name));
            read.plain.extend(preset.headers.clone());
            read.credentials.extend(preset.credential());
        }
        let sends_key = preset.is_some_and(|preset| preset.idempotency_key);
        Ok(Self {
            method,
            url,
            headers: read.plain,
            credentials: read.credentials,
            body,
            sends_idempotency_key: sends_key && !method.only_reads(),
        })
    }

    /// Returns the names of the secrets.
    pub(crate) fn secrets(&self) -> Vec<&str> {
        let secrets = self
            .credentials
            .iter()
            .filter_map(|credential| match credential {
                Credential::Header(secret, ..)
                | Credential::Password(secret, _)
                | Credential::Query(secret, _) => Some(secret.name.as_str()),
                _ => None,
            });
        secrets.collect()
    }

    /// Says in one line what is sent where, without values of secrets.
    pub(crate) fn describe(&self) -> String {
        let mut parts = vec![format!(
            "{} {}",
            self.method.as_str(),
            target::display(&self.url)
        )];
        if let Some(query) = self.url.query() {
            parts.push(format!("with a query of {} bytes", query.len()));
        }
        parts.extend(self.body.describe().map(|body| format!("with {body}")));
        let secrets: Vec<String> = self
            .secrets()
            .iter()
            .map(|name| format!("`{name}`"))
            .collect();
        if !secrets.is_empty() {
            let noun = if secrets.len() == 1 {
                "secret"
            } else {
                "secrets"
            };
            parts.push(format!("with the {noun} {}", secrets.join(", ")));
        }
        parts.join(", ")
    }

    /// Returns the host, with the port if it is not that of the scheme.
    pub(crate) fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

fn find_preset<'c>(cx: &'c ToolContext, name: &str) -> Result<&'c HttpPreset, String> {
    let settings = cx.state::<HttpRequestSettings>();
    let presets = settings.map(|settings| &settings.presets);
    let found = presets.and_then(|presets| presets.get(name));
    found.ok_or_else(|| {
        let names = presets
            .into_iter()
            .flatten()
            .map(|(name, _)| format!("`{name}`"));
        let names: Vec<String> = names.collect();
        let known = match &*names {
            [] => "the settings have none".to_owned(),
            names => format!("the settings have {}", names.join(", ")),
        };
        format!("there is no preset `{}`: {known}", name.escape_debug())
    })
}

/// Checks the list of requests of a preset.
fn check_allowed(preset: &HttpPreset, method: HttpMethod, url: &Url) -> Result<(), String> {
    let allows = |rule: &String| match rule.trim().split_once(char::is_whitespace) {
        Some((own, path)) => method.is_named(own) && path_pattern::matches(path.trim(), url),
        None => path_pattern::matches(rule.trim(), url),
    };
    if preset.allow.is_empty() || preset.allow.iter().any(allows) {
        return Ok(());
    }
    Err(format!(
        "the preset does not allow {} {}; it allows {}",
        method.as_str(),
        url.path(),
        preset.allow.join(", ")
    ))
}
