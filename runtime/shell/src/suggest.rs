//! Rules that are suggested with a question.

use super::dangerous;
use super::heuristics::wrappers;
use super::script::ScriptWord;
use crate::name_list::NameList;

/// The maximum number of suggested rules.
pub(super) const MAX_SUGGESTIONS: usize = 5;

/// Programs that need no rule: they only display something.
const SHOWS: [&str; 9] = [
    "echo", "cat", "ls", "pwd", "cd", "true", "false", "printf", "grep",
];

/// Programs whose first argument does not determine their effect: a later option, or a text in their own language, runs
/// other programs or writes files.
const TOLD: [&str; 15] = [
    "awk", "gawk", "mawk", "nawk", "less", "more", "man", "find", "fd", "fdfind", "ssh", "scp",
    "sftp", "rsync", "tar",
];

/// Programs whose first argument is a sub-command.
const TAKES_COMMANDS: NameList =
    NameList::new("git docker podman npm pnpm yarn cargo kubectl go gh find");

/// Returns the first two words of a command as the prefix of a rule; `None` if such a rule would allow other programs
/// to run.
pub(super) fn prefix(program: &str, words: &[ScriptWord<'_>]) -> Option<String> {
    let second = words.get(1)?;
    let runs_others = wrappers::is_wrapper(program)
        || dangerous::interprets(program)
        || super::specs::always_runs(program);
    let is_plain = second.fixed().is_some_and(|text| {
        !text.is_empty()
            && text.len() < 200
            && !text.contains([' ', '\t', '\n', '*', '\\', '(', ')'])
    });
    let takes_commands = TAKES_COMMANDS.has(program);
    let is_option = second.text.starts_with('-');
    if SHOWS.contains(&program)
        || TOLD.contains(&program)
        || runs_others
        || !is_plain
        || takes_commands && is_option
    {
        return None;
    }
    Some(format!("{} {}", words[0].text, second.text))
}
