//! A broad analysis of text that bash and a parser may read differently.
//!
//! Each line, and each piece after a possible separator of commands, is treated as a command. The findings only make a
//! verdict stricter: a deny rule or a danger may apply to any of the pieces.

use crate::dangerous;
use crate::heuristics::analysis::LineAnalysis;
use crate::script::ScriptWord;

/// The maximum number of examined pieces.
const MAX_PIECES: usize = 2_000;
/// The maximum number of words in a piece that may begin a command.
const MAX_COMMAND_STARTS: usize = 8;

/// Words after which a command may begin.
const BEFORE_COMMANDS: [&str; 23] = [
    "if", "then", "else", "elif", "while", "until", "do", "!", "time", "command", "builtin",
    "exec", "eval", "env", "nohup", "nice", "sudo", "xargs", "timeout", "setsid", "stdbuf",
    "coproc", "{",
];

/// Reports whether a text contains constructs that bash and a parser may read differently: here-documents, joined
/// lines, comments, nested backquotes.
pub(crate) fn is_needed(text: &str) -> bool {
    text.contains("<<") || text.contains("\\\n") || text.contains("\\`") || text.contains('#')
}

/// Returns the pieces that may be commands, without quotes and backslashes.
pub(crate) fn pieces(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", "");
    let mut pieces: Vec<String> = Vec::new();
    for source in [text, &joined] {
        let separators = ['\n', ';', '|', '&', '(', ')', '{', '}', '`', '#'];
        for piece in source.split(separators) {
            let plain: String = piece
                .chars()
                .filter(|character| !matches!(character, '"' | '\'' | '\\' | '$'))
                .collect();
            beginnings(&plain, &mut pieces);
            if pieces.len() > MAX_PIECES {
                return pieces;
            }
        }
    }
    pieces
}

/// Returns the pieces of all substitutions, wherever they occur: bash may evaluate quoted text later, for example in a
/// subscript.
pub(crate) fn substitution_pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(begin) = rest.find(['`', '(']) {
        let (before, behind) = (&rest[..begin], &rest[begin + 1..]);
        let is_quoted = rest[begin..].starts_with('`');
        if !is_quoted && !before.ends_with(['$', '<', '>']) {
            rest = behind;
            continue;
        }
        let end = if is_quoted {
            behind.find('`')
        } else {
            closing(behind)
        };
        let inside = &behind[..end.unwrap_or(behind.len())];
        pieces.extend(self::pieces(inside));
        if pieces.len() > MAX_PIECES {
            break;
        }
        rest = end.map_or("", |end| &behind[end + 1..]);
    }
    pieces
}

/// Finds the parenthesis that closes one opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return true,
            b')' => depth -= 1,
            _ => {}
        }
        false
    })
}

/// Adds a piece from each word that may begin a command.
fn beginnings(piece: &str, into: &mut Vec<String>) {
    let words: Vec<&str> = piece.split_ascii_whitespace().collect();
    let mut at = 0;
    while at < words.len() && at < MAX_COMMAND_STARTS {
        let name = words[at].rsplit('/').next().unwrap_or_default();
        let mut command = name.to_owned();
        for word in &words[at + 1..] {
            command.push(' ');
            command.push_str(word);
        }
        if !into.contains(&command) {
            into.push(command);
        }
        let goes_on = BEFORE_COMMANDS.contains(&name)
            || words[at].contains('=')
            || words[at].starts_with(['-', '<', '>'])
            || words[at].bytes().all(|byte| byte.is_ascii_digit());
        if !goes_on {
            break;
        }
        at += 1;
    }
}

/// Records the dangers among the pieces.
pub(crate) fn dangers(
    part: usize,
    pieces: &[String],
    home: Option<&str>,
    found: &mut LineAnalysis,
) {
    for piece in pieces {
        let words: Vec<ScriptWord<'_>> = piece.split(' ').map(ScriptWord::literal).collect();
        let program = words.first().map_or("", |word| &*word.text);
        if let Some(danger) = dangerous::find(program, &words, false, home) {
            found.danger(part, danger);
        }
    }
}
