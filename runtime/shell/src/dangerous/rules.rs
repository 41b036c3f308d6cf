//! Commands that change permissions: an app's own `permissions trust`, `mcp approve` and similar commands.

use super::danger::{Danger, immune};
use crate::script::ScriptWord;

/// The sub-commands that accept external content, by their parent commands.
const ACCEPT: [(&str, &str); 3] = [
    ("permissions", "trust"),
    ("mcp", "approve"),
    ("skills", "accept"),
];

/// Reports whether a command accepts the content of a project, a server or a skill, or removes rules, whatever the name
/// of the app is. Words in between may be options of the app, and a word whose value is unknown before the command runs
/// may be any word.
///
/// `gets_arguments` indicates whether unknown arguments are appended.
pub(in super::super) fn changes_rules(
    words: &[ScriptWord<'_>],
    gets_arguments: bool,
) -> Option<Danger> {
    let changes = |&(command, accepts)| accepts_or_removes(words, gets_arguments, command, accepts);
    let is_change = ACCEPT.iter().any(changes);
    is_change.then(|| immune("it changes which calls run without approval"))
}

fn accepts_or_removes(
    words: &[ScriptWord<'_>],
    gets_arguments: bool,
    command: &str,
    accepts: &str,
) -> bool {
    let (mut is_named, mut is_open) = (false, false);
    for word in words.iter().skip(1) {
        let accepts = may_be(word, accepts);
        let acts = accepts || command == "permissions" && may_be(word, "remove");
        if is_named && acts || is_open && accepts && !word.is_dynamic {
            return true;
        }
        is_named |= !word.is_dynamic && may_be(word, command);
        is_open |= word.is_dynamic;
    }
    is_named && gets_arguments
}

/// Reports whether a word is `name`, or may expand to `name`.
fn may_be(word: &ScriptWord<'_>, name: &str) -> bool {
    let open = ['*', '?', '['];
    let ends = || {
        let first = word.text.find(open)?;
        let last = word.text.rfind(['*', '?', ']'])?;
        Some((&word.text[..first], &word.text[last + 1..]))
    };
    // The text between two wildcards is not compared: this asks too often rather than too rarely.
    let fits = || ends().is_none_or(|(head, tail)| name.starts_with(head) && name.ends_with(tail));
    word.is_dynamic || word.text == name || word.is_glob && fits()
}
