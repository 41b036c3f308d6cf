//! Pages of sorted lists.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::model::ErrorData;

const PAGE_SIZE: usize = 100;

/// How long a client may cache a list, in milliseconds. A client that listens is notified of changes before.
pub(super) const CACHE_TTL_MS: u64 = 60_000;

/// Builds the result of a list from one of its pages. Clients of the protocol from 2026-07-28 may cache the result.
macro_rules! page_result {
    ($Result:ident, $items:expr, $next_cursor:expr, $context:expr) => {{
        let mut result = $Result::with_all_items($items);
        result.next_cursor = $next_cursor;
        if $crate::client::is_modern($context) {
            result.ttl_ms = Some($crate::page::CACHE_TTL_MS);
            result.cache_scope = Some(rmcp::model::CacheScope::Private);
        }
        Ok(result)
    }};
}
pub(super) use page_result;

/// Returns the page of a list that is sorted by a key, and the cursor of the next page.
///
/// A cursor is the last key of its page, so that it stays valid when items are added or removed.
pub(super) fn page<T: Clone>(
    items: &[T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = decode_cursor(cursor).ok_or_else(|| {
                ErrorData::invalid_params("the cursor is none that this server gave", None)
            })?;
            items.partition_point(|item| key(item) <= &*last)
        }
    };
    let page: Vec<T> = items[start..].iter().take(PAGE_SIZE).cloned().collect();
    let is_last = start + page.len() == items.len();
    let last = page.last().filter(|_| !is_last);
    let next_cursor = last.map(|item| URL_SAFE_NO_PAD.encode(key(item)));
    Ok((page, next_cursor))
}

fn decode_cursor(cursor: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}
