//! What a search engine is asked, and what it answers.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use helve::ToolContext;
use helve::transcript::Cost;

/// How old a result may be.
#[helve::data]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    /// A day.
    Day,
    /// A week.
    Week,
    /// A month.
    Month,
    /// A year.
    Year,
}

impl Freshness {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Year => "year",
        }
    }
}

/// What is searched for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SearchQuery {
    /// The words.
    pub text: String,
    /// The greatest number of results: 1 to 20.
    pub count: usize,
    /// The page, from 1 on.
    pub page: usize,
    /// How old a result may be; `None` for any age.
    pub freshness: Option<Freshness>,
    /// The hosts of the results, with those below them; empty for all.
    pub domains: Vec<String>,
    /// The hosts that no result is from, with those below them.
    pub not_domains: Vec<String>,
}

impl SearchQuery {
    /// Creates a query for the first five results of any age and host; its fields are public.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            count: 5,
            page: 1,
            freshness: None,
            domains: Vec::new(),
            not_domains: Vec::new(),
        }
    }

    /// Returns the words with the operators `site:` and `-site:`, for engines that have no parameters for hosts.
    #[must_use]
    pub fn with_site_operators(&self) -> String {
        let sites: Vec<String> = self
            .domains
            .iter()
            .map(|host| format!("site:{host}"))
            .collect();
        let mut text = self.text.clone();
        match &*sites {
            [] => {}
            [site] => text = format!("{text} {site}"),
            sites => text = format!("{text} ({})", sites.join(" OR ")),
        }
        for host in &self.not_domains {
            text.push_str(" -site:");
            text.push_str(host);
        }
        text
    }
}

/// A result of a search.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchHit {
    /// The title, which may contain tags of HTML.
    pub title: String,
    /// The address of the page.
    pub url: String,
    /// Words of the page, which may contain tags of HTML.
    pub snippet: String,
    /// When the page was published, as the engine writes it.
    pub published: Option<String>,
    /// The engine behind the engine, if it names one.
    pub source: Option<String>,
    /// How well the result fits, on the engine's own scale.
    pub score: Option<f64>,
}

impl SearchHit {
    /// Creates a result from its address; its fields are public.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            ..Self::default()
        }
    }
}

/// What an engine answered.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct SearchAnswer {
    /// The results, the best one first.
    pub hits: Vec<SearchHit>,
    /// Whether there are more on the next page.
    pub has_more: bool,
    /// What the search cost, where the engine says so.
    pub cost: Option<Cost>,
    /// The credits that the search used, where the engine counts in credits.
    pub credits: Option<f64>,
    /// The engines behind the engine that did not answer, each with the reason.
    pub failed_engines: Vec<String>,
    /// What else the answer is not, such as as fresh as the query wants.
    pub remarks: Vec<String>,
}

impl SearchAnswer {
    /// Creates an answer without results; its fields are public.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Why an engine gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The engine lacks a setting or a key.
    #[error("not configured: {0}")]
    NotConfigured(String),
    /// The engine did not accept the query. Another engine is not asked.
    #[error("the query was refused: {0}")]
    Refused(String),
    /// The engine is not usable now, such as after too many requests. Another engine is asked.
    #[error("{0}")]
    Unavailable(String),
}

/// An engine that the program supplies, for `web_search`.
///
/// ```
/// # mod helve { pub use ::helve::*; pub mod tools { pub use helve_tools_web_search as web_search; } }
/// use helve::tools::web_search::{SearchAnswer, SearchEngine, SearchError, SearchHit, SearchQuery};
///
/// /// Searches the pages of a company.
/// #[derive(Debug)]
/// struct Intranet(Vec<(&'static str, &'static str)>);
///
/// impl SearchEngine for Intranet {
///     fn name(&self) -> &str {
///         "intranet"
///     }
///
///     fn search<'a>(
///         &'a self,
///         _cx: &'a helve::ToolContext,
///         query: &'a SearchQuery,
///     ) -> helve::BoxFuture<'a, Result<SearchAnswer, SearchError>> {
///         Box::pin(async move {
///             let mut answer = SearchAnswer::new();
///             let pages = self.0.iter().filter(|(_, text)| text.contains(&query.text));
///             answer.hits = pages.map(|(url, _)| SearchHit::new(*url)).collect();
///             Ok(answer)
///         })
///     }
/// }
/// ```
pub trait SearchEngine: Send + Sync + std::fmt::Debug {
    /// Returns the name, by which the settings choose the engine.
    fn name(&self) -> &str;

    /// Searches. The tool filters the results by host, cleans their texts and bounds the time.
    ///
    /// # Errors
    /// When the engine gives no answer. That it found nothing is no error.
    fn search<'a>(
        &'a self,
        cx: &'a ToolContext,
        query: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<SearchAnswer, SearchError>>;
}

/// The engines of the program, as state of the app. They are asked where the settings name them, and the first one of them
/// where the settings name no provider.
#[derive(Debug, Clone, Default)]
pub struct SearchEngines(Vec<Arc<dyn SearchEngine>>);

impl SearchEngines {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an engine.
    #[must_use]
    pub fn with(mut self, engine: impl SearchEngine + 'static) -> Self {
        self.0.push(Arc::new(engine));
        self
    }

    /// Returns the engine of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn SearchEngine>> {
        self.0.iter().find(|engine| engine.name() == name)
    }

    pub(crate) fn first(&self) -> Option<&str> {
        self.0.first().map(|engine| engine.name())
    }
}
