//! The commands of a chat, which start with `/`.

/// A command of the chat itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlashCommand {
    Help,
    Tools,
    Skills,
    Mode,
    Permissions,
    Sessions,
    New,
    Undo,
    Cost,
    Thinking,
    Quit,
}

/// A command with its name and its description.
pub(super) struct SlashCommandInfo {
    pub(super) command: SlashCommand,
    pub(super) name: &'static str,
    pub(super) argument: &'static str,
    pub(super) about: &'static str,
}

const fn info(
    slash: SlashCommand,
    name: &'static str,
    argument: &'static str,
    about: &'static str,
) -> SlashCommandInfo {
    SlashCommandInfo {
        command: slash,
        name,
        argument,
        about,
    }
}

/// All commands, in the order in which help shows them.
pub(super) const COMMANDS: [SlashCommandInfo; 11] = [
    info(SlashCommand::Help, "help", "", "Show this help"),
    info(SlashCommand::Tools, "tools", "", "List the tools"),
    info(SlashCommand::Skills, "skills", "", "List the skills"),
    info(
        SlashCommand::Mode,
        "mode",
        "MODE",
        "Show or set the permission mode",
    ),
    info(
        SlashCommand::Permissions,
        "permissions",
        "",
        "Show the rules of this session, or remove one",
    ),
    info(
        SlashCommand::Sessions,
        "sessions",
        "",
        "List the sessions of this folder",
    ),
    info(SlashCommand::New, "new", "", "Start a new session"),
    info(
        SlashCommand::Undo,
        "undo",
        "",
        "Undo the last exchange; files are not changed",
    ),
    info(
        SlashCommand::Cost,
        "cost",
        "",
        "Show the tokens and cost of this chat",
    ),
    info(
        SlashCommand::Thinking,
        "thinking",
        "",
        "Toggle the full reasoning of the model",
    ),
    info(SlashCommand::Quit, "quit", "", "Quit (or press Ctrl-D)"),
];

/// Alternative names of commands.
const ALIASES: [(&str, SlashCommand); 4] = [
    ("exit", SlashCommand::Quit),
    ("q", SlashCommand::Quit),
    ("clear", SlashCommand::New),
    ("?", SlashCommand::Help),
];

/// Parses a command and its argument. The error for an unknown command suggests the nearest one.
pub(super) fn parse(line: &str) -> Result<(SlashCommand, &str), String> {
    let text = line.strip_prefix('/').unwrap_or(line);
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let lower = name.to_ascii_lowercase();
    let known = COMMANDS.iter().map(|entry| (entry.name, entry.command));
    let mut names = known.chain(ALIASES);
    if let Some((_, slash)) = names.find(|(known, _)| *known == lower) {
        return Ok((slash, argument.trim()));
    }
    let distance = |entry: &&SlashCommandInfo| strsim::damerau_levenshtein(entry.name, &lower);
    let nearest = COMMANDS.iter().min_by_key(distance);
    let nearest = nearest.filter(|entry| distance(entry) <= 2);
    let advice = match nearest {
        Some(entry) => format!("did you mean /{}?", entry.name),
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
