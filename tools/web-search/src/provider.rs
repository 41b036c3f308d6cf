//! The engines that are built in: what each is asked, and how its answer is read.

mod brave;
mod exa;
mod searxng;
mod tavily;
mod wire;

use helve::capability::HttpRequest;
use url::Url;

use super::cleanup::PagePart;
use super::engine::{SearchAnswer, SearchError, SearchQuery};

/// The greatest number of results of an answer that are looked at.
const MAX_HITS: usize = 200;

/// An engine that is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Provider {
    Tavily,
    Exa,
    Brave,
    Searxng,
}

/// How the key of an engine is sent.
pub(crate) struct KeyHeader {
    /// The name of the header.
    pub(crate) name: &'static str,
    /// What the value begins with.
    pub(crate) prefix: &'static str,
}

impl Provider {
    pub(crate) const ALL: [Self; 4] = [Self::Tavily, Self::Exa, Self::Brave, Self::Searxng];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tavily => "tavily",
            Self::Exa => "exa",
            Self::Brave => "brave",
            Self::Searxng => "searxng",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|provider| provider.name() == name)
    }

    /// Returns the name of the secret that is the key; `None` if the engine needs none.
    pub(crate) fn secret(self) -> Option<&'static str> {
        match self {
            Self::Tavily => Some("TAVILY_API_KEY"),
            Self::Exa => Some("EXA_API_KEY"),
            Self::Brave => Some("BRAVE_API_KEY"),
            Self::Searxng => None,
        }
    }

    /// Returns the header of the key.
    pub(crate) fn key_header(self) -> KeyHeader {
        let (name, prefix) = match self {
            Self::Tavily => ("authorization", "Bearer "),
            Self::Exa | Self::Searxng => ("x-api-key", ""),
            Self::Brave => ("x-subscription-token", ""),
        };
        KeyHeader { name, prefix }
    }

    /// Returns which part of its answer a page is.
    pub(crate) fn page_part(self) -> PagePart {
        match self {
            Self::Tavily | Self::Exa => PagePart::OfList,
            Self::Brave => PagePart::First,
            Self::Searxng => PagePart::OfWanted,
        }
    }

    /// Checks that the engine has the page.
    pub(crate) fn check_page(self, query: &SearchQuery) -> Result<(), SearchError> {
        let most = match self {
            Self::Tavily => tavily::MOST,
            Self::Exa => exa::MOST,
            Self::Brave | Self::Searxng => return Ok(()),
        };
        if query.page.saturating_sub(1) * query.count < most {
            return Ok(());
        }
        let name = self.name();
        Err(SearchError::Refused(format!(
            "{name} gives at most {most} results, which are on earlier pages; search with other words"
        )))
    }

    /// Returns the request of a search, without the key. The query has the page as the engine counts it.
    pub(crate) fn request(self, base: &Url, query: &SearchQuery) -> HttpRequest {
        match self {
            Self::Tavily => tavily::request(base, query),
            Self::Exa => exa::request(base, query),
            Self::Brave => brave::request(base, query),
            Self::Searxng => searxng::request(base, query),
        }
    }

    /// Reads the answer of a search that succeeded.
    pub(crate) fn read(
        self,
        body: &[u8],
        query: &SearchQuery,
    ) -> Result<SearchAnswer, SearchError> {
        let read = match self {
            Self::Tavily => tavily::read(body),
            Self::Exa => exa::read(body),
            Self::Brave => brave::read(body),
            Self::Searxng => searxng::read(body, query),
        };
        let mut answer = read.map_err(|error| {
            SearchError::Unavailable(format!(
                "the answer is not the JSON that was expected: {error}"
            ))
        })?;
        answer.hits.truncate(MAX_HITS);
        Ok(answer)
    }

    /// Describes a response that is no answer, for people and for the choice of another engine.
    pub(crate) fn error(self, status: u16, said: &str) -> SearchError {
        let what = match (self, status) {
            (Self::Searxng, 403) => {
                "403: the server gives no JSON; its operator adds `json` to `search.formats` of its settings"
            }
            (_, 401 | 403) => "the key was refused",
            (_, 402 | 432 | 433) => "the plan or the credits are used up",
            (_, 429) => "too many requests",
            (_, 400 | 404 | 405 | 414 | 422) => {
                return SearchError::Refused(describe(&format!("status {status}"), said));
            }
            _ => return SearchError::Unavailable(describe(&format!("status {status}"), said)),
        };
        SearchError::Unavailable(describe(what, said))
    }
}

fn describe(what: &str, said: &str) -> String {
    match said {
        "" => what.to_owned(),
        said => format!("{what} ({said})"),
    }
}
