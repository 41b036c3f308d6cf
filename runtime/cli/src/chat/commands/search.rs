//! The command that searches past sessions.

use crate::chat::conversation::Chat;
use crate::chat::printing::print_hint;
use crate::session_search::print_hits;
use helve_session_search::{SessionHit, SessionQuery, SessionSearch, SessionSearchError};
use helve_terminal::output;

/// The number of messages that are shown.
const LIMIT: usize = 5;

/// Searches the sessions of the folder.
pub(super) async fn run(chat: &Chat<'_>, words: &str) {
    if words.is_empty() {
        return print_hint("usage: /search WORDS, with phrases in quotation marks");
    }
    match find(chat, words).await {
        Ok(hits) if hits.is_empty() => print_hint(&format!(
            "no matches in this folder; `{} sessions search` searches all",
            chat.app.binary()
        )),
        Ok(hits) => {
            print_hits(&hits);
            print_hint("continue a session with /resume ID");
        }
        Err(error) => output::error(&*error),
    }
}

async fn find(
    chat: &Chat<'_>,
    words: &str,
) -> Result<Vec<SessionHit>, Box<dyn std::error::Error + Send + Sync>> {
    let Some(search) = chat.app.state.get::<SessionSearch>()? else {
        return Ok(Vec::new());
    };
    search.update().await?;
    let query = SessionQuery::new(words, LIMIT).folder(chat.app.folder_text());
    let found: Result<_, SessionSearchError> = search.search(&query).await;
    Ok(found?)
}
