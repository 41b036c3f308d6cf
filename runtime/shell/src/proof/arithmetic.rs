//! `$((…))` and the head of `for ((…; …; …))`: numbers, names and operators that assign nothing.
//!
//! Bash evaluates the value of a name as an expression, and an expression can run a command through a subscript.
//! Therefore the names are collected: each of them must have a number as its value.

use super::ast::{CompoundNode, WordPiece};
use super::parser::{Parser, ProofResult, fail};

const UNCLEAR: &str = "it has an expression that may set something or run something";

/// An expression that assigns nothing.
#[derive(Default)]
struct ArithmeticExpression<'a> {
    /// The names that the expression reads.
    names: Vec<&'a str>,
    /// Whether bash may reject the expression, although every name has a number as its value: it may divide by zero, or
    /// a number may not be valid in its base.
    may_fail: bool,
}

impl<'a> Parser<'a> {
    /// Parses `$((…))`.
    pub(super) fn arithmetic(&mut self) -> ProofResult<WordPiece<'a>> {
        self.at += 3;
        let ArithmeticExpression { names, may_fail } = self.expression(")")?;
        self.expect("))")?;
        Ok(WordPiece::Number { names, may_fail })
    }

    /// Parses `((NAME=…; …; NAME++)); do …; done`.
    pub(super) fn counting(&mut self) -> ProofResult<CompoundNode<'a>> {
        self.expect("((")?;
        self.inner_blanks();
        let name = self.name();
        self.inner_blanks();
        if name.is_empty() || !self.eat("=") || self.byte(0) == b'=' {
            return fail("a part of it cannot be read");
        }
        let mut names = self.certain(";")?;
        self.expect(";")?;
        names.extend(self.certain(";")?.into_iter().filter(|read| *read != name));
        self.expect(";")?;
        names.extend(self.step(name)?);
        self.expect("))")?;
        self.blanks()?;
        self.eat(";");
        self.lines()?;
        let body = self.body()?;
        Ok(CompoundNode::CountingFor { name, names, body })
    }

    /// Parses `NAME++`, `++NAME`, `NAME--`, `--NAME` or `NAME+=1`.
    fn step(&mut self, name: &str) -> ProofResult<Vec<&'a str>> {
        self.inner_blanks();
        let is_before = self.eat("++") || self.eat("--");
        if self.name() != name {
            return fail("a part of it cannot be read");
        }
        self.inner_blanks();
        let mut names = Vec::new();
        if !is_before && !self.eat("++") && !self.eat("--") {
            if !self.eat("+=") && !self.eat("-=") {
                return fail("a part of it cannot be read");
            }
            names = self.certain(")")?;
        }
        self.inner_blanks();
        Ok(names)
    }

    /// Parses an expression that cannot fail: a loop whose head fails sets nothing.
    fn certain(&mut self, end: &str) -> ProofResult<Vec<&'a str>> {
        let expression = self.expression(end)?;
        if expression.may_fail {
            return fail(UNCLEAR);
        }
        Ok(expression.names)
    }

    fn inner_blanks(&mut self) {
        while matches!(self.byte(0), b' ' | b'\t') {
            self.at += 1;
        }
    }

    /// Parses an expression up to `end`: alternating operands and operators. Two operands without an operator in
    /// between are rejected, since the text of a variable could join them to one.
    fn expression(&mut self, end: &str) -> ProofResult<ArithmeticExpression<'a>> {
        let mut expression = ArithmeticExpression::default();
        let mut depth = 0_usize;
        let mut wants_operand = true;
        let mut is_empty = true;
        loop {
            self.inner_blanks();
            if depth == 0 && (is_empty || !wants_operand) && self.rest().starts_with(end) {
                expression.may_fail |= is_empty && end == ")";
                return Ok(expression);
            }
            is_empty = false;
            match (self.byte(0), wants_operand) {
                (b'(', true) => {
                    depth += 1;
                    self.at += 1;
                }
                (b')', false) if depth > 0 => {
                    depth -= 1;
                    self.at += 1;
                }
                (sign @ (b'-' | b'+' | b'!' | b'~'), true) => {
                    // The value of a variable may begin with a sign.
                    if self.byte(1) == sign || matches!(self.byte(1), b'=' | b'$') {
                        return fail(UNCLEAR);
                    }
                    self.at += 1;
                }
                (_, true) => {
                    self.operand(&mut expression)?;
                    wants_operand = false;
                }
                (_, false) => {
                    self.operator(&mut expression)?;
                    wants_operand = true;
                }
            }
        }
    }

    fn operand(&mut self, expression: &mut ArithmeticExpression<'a>) -> ProofResult<()> {
        match (self.byte(0), self.byte(1)) {
            (b'0'..=b'9', _) => {
                let number = self.number()?;
                expression.may_fail |= number.len() > 1 && number.starts_with('0');
            }
            (b'$', b'#' | b'?') => self.at += 2,
            (b'$', b'{') => {
                self.at += 2;
                let is_length = self.eat("#");
                let name = self.name();
                if name.is_empty() || !self.eat("}") {
                    return fail(UNCLEAR);
                }
                expression.names.extend((!is_length).then_some(name));
            }
            (first, _) => {
                self.at += usize::from(first == b'$');
                let name = self.name();
                if name.is_empty() {
                    return fail(UNCLEAR);
                }
                expression.names.push(name);
            }
        }
        Ok(())
    }

    fn number(&mut self) -> ProofResult<&'a str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let next = rest.as_bytes().get(length).copied().unwrap_or_default();
        if next.is_ascii_alphabetic() || matches!(next, b'_' | b'#') || length > 18 {
            return fail(UNCLEAR);
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn operator(&mut self, expression: &mut ArithmeticExpression<'a>) -> ProofResult<()> {
        const LONG: [&str; 9] = ["==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "**"];
        let rest = self.rest();
        let is_long = LONG.iter().any(|operator| rest.starts_with(operator));
        let length = if is_long { 2 } else { 1 };
        let operator = rest.get(..length).unwrap_or_default();
        let is_known =
            length == 2 || matches!(operator.as_bytes(), [byte] if b"+-*/%<>&|^?:".contains(byte));
        self.at += operator.len();
        // An assignment, `++`, `--`, or `-$x` with a value that may begin with a sign.
        let next = self.byte(0);
        let is_doubled =
            matches!(operator, "+" | "-") && (operator.as_bytes() == [next] || next == b'$');
        if !is_known || next == b'=' || is_doubled {
            return fail(UNCLEAR);
        }
        if matches!(operator, "/" | "%") {
            self.inner_blanks();
            expression.may_fail |= !matches!(self.byte(0), b'1'..=b'9');
        }
        expression.may_fail |= matches!(operator, "**" | "?" | ":");
        Ok(())
    }
}
