//! Looks up messages in the index.

use std::collections::HashSet;

use helve_agent::journal::Timestamp;
use helve_core::transcript::SessionId;
use helve_text_index::{Collection, Document, TextHit, TextIndexError, TextQuery};

use crate::followed::{millis, principal_scope, scope_folder, shorten};
use crate::hit::{Excerpt, MessageData, SessionHit, SessionQuery};
use crate::message::MessageRole;

/// The roles of the messages that are searched by default, and that are shown around a match.
const SPOKEN: [MessageRole; 2] = [MessageRole::User, MessageRole::Assistant];

/// Finds the messages that match a query best.
pub(crate) fn search(
    collection: &Collection,
    query: &SessionQuery,
) -> Result<Vec<SessionHit>, TextIndexError> {
    // Some matches are the same message in two sessions.
    let found = collection.search(&text_query(query, query.limit.saturating_mul(2)))?;
    let mut seen = HashSet::new();
    let mut hits = Vec::new();
    for hit in found {
        let Some(data) = read_data(&hit.document) else {
            continue;
        };
        if !seen.insert((data.turn.clone(), hit.document.text.clone())) {
            continue;
        }
        let spoken = SPOKEN.map(|role| role.name().to_owned());
        let around = collection.neighbours(&hit.document.key, &spoken)?;
        hits.push(session_hit(hit, data, around));
        if hits.len() >= query.limit {
            break;
        }
    }
    Ok(hits)
}

fn text_query(query: &SessionQuery, limit: usize) -> TextQuery {
    let mut wanted = TextQuery::new(&*query.text, limit);
    let roles = match query.roles.is_empty() {
        true => &SPOKEN[..],
        false => &query.roles,
    };
    wanted.kinds = roles.iter().map(|role| role.name().to_owned()).collect();
    wanted.scope_prefix = query.principal.as_ref().map(principal_scope);
    wanted.scope_suffix = query
        .folder
        .as_ref()
        .map(|folder| format!("\n{}", shorten(folder)));
    wanted.source = query.session.as_ref().map(ToString::to_string);
    wanted.excluded_source = query.excluded.as_ref().map(ToString::to_string);
    wanted.since = query.since.map(millis);
    wanted.before = query.before.map(millis);
    wanted
}

fn session_hit(hit: TextHit, data: MessageData, around: [Option<Document>; 2]) -> SessionHit {
    let document = hit.document;
    let mut label = data.label;
    let [previous, next] = around.map(|document| {
        let document = document?;
        label.join(&read_data(&document)?.label);
        let role = MessageRole::from_name(&document.kind)?;
        Some(Excerpt::new(role, &document.text))
    });
    SessionHit {
        folder: scope_folder(&document.scope).map(str::to_owned),
        session: SessionId::from(document.source),
        title: data.title,
        turn: data.turn,
        entry: data.entry,
        role: MessageRole::from_name(&document.kind).unwrap_or(MessageRole::Tool),
        at: Timestamp::from_millis(document.time.cast_unsigned()),
        snippet: hit.snippet,
        score: hit.score,
        previous,
        next,
        label,
    }
}

fn read_data(document: &Document) -> Option<MessageData> {
    serde_json::from_str(&document.data).ok()
}
