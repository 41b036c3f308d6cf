//! The command on the memory.

use crate::chat::conversation::Chat;
use crate::chat::printing::print_hint;
use helve_terminal::output;

/// Lists the entries of the memory, or shows, deletes or reviews one.
pub(super) async fn run(chat: &Chat<'_>, argument: &str) {
    let Some(memory) = &chat.app.memory else {
        return print_hint("there is no folder for the memory");
    };
    let agent = chat.agent_id();
    match memory
        .console(&chat.app.principal(), &agent)
        .run(argument)
        .await
    {
        Ok(Some(text)) => output::print(&text),
        Ok(None) => print_hint(
            "run /memory for a list, and /memory show ID, rm ID, review, accept ID, reject ID or where",
        ),
        Err(error) => output::error(&error),
    }
}
