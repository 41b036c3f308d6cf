//! Lists, page by page and within bounds.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, PaginatedRequestParams, ServerResult};

use super::CallError;
use super::calls::UnderWay;
use super::live::Live;
use super::request::Ask;

/// The most pages of one list.
const PAGES: usize = 100;
/// The most items of one list.
const ITEMS: usize = 10_000;

/// A list, and what is not as the server meant it.
#[derive(Debug)]
pub(super) struct Listed<T> {
    pub(super) items: Vec<T>,
    pub(super) notes: Vec<String>,
}

/// Asks for all pages of a list.
pub(super) async fn list<T>(
    live: &Live,
    ask: &Ask<'_>,
    make: impl Fn(Option<PaginatedRequestParams>) -> ClientRequest,
    read: impl Fn(ServerResult) -> Option<(Vec<T>, Option<String>)>,
) -> Result<Listed<T>, CallError> {
    let mut listed = Listed {
        items: Vec::new(),
        notes: Vec::new(),
    };
    let mut cursors = HashSet::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let params = cursor.map(|cursor| {
            let mut params = PaginatedRequestParams::default();
            params.cursor = Some(cursor);
            params
        });
        let under_way = UnderWay::new(ask.cx.cloned());
        let page = ask.once(live, &under_way, make(params)).await?;
        let (items, next) =
            read(page).ok_or_else(|| ask.unusable("it is the answer to something else"))?;
        listed.items.extend(items);
        if listed.items.len() > ITEMS {
            listed.items.truncate(ITEMS);
            let what = &ask.what;
            listed.notes.push(format!(
                "{what} is longer than {ITEMS} entries: the rest is left out"
            ));
            return Ok(listed);
        }
        let Some(next) = next.filter(|next| !next.is_empty()) else {
            return Ok(listed);
        };
        if !cursors.insert(next.clone()) {
            let what = &ask.what;
            listed.notes.push(format!(
                "{what} has a page that leads back to itself: it ends there"
            ));
            return Ok(listed);
        }
        cursor = Some(next);
    }
    let what = &ask.what;
    listed.notes.push(format!(
        "{what} has more than {PAGES} pages: the rest is left out"
    ));
    Ok(listed)
}
