//! The pages that a session has fetched.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::fetch::{Fetched, header};

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
    /// Returns a page that was fetched within `max_age`.
    pub(crate) fn get(&self, asked: &str, max_age: Duration, now: Instant) -> Option<Arc<Fetched>> {
        let mut pages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        pages.retain(|page| now.saturating_duration_since(page.since) < max_age);
        let found = pages.iter().rfind(|page| page.asked == asked);
        found.map(|page| Arc::clone(&page.page))
    }

    /// Keeps a page that was fetched, unless its server does not want that.
    pub(crate) fn put(&self, asked: &str, page: &Arc<Fetched>, now: Instant) {
        let control = header(&page.response, "cache-control").unwrap_or_default();
        let is_private = control.to_ascii_lowercase().contains("no-store");
        if is_private || page.response.status != 200 || page.response.body.len() > MAX_BYTES / 4 {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    use helve::capability::HttpResponse;

    use super::PageCache;
    use crate::fetch::{Fetched, parse};

    const AGE: Duration = Duration::from_mins(15);

    fn page(bytes: usize, control: &str) -> Arc<Fetched> {
        let mut response = HttpResponse::new(200, vec![b'a'; bytes]);
        response
            .headers
            .push(("Cache-Control".into(), control.into()));
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
