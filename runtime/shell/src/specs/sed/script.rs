//! Scripts of GNU sed.
//!
//! The reader accepts a part of the language, and what it accepts it reads as GNU sed does: where a regular expression, a
//! text, a label or the name of a file ends decides what is a command. Whatever is rare, or differs between versions, is
//! refused.

/// What a script does beside changing text.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct SedScript {
    /// The files that it reads (`r`, `R`).
    pub(crate) reads: Vec<String>,
    /// The files that it writes (`w`, `W`, `s///w`).
    pub(crate) writes: Vec<String>,
    /// Whether it runs programs (`e`, `s///e`).
    pub(crate) runs_programs: bool,
}

/// Why a script is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnsupportedScript;

/// Reads one piece of a script: what follows one `-e`, or the first operand.
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

/// Reports whether a character that means something stands where a locale with two-byte characters could take it for the
/// second byte of the character before it.
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

    /// Takes a character, where it comes next.
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
                // What it runs, to the end of the line, and behind a `\` beyond it.
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

    /// Reads the addresses before a command; says whether there is one.
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

    /// Reads a regular expression behind its delimiter, with its flags.
    fn regex(&mut self, delimiter: char) -> Result<(), UnsupportedScript> {
        self.pattern(delimiter)?;
        self.skip(|c| is_blank(c) || matches!(c, 'I' | 'M'));
        Ok(())
    }

    /// Skips a regular expression and the delimiter behind it.
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

    /// Skips what follows a `[`, through its `]`. A delimiter among it ends the expression for some versions of sed and
    /// not for others, and so may whatever shifts where the brackets end.
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

    /// Skips what follows a `[` between brackets: the name of a class, or nothing.
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

    /// Skips what a `\` stands before. `\c` takes more than one character, in each version its own.
    fn skip_escape(&mut self) -> Result<(), UnsupportedScript> {
        match self.next() {
            None | Some('c') => Err(UnsupportedScript),
            Some(_) => Ok(()),
        }
    }

    /// Reads the delimiter of an expression.
    fn delimiter(&mut self) -> Result<char, UnsupportedScript> {
        self.next()
            .filter(|c| c.is_ascii_punctuation() && !matches!(c, '\\' | '[' | ']'))
            .ok_or(UnsupportedScript)
    }

    /// Skips text and the delimiter behind it.
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

    /// Reads what may stand behind a command.
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

    /// Skips the rest of the line.
    fn line(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Reads the name of a file, which goes to the end of the line.
    fn file(&mut self) -> Result<String, UnsupportedScript> {
        self.blanks();
        let name = self.line();
        if name.is_empty() || name.contains('\\') {
            return Err(UnsupportedScript);
        }
        Ok(name.to_owned())
    }

    /// Reads the text of `a`, `i` and `c`.
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

    /// Skips text to the end of a line that no `\` continues.
    fn text_to_end(&mut self) -> Result<(), UnsupportedScript> {
        while let Some(c) = self.next() {
            match c {
                '\n' => return Ok(()),
                '\\' => {
                    // At the end of a piece the text goes on in the next.
                    self.next().ok_or(UnsupportedScript)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}
