//! The recognition of `sed` calls that only change text.

use crate::script::ScriptWord;

/// A recognized call of sed.
#[derive(Debug)]
pub(crate) struct SedCall {
    /// Whether the call changes the files, instead of printing the result.
    pub(crate) in_place: bool,
    /// The indices of the files among the words.
    pub(crate) files: Vec<usize>,
}

/// The reason why a call of sed needs approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SedRefusalKind {
    /// The script has a command that writes another file or runs a program.
    Runs,
    /// The script has blocks, negations or comments.
    Structure,
    /// The script has a command that is not on the list.
    Command,
    /// The call has an option that is not on the list.
    Option,
    /// The script is known only at run time.
    Dynamic,
}

impl SedRefusalKind {
    pub(crate) const fn reason(self) -> &'static str {
        match self {
            Self::Runs => "its sed program can write a file or run a program",
            Self::Structure => "its sed program has blocks, negations or comments",
            Self::Command => "its sed program does more than print lines and replace text",
            Self::Option => "it has an option of sed that is not known to be harmless",
            Self::Dynamic => "what sed does is not known before it runs",
        }
    }

    /// Reports whether only a user may allow the call.
    pub(crate) const fn is_catastrophic(self) -> bool {
        matches!(self, Self::Runs)
    }
}

/// Parses a call of sed.
pub(crate) fn read(words: &[ScriptWord<'_>]) -> Result<SedCall, SedRefusalKind> {
    let mut call = SedCall {
        in_place: false,
        files: Vec::new(),
    };
    let mut programs: Vec<&ScriptWord<'_>> = Vec::new();
    let mut rest: Vec<usize> = Vec::new();
    let mut at = 1;
    let mut is_over = false;
    while let Some(word) = words.get(at) {
        let text = &*word.text;
        let is_option = !is_over && text.starts_with('-') && text.len() > 1;
        if is_option && word.is_dynamic {
            return Err(SedRefusalKind::Dynamic);
        }
        match text {
            _ if !is_option => rest.push(at),
            "--" => is_over = true,
            "-e" | "--expression" => {
                at += 1;
                programs.push(words.get(at).ok_or(SedRefusalKind::Option)?);
            }
            "-n" | "--quiet" | "--silent" | "-E" | "-r" | "--regexp-extended" | "-u" | "-z"
            | "-s" | "--null-data" | "--separate" | "--unbuffered" | "--posix" | "--sandbox"
            | "--version" | "--help" => {}
            "-i" | "--in-place" => call.in_place = true,
            _ if text.starts_with("--in-place=") => call.in_place = true,
            _ if !text.starts_with("--") => cluster(text, &mut call)?,
            _ => return Err(SedRefusalKind::Option),
        }
        // `-ne 'program'`
        if is_option
            && !text.starts_with("--")
            && text.len() > 2
            && text.ends_with('e')
            && !text.contains('i')
        {
            at += 1;
            programs.push(words.get(at).ok_or(SedRefusalKind::Option)?);
        }
        at += 1;
    }
    if programs.is_empty() && !rest.is_empty() {
        programs.push(&words[rest.remove(0)]);
    }
    for program in programs {
        if program.is_dynamic || program.is_glob && !is_plain(&program.text) {
            return Err(SedRefusalKind::Dynamic);
        }
        judge(&program.text)?;
    }
    call.files = rest;
    Ok(call)
}

/// Reports whether an unquoted script with wildcards is literal text, since the wildcards match no file.
fn is_plain(text: &str) -> bool {
    !text.contains('/') || text.starts_with("s/")
}

fn cluster(text: &str, call: &mut SedCall) -> Result<(), SedRefusalKind> {
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            'n' | 'E' | 'r' | 'u' | 'z' | 's' => {}
            'e' if at + 1 == text.len() => {}
            // The rest is the suffix of the backup files.
            'i' if !text[at..].contains(['/', '*']) => {
                call.in_place = true;
                return Ok(());
            }
            _ => return Err(SedRefusalKind::Option),
        }
    }
    Ok(())
}

/// Judges a script.
pub(crate) fn judge(program: &str) -> Result<(), SedRefusalKind> {
    let mut rest = program.trim();
    if rest.is_empty() {
        return Ok(());
    }
    loop {
        rest = command(rest.trim_start_matches([' ', '\t', ';', '\n']))?;
        rest = rest.trim_start_matches([' ', '\t']);
        if rest.is_empty() {
            return Ok(());
        }
        if !rest.starts_with([';', '\n']) {
            return Err(SedRefusalKind::Command);
        }
        if rest.trim_matches([';', ' ', '\n']).is_empty() {
            return Ok(());
        }
    }
}

/// Parses one command; returns the rest of the text.
fn command(text: &str) -> Result<&str, SedRefusalKind> {
    let after = address(text);
    match after.chars().next() {
        Some('p') => Ok(&after[1..]),
        Some('q') if after.len() < text.len() => Ok(&after[1..]),
        Some('s') => substitution(&after[1..]),
        Some('{' | '}' | '!' | '#') => Err(SedRefusalKind::Structure),
        Some('w' | 'W' | 'e' | 'r' | 'R') => Err(SedRefusalKind::Runs),
        _ => Err(SedRefusalKind::Command),
    }
}

/// Skips a numeric address: `5`, `5,10`, `$`, `1~2`, `5,+3`.
fn address(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, ',' | '$' | '~' | '+'))
}

/// Parses `/old/new/flags`.
fn substitution(text: &str) -> Result<&str, SedRefusalKind> {
    let delimiter = text.chars().next().ok_or(SedRefusalKind::Command)?;
    if !matches!(delimiter, '/' | '|' | '#' | ',' | ':' | '@' | '_' | '%') {
        return Err(SedRefusalKind::Command);
    }
    let mut rest = &text[1..];
    for _ in 0..2 {
        rest = &rest[find_end(rest, delimiter).ok_or(SedRefusalKind::Command)? + 1..];
    }
    let flags = rest.len()
        - rest
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric())
            .len();
    for flag in rest[..flags].chars() {
        match flag {
            'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
            'w' | 'W' | 'e' | 'E' => return Err(SedRefusalKind::Runs),
            _ => return Err(SedRefusalKind::Command),
        }
    }
    Ok(&rest[flags..])
}

/// Finds the next unescaped delimiter. Versions of sed differ on a delimiter inside of `[…]`, so there must be none.
fn find_end(text: &str, delimiter: char) -> Option<usize> {
    let mut is_escaped = false;
    let mut in_set = false;
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\n' => return None,
            _ if character == delimiter => return (!in_set).then_some(at),
            '[' => in_set = true,
            ']' => in_set = false,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_printing_and_replacing_is_let_through() {
        for program in [
            "5p",
            "5,10p",
            "$p",
            "s/a/b/",
            "s|a|b|g",
            "s/a/b/2p",
            "s#a#b#;s/c/d/g",
            "1p;3p",
            "s/w/e/",
            "10q",
        ] {
            assert_eq!(judge(program), Ok(()), "{program}");
        }
        for program in [
            "w out",
            "1w out",
            "s/a/b/w out",
            "s/a/b/e",
            "1e id",
            "e",
            "s/a/b/ge",
            "r /etc/shadow",
            "$!e id",
            "1,5W x",
        ] {
            assert!(judge(program).is_err(), "{program}");
        }
        for program in [
            "{s/a/b/}",
            "d",
            "1!p",
            "#n",
            "/x/p",
            "s/a/b",
            "y/a/b/",
            "s\na\nb\nw x",
            "a text",
            "s/a/b/;w x",
            "s/a/b/\ne id",
        ] {
            assert!(judge(program).is_err(), "{program}");
        }
        assert_eq!(judge("s/a/b/e"), Err(SedRefusalKind::Runs));
    }
}
