//! How a program that only reads is written down, and what it does with its arguments.

use super::options::{Item, OptionIter, is_harmful};
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::script::ScriptWord;

/// A program that only reads.
pub(super) struct ReadOnlySpec {
    pub(super) name: &'static str,
    pub(super) operands: Operands,
    /// The short options whose value is a word of its own, or stands attached.
    valued: &'static str,
    /// The options that write, run a program, reach the network or change something. Short ones are letters with a dash.
    harmful: &'static [&'static str],
}

/// What the operands of a reader are.
#[derive(Clone, Copy)]
pub(super) enum Operands {
    /// Text that does nothing, whatever it says.
    Text,
    /// Names of files, of which it says something, but not what is in them.
    Names,
    /// Files whose content it shows.
    Files,
    /// A pattern, then files whose content it shows.
    Pattern,
    /// There must be none.
    Nothing,
    /// They decide what it does.
    Judged(fn(&[ScriptWord<'_>], &mut CommandFacts) -> CommandEffect),
}

pub(super) const fn read_only(
    name: &'static str,
    operands: Operands,
    valued: &'static str,
    harmful: &'static [&'static str],
) -> ReadOnlySpec {
    ReadOnlySpec {
        name,
        operands,
        valued,
        harmful,
    }
}

impl ReadOnlySpec {
    pub(super) fn judge(
        &self,
        words: &[ScriptWord<'_>],
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        let options = OptionIter::new(&words[1..], self.valued);
        let mut seen_pattern = !matches!(self.operands, Operands::Pattern);
        for item in options {
            match item {
                Item::Operand(word) => {
                    if matches!(self.operands, Operands::Text) {
                        continue;
                    }
                    if word.is_dynamic && !self.takes_any(word) {
                        return facts.unknown();
                    }
                    if word.text.starts_with('+') && matches!(self.name, "less" | "more") {
                        // A command of the pager, which may run another.
                        return CommandEffect::Other;
                    }
                    if matches!(self.operands, Operands::Nothing) {
                        return CommandEffect::Other;
                    }
                    if !seen_pattern {
                        seen_pattern = true;
                        continue;
                    }
                    facts.read(word);
                }
                Item::Option { name, value, word } => {
                    if word.is_dynamic && !matches!(self.operands, Operands::Text) {
                        return facts.unknown();
                    }
                    if is_harmful(name, self.harmful) {
                        return CommandEffect::Other;
                    }
                    if matches!(name, "-e" | "--regexp" | "-f" | "--file")
                        && matches!(self.operands, Operands::Pattern)
                    {
                        seen_pattern = true;
                    }
                    if let Some(value) = value.filter(|_| names_a_file(name)) {
                        facts.read_text(value, word);
                    }
                }
            }
        }
        CommandEffect::Reads
    }

    /// Names alone say little; and no option of such a program does harm, whatever the word becomes.
    fn takes_any(&self, _: &ScriptWord<'_>) -> bool {
        matches!(self.operands, Operands::Names) && self.harmful.is_empty()
    }
}

/// Reports whether the value of an option may be a file that is read: not where it says what to leave out, or how to
/// show it.
fn names_a_file(name: &str) -> bool {
    const NOT_FILES: [&str; 22] = [
        "--exclude",
        "--include",
        "--ignore",
        "--glob",
        "--iglob",
        "--regexp",
        "--type",
        "--color",
        "--format",
        "--pretty",
        "--since",
        "--until",
        "--after",
        "--before",
        "--author",
        "--grep",
        "--sort",
        "--date",
        "--prune",
        "--context",
        "--max",
        "--line",
    ];
    if !name.starts_with("--") {
        return !matches!(
            name,
            "-e" | "-g"
                | "-I"
                | "-P"
                | "-n"
                | "-A"
                | "-B"
                | "-C"
                | "-t"
                | "-T"
                | "-d"
                | "-F"
                | "-m"
                | "-c"
                | "-w"
                | "-s"
                | "-k"
        );
    }
    !NOT_FILES.iter().any(|prefix| name.starts_with(prefix))
}
