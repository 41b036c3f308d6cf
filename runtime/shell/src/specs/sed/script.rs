//! A parser for scripts of GNU sed.
//!
//! The parser accepts a subset of the language, and parses this subset as GNU sed does: the end of a regular
//! expression, a text, a label or a file name determines where the next command begins. Constructs that are rare, or
//! that differ between versions, are rejected.

/// The effects of a script besides changing text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SedScript {
    /// The files that the script reads (`r`, `R`).
    pub(crate) reads: Vec<String>,
    /// The files that the script writes (`w`, `W`, `s///w`).
    pub(crate) writes: Vec<String>,
    /// Whether the script runs programs (`e`, `s///e`).
    pub(crate) runs_programs: bool,
}

/// The script is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnsupportedScript;

/// Parses one piece of a script: the value of one `-e`, or the first operand.
pub(crate) fn read(piece: &str, script: &mut SedScript) -> Result<(), UnsupportedScript> {
    if has_ambiguous_bytes(piece) {
        return Err(UnsupportedScript);
    }
    let mut reader = SedReader { rest: piece };
    loop {
        reader.skip(|c| c == ';' || is_space(c));
        if reader.rest.is_empty() {
            return Ok(());
        }
        reader.command(script)?;
    }
}

/// Reports whether a special character could, in a locale with two-byte characters, be read as the second byte of the
/// preceding character.
fn has_ambiguous_bytes(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .windows(2)
        .any(|pair| !pair[0].is_ascii() && pair[1].is_ascii_punctuation() && pair[1] >= b'@')
}

const fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

struct SedReader<'t> {
    rest: &'t str,
}

impl<'t> SedReader<'t> {
    fn skip(&mut self, is_skipped: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(is_skipped);
    }

    fn blanks(&mut self) {
        self.skip(is_blank);
    }

    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next();
        self.rest = characters.as_str();
        next
    }

    /// Consumes a character if it is the next one.
    fn take(&mut self, wanted: char) -> bool {
        let rest = self.rest.strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn command(&mut self, script: &mut SedScript) -> Result<(), UnsupportedScript> {
        let has_address = self.addresses()?;
        self.blanks();
        if self.take('!') {
            self.blanks();
        }
        match self.next().ok_or(UnsupportedScript)? {
            '#' if !has_address => {
                self.line();
                Ok(())
            }
            '{' => Ok(()),
            '}' if !has_address => self.end(),
            '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'z' | 'x' => {
                self.end()
            }
            'l' | 'q' | 'Q' => {
                self.blanks();
                self.skip(|c| c.is_ascii_digit());
                self.end()
            }
            ':' if !has_address => self.label(false),
            'b' | 't' | 'T' => self.label(true),
            'a' | 'i' | 'c' => self.text(),
            'r' | 'R' => {
                script.reads.push(self.file()?);
                Ok(())
            }
            'w' | 'W' => {
                script.writes.push(self.file()?);
                Ok(())
            }
            'e' => {
                // The command to run continues to the end of the line, and beyond it after a `\`.
                script.runs_programs = true;
                self.text_to_end()
            }
            's' => self.substitution(script),
            'y' => {
                let delimiter = self.delimiter()?;
                self.skip_delimited(delimiter)?;
                self.skip_delimited(delimiter)?;
                self.end()
            }
            _ => Err(UnsupportedScript),
        }
    }

    /// Parses the addresses before a command; reports whether there is one.
    fn addresses(&mut self) -> Result<bool, UnsupportedScript> {
        let is_number = self.peek().is_some_and(|c| c.is_ascii_digit());
        if !self.address()? {
            return Ok(false);
        }
        self.blanks();
        // `1~2`
        if is_number && self.take('~') {
            self.number()?;
            self.blanks();
        }
        if self.take(',') {
            self.blanks();
            if self.take('+') || self.take('~') {
                self.number()?;
            } else if !self.address()? {
                return Err(UnsupportedScript);
            }
        }
        Ok(true)
    }

    fn address(&mut self) -> Result<bool, UnsupportedScript> {
        match self.peek() {
            Some('$') => {
                self.next();
            }
            Some('0'..='9') => self.number()?,
            Some('/') => {
                self.next();
                self.regex('/')?;
            }
            Some('\\') => {
                self.next();
                let delimiter = self.delimiter()?;
                self.regex(delimiter)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn number(&mut self) -> Result<(), UnsupportedScript> {
        let before = self.rest.len();
        self.skip(|c| c.is_ascii_digit());
        if self.rest.len() == before {
            return Err(UnsupportedScript);
        }
        Ok(())
    }

    /// Parses a regular expression after its delimiter, with its flags.
    fn regex(&mut self, delimiter: char) -> Result<(), UnsupportedScript> {
        self.pattern(delimiter)?;
        self.skip(|c| is_blank(c) || matches!(c, 'I' | 'M'));
        Ok(())
    }

    /// Skips a regular expression and its closing delimiter.
    fn pattern(&mut self, delimiter: char) -> Result<(), UnsupportedScript> {
        loop {
            match self.next().ok_or(UnsupportedScript)? {
                c if c == delimiter => return Ok(()),
                '\\' => self.skip_escape()?,
                '\n' => return Err(UnsupportedScript),
                '[' => self.brackets(delimiter)?,
                _ => {}
            }
        }
    }

    /// Skips a bracket expression after its `[`, including the `]`. A delimiter in it ends the regular expression in
    /// some versions of sed only, so it is rejected, as is anything that could change where the brackets end.
    fn brackets(&mut self, delimiter: char) -> Result<(), UnsupportedScript> {
        self.take('^');
        let mut is_first = true;
        loop {
            match self.next().ok_or(UnsupportedScript)? {
                '\n' => return Err(UnsupportedScript),
                c if c == delimiter => return Err(UnsupportedScript),
                ']' if !is_first => return Ok(()),
                '[' => self.class(delimiter)?,
                '\\' if matches!(self.peek(), Some('\\' | '[' | ']')) => {
                    return Err(UnsupportedScript);
                }
                _ => {}
            }
            is_first = false;
        }
    }

    /// Skips the text after a `[` inside of brackets: the name of a class, or nothing.
    fn class(&mut self, delimiter: char) -> Result<(), UnsupportedScript> {
        const CLASSES: [&str; 12] = [
            "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
            "space", "upper", "xdigit",
        ];
        match self.peek() {
            Some(':') if delimiter != ':' => {
                let behind = &self.rest[1..];
                let (name, rest) = behind.split_once(":]").ok_or(UnsupportedScript)?;
                self.rest = rest;
                CLASSES
                    .contains(&name)
                    .then_some(())
                    .ok_or(UnsupportedScript)
            }
            Some('.' | '=' | ':') => Err(UnsupportedScript),
            _ => Ok(()),
        }
    }

    /// Skips the character after a `\`. `\c` takes more than one character, which differs between versions.
    fn skip_escape(&mut self) -> Result<(), UnsupportedScript> {
        match self.next() {
            None | Some('c') => Err(UnsupportedScript),
            Some(_) => Ok(()),
        }
    }

    /// Parses the delimiter of an expression.
    fn delimiter(&mut self) -> Result<char, UnsupportedScript> {
        self.next()
            .filter(|c| c.is_ascii_punctuation() && !matches!(c, '\\' | '[' | ']'))
            .ok_or(UnsupportedScript)
    }

    /// Skips text and its closing delimiter.
    fn skip_delimited(&mut self, delimiter: char) -> Result<(), UnsupportedScript> {
        loop {
            match self.next().ok_or(UnsupportedScript)? {
                '\\' => self.skip_escape()?,
                '\n' => return Err(UnsupportedScript),
                c if c == delimiter => return Ok(()),
                _ => {}
            }
        }
    }

    fn substitution(&mut self, script: &mut SedScript) -> Result<(), UnsupportedScript> {
        let delimiter = self.delimiter()?;
        self.pattern(delimiter)?;
        self.skip_delimited(delimiter)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.next();
                }
                Some('e') => {
                    self.next();
                    script.runs_programs = true;
                }
                Some('w') => {
                    self.next();
                    script.writes.push(self.file()?);
                    return Ok(());
                }
                _ => return self.end(),
            }
        }
    }

    /// Parses the end of a command.
    fn end(&mut self) -> Result<(), UnsupportedScript> {
        self.blanks();
        match self.peek() {
            None | Some('}' | '#') => Ok(()),
            Some(';' | '\n') => {
                self.next();
                Ok(())
            }
            Some(_) => Err(UnsupportedScript),
        }
    }

    fn label(&mut self, may_be_missing: bool) -> Result<(), UnsupportedScript> {
        self.blanks();
        let before = self.rest.len();
        self.skip(|c| c.is_ascii_alphanumeric() || c == '_');
        if self.rest.len() == before && !may_be_missing {
            return Err(UnsupportedScript);
        }
        self.end()
    }

    /// Skips the rest of the line, and returns it.
    fn line(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Parses the name of a file, which extends to the end of the line.
    fn file(&mut self) -> Result<String, UnsupportedScript> {
        self.blanks();
        let name = self.line();
        if name.is_empty() || name.contains('\\') {
            return Err(UnsupportedScript);
        }
        Ok(name.to_owned())
    }

    /// Parses the text of `a`, `i` and `c`.
    fn text(&mut self) -> Result<(), UnsupportedScript> {
        self.blanks();
        if let Some(behind) = self.rest.strip_prefix('\\') {
            // Whether blanks or another `\` belong to the text depends on the version.
            match behind.chars().next() {
                None | Some(' ' | '\t' | '\\' | '\r' | '\x0b' | '\x0c') => {
                    return Err(UnsupportedScript);
                }
                Some(_) => {}
            }
            if behind == "\n" {
                return Err(UnsupportedScript);
            }
        }
        if matches!(self.peek(), None | Some('\n')) {
            return Err(UnsupportedScript);
        }
        self.text_to_end()
    }

    /// Skips text up to the end of a line that no `\` continues.
    fn text_to_end(&mut self) -> Result<(), UnsupportedScript> {
        while let Some(c) = self.next() {
            match c {
                '\n' => return Ok(()),
                '\\' => {
                    // At the end of a piece, the text continues in the next piece.
                    self.next().ok_or(UnsupportedScript)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
