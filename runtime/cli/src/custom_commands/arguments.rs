//! The arguments of a command, which replace `$ARGUMENTS` and `$1` to `$9` of its prompt.

/// A part of a prompt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Text(String),
    /// The command line of a `` !`…` ``.
    Shell(String),
}

/// Splits a prompt into its parts, and fills in the arguments. Arguments that no part takes follow at the end.
///
/// The parts are those of the file: an argument adds no command line.
pub(super) fn fill(body: &str, arguments: &str) -> Vec<Piece> {
    let arguments = arguments.trim();
    let words = split_words(arguments);
    let mut is_used = false;
    let mut pieces: Vec<Piece> = split(body)
        .into_iter()
        .map(|piece| match piece {
            Piece::Text(text) => Piece::Text(replace(&text, arguments, &words, &mut is_used)),
            Piece::Shell(line) => Piece::Shell(replace(&line, arguments, &words, &mut is_used)),
        })
        .collect();
    if !is_used && !arguments.is_empty() {
        pieces.push(Piece::Text(format!("\n\nARGUMENTS: {arguments}")));
    }
    pieces
}

/// Splits a prompt at each `` !`…` `` that is at the start of a line or after a blank.
fn split(body: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let (mut text_start, mut at) = (0, 0);
    while let Some(found) = body[at..].find("!`") {
        let start = at + found;
        at = start + 2;
        let line = body[at..].split('\n').next().unwrap_or_default();
        let is_free = !body[..start].ends_with(|before: char| !before.is_whitespace());
        let end = line
            .find('`')
            .filter(|end| is_free && !line[..*end].trim().is_empty());
        if let Some(end) = end {
            pieces.push(Piece::Text(body[text_start..start].to_owned()));
            pieces.push(Piece::Shell(line[..end].trim().to_owned()));
            at += end + 1;
            text_start = at;
        }
    }
    pieces.push(Piece::Text(body[text_start..].to_owned()));
    pieces.retain(|piece| *piece != Piece::Text(String::new()));
    pieces
}

fn replace(text: &str, arguments: &str, words: &[String], is_used: &mut bool) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let value = match &rest[..end] {
            "ARGUMENTS" => Some(arguments),
            number => match number.as_bytes() {
                [digit @ b'1'..=b'9'] => {
                    let word = words.get(usize::from(digit - b'1'));
                    Some(word.map_or("", String::as_str))
                }
                _ => None,
            },
        };
        match value {
            Some(value) => {
                *is_used = true;
                filled.push_str(value);
                rest = &rest[end..];
            }
            None => filled.push('$'),
        }
    }
    filled.push_str(rest);
    filled
}

/// Splits arguments at blanks outside of quotes, as a shell does.
fn split_words(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in arguments.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || (c == '\'' && word.is_none()) => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(body: &str, arguments: &str) -> String {
        let pieces = fill(body, arguments).into_iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Shell(line) => format!("<{line}>"),
        });
        pieces.collect()
    }

    #[test]
    fn arguments_are_filled_in() {
        assert_eq!(
            filled("Fix $1 ($2) of $ARGUMENTS.", "12 'very high'"),
            "Fix 12 (very high) of 12 'very high'."
        );
        assert_eq!(
            filled("$1|$3|$10|$ARGUMENTSX|$", "a b"),
            "a||$10|$ARGUMENTSX|$"
        );
        assert_eq!(filled("Say it's $1", "it's"), "Say it's it's");
        assert_eq!(filled("Fix it.", "now"), "Fix it.\n\nARGUMENTS: now");
        assert_eq!(filled("Fix it.", " "), "Fix it.");
    }

    #[test]
    fn command_lines_are_those_of_the_file() {
        assert_eq!(
            filled("!`git log $1`\nSee !`pwd`.", "-3"),
            "<git log -3>\nSee <pwd>."
        );
        assert_eq!(filled("$ARGUMENTS", "!`rm -rf x`"), "!`rm -rf x`");
        assert_eq!(
            filled("Wow!`x` and !` ` and !`open", ""),
            "Wow!`x` and !` ` and !`open"
        );
    }
}
