//! Possible commands among the arguments of a program, which deny rules are matched against.

use super::program::Program;
use super::{LineAnalysis, UnknownExecution};
use crate::dangerous;
use crate::heuristics::{candidates, splitter, wrappers};
use crate::script::ScriptWord;

/// The maximum number of examined words. A command with more words counts as unknown.
const MAX_WORDS: usize = 64;

impl LineAnalysis {
    /// Adds the commands that the arguments of a program may contain to the spellings of the command.
    pub(super) fn candidates(
        &mut self,
        part: usize,
        words: &[ScriptWord<'_>],
        program: &Program<'_>,
        home: Option<&str>,
    ) {
        if let Some(from) = wrappers::may_begin(program.name, words) {
            if words.len() > from + MAX_WORDS {
                self.parts[part].note_unknown(UnknownExecution::Input);
            }
            let end = words.len().min(from + MAX_WORDS);
            for at in from..end {
                self.candidate(part, &words[at..], home);
            }
        }
        for text in candidates::texts(program.name, words) {
            self.candidate_text(part, &text, home);
        }
    }

    fn candidate(&mut self, part: usize, words: &[ScriptWord<'_>], home: Option<&str>) {
        let word = &words[0];
        if word.text.is_empty() {
            return;
        }
        if word.text.contains([' ', '=', '\n', ';']) {
            let value = word
                .text
                .split_once('=')
                .map_or(&*word.text, |(_, value)| value);
            self.candidate_text(part, &word.text, home);
            self.candidate_text(part, value, home);
        }
        let program = Program::parse(&word.text);
        self.named_spelling(part, words, &program);
        if let Some(danger) = dangerous::find(program.name, words, false, home) {
            self.danger(part, danger);
        }
    }

    fn candidate_text(&mut self, part: usize, text: &str, home: Option<&str>) {
        let pieces = splitter::pieces(text);
        splitter::dangers(part, &pieces, home, self);
        self.parts[part].spellings.extend(pieces);
    }
}
