//! The answers of a session that the API may say are unchanged: asking again costs nothing of the limit.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use helve::capability::HttpResponse;

use crate::value::header;

/// The greatest size of all answers together, in bytes.
const MAX_BYTES: usize = 20 << 20;

/// The answers of a session with their tags, oldest first.
#[derive(Debug, Default)]
pub(crate) struct EtagCache(Mutex<VecDeque<CachedAnswer>>);

/// An answer with its tag.
#[derive(Debug, Clone)]
pub(crate) struct CachedAnswer {
    /// The form and the address that were asked for.
    key: String,
    pub(crate) etag: String,
    pub(crate) response: HttpResponse,
}

impl EtagCache {
    /// Returns an answer.
    pub(crate) fn get(&self, key: &str) -> Option<CachedAnswer> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.iter().rfind(|answer| answer.key == key).cloned()
    }

    /// Keeps an answer that has a tag.
    pub(crate) fn put(&self, key: &str, response: &HttpResponse) {
        let Some(etag) = header(response, "etag") else {
            return;
        };
        if response.status != 200 || response.body.len() > MAX_BYTES / 4 {
            return;
        }
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|answer| answer.key != key);
        answers.push_back(CachedAnswer {
            key: key.to_owned(),
            etag: etag.to_owned(),
            response: response.clone(),
        });
        let mut size: usize = answers
            .iter()
            .map(|answer| answer.response.body.len())
            .sum();
        while size > MAX_BYTES
            && let Some(oldest) = answers.pop_front()
        {
            size -= oldest.response.body.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_with_a_tag_are_kept_within_a_size() {
        let cache = EtagCache::default();
        let mut response = HttpResponse::new(200, vec![b'a'; 4 << 20]);
        cache.put("a", &response);
        assert!(cache.get("a").is_none());
        response.headers.push(("ETag".into(), "\"1\"".into()));
        for key in ["a", "b", "c", "d", "e", "f"] {
            cache.put(key, &response);
        }
        assert!(cache.get("a").is_none() && cache.get("f").is_some());
        response.status = 404;
        cache.put("g", &response);
        assert!(cache.get("g").is_none());
    }
}
