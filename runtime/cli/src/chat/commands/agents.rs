//! The agents by name: their list, and tasks that the user gives to one of them.

use crate::chat::conversation::Chat;
use crate::chat::printing::print_hint;
#[cfg(feature = "agents")]
use crate::{agent_list, agents, chat::printing::print_wrapped, runner::named_agents};
#[cfg(feature = "agents")]
use helve_terminal::output;

/// Prints the agents, those that are not used, and the files that define none.
#[cfg(feature = "agents")]
pub(super) fn print(chat: &Chat<'_>) {
    let catalog = match agents::read(chat.app) {
        Ok(catalog) => catalog,
        Err(error) => return output::error(&error),
    };
    let list = agent_list::render_catalog(&catalog, true, chat.app.binary());
    print_wrapped(&list);
    if let Some(agent) = &chat.options.named {
        print_hint(&format!("this chat works as {}", agent.spec().name));
    }
    if !catalog.agents().is_empty() {
        print_hint("give a task to an agent with @NAME TASK");
    }
}

#[cfg(not(feature = "agents"))]
pub(super) fn print(_: &Chat<'_>) {
    print_hint("agents by name are not enabled in this program");
}

/// Runs the turn of a line `@NAME TASK` as the agent of that name, which sees the conversation and answers in it. Returns
/// whether there is such an agent.
#[cfg(feature = "agents")]
pub(in crate::chat) async fn start(chat: &mut Chat<'_>, line: &str) -> bool {
    let Some(text) = line.strip_prefix('@') else {
        return false;
    };
    let (name, task) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let agent = match named_agents::find(chat.app, name) {
        Ok(agent) => agent,
        // A path, or no agent: the message is sent as it is.
        Err(named_agents::AgentChoiceError::Unknown { .. }) => return false,
        Err(error) => {
            output::error(&error);
            return true;
        }
    };
    if task.trim().is_empty() {
        print_hint(&format!("write the task after @{name}"));
        return true;
    }
    let before = chat.options.named.replace(agent);
    chat.send_with_files(task.trim()).await;
    chat.options.named = before;
    true
}

#[cfg(not(feature = "agents"))]
#[expect(clippy::unused_async, reason = "with agents it waits")]
pub(in crate::chat) async fn start(_: &mut Chat<'_>, _: &str) -> bool {
    false
}
