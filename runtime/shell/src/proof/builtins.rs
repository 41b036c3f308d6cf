//! The shell builtins that the evaluator interprets.

use crate::name_list::NameList;
use crate::specs::Word;

use super::ast::{SimpleNode, WordNode, WordPiece};
use super::evaluator::{Evaluator, StreamContent};
use super::parser::{ProofResult, fail, is_name};
use super::state::{ShellState, VariableValue, is_number};

/// Builtins that change the shell, or that read and run text, and that are not interpreted.
const CHANGES: NameList = NameList::new(
    ". alias bg bind builtin caller compgen complete compopt coproc declare dirs disown enable eval \
    exec fc fg getopts hash help history jobs let local logout mapfile popd pushd readarray \
    readonly return select shift shopt source suspend times trap typeset ulimit umask unalias \
    function",
);

/// Builtins that [`Evaluator::builtin`] interprets.
const FOLLOWED: NameList =
    NameList::new(": break cd chdir continue exit export read set unset wait");

pub(super) fn changes_shell(name: &str) -> bool {
    CHANGES.has(name)
}

pub(super) fn is_simulated(name: &str) -> bool {
    FOLLOWED.has(name)
}

impl<'a> Evaluator<'_, 'a> {
    /// Interprets a builtin; returns `None` for another command.
    pub(super) fn builtin(
        &mut self,
        words: &[Word],
        simple: &SimpleNode<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<Option<StreamContent>> {
        let name = words.first().and_then(Word::known).unwrap_or_default();
        let arguments = &words[1..];
        if matches!(name, "export" | "set") && arguments.is_empty() {
            return fail("it shows the secrets of the environment");
        }
        if is_simulated(name) {
            is_plainly_written(simple, name)?;
        }
        match name {
            ":" => {}
            "break" | "continue" | "exit" => {
                let is_plain = match arguments {
                    [] => true,
                    [level] => level.known().is_some_and(is_number),
                    _ => false,
                };
                // `exit $?`
                if !is_plain && (name != "exit" || arguments.len() > 1) {
                    return fail("a part of it cannot be read");
                }
            }
            "wait" if arguments.is_empty() => {}
            // The number of displayed entries; a shell that reads its commands from a text has no history.
            "history" if arguments.iter().all(is_count) => {}
            "cd" => Self::change_folder(folder(arguments)?, state)?,
            "set" => options(arguments)?,
            "read" => return self.read(simple, state, input).map(Some),
            "export" => self.export(simple, state)?,
            "unset" => {
                for word in &simple.words[1..] {
                    let name = word.plain().filter(|name| state.get(name).is_some());
                    let Some(name) = name else {
                        return fail("it removes a variable that it did not set");
                    };
                    // An unset variable expands to an empty text.
                    state.set(name, VariableValue::Unknown);
                }
            }
            _ if is_simulated(name) => {
                return fail("it changes the shell in a way that is not followed");
            }
            _ => return Ok(None),
        }
        Ok(Some(StreamContent::Unknown))
    }

    /// Interprets `read -r NAME…`.
    fn read(
        &mut self,
        simple: &SimpleNode<'a>,
        state: &mut ShellState<'a>,
        input: StreamContent,
    ) -> ProofResult<StreamContent> {
        const UNCLEAR: &str = "it reads variables in a way that is not followed";
        let mut names = Vec::new();
        for word in simple.words.iter().skip(1) {
            match word.plain() {
                Some("-r") if names.is_empty() => {}
                Some(name) if is_name(name) => names.push(name),
                _ => return fail(UNCLEAR),
            }
        }
        if names.is_empty() {
            return fail(UNCLEAR);
        }
        let is_one = names.len() == 1;
        for name in names {
            self.set_alone(name, state)?;
            let value = match input {
                StreamContent::Listed | StreamContent::Named if is_one => VariableValue::ListedPath,
                _ => VariableValue::Unknown,
            };
            state.set(name, value);
        }
        Ok(StreamContent::Unknown)
    }

    /// Interprets `export NAME=value…`.
    fn export(&mut self, simple: &SimpleNode<'a>, state: &mut ShellState<'a>) -> ProofResult<()> {
        for word in simple.words.iter().skip(1) {
            let text = match word.pieces.first() {
                Some(WordPiece::Plain(text)) => *text,
                _ => "",
            };
            let name = text.split('=').next().unwrap_or_default();
            if !is_name(name) || word.has_braces() {
                return fail("it exports variables in a way that is not followed");
            }
            self.set_exported(name, state)?;
            if text.contains('=') {
                state.set(name, VariableValue::Unknown);
            }
        }
        Ok(())
    }
}

/// Returns the target folder of a `cd`; `None` if it is the user's home folder.
fn folder(arguments: &[Word]) -> ProofResult<Option<&Word>> {
    const UNCLEAR: &str = "it changes folder in a way that is not followed";
    let target = match arguments {
        [] => return Ok(None),
        [target] if target.known() != Some("--") => target,
        [marker, target] if marker.known() == Some("--") => target,
        _ => return fail(UNCLEAR),
    };
    let is_option = target.text.starts_with('-') && target.text.len() > 1;
    if is_option || target.text.is_empty() {
        return fail(UNCLEAR);
    }
    Ok(Some(target))
}

/// Checks that a command that changes the shell is written literally: the changes of a loop are determined from its
/// text, and variables set before the command may persist.
fn is_plainly_written(simple: &SimpleNode<'_>, name: &str) -> ProofResult<()> {
    let is_plain = simple.words.first().and_then(WordNode::plain) == Some(name);
    let keeps_variables = matches!(name, ":" | "read");
    if is_plain && (keeps_variables || simple.assignments.is_empty()) {
        return Ok(());
    }
    fail("it changes the shell in a way that is not followed")
}

fn is_count(word: &Word) -> bool {
    word.known()
        .is_some_and(|text| !text.starts_with('-') && is_number(text))
}

/// Interprets `set -euo pipefail`: accepts options that end a script early, or that print the commands.
fn options(arguments: &[Word]) -> ProofResult<()> {
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        let text = word.known().unwrap_or_default();
        let letters = text.strip_prefix(['-', '+']).unwrap_or_default();
        let takes_name = letters.ends_with('o');
        let letters = letters.strip_suffix('o').unwrap_or(letters);
        let is_known = letters.bytes().all(|letter| b"eux".contains(&letter));
        let mut names_option = || {
            let name = arguments.next().and_then(Word::known);
            matches!(name, Some("pipefail" | "errexit" | "nounset" | "xtrace"))
        };
        let is_named = !takes_name || names_option();
        if !is_known || !is_named || letters.is_empty() && !takes_name {
            return fail("it changes the shell in a way that is not followed");
        }
    }
    Ok(())
}
