//! Where an answer redirects to: within the API, as for a repository that was renamed, or to the storage of logs.

use helve::capability::HttpResponse;
use url::Url;

use crate::repository::RepositoryName;
use crate::value::header;

/// Where an answer redirects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RedirectTarget {
    /// Another address of the API, with the number of the repository if it names one.
    Api(Url, Option<u64>),
    /// Another origin.
    Elsewhere(Url),
}

/// Returns where an answer redirects to, if it does.
pub(crate) fn target(response: &HttpResponse, from: &Url, api: &Url) -> Option<RedirectTarget> {
    if !matches!(response.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let url = from.join(header(response, "location")?).ok()?;
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    if url.origin() != api.origin() {
        return Some(RedirectTarget::Elsewhere(url));
    }
    let below = url.path().strip_prefix(api.path())?;
    let mut segments = below.split('/');
    let number = match (segments.next(), segments.next()) {
        (Some("repositories"), Some(number)) => number.parse().ok(),
        _ => None,
    };
    Some(RedirectTarget::Api(url, number))
}

/// The place of something in a repository, by an address of the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ApiPlace {
    pub(crate) repository: ApiRepository,
    /// What it is in the repository, such as `issues/12`.
    pub(crate) rest: String,
}

/// A repository, as an address of the API names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ApiRepository {
    Name(RepositoryName),
    Number(u64),
}

/// Returns the place that an address of the API names.
pub(crate) fn place(url: &Url, api: &Url) -> Option<ApiPlace> {
    let below = url.path().strip_prefix(api.path())?;
    let (repository, skipped) = if let Some(name) = named_repository(url, api) {
        (ApiRepository::Name(name), 3)
    } else {
        let number = below.strip_prefix("repositories/")?.split('/').next()?;
        (ApiRepository::Number(number.parse().ok()?), 2)
    };
    let rest: Vec<&str> = below.split('/').skip(skipped).collect();
    let rest = rest.join("/");
    Some(ApiPlace { repository, rest })
}

/// Returns the repository that an address of the API names.
pub(crate) fn named_repository(url: &Url, api: &Url) -> Option<RepositoryName> {
    let mut segments = url.path().strip_prefix(api.path())?.split('/');
    let is_named = segments.next() == Some("repos");
    let (owner, name) = (segments.next()?, segments.next()?);
    is_named.then(|| RepositoryName::parse(&format!("{owner}/{name}")).ok())?
}

/// Reports whether there is a further page, which is one of the API itself.
pub(crate) fn has_next(response: &HttpResponse, from: &Url) -> bool {
    let links = header(response, "link").unwrap_or_default();
    links.split(',').any(|link| {
        let (address, rest) = link.split_once(';').unwrap_or((link, ""));
        let is_next = rest.split(';').any(|part| {
            part.trim()
                .replace('"', "")
                .eq_ignore_ascii_case("rel=next")
        });
        let address = address.trim().trim_start_matches('<').trim_end_matches('>');
        let next = from.join(address).ok();
        is_next && next.is_some_and(|next| next.origin() == from.origin())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, name: &str, value: &str) -> HttpResponse {
        let mut response = HttpResponse::new(status, "");
        response.headers.push((name.into(), value.into()));
        response
    }

    #[test]
    fn redirects_are_told_apart() {
        let api = Url::parse("https://api.example.com/").unwrap();
        let from = api.join("repos/a/b/issues").unwrap();
        let target = |location: &str| target(&response(301, "Location", location), &from, &api);
        let moved = target("https://api.example.com/repositories/12/issues");
        assert!(
            matches!(moved, Some(RedirectTarget::Api(_, Some(12)))),
            "{moved:?}"
        );
        assert!(matches!(
            target("/repos/c/d"),
            Some(RedirectTarget::Api(_, None))
        ));
        assert!(matches!(
            target("https://blob.example.net/x?sig=1"),
            Some(RedirectTarget::Elsewhere(_))
        ));
        assert!(matches!(
            target("http://api.example.com/x"),
            Some(RedirectTarget::Elsewhere(_))
        ));
        assert_eq!(target("https://user:word@api.example.com/"), None);
        assert_eq!(
            super::target(&response(200, "Location", "/x"), &from, &api),
            None
        );
    }

    #[test]
    fn addresses_of_the_api_name_repositories() {
        let api = Url::parse("https://api.example.com/api/v3/").unwrap();
        let name = |path: &str| {
            named_repository(&api.join(path).unwrap(), &api).map(|name| name.to_string())
        };
        assert_eq!(name("repos/acme/app/issues/1").as_deref(), Some("acme/app"));
        assert_eq!(name("repos/acme"), None);
        assert_eq!(name("user/acme/app"), None);
        assert_eq!(name("/repos/acme/app"), None);
    }

    #[test]
    fn addresses_of_the_api_name_places() {
        let api = Url::parse("https://api.example.com/api/v3/").unwrap();
        let find = |path: &str| place(&api.join(path).unwrap(), &api);
        let named = find("repos/acme/app/issues/12?x=1").unwrap();
        assert_eq!(named.rest, "issues/12");
        assert!(matches!(named.repository, ApiRepository::Name(_)));
        let numbered = find("repositories/7/issues/5").unwrap();
        assert_eq!(numbered.rest, "issues/5");
        assert_eq!(numbered.repository, ApiRepository::Number(7));
        assert_eq!(find("repositories/7").unwrap().rest, "");
        assert_eq!(find("repositories/x/issues"), None);
        assert_eq!(find("user/repos"), None);
    }

    #[test]
    fn a_next_page_is_one_of_the_api() {
        let from = Url::parse("https://api.example.com/x?page=1").unwrap();
        let has = |link: &str| has_next(&response(200, "Link", link), &from);
        assert!(has(
            "<https://api.example.com/x?page=2>; rel=\"next\", <https://api.example.com/x?page=9>; rel=\"last\""
        ));
        assert!(!has("<https://evil.example/x?page=2>; rel=\"next\""));
        assert!(!has("<https://api.example.com/x?page=2>; rel=\"prev\""));
        assert!(!has("rel=next"));
    }
}
