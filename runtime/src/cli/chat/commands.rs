//! What the commands of a chat do.

use std::ops::ControlFlow;

use super::conversation::Chat;
use super::hint;
use super::slash::{self, Slash};
use crate::cli::render::{self, Totals};
use crate::cli::screen::{Line, theme};
use crate::cli::{output, sanitize};
use crate::permission::Mode;

/// How many conversations are listed.
const SESSIONS: usize = 10;

/// Does what a line says; breaks where the chat is over.
pub(super) async fn run(chat: &mut Chat<'_>, line: &str) -> ControlFlow<()> {
    let (slash, argument) = match slash::read(line) {
        Ok(read) => read,
        Err(advice) => {
            if !start_skill(chat, line).await {
                hint(&advice);
            }
            return ControlFlow::Continue(());
        }
    };
    match slash {
        Slash::Help => help(),
        Slash::Tools => tools(chat),
        Slash::Skills => skills(chat).await,
        Slash::Mode => mode(chat, argument),
        Slash::Permissions => permissions(chat, argument).await,
        Slash::Sessions => sessions(chat).await,
        Slash::New => {
            chat.forget();
            hint("the next message begins a new conversation");
        }
        Slash::Undo => undo(chat).await,
        Slash::Cost => cost(chat),
        Slash::Thinking => {
            chat.shows_thinking = !chat.shows_thinking;
            hint(match chat.shows_thinking {
                true => "what the model thinks is shown in full",
                false => "what the model thinks is shown in short",
            });
        }
        Slash::Quit => return ControlFlow::Break(()),
    }
    ControlFlow::Continue(())
}

/// Writes rows of a name and what stands behind it.
fn rows(rows: &[(String, String)]) {
    let columns = crate::cli::screen::Size::of_stdout().columns;
    let width = rows.iter().map(|(name, _)| name.chars().count()).max();
    let width = width.unwrap_or(0) + 2;
    let mut lines = Vec::new();
    for (name, about) in rows {
        let missing = width - name.chars().count();
        let line = Line::of("  ", theme::PLAIN)
            .with(name, theme::NAME)
            .with(&" ".repeat(missing), theme::PLAIN)
            .with(about, theme::PLAIN);
        lines.extend(line.wrap_hanging(columns, width + 2));
    }
    output::lines(&lines);
}

fn help() {
    let commands = slash::ALL.iter().map(|entry| {
        let name = format!("/{} {}", entry.name, entry.argument);
        (name.trim_end().to_owned(), entry.about.to_owned())
    });
    rows(&commands.collect::<Vec<_>>());
    hint("A backslash at the end of a line begins a new one. Ctrl-C stops a turn, twice leaves.");
}

fn tools(chat: &Chat<'_>) {
    let tools = chat.app.tools.granted().tools();
    let tools = tools.iter().map(|tool| {
        let spec = tool.spec();
        (
            spec.name.to_string(),
            sanitize::first_line(&spec.description, 100),
        )
    });
    rows(&tools.collect::<Vec<_>>());
}

#[cfg(feature = "skills")]
async fn skills(chat: &Chat<'_>) {
    crate::cli::skills::refresh(&chat.app.skills).await;
    let catalog = chat.app.skills.current();
    output::print(&render::skills::as_text(&catalog));
    if !catalog.is_empty() {
        hint("/NAME starts one, with what stands behind it as its arguments");
    }
}

/// Starts the skill that a line names, and tells whether there is one: its instructions are said to the model.
#[cfg(feature = "skills")]
async fn start_skill(chat: &mut Chat<'_>, line: &str) -> bool {
    let text = line.strip_prefix('/').unwrap_or(line);
    let (name, arguments) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    crate::cli::skills::refresh(&chat.app.skills).await;
    let catalog = chat.app.skills.current();
    if catalog.get(name).is_none() {
        return false;
    }
    match catalog.load(name).await {
        Ok(loaded) => {
            let said = loaded.with_arguments(arguments).to_string();
            chat.say(&said).await;
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
async fn skills(_: &Chat<'_>) {
    hint("this program was built without skills");
}

fn mode(chat: &mut Chat<'_>, wanted: &str) {
    if wanted.is_empty() {
        let current = chat.policy().current_mode();
        let modes: Vec<_> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        hint(&format!(
            "{}; there are: {}",
            current.name(),
            modes.join(", ")
        ));
        return;
    }
    match wanted.parse::<Mode>() {
        Ok(mode) => chat.set_mode(mode),
        Err(error) => hint(&error.to_string()),
    }
}

async fn permissions(chat: &mut Chat<'_>, argument: &str) {
    let (word, rule) = argument
        .split_once(char::is_whitespace)
        .unwrap_or((argument, ""));
    match (word, rule.trim()) {
        ("", _) => rules(chat),
        ("remove", rule) if !rule.is_empty() => {
            // As it is written for a shell, too.
            let rule = rule.trim_matches(['\'', '"', '`']);
            match rule.parse() {
                Ok(rule) => match chat.revoke(rule).await {
                    Ok(true) => hint("it holds no more"),
                    Ok(false) => hint("there is no such rule in this conversation"),
                    Err(error) => output::error(&error),
                },
                Err(error) => output::error(&error),
            }
        }
        _ => hint("/permissions shows the rules, /permissions remove RULE takes one back"),
    }
}

fn rules(chat: &Chat<'_>) {
    let (allow, deny) = chat.rules();
    if allow.is_empty() && deny.is_empty() {
        return hint("no rules were given in this conversation");
    }
    let allowed = allow.iter().map(|rule| (rule, "runs without a question"));
    let denied = deny.iter().map(|rule| (rule, "is denied"));
    let all = allowed.chain(denied);
    let all = all.map(|(rule, about)| (rule.to_string(), about.to_owned()));
    rows(&all.collect::<Vec<_>>());
    hint("/permissions remove RULE takes one back");
}

async fn sessions(chat: &Chat<'_>) {
    let here = chat.app.shown_root();
    match chat.sessions.list().await {
        Ok(mut sessions) => {
            sessions.retain(|session| session.folder.as_ref() == Some(&here));
            sessions.truncate(SESSIONS);
            if sessions.is_empty() {
                return hint("no conversations in this folder yet");
            }
            let width = crate::cli::screen::Size::of_stdout().columns;
            let lines = Line::lines(&render::sessions::table(&sessions), theme::PLAIN);
            let lines: Vec<Line> = lines.iter().map(|line| line.cut(width)).collect();
            output::lines(&lines);
            let binary = chat.app.binary();
            hint(&format!("go on with one: {binary} chat --session ID"));
        }
        Err(error) => output::error(&error),
    }
}

async fn undo(chat: &mut Chat<'_>) {
    match chat.undo().await {
        Ok(Some(said)) => hint(&format!(
            "taken back: {}; what tools did stays done",
            sanitize::first_line(&said, 60)
        )),
        Ok(None) => hint("nothing was said yet"),
        Err(error) => output::error(&error),
    }
}

fn cost(chat: &Chat<'_>) {
    let mut totals = Totals::default();
    totals.add(&chat.totals.usage, chat.totals.cost);
    let words = totals.words(None);
    match words.is_empty() {
        false => hint(&words.join(" · ")),
        true => hint("nothing was used up, as far as the model says"),
    }
}
