//! Rules to offer with a question.

use super::dangerous;
use super::heuristics::wrappers;
use super::script::ScriptWord;
use super::word_list::WordList;

/// How many rules are offered at most.
pub(super) const MAX_SUGGESTIONS: usize = 5;

/// Programs that need no rule: they only show something.
const SHOWS: [&str; 9] = [
    "echo", "cat", "ls", "pwd", "cd", "true", "false", "printf", "grep",
];

/// Programs whose first argument says little of what they do: an option behind it, or a text in their own language, runs
/// other programs or writes files.
const TOLD: [&str; 15] = [
    "awk", "gawk", "mawk", "nawk", "less", "more", "man", "find", "fd", "fdfind", "ssh", "scp",
    "sftp", "rsync", "tar",
];

/// Programs whose first argument is a command of theirs.
const TAKES_COMMANDS: WordList =
    WordList("git docker podman npm pnpm yarn cargo kubectl go gh find");

/// Returns the two words that a rule about the command would begin with; none where such a rule would let another
/// program run.
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
    let takes_commands = TAKES_COMMANDS.contains(program);
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
