//! The settings, and what they lack.

use std::time::Duration;

use futures_util::FutureExt as _;
use helve::ToolContext;

use super::engine::SearchEngines;
use super::provider::Provider;

/// The address of the guide page.
pub(crate) const GUIDE: &str = "https://docs.rs/helve/latest/helve/guide/web_search/";

/// The settings of `web_search`.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct WebSearchSettings {
    /// The engine: tavily, exa, brave, searxng, or one of the program
    pub provider: Option<String>,
    /// The engines that are asked in turn where the one before gave no answer
    pub fallback: Vec<String>,
    /// The results of a search that does not say how many [default: 5]
    #[schemars(range(min = 1, max = 20))]
    pub max_results: Option<usize>,
    /// The seconds that an engine has for its answer [default: 20]
    #[schemars(range(min = 1, max = 120))]
    pub timeout: Option<u64>,
    /// The minutes for which a session uses the results of a search again; with 0 each call searches [default: 10]
    #[schemars(range(max = 1440))]
    pub cache_minutes: Option<u64>,
    /// Where the engines are, if not at their usual address
    pub base_url: SearchBaseUrls,
}

/// The addresses of the engines.
#[helve::data]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[serde(default)]
pub struct SearchBaseUrls {
    /// Of Tavily [default: `https://api.tavily.com`]
    pub tavily: Option<String>,
    /// Of Exa [default: `https://api.exa.ai`]
    pub exa: Option<String>,
    /// Of Brave [default: `https://api.search.brave.com`]
    pub brave: Option<String>,
    /// Of SearXNG, which has no usual address
    pub searxng: Option<String>,
}

impl WebSearchSettings {
    /// Returns how long the results of a search are used again.
    pub(crate) fn max_age(settings: Option<&Self>) -> Duration {
        let set = settings.and_then(|settings| settings.cache_minutes);
        Duration::from_mins(set.unwrap_or(10).min(1440))
    }
}

impl SearchBaseUrls {
    /// Returns the address of an engine.
    pub(crate) fn get(&self, provider: Provider) -> Option<&str> {
        let (set, usual) = match provider {
            Provider::Tavily => (&self.tavily, Some("https://api.tavily.com")),
            Provider::Exa => (&self.exa, Some("https://api.exa.ai")),
            Provider::Brave => (&self.brave, Some("https://api.search.brave.com")),
            Provider::Searxng => (&self.searxng, None),
        };
        set.as_deref().or(usual)
    }
}

/// Returns the names of the engines in the order in which they are asked.
pub(crate) fn engines(cx: &ToolContext) -> Vec<String> {
    let settings = cx.state::<WebSearchSettings>();
    let provider = settings.and_then(|settings| settings.provider.clone());
    let own = || cx.state::<SearchEngines>()?.first().map(str::to_owned);
    let mut names: Vec<String> = provider.or_else(own).into_iter().collect();
    for name in settings.map_or(&[][..], |settings| &settings.fallback) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

/// Returns what is missing: the `config_check` of the tool.
pub(crate) fn config_check(cx: &ToolContext) -> Result<(), String> {
    let names = engines(cx);
    if names.is_empty() {
        return Err(format!(
            "set `provider` in `[web_search]` of the settings to `tavily`, `exa`, `brave` or `searxng`: {GUIDE}"
        ));
    }
    let mut gaps = Vec::new();
    for name in &names {
        match gap(cx, name) {
            // One engine that can be asked is enough.
            None => return Ok(()),
            Some(gap) => gaps.push(gap),
        }
    }
    Err(format!("{}: {GUIDE}", gaps.join("; ")))
}

/// Returns what an engine lacks.
pub(crate) fn gap(cx: &ToolContext, name: &str) -> Option<String> {
    let engines = cx.state::<SearchEngines>();
    if engines.is_some_and(|engines| engines.get(name).is_some()) {
        return None;
    }
    let Some(provider) = Provider::from_name(name) else {
        return Some(format!(
            "`{name}` in `[web_search]` is no engine: use `tavily`, `exa`, `brave` or `searxng`"
        ));
    };
    let settings = cx.state::<WebSearchSettings>();
    let base = settings.map_or_else(
        || SearchBaseUrls::default().get(provider).map(str::to_owned),
        |settings| settings.base_url.get(provider).map(str::to_owned),
    );
    if base.is_none() {
        return Some(format!(
            "set `{name}` in `[web_search.base_url]` of the settings"
        ));
    }
    let secret = provider.secret()?;
    // A store that has to wait is asked when the tool is called.
    match cx.secrets().get(secret).now_or_never() {
        Some(Err(_)) => Some(format!("set `{secret}` in the environment")),
        _ => None,
    }
}
