//! The implementation of the commands of a chat.

mod agents;
mod context;
mod custom;
#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "memory")]
mod memory;
mod rewind;
#[cfg(feature = "session-search")]
mod search;
mod sessions;
mod todo;
mod workspace;

pub(super) use agents::start as start_agent;
pub(super) use custom::start as start_custom;

use std::ops::ControlFlow;

use super::conversation::Chat;
use super::editor::LineEditor;
#[cfg(feature = "skills")]
use super::printing::print_wrapped;
use super::printing::{print_hint, print_rows};
use super::slash::{self, SlashCommand};
#[cfg(feature = "skills")]
use crate::skill_list;
use helve_permission::Mode;
use helve_terminal::render::usage_parts;
use helve_terminal::{output, sanitize};

/// Runs the command of a line; breaks if the chat ends.
pub(super) async fn run(chat: &mut Chat<'_>, editor: &LineEditor, line: &str) -> ControlFlow<()> {
    let (slash, argument) = match slash::parse(line) {
        Ok(read) => read,
        Err(advice) => {
            if !start_skill(chat, line).await && !custom::start(chat, line).await {
                print_hint(&advice);
            }
            return ControlFlow::Continue(());
        }
    };
    match slash {
        SlashCommand::Help => print_help(chat),
        SlashCommand::Model => run_model(chat, argument),
        SlashCommand::Mode => run_mode(chat, argument),
        SlashCommand::Permissions => run_permissions(chat, argument).await,
        SlashCommand::Tools => print_tools(chat),
        SlashCommand::Skills => print_skills(chat).await,
        SlashCommand::Agents => agents::print(chat),
        SlashCommand::Mcp => context::print_servers(chat).await,
        SlashCommand::Context => context::print_context(chat),
        SlashCommand::Compact => run_compact(chat, argument),
        SlashCommand::Clear => {
            chat.start_over();
            print_hint("the next message starts a new session");
        }
        SlashCommand::Sessions => sessions::print_sessions(chat).await,
        #[cfg(feature = "session-search")]
        SlashCommand::Search => search::run(chat, argument).await,
        #[cfg(not(feature = "session-search"))]
        SlashCommand::Search => print_hint("this program was built without the search in sessions"),
        SlashCommand::Resume => sessions::resume(chat, editor, argument).await,
        SlashCommand::Rewind => rewind::rewind(chat, editor, argument).await,
        SlashCommand::Undo => rewind::undo(chat, editor).await,
        SlashCommand::Export => sessions::export(chat, argument).await,
        SlashCommand::Diff => workspace::print_diff(chat).await,
        SlashCommand::Background => workspace::print_background(chat).await,
        #[cfg(feature = "jobs")]
        SlashCommand::Jobs => jobs::run(chat, argument).await,
        #[cfg(not(feature = "jobs"))]
        SlashCommand::Jobs => print_hint("this program was built without background jobs"),
        #[cfg(feature = "memory")]
        SlashCommand::Memory => memory::run(chat, argument).await,
        #[cfg(not(feature = "memory"))]
        SlashCommand::Memory => print_hint("this program was built without memory"),
        SlashCommand::Todo => todo::print_tasks(chat),
        SlashCommand::Copy => workspace::copy_reply(chat),
        SlashCommand::Editor => workspace::open_editor(chat).await,
        SlashCommand::Init => chat.send(workspace::INIT_PROMPT).await,
        SlashCommand::Cost => print_cost(chat),
        SlashCommand::Thinking => {
            chat.shows_thinking = !chat.shows_thinking;
            print_hint(match chat.shows_thinking {
                true => "the reasoning of the model is shown in full",
                false => "the reasoning of the model is shortened",
            });
        }
        SlashCommand::Quit => return ControlFlow::Break(()),
    }
    ControlFlow::Continue(())
}

const KEYS: &str = "@PATH attaches a file, and Tab completes the path. !COMMAND runs a command of your own, outside of the \
    sandbox; the model sees its output with the next message.
Alt-Enter, Ctrl-J or a backslash at the end of a line continue the message on the next line. Shift-Tab changes the \
    permission mode. Esc or Ctrl-C interrupts a turn; what you type meanwhile is kept: Enter queues it as \
    the next message, and Tab says it to the model at work. Press Ctrl-C twice to quit.";

fn print_help(chat: &Chat<'_>) {
    let commands = slash::COMMANDS.iter().map(|(_, name, argument, about)| {
        let name = format!("/{name} {argument}");
        (name.trim_end().to_owned(), (*about).to_owned())
    });
    print_rows(&commands.collect::<Vec<_>>());
    custom::print_list(chat);
    print_hint(KEYS);
}

fn print_tools(chat: &Chat<'_>) {
    let tools = chat.app.tools.granted().tools();
    let tools = tools.iter().map(|tool| {
        let spec = tool.spec();
        (
            spec.name.to_string(),
            sanitize::first_line(&spec.description, 100),
        )
    });
    print_rows(&tools.collect::<Vec<_>>());
}

#[cfg(feature = "skills")]
async fn print_skills(chat: &Chat<'_>) {
    crate::skills::refresh(&chat.app.skills).await;
    let catalog = chat.app.skills.current();
    print_wrapped(&skill_list::render_catalog(&catalog));
    if !catalog.is_empty() {
        print_hint("start a skill with /NAME ARGUMENTS");
    }
}

/// Starts the skill that a line names by sending its instructions to the model. Returns whether the skill exists.
#[cfg(feature = "skills")]
async fn start_skill(chat: &mut Chat<'_>, line: &str) -> bool {
    let text = line.strip_prefix('/').unwrap_or(line);
    let (name, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    crate::skills::refresh(&chat.app.skills).await;
    let catalog = chat.app.skills.current();
    if catalog.get(name).is_none() {
        return false;
    }
    match catalog.load(name).await {
        Ok(loaded) => {
            let said = loaded.with_arguments(arguments).to_string();
            chat.send(&said).await;
        }
        Err(error) => output::error(&error),
    }
    true
}

#[cfg(not(feature = "skills"))]
#[expect(clippy::unused_async, reason = "with skills it waits")]
async fn start_skill(_: &mut Chat<'_>, _: &str) -> bool {
    false
}

#[cfg(not(feature = "skills"))]
#[expect(clippy::unused_async, reason = "with skills it waits")]
async fn print_skills(_: &Chat<'_>) {
    print_hint("skills are not enabled in this program");
}

fn run_mode(chat: &mut Chat<'_>, wanted: &str) {
    if wanted.is_empty() {
        let current = chat.policy().current_mode();
        let modes: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        let (current, modes) = (current.name(), modes.join(", "));
        print_hint(&format!("{current} (available modes: {modes})"));
        return;
    }
    match wanted.parse::<Mode>() {
        Ok(mode) => chat.set_mode(mode),
        Err(error) => print_hint(&error.to_string()),
    }
}

async fn run_permissions(chat: &mut Chat<'_>, argument: &str) {
    let (word, rule) = argument
        .split_once(char::is_whitespace)
        .unwrap_or((argument, ""));
    match (word, rule.trim()) {
        ("", _) => print_rules(chat),
        ("remove", rule) if !rule.is_empty() => {
            // As it is written for a shell, too.
            let rule = rule.trim_matches(['\'', '"', '`']);
            match rule.parse() {
                Ok(rule) => match chat.revoke(rule).await {
                    Ok(true) => print_hint("the rule was removed"),
                    Ok(false) => print_hint("this session has no such rule"),
                    Err(error) => output::error(&error),
                },
                Err(error) => output::error(&error),
            }
        }
        _ => print_hint("usage: /permissions, or /permissions remove RULE"),
    }
}

fn print_rules(chat: &Chat<'_>) {
    let (allow, deny) = chat.rules();
    if allow.is_empty() && deny.is_empty() {
        return print_hint("this session has no rules");
    }
    let allowed = allow.iter().map(|rule| (rule, "allowed"));
    let denied = deny.iter().map(|rule| (rule, "denied"));
    let all = allowed.chain(denied);
    let all = all.map(|(rule, about)| (rule.to_string(), about.to_owned()));
    print_rows(&all.collect::<Vec<_>>());
    print_hint("remove a rule with /permissions remove RULE");
}

fn run_model(chat: &mut Chat<'_>, name: &str) {
    if !name.is_empty()
        && let Err(error) = chat.options.set_model(chat.app, name)
    {
        return output::error(&error);
    }
    let model = chat.options.model.name();
    print_hint(&model.map_or_else(
        || "the model has no name: it is a recording, or a model of the app".to_owned(),
        ToString::to_string,
    ));
}

fn run_compact(chat: &mut Chat<'_>, keep: &str) {
    if chat.messages().is_empty() {
        return print_hint("there is nothing to summarize");
    }
    chat.compacts_first = Some(keep.to_owned());
    print_hint("the conversation is summarized before the next reply");
}

fn print_cost(chat: &Chat<'_>) {
    let words = usage_parts(&chat.totals.usage, chat.totals.cost, None);
    match words.is_empty() {
        false => print_hint(&words.join(" · ")),
        true => print_hint("the model reported no usage"),
    }
}
