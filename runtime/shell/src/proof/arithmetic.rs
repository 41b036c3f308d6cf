//! `$((…))` and the head of `for ((…; …; …))`: numbers, names and operators that set nothing.
//!
//! What a name holds is an expression to bash, and an expression can run a command through a subscript. So the names are
//! listed: each has to hold a number.

use super::ast::{Compound, Piece};
use super::parser::{Parsed, Parser, refuse};

impl<'a> Parser<'a> {
    /// Reads `$((…))`.
    pub(super) fn arithmetic(&mut self) -> Parsed<Piece<'a>> {
        self.at += 3;
        let names = self.expression(")")?;
        self.expect("))")?;
        Ok(Piece::Number(names))
    }

    /// Reads `((NAME=…; …; NAME++)); do …; done`.
    pub(super) fn counting(&mut self) -> Parsed<Compound<'a>> {
        self.expect("((")?;
        self.inner_blanks();
        let name = self.name();
        self.inner_blanks();
        if name.is_empty() || !self.eat("=") || self.byte(0) == b'=' {
            return refuse("a part of it cannot be read");
        }
        let mut names = self.expression(";")?;
        self.expect(";")?;
        names.extend(
            self.expression(";")?
                .into_iter()
                .filter(|read| *read != name),
        );
        self.expect(";")?;
        names.extend(self.step(name)?);
        self.expect("))")?;
        self.blanks()?;
        self.eat(";");
        self.lines()?;
        let body = self.body()?;
        Ok(Compound::Count { name, names, body })
    }

    /// `NAME++`, `++NAME`, `NAME--`, `--NAME`, `NAME+=1`
    fn step(&mut self, name: &str) -> Parsed<Vec<&'a str>> {
        self.inner_blanks();
        let is_before = self.eat("++") || self.eat("--");
        if self.name() != name {
            return refuse("a part of it cannot be read");
        }
        self.inner_blanks();
        let mut names = Vec::new();
        if !is_before && !self.eat("++") && !self.eat("--") {
            if !self.eat("+=") && !self.eat("-=") {
                return refuse("a part of it cannot be read");
            }
            names = self.expression(")")?;
        }
        self.inner_blanks();
        Ok(names)
    }

    fn inner_blanks(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Reads an expression up to what ends it; returns the names in it.
    fn expression(&mut self, end: &str) -> Parsed<Vec<&'a str>> {
        const UNCLEAR: &str = "it has an expression that may set something or run something";
        let mut names = Vec::new();
        let mut depth = 0_usize;
        loop {
            if depth == 0 && self.rest().starts_with(end) {
                return Ok(names);
            }
            match (self.byte(0), self.byte(1)) {
                (b'(', _) => depth += 1,
                (b')', _) if depth > 0 => depth -= 1,
                (b'0'..=b'9', next) if next.is_ascii_alphabetic() || next == b'_' => {
                    return refuse(UNCLEAR);
                }
                (b'$', b'{') => {
                    self.at += 2;
                    let is_length = self.eat("#");
                    let name = self.name();
                    if name.is_empty() || self.byte(0) != b'}' {
                        return refuse(UNCLEAR);
                    }
                    names.extend((!is_length).then_some(name));
                }
                (b'$', b'#' | b'?') => self.at += 1,
                (b'$', first) if first.is_ascii_alphabetic() || first == b'_' => {}
                (first, _) if first.is_ascii_alphabetic() || first == b'_' => {
                    names.push(self.name());
                    continue;
                }
                (b'+', b'+') | (b'-', b'-') => return refuse(UNCLEAR),
                (b'=' | b'!' | b'<' | b'>', b'=') | (b'<', b'<') | (b'>', b'>') => {
                    self.at += 1;
                    if self.byte(1) == b'=' {
                        return refuse(UNCLEAR);
                    }
                }
                (
                    b'+'
                    | b'-'
                    | b'*'
                    | b'/'
                    | b'%'
                    | b'<'
                    | b'>'
                    | b'!'
                    | b'~'
                    | b'&'
                    | b'|'
                    | b'^'
                    | b'?'
                    | b':'
                    | b' '
                    | b'\t'
                    | b'0'..=b'9',
                    next,
                ) if next != b'=' || matches!(self.byte(0), b' ' | b'\t' | b'0'..=b'9') => {}
                _ => return refuse(UNCLEAR),
            }
            self.at += 1;
        }
    }
}
