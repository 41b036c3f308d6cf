//! What a line that begins with `/` says.

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

/// How a command is called and what it does.
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
    info(SlashCommand::Help, "help", "", "Shows this"),
    info(SlashCommand::Tools, "tools", "", "Lists the tools"),
    info(SlashCommand::Skills, "skills", "", "Lists the skills"),
    info(
        SlashCommand::Mode,
        "mode",
        "MODE",
        "Shows or sets how freely the agent works",
    ),
    info(
        SlashCommand::Permissions,
        "permissions",
        "",
        "Shows the rules that were given here; takes one back",
    ),
    info(
        SlashCommand::Sessions,
        "sessions",
        "",
        "Lists the conversations that were had in this folder",
    ),
    info(SlashCommand::New, "new", "", "Begins a new conversation"),
    info(
        SlashCommand::Undo,
        "undo",
        "",
        "Takes the last exchange back; files stay as they are",
    ),
    info(
        SlashCommand::Cost,
        "cost",
        "",
        "Says what this chat has used up",
    ),
    info(
        SlashCommand::Thinking,
        "thinking",
        "",
        "Shows what the model thinks in full, or no more",
    ),
    info(SlashCommand::Quit, "quit", "", "Leaves; so does Ctrl-D"),
];

/// Other names that people try.
const ALIASES: [(&str, SlashCommand); 4] = [
    ("exit", SlashCommand::Quit),
    ("q", SlashCommand::Quit),
    ("clear", SlashCommand::New),
    ("?", SlashCommand::Help),
];

/// Reads a command and its argument; what is none is told with the nearest one.
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
        None => "/help lists the commands".to_owned(),
    };
    Err(format!(
        "there is no command /{name}; {advice} A line for the model can begin with a blank."
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
        assert!(said("/hlep").contains("no command /hlep; did you mean /help?"));
        assert!(said("/etc/passwd").contains("/help lists the commands"));
        assert!(said("/").contains("no command /;"));
    }
}
