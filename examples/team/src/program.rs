//! Programs of a small language in postfix notation.

use std::fmt;
use std::str::FromStr;

/// The words of a program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program(Vec<Word>);

#[derive(Debug, Clone, Copy)]
enum Word {
    Number(f64),
    Operator(Operator),
}

#[derive(Debug, Clone, Copy)]
struct Operator {
    name: &'static str,
    apply: fn(&mut Vec<f64>) -> Option<()>,
}

const OPERATORS: [Operator; 8] = [
    operator("+", |stack| combine(stack, |a, b| a + b)),
    operator("-", |stack| combine(stack, |a, b| a - b)),
    operator("*", |stack| combine(stack, |a, b| a * b)),
    operator("/", |stack| combine(stack, |a, b| a / b)),
    operator("min", |stack| combine(stack, f64::min)),
    operator("max", |stack| combine(stack, f64::max)),
    operator("dup", |stack| {
        let top = *stack.last()?;
        stack.push(top);
        Some(())
    }),
    operator("swap", |stack| {
        let (top, below) = (stack.pop()?, stack.pop()?);
        stack.extend([top, below]);
        Some(())
    }),
];

const fn operator(name: &'static str, apply: fn(&mut Vec<f64>) -> Option<()>) -> Operator {
    Operator { name, apply }
}

fn combine(stack: &mut Vec<f64>, apply: fn(f64, f64) -> f64) -> Option<()> {
    let (right, left) = (stack.pop()?, stack.pop()?);
    stack.push(apply(left, right));
    Some(())
}

/// What is wrong with a program.
#[derive(Debug)]
pub(crate) enum ProgramError {
    UnknownWord(String),
    StackEmpty(&'static str),
    ValuesLeft(usize),
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownWord(word) => write!(f, "`{word}` is neither a number nor an operator"),
            Self::StackEmpty(name) => write!(f, "there are too few values for `{name}`"),
            Self::ValuesLeft(count) => {
                write!(f, "the program ends with {count} values instead of one")
            }
        }
    }
}

impl std::error::Error for ProgramError {}

impl FromStr for Program {
    type Err = ProgramError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words = text.split_whitespace().map(|word| {
            let operator = OPERATORS.iter().find(|operator| operator.name == word);
            let number = || word.parse().map(Word::Number);
            let known = operator.map(|operator| Word::Operator(*operator));
            known
                .or_else(|| number().ok())
                .ok_or_else(|| ProgramError::UnknownWord(word.to_owned()))
        });
        words.collect::<Result<_, _>>().map(Self)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, word) in self.0.iter().enumerate() {
            let blank = if position > 0 { " " } else { "" };
            match word {
                Word::Number(number) => write!(f, "{blank}{number}")?,
                Word::Operator(operator) => write!(f, "{blank}{}", operator.name)?,
            }
        }
        Ok(())
    }
}

impl Program {
    /// Runs the program with a number on the stack.
    pub(crate) fn run(&self, number: f64) -> Result<f64, ProgramError> {
        let mut stack = vec![number];
        for word in &self.0 {
            match word {
                Word::Number(number) => stack.push(*number),
                Word::Operator(operator) => {
                    let applied = (operator.apply)(&mut stack);
                    applied.ok_or(ProgramError::StackEmpty(operator.name))?;
                }
            }
        }
        match stack[..] {
            [result] => Ok(result),
            _ => Err(ProgramError::ValuesLeft(stack.len())),
        }
    }
}
