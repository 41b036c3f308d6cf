//! The pages that a session has fetched.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::fetch::{Fetched, headers};
use crate::header::count;

/// The greatest size of all pages together, in bytes.
const MAX_BYTES: usize = 50 << 20;

/// The pages of a session, oldest first.
#[derive(Debug, Default)]
pub(crate) struct PageCache(Mutex<VecDeque<CachedPage>>);

#[derive(Debug)]
struct CachedPage {
    /// The address that was asked for.
    asked: String,
    page: Arc<Fetched>,
    since: Instant,
}

impl PageCache {
    /// Returns a page that was fetched within `max_age`, and how long ago that was.
    pub(crate) fn get(
        &self,
        asked: &str,
        max_age: Duration,
        now: Instant,
    ) -> Option<(Arc<Fetched>, Duration)> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let age = |page: &CachedPage| now.saturating_duration_since(page.since);
        pages.retain(|page| age(page) < max_age);
        let found = pages.iter().rfind(|page| page.asked == asked);
        found.map(|page| (Arc::clone(&page.page), age(page)))
    }

    /// Keeps a page that was fetched, unless its server does not want that.
    pub(crate) fn put(&self, asked: &str, page: &Arc<Fetched>, now: Instant) {
        if forbids_reuse(page)
            || page.response.status != 200
            || page.response.body.len() > MAX_BYTES / 4
        {
            return;
        }
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| page.asked != asked);
        pages.push_back(CachedPage {
            asked: asked.to_owned(),
            page: Arc::clone(page),
            since: now,
        });
        let mut size: usize = pages.iter().map(|page| page.page.response.body.len()).sum();
        while size > MAX_BYTES
            && let Some(oldest) = pages.pop_front()
        {
            size -= oldest.page.response.body.len();
        }
    }
}

/// Reports whether a server wants to be asked each time.
fn forbids_reuse(page: &Fetched) -> bool {
    let lines = headers(&page.response, "cache-control");
    let mut directives = lines.flat_map(|line| line.split(','));
    directives.any(|directive| {
        let directive = directive.trim().to_ascii_lowercase();
        let (name, value) = directive
            .split_once('=')
            .unwrap_or((directive.as_str(), ""));
        match name.trim() {
            "no-store" | "no-cache" => true,
            "max-age" => value.trim().trim_matches('"').parse::<u64>() == Ok(0),
            _ => false,
        }
    })
}

/// Says how old a page is that is used again; `None` if it is younger than a minute.
pub(crate) fn describe_age(age: Duration) -> Option<String> {
    let minutes = usize::try_from(age.as_secs() / 60).unwrap_or(usize::MAX);
    (minutes > 0).then(|| format!("fetched {} ago", count(minutes, "minute", "minutes")))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use helve::capability::HttpResponse;

    use super::{PageCache, describe_age};
    use crate::fetch::{Fetched, parse};

    const AGE: Duration = Duration::from_mins(15);

    fn page(bytes: usize, controls: &str) -> Arc<Fetched> {
        let mut response = HttpResponse::new(200, vec![b'a'; bytes]);
        for control in controls.split('|') {
            response
                .headers
                .push(("Cache-Control".into(), control.into()));
        }
        let url = parse("https://example.com/").unwrap();
        Arc::new(Fetched { url, response })
    }

    #[test]
    fn pages_are_used_again_for_a_while() {
        let (cache, now) = (PageCache::default(), Instant::now());
        cache.put("a", &page(10, "max-age=1"), now);
        cache.put("b", &page(10, "private, no-store"), now);
        assert!(
            cache
                .get("a", AGE, now + Duration::from_secs(800))
                .is_some()
        );
        assert!(cache.get("b", AGE, now).is_none());
        for control in [
            "no-cache",
            "private, max-age=0",
            "max-age=60|No-Store",
            "no-cache=\"set-cookie\"",
        ] {
            cache.put("b", &page(10, control), now);
            assert!(cache.get("b", AGE, now).is_none(), "{control}");
        }
        let later = now + Duration::from_secs(130);
        let (_, age) = cache.get("a", AGE, later).unwrap();
        let described = describe_age(age);
        assert_eq!(described.as_deref(), Some("fetched 2 minutes ago"));
        assert_eq!(describe_age(Duration::from_secs(59)), None);
        assert!(
            cache
                .get("a", AGE, now + Duration::from_secs(900))
                .is_none()
        );
        for name in ["c", "d", "e", "f", "g", "h"] {
            cache.put(name, &page(10 << 20, ""), now);
        }
        assert!(cache.get("c", AGE, now).is_none() && cache.get("h", AGE, now).is_some());
    }
}
