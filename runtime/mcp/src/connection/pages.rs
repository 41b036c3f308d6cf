//! Collects the pages of lists, with limits.

use std::collections::HashSet;

use rmcp::model::{ClientRequest, PaginatedRequestParams, ServerResult};

use super::CallError;
use super::calls::ActiveRequest;
use super::live::LiveConnection;
use super::request::OutboundRequest;

const PAGES: usize = 100;
const ITEMS: usize = 10_000;

/// The items of a list, and remarks for the user.
#[derive(Debug)]
pub(super) struct CollectedPages<T> {
    pub(super) items: Vec<T>,
    pub(super) notes: Vec<String>,
}

/// Requests all pages of a list.
pub(super) async fn list<T>(
    live: &LiveConnection,
    request: &OutboundRequest<'_>,
    make: impl Fn(Option<PaginatedRequestParams>) -> ClientRequest,
    read: impl Fn(ServerResult) -> Option<(Vec<T>, Option<String>)>,
) -> Result<CollectedPages<T>, CallError> {
    let mut listed = CollectedPages {
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
        let active = ActiveRequest::new(request.cx.cloned());
        let page = request.once(live, &active, make(params)).await?;
        let (items, next) =
            read(page).ok_or_else(|| request.unusable("it is the answer to something else"))?;
        listed.items.extend(items);
        if listed.items.len() > ITEMS {
            listed.items.truncate(ITEMS);
            let what = &request.what;
            listed.notes.push(format!(
                "{what} is longer than {ITEMS} entries: the rest is left out"
            ));
            return Ok(listed);
        }
        let Some(next) = next.filter(|next| !next.is_empty()) else {
            return Ok(listed);
        };
        if !cursors.insert(next.clone()) {
            let what = &request.what;
            listed.notes.push(format!(
                "{what} has a page that leads back to itself: it ends there"
            ));
            return Ok(listed);
        }
        cursor = Some(next);
    }
    let what = &request.what;
    listed.notes.push(format!(
        "{what} has more than {PAGES} pages: the rest is left out"
    ));
    Ok(listed)
}
