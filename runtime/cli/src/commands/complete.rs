//! `complete`: the completions of a command line, which the scripts of `completions` ask for.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command};

use crate::app_context::AppContext;
use crate::exit::CommandResult;
use crate::{flags, session_folder};
use helve_terminal::{output, sanitize};

/// The maximum length of the description of a candidate, in characters.
const MAX_ABOUT_CHARS: usize = 60;

/// The maximum number of sessions that are offered.
const MAX_SESSIONS: usize = 30;

/// A word that can follow, with a description, which may be empty.
struct Completion {
    value: String,
    about: String,
}

impl Completion {
    fn new(value: impl Into<String>, about: &str) -> Self {
        Self {
            value: value.into(),
            about: sanitize::one_line(&sanitize::first_line(about, MAX_ABOUT_CHARS)).into_owned(),
        }
    }
}

pub(super) fn command() -> Command {
    let words = Arg::new("words")
        .num_args(1..)
        .last(true)
        .allow_hyphen_values(true)
        .help("The words after the name of the program, up to the one to complete");
    Command::new("complete")
        .hide(true)
        .about("Print the completions of a command line, one per line")
        .arg(words)
}

/// Prints the candidates for the last word: each with its description, after a tab.
pub(super) async fn run(
    app: &AppContext,
    command_line: Command,
    matches: &ArgMatches,
) -> CommandResult {
    let words = matches.get_many::<String>("words").into_iter().flatten();
    let words: Vec<&str> = words.map(String::as_str).collect();
    let Some((current, before)) = words.split_last() else {
        return Ok(ExitCode::SUCCESS);
    };
    let position = CursorPosition::after(app, command_line, before);
    let current = match position.expected {
        Some(_) if *current == "=" => "",
        _ => *current,
    };
    // `--flag=value` is one word for the user.
    let (prefix, found) = match current.split_once('=') {
        Some((flag, _)) if position.expected.is_none() && flag.starts_with("--") => {
            match position.flag(flag) {
                Some(arg) => (format!("{flag}="), position.values(app, &arg).await),
                None => return Ok(ExitCode::SUCCESS),
            }
        }
        _ => (String::new(), position.candidates(app, current).await),
    };
    for Completion { value, about } in found {
        let value = format!("{prefix}{value}");
        if !value.starts_with(current) || value.contains(char::is_whitespace) {
            continue;
        }
        let line = match about.is_empty() {
            true => value,
            false => format!("{value}\t{about}"),
        };
        output::line(&line);
    }
    Ok(ExitCode::SUCCESS)
}

/// The place of a word in a command line.
struct CursorPosition {
    command: Command,
    /// The names of the subcommands so far, such as `mcp test`.
    path: Vec<String>,
    /// The number of positional arguments so far.
    positionals: usize,
    /// The flag that takes the next word.
    expected: Option<Arg>,
}

impl CursorPosition {
    fn after(app: &AppContext, mut command_line: Command, words: &[&str]) -> Self {
        // This gives the global flags to the subcommands.
        command_line.build();
        let mut position = Self {
            command: command_line,
            path: Vec::new(),
            positionals: 0,
            expected: None,
        };
        for word in words {
            position.take(app, word);
        }
        position
    }

    fn take(&mut self, app: &AppContext, word: &str) {
        // Bash takes `--flag=value` for three words.
        if self.expected.is_some() && word == "=" {
            return;
        }
        if self.expected.take().is_some() {
            return;
        }
        if word.starts_with('-') && word.len() > 1 {
            let flag = self.flag(word).filter(takes_value);
            self.expected = flag.filter(|_| !word.contains('='));
            return;
        }
        if let Some(command) = self.command.find_subcommand(word) {
            self.path.push(command.get_name().to_owned());
            self.command = command.clone();
            return;
        }
        let caller = match self.path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["call"] => "call",
            ["permissions", "check"] => "permissions check",
            _ => "",
        };
        if !caller.is_empty()
            && self.positionals == 0
            && let Some(tool) = app.tools.granted().get(word)
        {
            self.command = flags::command(tool.spec(), caller);
            self.command.build();
            self.path.push(word.to_owned());
            return;
        }
        self.positionals += 1;
    }

    /// Returns the argument of a flag, such as `--mode` or `-m`.
    fn flag(&self, word: &str) -> Option<Arg> {
        let word = word.split_once('=').map_or(word, |(flag, _)| flag);
        let is_it = |arg: &&Arg| match word.strip_prefix("--") {
            Some(long) => {
                let mut names = arg.get_long_and_visible_aliases().into_iter().flatten();
                names.any(|name| name == long)
            }
            None => word
                .chars()
                .nth(1)
                .is_some_and(|short| word.chars().count() == 2 && arg.get_short() == Some(short)),
        };
        self.command.get_arguments().find(is_it).cloned()
    }

    async fn candidates(&self, app: &AppContext, current: &str) -> Vec<Completion> {
        if let Some(arg) = &self.expected {
            return self.values(app, arg).await;
        }
        if current.starts_with('-') {
            return self.flags();
        }
        let commands = self.command.get_subcommands();
        let commands = commands.filter(|command| !command.is_hide_set());
        let mut found: Vec<Completion> = commands
            .map(|command| Completion::new(command.get_name(), &about(command.get_about())))
            .collect();
        let mut positionals = self.command.get_positionals();
        // The last argument may take several words.
        let last = self.command.get_positionals().last();
        let last = last.filter(|arg| {
            arg.get_num_args()
                .is_some_and(|number| number.max_values() > 1)
        });
        if let Some(arg) = positionals.nth(self.positionals).or(last) {
            found.extend(self.values(app, arg).await);
        }
        found
    }

    fn flags(&self) -> Vec<Completion> {
        let shown = self
            .command
            .get_arguments()
            .filter(|arg| !arg.is_hide_set());
        shown
            .filter_map(|arg| {
                let flag = format!("--{}", arg.get_long()?);
                Some(Completion::new(flag, &about(arg.get_help())))
            })
            .collect()
    }

    /// Returns the values of an argument, as far as they can be listed.
    async fn values(&self, app: &AppContext, arg: &Arg) -> Vec<Completion> {
        let possible = arg.get_possible_values();
        if !possible.is_empty() {
            let shown = possible.iter().filter(|value| !value.is_hide_set());
            let shown =
                shown.map(|value| Completion::new(value.get_name(), &about(value.get_help())));
            return shown.collect();
        }
        let command = self.path.first().map_or("", String::as_str);
        match (command, arg.get_id().as_str()) {
            (_, "mode") => words(helve_permission::Mode::ALL.map(helve_permission::Mode::name)),
            (_, "effort") => words(["none", "low", "medium", "high"]),
            ("call" | "permissions", "words") if self.positionals == 0 => tools(app),
            ("tools", "name") | ("permissions", "rule") => tools(app),
            (_, "allow" | "ask" | "deny") => tools(app),
            #[cfg(feature = "agents")]
            ("agents", "name") | (_, "agent") => agents(app),
            #[cfg(feature = "skills")]
            ("skills", "name") => skills(app),
            #[cfg(feature = "models")]
            (_, "provider") => providers(app),
            ("sessions", "id") | (_, "session") => sessions(app).await,
            #[cfg(feature = "mcp")]
            ("mcp", "name") | (_, "mcp") => servers(app),
            _ => Vec::new(),
        }
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

fn about(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

fn words<const N: usize>(words: [&str; N]) -> Vec<Completion> {
    words.map(|word| Completion::new(word, "")).into()
}

fn tools(app: &AppContext) -> Vec<Completion> {
    let tools = app.tools.granted().tools();
    let tools = tools.iter().map(|tool| tool.spec());
    tools
        .map(|spec| Completion::new(&*spec.name, &spec.description))
        .collect()
}

#[cfg(feature = "models")]
fn providers(app: &AppContext) -> Vec<Completion> {
    let Ok(config) = &app.settings else {
        return Vec::new();
    };
    let list = crate::providers::all_providers(config).list();
    list.into_iter()
        .map(|(name, _)| Completion::new(name, ""))
        .collect()
}

#[cfg(feature = "agents")]
fn agents(app: &AppContext) -> Vec<Completion> {
    let catalog = crate::agents::read(app).unwrap_or_default();
    let agents = catalog.agents().iter().map(helve_agents::NamedAgent::spec);
    agents
        .map(|spec| Completion::new(&*spec.name, &spec.description))
        .collect()
}

#[cfg(feature = "skills")]
fn skills(app: &AppContext) -> Vec<Completion> {
    let catalog = app.skills.current();
    let used = catalog.skills().chain(catalog.withheld());
    used.map(|skill| Completion::new(skill.name(), skill.description()))
        .collect()
}

#[cfg(feature = "mcp")]
fn servers(app: &AppContext) -> Vec<Completion> {
    let Ok(config) = &app.settings else {
        return Vec::new();
    };
    let known = app.known_servers(config).servers.into_iter();
    known
        .map(|server| Completion::new(server.name, &server.origin.to_string()))
        .collect()
}

/// Lists the most recent sessions. Without a state folder there are none.
async fn sessions(app: &AppContext) -> Vec<Completion> {
    let Ok(sessions) = session_folder::sessions(app.package.name) else {
        return Vec::new();
    };
    let list = sessions.list().await.unwrap_or_default().into_iter();
    let list = list.take(MAX_SESSIONS);
    list.map(|summary| {
        let about = summary.title.as_deref().unwrap_or_default();
        Completion::new(summary.session.to_string(), about)
    })
    .collect()
}
