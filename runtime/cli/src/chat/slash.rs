//! The commands of a chat, which start with `/`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlashCommand {
    Help,
    Model,
    Mode,
    Permissions,
    Tools,
    Skills,
    Agents,
    Mcp,
    Context,
    Compact,
    Clear,
    Sessions,
    Search,
    Resume,
    Rewind,
    Undo,
    Diff,
    Background,
    Jobs,
    Memory,
    Todo,
    Copy,
    Export,
    Editor,
    Init,
    Cost,
    Thinking,
    Quit,
}

/// All commands, in the order in which help shows them: each with its name, its argument and its description.
pub(super) const COMMANDS: [(SlashCommand, &str, &str, &str); 28] = {
    use SlashCommand as S;
    [
        (S::Help, "help", "", "Show this help"),
        (S::Mode, "mode", "[MODE]", "Show or set the permission mode"),
        (S::Model, "model", "[NAME]", "Show or set the model"),
        (
            S::Permissions,
            "permissions",
            "",
            "Show the rules of this session, or remove one",
        ),
        (S::Tools, "tools", "", "List the tools"),
        (S::Skills, "skills", "", "List the skills"),
        (S::Agents, "agents", "", "List the agents"),
        (S::Mcp, "mcp", "", "List the MCP servers"),
        (
            S::Context,
            "context",
            "",
            "Show what fills the context of the model",
        ),
        (
            S::Compact,
            "compact",
            "[KEEP]",
            "Summarize the conversation before the next reply",
        ),
        (S::Clear, "clear", "", "Start a new session"),
        (
            S::Sessions,
            "sessions",
            "",
            "List the sessions of this folder",
        ),
        (
            S::Search,
            "search",
            "WORDS",
            "Search the sessions of this folder",
        ),
        (S::Resume, "resume", "[ID]", "Continue another session"),
        (
            S::Rewind,
            "rewind",
            "[N]",
            "Go back to a message: conversation, files or both",
        ),
        (
            S::Undo,
            "undo",
            "",
            "Undo the last exchange and its changes of files, or the last /rewind",
        ),
        (S::Diff, "diff", "", "Show the uncommitted changes"),
        (
            S::Background,
            "background",
            "",
            "List the commands that run in the background",
        ),
        (
            S::Jobs,
            "jobs",
            "[stop]",
            "List the background jobs of this session, or stop one",
        ),
        (
            S::Memory,
            "memory",
            "[review]",
            "List what is remembered, or review, show or delete it",
        ),
        (S::Todo, "todo", "", "List the tasks of this session"),
        (S::Copy, "copy", "", "Copy the last reply to the clipboard"),
        (
            S::Export,
            "export",
            "[FILE]",
            "Write the conversation to a file",
        ),
        (S::Editor, "editor", "", "Write the message in $EDITOR"),
        (
            S::Init,
            "init",
            "",
            "Have the agent write the AGENTS.md of the project",
        ),
        (S::Cost, "cost", "", "Show the tokens and cost of this chat"),
        (
            S::Thinking,
            "thinking",
            "",
            "Toggle the full reasoning of the model",
        ),
        (S::Quit, "quit", "", "Quit (or press Ctrl-D)"),
    ]
};

const ALIASES: [(&str, SlashCommand); 4] = [
    ("exit", SlashCommand::Quit),
    ("q", SlashCommand::Quit),
    ("new", SlashCommand::Clear),
    ("?", SlashCommand::Help),
];

/// Reports whether a name is that of a built-in command.
pub(crate) fn is_taken(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut names = COMMANDS.iter().map(|(_, name, ..)| *name);
    names.any(|known| known == lower) || ALIASES.iter().any(|(alias, _)| *alias == lower)
}

/// Parses a command and its argument. The error for an unknown command suggests the nearest one.
pub(super) fn parse(line: &str) -> Result<(SlashCommand, &str), String> {
    let text = line.strip_prefix('/').unwrap_or(line);
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let lower = name.to_ascii_lowercase();
    let known = COMMANDS
        .map(|(command, name, ..)| (name, command))
        .into_iter();
    let mut names = known.chain(ALIASES);
    if let Some((_, slash)) = names.find(|(known, _)| *known == lower) {
        return Ok((slash, argument.trim()));
    }
    let distance = |name: &&str| strsim::damerau_levenshtein(name, &lower);
    let nearest = COMMANDS.iter().map(|(_, name, ..)| *name);
    let nearest = nearest
        .min_by_key(distance)
        .filter(|name| distance(name) <= 2);
    let advice = match nearest {
        Some(name) => format!("did you mean /{name}?"),
        None => "run /help for a list".to_owned(),
    };
    Err(format!(
        "unknown command /{name}; {advice}\nstart the line with a space to send it to the model"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_with_their_argument() {
        assert_eq!(
            parse("/mode  explore "),
            Ok((SlashCommand::Mode, "explore"))
        );
        assert_eq!(parse("/HELP"), Ok((SlashCommand::Help, "")));
        assert_eq!(parse("/exit"), Ok((SlashCommand::Quit, "")));
    }

    #[test]
    fn an_unknown_command_is_told_with_the_nearest() {
        let said = |line| parse(line).unwrap_err();
        assert!(said("/hlep").contains("unknown command /hlep; did you mean /help?"));
        assert!(said("/etc/passwd").contains("run /help for a list"));
        assert!(said("/").contains("unknown command /;"));
    }
}
