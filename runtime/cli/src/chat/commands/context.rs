//! The commands on what the model is given: the context and the MCP servers.

use crate::chat::conversation::Chat;
use crate::chat::printing::{print_hint, print_rows};
use helve_core::transcript::Message;
use helve_model::{EstimatedTokenCounter, TokenCounter as _};
use helve_terminal::render::{counted, format_count};

/// Prints estimates of the tokens of the next request, by what they are.
pub(super) fn print_context(chat: &Chat<'_>) {
    let counter = EstimatedTokenCounter;
    let prompt = counter.count_text(&chat.options.system_prompt_text(chat.app));
    let (skill_count, skills) = skills(chat);
    let skills = counter.count_text(&skills);
    let tools = chat.app.tools.granted().tools();
    let tool_tokens = tools.iter().map(|tool| {
        let spec = tool.spec();
        counter.count_text(&spec.name)
            + counter.count_text(&spec.description)
            + counter.count_text(spec.input_schema.text())
    });
    let messages = chat.messages();
    let is_result = |message: &&Message| matches!(message, Message::Tool { .. });
    let count = |message: &Message| counter.count_message(message);
    let results: u64 = messages.iter().filter(is_result).map(count).sum();
    let all: u64 = messages.iter().map(count).sum();
    let parts = [
        ("system prompt".to_owned(), prompt.saturating_sub(skills)),
        (counted(tools.len(), "tool"), tool_tokens.sum::<u64>()),
        (counted(skill_count, "skill"), skills),
        (counted(messages.len(), "message"), all - results),
        ("results of tools".to_owned(), results),
    ];
    let total: u64 = parts.iter().map(|(_, tokens)| tokens).sum();
    let window = chat.options.context_window;
    let share = |tokens: u64| match window {
        Some(window) => format!(" ({}%)", tokens * 100 / window.max(1)),
        None => String::new(),
    };
    let parts = parts.into_iter().chain([("total".to_owned(), total)]);
    let rows = parts.map(|(name, tokens)| {
        let about = format!("about {} tokens{}", format_count(tokens), share(tokens));
        (name, about)
    });
    print_rows(&rows.collect::<Vec<_>>());
    print_hint(&match window {
        Some(window) => format!(
            "the context of the model has {} tokens",
            format_count(window)
        ),
        None => "the size of the context is unknown; set `context_window`".to_owned(),
    });
}

/// Returns the number of the skills that the model is told of, and what it is told.
#[cfg(feature = "skills")]
fn skills(chat: &Chat<'_>) -> (usize, String) {
    let catalog = chat.app.skills.current();
    let shown = catalog.skills().filter(|skill| skill.is_model_invocable());
    let budget = helve_skill::prompt_budget(chat.options.context_window);
    match shown.count() {
        0 => (0, String::new()),
        count => (count, catalog.prompt_within(budget)),
    }
}

#[cfg(not(feature = "skills"))]
fn skills(_: &Chat<'_>) -> (usize, String) {
    (0, String::new())
}

#[cfg(feature = "mcp")]
pub(super) async fn print_servers(chat: &Chat<'_>) {
    use crate::mcp::{is_connected, status_notes};

    crate::runner::wait_for_servers(chat.app).await;
    let statuses = match &chat.app.mcp {
        Some(session) => session.servers().status(),
        None => Vec::new(),
    };
    if statuses.is_empty() {
        let binary = chat.app.binary();
        return print_hint(&format!(
            "no MCP servers; add one with `{binary} mcp add NAME -- COMMAND` or `{binary} mcp add NAME URL`"
        ));
    }
    for status in &statuses {
        let state = if is_connected(status) {
            format!("connected, {}", counted(status.offered.len(), "tool"))
        } else {
            "not connected".to_owned()
        };
        print_rows(&[(status.name.to_string(), state)]);
        for note in status_notes(status, chat.app.binary()) {
            print_hint(&format!("    {note}"));
        }
    }
}

#[cfg(not(feature = "mcp"))]
#[expect(clippy::unused_async, reason = "with MCP servers it waits for them")]
pub(super) async fn print_servers(_: &Chat<'_>) {
    print_hint("MCP servers are not enabled in this program");
}
