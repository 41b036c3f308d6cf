//! The commands that `find` runs, and programs that read whole trees.

use super::program::{Program, join_words};
use super::{CommandContext, FindingKind, LineAnalysis, SimpleCommand};
use crate::FileAccess;
use crate::dangerous::{self, Removal};
use crate::heuristics::command_facts::{CommandEffect, CommandFacts};
use crate::heuristics::read_only_commands;
use crate::heuristics::sources;
use crate::name_list::NameList;
use crate::script::ScriptWord;

impl LineAnalysis {
    /// Adds the commands that `find` runs as separate parts.
    pub(super) fn run_by_find(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &Program<'_>,
        context: CommandContext<'_>,
    ) {
        const STARTS: NameList =
            NameList::new("-exec -execdir -ok -okdir -x -X --exec --exec-batch");
        if !matches!(program.name, "find" | "fd" | "fdfind") {
            return;
        }
        let mut at = 1;
        while at < words.len() {
            if !STARTS.has(&words[at].text) {
                at += 1;
                continue;
            }
            let rest = &words[at + 1..];
            let end = rest
                .iter()
                .position(|word| matches!(&*word.text, ";" | "+"))
                .unwrap_or(rest.len());
            self.touch_searched_names(words, rest.first());
            let inner = self.parts.len();
            let text = join_words(&rest[..end]);
            self.parts
                .push(SimpleCommand::new(text, CommandEffect::Reads));
            let inside = CommandContext {
                gets_arguments: true,
                depth: context.depth + 1,
                ..context
            };
            let mut facts = CommandFacts::default();
            self.invocation(inner, &rest[..end], inside, &mut facts);
            if self.parts[inner].effect == CommandEffect::Edits {
                self.parts[inner].effect = CommandEffect::Other;
            }
            self.take(inner, facts);
            if end == 0 {
                self.unclear(part, "the program is not known before it runs");
            }
            at += 1 + end;
        }
    }

    /// Adds the accesses of the commands that `find` runs to the names that it searches for.
    pub(super) fn touch_searched_names(
        &mut self,
        words: &[ScriptWord<'_>],
        program: Option<&ScriptWord<'_>>,
    ) {
        let only_names = program
            .is_some_and(|word| read_only_commands::takes_text(&word.text) || word.text == "ls");
        for name in sources::searched_names(words).filter(|_| !only_names) {
            self.touches
                .push(FileAccess::read(name.clone()).into_pattern());
            // In `find`, `*` also matches a leading dot.
            if !name.contains('.') {
                self.touches
                    .push(FileAccess::read(format!(".{name}")).into_pattern());
            }
        }
    }

    /// Adds the danger of a removal by a relative path, resolved from the folders that the line has changed to.
    pub(super) fn removed_from_folder(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &str,
        home: Option<&str>,
    ) {
        let found = self
            .last_folders
            .iter()
            .find_map(|folder| dangerous::removal_in(folder, program, words, home));
        if let Some(danger) = found {
            self.danger(part, danger);
        }
    }

    /// Adds a finding if a program reads everything below the root or the user's home folder.
    pub(super) fn whole_of_home(&mut self, part: usize, program: &str, words: &[ScriptWord<'_>]) {
        let is_deep = match program {
            "grep" | "egrep" | "fgrep" => words.iter().any(|word| {
                matches!(&*word.text, "--recursive" | "--dereference-recursive")
                    || word.text.starts_with('-')
                        && !word.text.starts_with("--")
                        && word.text[1..].contains(['r', 'R'])
            }),
            "rg" | "ag" | "ack" => words.len() > 2,
            "find" => {
                let runs = words.iter().any(|word| word.text.starts_with("-exec"));
                runs && sources::searches_everything(words)
            }
            "tar" | "zip" | "rsync" | "scp" | "cp" => true,
            _ => false,
        };
        let is_everything = |word: &ScriptWord<'_>| match Removal::from_path(&word.text, None) {
            Some(Removal::Everything) => !word.text.starts_with('~') || word.is_home,
            _ => matches!(&*word.text, "/etc" | "/proc" | "/etc/" | "/proc/"),
        };
        if is_deep && words[1..].iter().any(is_everything) {
            let why = "it reads everything there, and some of that is secret";
            self.find(part, FindingKind::Secret, why, true);
        }
    }
}
