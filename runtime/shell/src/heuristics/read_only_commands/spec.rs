//! How programs that only read are written down, and what they do with their arguments.

use super::options::{Item, OptionIter, is_harmful};
use super::subcommands::SubcommandSet;
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::name_list;
use crate::script::ScriptWord;

/// Programs that only read, in the same way.
pub(super) struct ReadOnlySpec {
    pub(super) names: &'static str,
    pub(super) operands: Operands,
    /// The short options whose value is a word of its own, or stands attached.
    valued: &'static str,
    /// The options that write, run a program, reach the network or change something. Short ones are letters with a dash.
    harmful: &'static str,
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
    /// The first of them says what it does.
    Subcommands(&'static SubcommandSet),
    /// They decide what it does.
    Judged(fn(&[ScriptWord<'_>], &mut CommandFacts) -> CommandEffect),
}

pub(super) const fn read_only(
    names: &'static str,
    operands: Operands,
    valued: &'static str,
    harmful: &'static str,
) -> ReadOnlySpec {
    ReadOnlySpec {
        names,
        operands,
        valued,
        harmful,
    }
}

/// Programs whose first operands say what they do.
pub(super) const fn subcommands(names: &'static str, set: &'static SubcommandSet) -> ReadOnlySpec {
    read_only(names, Operands::Subcommands(set), "", "")
}

/// Programs that a function judges.
pub(super) const fn judged(
    names: &'static str,
    judge: fn(&[ScriptWord<'_>], &mut CommandFacts) -> CommandEffect,
) -> ReadOnlySpec {
    read_only(names, Operands::Judged(judge), "", "")
}

impl ReadOnlySpec {
    /// Returns what one of the programs does with its arguments.
    pub(super) fn judge(
        &self,
        program: &str,
        words: &[ScriptWord<'_>],
        facts: &mut CommandFacts,
    ) -> CommandEffect {
        match self.operands {
            Operands::Subcommands(set) => return set.judge(words, facts),
            Operands::Judged(judge) => return judge(words, facts),
            _ => {}
        }
        let options = OptionIter::new(&words[1..], self.valued);
        let mut seen_pattern = !matches!(self.operands, Operands::Pattern);
        for item in options {
            match item {
                Item::Operand(word) => {
                    if matches!(self.operands, Operands::Text) {
                        continue;
                    }
                    // Names alone say little; and no option of such a program does harm, whatever the word becomes.
                    let takes_any =
                        matches!(self.operands, Operands::Names) && self.harmful.is_empty();
                    if word.is_dynamic && !takes_any {
                        return facts.unknown();
                    }
                    if word.text.starts_with('+') && matches!(program, "less" | "more") {
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
}

/// Reports whether the value of an option may be a file that is read: not where it says what to leave out, or how to
/// show it.
fn names_a_file(name: &str) -> bool {
    const SHORT: &str = "-e -g -I -P -n -A -B -C -t -T -d -F -m -c -w -s -k";
    const PREFIXES: &str = "--exclude --include --ignore --glob --iglob --regexp --type --color \
                            --format --pretty --since --until --after --before --author --grep \
                            --sort --date --prune --context --max --line";
    if !name.starts_with("--") {
        return !name_list::has(SHORT, name);
    }
    let mut prefixes = PREFIXES.split_ascii_whitespace();
    !prefixes.any(|prefix| name.starts_with(prefix))
}
