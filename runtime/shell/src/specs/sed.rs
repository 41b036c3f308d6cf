//! `sed`.

mod script;
#[cfg(test)]
mod tests;

use self::script::SedScript;
use super::getopt::{GetoptItem, GetoptIter};
use super::judged::{CommandJudgement, Effect};
use super::table::{NONE, OperandSpec, Spec, acts, optional, pattern, pattern_file, spec, text};
use super::word::Word;

/// `-i` is evaluated with the operands. `--posix` selects another language.
pub(crate) static SPEC: Spec = spec("sed", OperandSpec::Pattern)
    .flags(
        "Ebnrsuz",
        "binary debug help null-data quiet regexp-extended sandbox separate silent unbuffered \
         version zero-terminated",
    )
    .options(&[
        pattern('e', "expression", "s/a/b/"),
        pattern_file('f', "file"),
        text('l', "line-length", "60"),
        optional('i', "in-place", ""),
        acts(NONE, "follow-symlinks"),
    ]);

/// Judges the arguments of `sed`.
pub(crate) fn judge(arguments: &[Word]) -> CommandJudgement {
    let mut call = SedInvocation::default();
    call.read(arguments);
    call.into_judgement()
}

#[derive(Default)]
struct SedInvocation<'w> {
    pieces: Vec<(&'w str, &'w Word)>,
    operands: Vec<&'w Word>,
    /// The suffix of the backup files, if files are changed in place.
    suffix: Option<(&'w str, &'w Word)>,
    is_opaque: bool,
    acts: bool,
}

impl<'w> SedInvocation<'w> {
    fn read(&mut self, arguments: &'w [Word]) {
        for item in GetoptIter::new(&SPEC, arguments) {
            match item {
                GetoptItem::Flag => {}
                GetoptItem::Unknown | GetoptItem::Unclear(_) => self.is_opaque = true,
                GetoptItem::Operand(word, _) => self.operands.push(word),
                GetoptItem::Option(opt, value) => match (opt.long, value) {
                    ("expression", Some(value)) => self.pieces.push((value.text, value.word)),
                    ("in-place", value) => {
                        self.suffix =
                            Some(value.map_or(("", &EMPTY), |value| (value.text, value.word)));
                    }
                    ("line-length", Some(value)) if value.word.is_exact => {}
                    ("follow-symlinks", _) => self.acts = true,
                    // The content of a script file is unknown.
                    _ => self.is_opaque = true,
                },
            }
        }
        if self.pieces.is_empty() && !self.is_opaque && !self.operands.is_empty() {
            let word = self.operands.remove(0);
            self.pieces.push((&word.text, word));
        }
    }

    fn into_judgement(self) -> CommandJudgement {
        let effect = if self.suffix.is_some() {
            Effect::Edits
        } else {
            Effect::Reads
        };
        let mut judged = CommandJudgement::new(effect);
        let mut script = SedScript::default();
        let is_read = self
            .pieces
            .iter()
            .all(|(piece, word)| word.is_exact && script::read(piece, &mut script).is_ok());
        if self.is_opaque || !is_read || script.runs_programs {
            judged.hide();
        }
        if self.acts {
            judged.raise(Effect::Acts);
        }
        for path in &script.reads {
            judged.read(&Word::from_text(path));
        }
        for path in &script.writes {
            if !matches!(&**path, "/dev/stdout" | "/dev/stderr") {
                // The script names the file, so a rule about the program does not determine it.
                judged.hide();
                judged.write(&Word::from_text(path));
            }
        }
        for file in self.operands {
            match self.suffix {
                None => judged.read(file),
                Some((suffix, word)) => edit(file, suffix, word, &mut judged),
            }
        }
        judged
    }
}

static EMPTY: Word = Word {
    text: String::new(),
    is_exact: true,
    may_be_many: false,
    is_tilde: false,
    pattern: None,
    is_listed: false,
    is_whole: false,
};

/// Adds the change of a file, and the write of its backup with the suffix.
fn edit(file: &Word, suffix: &str, word: &Word, judged: &mut CommandJudgement) {
    judged.write(file);
    if suffix.is_empty() && word.is_exact {
        return;
    }
    if !file.is_exact || !word.is_exact || suffix.contains(['*', '/']) {
        judged.raise(Effect::Acts);
        return;
    }
    judged.write(&Word {
        text: format!("{}{suffix}", file.text),
        ..file.clone()
    });
}
