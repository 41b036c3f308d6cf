//! The search in past sessions: the state that its tools take, and how matches are printed.

use std::any::TypeId;
use std::io::{IsTerminal as _, stdout};

use super::app::AppDefinition;
use super::app_context::AppContext;
use super::session_folder;
use super::session_table::minute;
use helve_session_search::{SessionHit, SessionSearch};
use helve_terminal::output;
use helve_terminal::render::FoundText;
use helve_terminal::screen::Size;

/// The tool whose users have the index at hand.
const TOOL: &str = "session_search";

/// Adds the search to the state of an app, unless the app has its own.
pub(super) fn add_state(app: &mut AppDefinition) {
    let name = app.package.name;
    if !app.state.contains(TypeId::of::<SessionSearch>()) {
        app.state.insert_with(move || session_folder::search(name));
    }
}

/// Indexes what is new in the sessions while a chat begins, if its agent can search.
pub(super) fn index_in_background(app: &AppContext) {
    let search = app.state.get::<SessionSearch>().ok().flatten();
    if let (Some(search), true) = (search.cloned(), app.tools.granted().get(TOOL).is_some()) {
        tokio::spawn(async move {
            if let Err(error) = search.update().await {
                tracing::warn!(%error, "the sessions are not indexed");
            }
        });
    }
}

/// Prints messages that were found.
pub(super) fn print_hits(hits: &[SessionHit]) {
    let width = match stdout().is_terminal() {
        true => Size::of_stdout().columns,
        false => usize::MAX,
    };
    for hit in hits {
        let at = minute(hit.at);
        let found = FoundText {
            place: &[&at, &hit.session, &hit.turn, hit.role.name()],
            title: &hit.title,
            text: &hit.snippet.text,
            matches: &hit.snippet.matches,
        };
        output::lines(&found.render(width));
    }
}
