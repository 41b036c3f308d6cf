//! Pages of a list that is sorted by a key: a cursor names the last key of a page, so that it stays true whatever comes
//! or goes.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rmcp::model::ErrorData;

/// How many items a page has.
const SIZE: usize = 100;

/// Returns the page of a sorted list behind a cursor, and the cursor of the next one.
pub(super) fn page<T: Clone>(
    items: &[T],
    key: impl Fn(&T) -> &str,
    cursor: Option<&str>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let start = match cursor {
        None => 0,
        Some(cursor) => {
            let last = key_in(cursor).ok_or_else(|| {
                ErrorData::invalid_params("the cursor is none that this server gave", None)
            })?;
            items.partition_point(|item| key(item) <= &*last)
        }
    };
    let page: Vec<T> = items[start..].iter().take(SIZE).cloned().collect();
    let is_last = start + page.len() == items.len();
    let next = page.last().filter(|_| !is_last);
    let next = next.map(|item| URL_SAFE_NO_PAD.encode(key(item)));
    Ok((page, next))
}

/// Returns the key that a cursor stands for.
fn key_in(cursor: &str) -> Option<String> {
    String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()
}
