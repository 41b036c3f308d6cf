//! What a line that begins with `/` says.

/// A command of the chat itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slash {
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
pub(super) struct Entry {
    pub(super) slash: Slash,
    pub(super) name: &'static str,
    pub(super) argument: &'static str,
    pub(super) about: &'static str,
}

const fn entry(
    slash: Slash,
    name: &'static str,
    argument: &'static str,
    about: &'static str,
) -> Entry {
    Entry {
        slash,
        name,
        argument,
        about,
    }
}

/// All commands, in the order in which help shows them.
pub(super) const ALL: [Entry; 11] = [
    entry(Slash::Help, "help", "", "Shows this"),
    entry(Slash::Tools, "tools", "", "Lists the tools"),
    entry(Slash::Skills, "skills", "", "Lists the skills"),
    entry(
        Slash::Mode,
        "mode",
        "MODE",
        "Shows or sets how freely the agent works",
    ),
    entry(
        Slash::Permissions,
        "permissions",
        "",
        "Shows the rules that were given here; takes one back",
    ),
    entry(
        Slash::Sessions,
        "sessions",
        "",
        "Lists the conversations that were had in this folder",
    ),
    entry(Slash::New, "new", "", "Begins a new conversation"),
    entry(
        Slash::Undo,
        "undo",
        "",
        "Takes the last exchange back; files stay as they are",
    ),
    entry(Slash::Cost, "cost", "", "Says what this chat has used up"),
    entry(
        Slash::Thinking,
        "thinking",
        "",
        "Shows what the model thinks in full, or no more",
    ),
    entry(Slash::Quit, "quit", "", "Leaves; so does Ctrl-D"),
];

/// Other names that people try.
const ALIASES: [(&str, Slash); 4] = [
    ("exit", Slash::Quit),
    ("q", Slash::Quit),
    ("clear", Slash::New),
    ("?", Slash::Help),
];

/// Reads a command and its argument; what is none is told with the nearest one.
pub(super) fn read(line: &str) -> Result<(Slash, &str), String> {
    let text = line.strip_prefix('/').unwrap_or(line);
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let lower = name.to_ascii_lowercase();
    let known = ALL.iter().map(|entry| (entry.name, entry.slash));
    let mut names = known.chain(ALIASES);
    if let Some((_, slash)) = names.find(|(known, _)| *known == lower) {
        return Ok((slash, argument.trim()));
    }
    let distance = |entry: &&Entry| strsim::damerau_levenshtein(entry.name, &lower);
    let nearest = ALL.iter().min_by_key(distance);
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
        assert_eq!(read("/mode  explore "), Ok((Slash::Mode, "explore")));
        assert_eq!(read("/HELP"), Ok((Slash::Help, "")));
        assert_eq!(read("/exit"), Ok((Slash::Quit, "")));
    }

    #[test]
    fn an_unknown_command_is_told_with_the_nearest() {
        let said = |line| read(line).unwrap_err();
        assert!(said("/hlep").contains("no command /hlep; did you mean /help?"));
        assert!(said("/etc/passwd").contains("/help lists the commands"));
        assert!(said("/").contains("no command /;"));
    }
}
