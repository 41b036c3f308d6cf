//! `find`: the expression of tests, and the commands that it runs.

use super::judged::{CommandJudgement, Effect, ProofError};
use super::word::Word;
use super::wrappers::replace;
use crate::FileAccess;
use crate::name_list::{NameList, names};

const UNKNOWN: ProofError = ProofError("a word of its expression is not known before it runs");

/// Words of an expression without a value.
const PLAIN: NameList = NameList::new(
    "! ( ) , -a -and -daystart -depth -empty -executable -false -follow -ls -mount \
                     -nogroup -noleaf -not -nouser -nowarn -o -or -print -print0 -prune -quit \
                     -readable -true -warn -writable -xdev",
);

/// Tests and options whose value is text.
const VALUED: NameList = NameList::new(
    "-amin -atime -cmin -ctime -fstype -gid -group -ilname -iname -inum -ipath \
                      -iregex -iwholename -links -lname -maxdepth -mindepth -mmin -mtime -name \
                      -path -perm -printf -regex -regextype -size -type -uid -used -user \
                      -wholename -xtype",
);

/// Those whose value is a pattern of names.
const NAMES: NameList = NameList::new("-name -iname -path -ipath -wholename -iwholename");

/// Tests whose value is a file that is read.
const FILES: NameList = NameList::new("-anewer -cnewer -newer -samefile");

/// Judges the arguments of a `find`.
pub(crate) fn judge(arguments: &[Word]) -> Result<CommandJudgement, ProofError> {
    let mut expression = FindExpression {
        judged: CommandJudgement::new_reading(),
        starts: Vec::new(),
        searched: Vec::new(),
    };
    let mut rest = expression.starts(arguments);
    while let Some((word, behind)) = rest.split_first() {
        rest = expression.predicate(word, behind)?;
    }
    Ok(expression.judged)
}

struct FindExpression<'w> {
    judged: CommandJudgement,
    /// The starting points of the search.
    starts: Vec<&'w Word>,
    /// The patterns of the searched names.
    searched: Vec<&'w str>,
}

impl<'w> FindExpression<'w> {
    /// Parses the options before the starting points, and the starting points; returns the rest.
    fn starts(&mut self, words: &'w [Word]) -> &'w [Word] {
        let options = words
            .iter()
            .take_while(|word| word.is_one_of(names!("-H -L -P")));
        let words = &words[options.count()..];
        let count = words
            .iter()
            .take_while(|word| {
                let is_place = !word.may_be_option() || word.text == "-";
                is_place && !matches!(&*word.text, "!" | "(" | ")" | ",")
            })
            .count();
        let (starts, expression) = words.split_at(count);
        self.starts = starts.iter().collect();
        for start in starts {
            self.judged.read(start);
        }
        expression
    }

    /// Parses one predicate with its value; returns the rest.
    fn predicate(&mut self, word: &'w Word, rest: &'w [Word]) -> Result<&'w [Word], ProofError> {
        // The matches of a pattern end with the literal ending of the pattern, and no predicate has such an ending.
        let is_name = word.pattern.as_deref().is_some_and(has_plain_ending);
        let Some(text) = word.known() else {
            if !is_name {
                self.judged.hide();
            }
            return Ok(rest);
        };
        if PLAIN.has(text) {
            return Ok(rest);
        }
        let is_newer = text.starts_with("-newer") && text.len() == 8;
        if VALUED.has(text) || FILES.has(text) || is_newer {
            let Some((value, rest)) = rest.split_first() else {
                return Ok(rest);
            };
            self.value(text, value);
            return Ok(rest);
        }
        match text {
            "-exec" => self.run(rest),
            "-delete" => {
                self.judged.raise(Effect::Acts);
                Ok(rest)
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                self.judged.raise(Effect::Acts);
                if let Some(file) = rest.first() {
                    self.judged.write(file);
                }
                let taken = if text == "-fprintf" { 2 } else { 1 };
                Ok(rest.get(taken..).unwrap_or_default())
            }
            // `-execdir` runs the command in the folder of each file.
            "-execdir" | "-ok" | "-okdir" => Err(ProofError(
                "what it runs, and where, is not known before it runs",
            )),
            _ => {
                self.judged.hide();
                Ok(rest)
            }
        }
    }

    fn value(&mut self, predicate: &str, value: &'w Word) {
        if value.may_be_many && !value.pattern.as_deref().is_some_and(has_plain_ending) {
            return self.judged.hide();
        }
        if NAMES.has(predicate) {
            self.searched
                .push(value.pattern.as_deref().unwrap_or(&value.text));
        } else if !VALUED.has(predicate) {
            self.judged.read(value);
        }
    }

    /// Parses the command of an `-exec`; returns the rest.
    fn run(&mut self, rest: &'w [Word]) -> Result<&'w [Word], ProofError> {
        let end = rest
            .iter()
            .enumerate()
            .position(|(at, word)| match word.known() {
                Some(";") => true,
                Some("+") => at > 0 && rest[at - 1].known() == Some("{}"),
                _ => false,
            })
            .ok_or(ProofError("the command that it runs has no end"))?;
        let command = &rest[..end];
        if command.iter().any(|word| word.may_be_many) {
            return Err(UNKNOWN);
        }
        let is_many = rest[end].text == "+";
        let here = Word::from_text(".");
        let starts = if self.starts.is_empty() {
            vec![&here]
        } else {
            self.starts.clone()
        };
        for start in starts {
            let found = Word {
                may_be_many: is_many,
                is_tilde: start.is_tilde,
                is_whole: true,
                is_listed: start.is_exact || start.pattern.is_some(),
                ..Word::with_known_prefix(start.text.clone())
            };
            let words = replace(command, "{}", &found)?;
            self.judged.run(&words, Vec::new(), None);
        }
        self.open_what_is_found();
        Ok(&rest[end + 1..])
    }

    /// Adds reads of the searched names, since the inner command opens the matching files.
    fn open_what_is_found(&mut self) {
        for name in &self.searched {
            self.judged
                .touches
                .push(FileAccess::read(*name).into_pattern());
            // In `find`, `*` also matches a leading dot.
            if !name.contains('.') {
                self.judged
                    .touches
                    .push(FileAccess::read(format!(".{name}")).into_pattern());
            }
        }
    }
}

/// Reports whether every match of a pattern ends with a file extension, which no predicate of `find` does.
fn has_plain_ending(pattern: &str) -> bool {
    let tail = pattern.rsplit(['*', '?', ']']).next().unwrap_or_default();
    tail.len() > 1 && tail.contains('.')
}
