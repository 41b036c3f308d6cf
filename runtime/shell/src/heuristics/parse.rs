//! The parser from text to simple commands.
//!
//! Flat text, which is the usual case, only needs the lexer. Text with constructs is parsed by tree-sitter, which finds
//! the beginning and the end of each construct; the words in it are read by the same lexer, so that both ways yield the
//! same words.

use std::ops::Range;

use super::lexer::{KnownVariables, Lexer, LexerStop, Token};
use super::tree;
use crate::script::{
    Command, Construct, MAX_BYTES, MAX_COMMANDS, MAX_NESTED_BYTES, MAX_WORDS, Script,
};

/// Parses a command line.
pub(crate) fn parse(text: &str) -> Script<'_> {
    if let Some(why) = unsupported_text(text) {
        return Script {
            unclear: Some(why),
            ..Script::default()
        };
    }
    let mut script = Script::default();
    match flat(text, &mut script) {
        Ok(()) => script,
        // For a long text, the commands before the construct have to suffice.
        Err(_) if text.len() > MAX_NESTED_BYTES => Script {
            unclear: Some("it is too long to be read"),
            ..script
        },
        Err(LexerStop::Unclear(why)) => Script {
            unclear: Some(why),
            ..tree::parse(text)
        },
        Err(LexerStop::Nested) => tree::parse(text),
    }
}

/// Returns the reason why a text is not analysed: it contains misleading characters, or is too long.
pub(crate) fn unsupported_text(text: &str) -> Option<&'static str> {
    if text.len() > MAX_BYTES {
        return Some("it is too long to be read");
    }
    let is_hidden = |character: char| match character {
        ' ' | '\n' | '\t' => false,
        '\u{e000}'..='\u{e005}'
        | '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' => true,
        _ => character.is_control() || !character.is_ascii() && character.is_whitespace(),
    };
    let is_plain = text
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
    (!is_plain && text.chars().any(is_hidden)).then_some("it has characters that do not show")
}

/// Reserved words that begin or end a construct in command position.
const RESERVED: [&str; 20] = [
    "if", "then", "else", "elif", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "in", "function", "{", "}", "[[", "]]", "coproc",
];

/// Parses text without constructs.
fn flat<'a>(text: &'a str, script: &mut Script<'a>) -> Result<(), LexerStop> {
    let mut known = KnownVariables::default();
    let mut at = 0;
    let mut state = PipelineState::default();
    while at < text.len() {
        let mut lexer = Lexer::flat(text, &known);
        lexer.go_to(at);
        let (command, end) = simple(text, &mut lexer, text.len())?;
        at = lexer.position();
        state.take(script, &mut known, command, &end)?;
        if script.commands.len() > MAX_COMMANDS {
            return Err(LexerStop::Unclear("it has too many commands"));
        }
    }
    Ok(())
}

/// The state that connects the commands of a list.
#[derive(Default)]
struct PipelineState {
    reads_from: Option<usize>,
    is_conditional: bool,
}

impl PipelineState {
    fn take<'a>(
        &mut self,
        script: &mut Script<'a>,
        known: &mut KnownVariables<'a>,
        command: Option<Command<'a>>,
        end: &Option<Token<'a>>,
    ) -> Result<(), LexerStop> {
        let is_in_pipeline = self.reads_from.is_some() || matches!(end, Some(Token::Pipe));
        if let Some(mut command) = command {
            if is_test(&command) {
                script.constructs.push(Construct::Test);
            }
            let is_background = matches!(end, Some(Token::Background));
            command.is_certain = !self.is_conditional && !is_in_pipeline && !is_background;
            command.reads_from = self.reads_from;
            if command.words.is_empty() {
                for assignment in &command.assignments {
                    known.note(assignment, command.is_certain);
                }
            }
            script.commands.push(command);
        } else if matches!(
            end,
            Some(Token::Pipe | Token::Condition | Token::Background)
        ) {
            return Err(LexerStop::Unclear("a command is missing"));
        }
        let last = script.commands.len().checked_sub(1);
        self.reads_from = last.filter(|_| matches!(end, Some(Token::Pipe)));
        match end {
            Some(Token::Condition) => self.is_conditional = true,
            Some(Token::Pipe) => {}
            _ => self.is_conditional = false,
        }
        Ok(())
    }
}

fn is_test(command: &Command<'_>) -> bool {
    command
        .words
        .first()
        .is_some_and(|word| word.text == "[" && !word.is_quoted)
}

/// Parses one simple command up to the next separator; returns the command and the separator.
pub(crate) fn simple<'a>(
    text: &'a str,
    lexer: &mut Lexer<'a, '_>,
    end: usize,
) -> Result<(Option<Command<'a>>, Option<Token<'a>>), LexerStop> {
    let mut command = Command::default();
    let mut shown: Option<Range<usize>> = None;
    let separator = loop {
        lexer.skip_blanks();
        let begun = lexer.position();
        if begun >= end {
            break None;
        }
        let is_first = command.words.is_empty();
        match lexer.next(is_first)? {
            None => break None,
            Some(Token::Word(word)) => {
                if is_first && !word.is_quoted {
                    if word.text == "!" && shown.is_none() {
                        continue;
                    }
                    if RESERVED.contains(&&*word.text) {
                        return Err(LexerStop::Nested);
                    }
                }
                command.words.push(word);
            }
            Some(Token::Words(words)) => command.words.extend(words),
            Some(Token::Assignment(assignment)) => command.assignments.push(assignment),
            Some(Token::Redirect(redirect)) => command.redirects.push(redirect),
            Some(separator) => break Some(separator),
        }
        if command.words.len() > MAX_WORDS {
            return Err(LexerStop::Unclear("it has too many words"));
        }
        let start = shown.map_or(begun, |shown| shown.start);
        shown = Some(start..lexer.position());
    };
    let command = shown.map(|shown| {
        command.text = text[shown].into();
        command
    });
    Ok((command, separator))
}
