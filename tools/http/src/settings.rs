//! The settings of the tool: the table `[http_request]`.

use std::collections::BTreeMap;

use helve::ToolContext;
use helve::capability::{Credential, SecretRef};
use url::Url;

use crate::target::parse_base;

/// The address of the guide page.
const GUIDE: &str = "https://docs.rs/helve/latest/helve/guide/http/";

/// The settings of `http_request`.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct HttpRequestSettings {
    /// The bases of services, by the names that the model uses.
    pub presets: BTreeMap<String, HttpPreset>,
}

/// The base of a service, and what is sent with each request to it.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct HttpPreset {
    /// The URL that the URLs of requests are relative to, and stay below
    pub base_url: String,
    /// The secret that is sent to the origin of the base, by its name in `[tools.http_request.secrets]`
    pub secret: Option<String>,
    /// How the secret is sent
    pub auth: HttpAuth,
    /// The user of `basic`, or the name of the header or of the parameter of the query
    pub auth_name: Option<String>,
    /// The only requests, as `METHOD /path`, in which `*` stands for a part of a segment and `**` for any segments [default: all]
    pub allow: Vec<String>,
    /// The headers of each request
    pub headers: BTreeMap<String, String>,
    /// Whether requests that change something have the header `Idempotency-Key`, the same at each attempt
    pub idempotency_key: bool,
}

/// How a secret is sent.
#[helve::data]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum HttpAuth {
    /// In the header `Authorization`, as a bearer token.
    #[default]
    Bearer,
    /// As the password of a user.
    Basic,
    /// As the value of a header.
    Header,
    /// As a parameter of the query.
    Query,
}

impl HttpPreset {
    /// Returns the base, whose path ends with a slash.
    pub(crate) fn base(&self) -> Result<Url, String> {
        parse_base(&self.base_url)
    }

    /// Returns the secret of the preset, bound to the origin of its base.
    pub(crate) fn credential(&self) -> Option<Credential> {
        let secret = SecretRef::new(self.secret.clone()?, self.base_url.clone());
        let name = self.auth_name.clone();
        Some(match self.auth {
            HttpAuth::Bearer => secret.in_header("Authorization", "Bearer "),
            HttpAuth::Basic => secret.as_password(name.unwrap_or_default()),
            HttpAuth::Header => secret.in_header(name.as_deref().unwrap_or("X-Api-Key"), ""),
            HttpAuth::Query => secret.in_query(name.as_deref().unwrap_or("key")),
        })
    }
}

/// Checks the presets.
pub(crate) fn check_settings(cx: &ToolContext) -> Result<(), String> {
    let Some(settings) = cx.state::<HttpRequestSettings>() else {
        return Ok(());
    };
    for (name, preset) in &settings.presets {
        let base = preset.base();
        base.map_err(|why| format!("`http_request.presets.{name}.base_url`: {why}: {GUIDE}"))?;
    }
    Ok(())
}
