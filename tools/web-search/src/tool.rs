//! The tool.

use std::time::Instant;

use helve::prelude::*;

use super::engine::{Freshness, SearchQuery};
use super::settings::{WebSearchSettings, config_check, engines};
use super::{report, search};

/// The number of results where neither the call nor the settings say.
const DEFAULT_COUNT: usize = 5;

/// Searches the web, and returns titles, addresses and snippets.
///
/// Read a page before you rely on it: a snippet is a few words of it. The first line says which engine answered, and
/// whether others failed. A search that gave no answer is an error, and not the same as no results.
#[tool(
    read_only,
    open_world,
    title = "Search the web",
    untrusted_output,
    cached,
    requires(net, secrets("TAVILY_API_KEY", "EXA_API_KEY", "BRAVE_API_KEY")),
    config_check = config_check,
    examples = [
        r#"{"query": "rust async cancellation safety"}"#,
        r#"{"query": "tokio select", "domains": ["docs.example.com"], "freshness": "year", "count": 10}"#
    ]
)]
#[expect(clippy::too_many_arguments, reason = "the model sees each of them")]
pub async fn web_search(
    /// The words, as for a search engine.
    #[arg(min_len = 2, max_len = 400, example = "rust async cancellation safety")]
    query: &str,
    /// How many results to return.
    #[arg(min = 1, max = 20)]
    count: Option<usize>,
    /// Which page of results.
    #[arg(default = 1, min = 1, max = 10)]
    page: usize,
    /// How old a result may be.
    freshness: Option<Freshness>,
    /// Only results of these hosts and those below them, such as `docs.example.com`.
    #[arg(default, max_len = 10)]
    domains: Vec<String>,
    /// No results of these hosts and those below them.
    #[arg(default, max_len = 10)]
    not_domains: Vec<String>,
    settings: Option<&WebSearchSettings>,
    cx: &ToolContext,
) -> Result<ToolOutput, ToolError> {
    let configured = settings.and_then(|settings| settings.max_results);
    let mut wanted = SearchQuery::new(query.trim());
    wanted.count = count.or(configured).unwrap_or(DEFAULT_COUNT).clamp(1, 20);
    wanted.page = page;
    wanted.freshness = freshness;
    wanted.domains = hosts(domains)?;
    wanted.not_domains = hosts(not_domains)?;
    let engines = engines(cx);
    if cx.is_dry_run() {
        let engine = engines.first().map_or("no engine", String::as_str);
        return Ok(ToolOutput::plain(format!(
            "dry run, nothing is sent: would ask {engine} for `{}`",
            wanted.with_site_operators()
        )));
    }
    let until = Instant::now() + WebSearchSettings::max_age(settings);
    let outcome = search::search(cx, &engines, &wanted).await?;
    // The same search costs nothing for a while.
    cx.reads("the web", true, move || Instant::now() < until);
    report::report(&wanted, &outcome)
}

/// Checks that names are those of hosts: what a model writes there becomes part of the query.
fn hosts(names: Vec<String>) -> Result<Vec<String>, ToolError> {
    for name in &names {
        let is_host = (1..=253).contains(&name.len())
            && name.split('.').all(|label| {
                !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-')
            });
        if !is_host {
            return Err(ToolError::failed(format!(
                "`{}` is not the name of a host; write it as in `docs.example.com`, without a scheme and a path",
                name.escape_debug()
            )));
        }
    }
    Ok(names)
}

/// Returns the toolset of [`web_search`](fn@web_search), with its settings, the table `[web_search]`.
#[must_use]
pub fn toolset() -> Toolset {
    helve::toolset![web_search].settings::<WebSearchSettings>("web_search")
}
