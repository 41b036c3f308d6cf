//! One pass over the JSON text of a call: keys found by a small scanner, values read by serde into typed slots.
//!
//! The pass only accepts or rejects. What was wrong is written by [`explain`](crate::schema::explain), which is cold.

mod constraint;
mod scanner;

use scanner::Scanner;

use crate::tool::argument::Slot;
use crate::tool::parameter::Parameter;

/// A call does not match; the rejection says where the fast pass gave up.
#[derive(Debug)]
pub(crate) struct ParseRejection {
    /// The parameter whose value was wrong, where it was one.
    pub(crate) parameter: Option<&'static str>,
    pub(crate) error: Option<serde_json::Error>,
}

impl ParseRejection {
    const SHAPE: Self = Self {
        parameter: None,
        error: None,
    };
}

/// A set of parameters that have been seen; a tool with more than 64 of them is refused by the macro.
#[derive(Clone, Copy, Default)]
struct ParameterSet(u64);

impl ParameterSet {
    /// Adds a parameter; reports whether it was new.
    fn insert(&mut self, index: usize) -> bool {
        let bit = 1 << index;
        let new = self.0 & bit == 0;
        self.0 |= bit;
        new
    }

    fn contains(self, index: usize) -> bool {
        self.0 & (1 << index) != 0
    }
}

/// Fills `slots`, one a parameter, from the text of a call.
///
/// `""`, `null` and `{}` are the same call.
pub(crate) fn parse<'a>(
    parameters: &'static [Parameter],
    text: &'a str,
    slots: &mut [Slot<'_, 'a>],
) -> Result<(), ParseRejection> {
    let mut seen = ParameterSet::default();
    let mut scanner = Scanner::new(text);
    if scanner.open_object().ok_or(ParseRejection::SHAPE)? {
        let mut next = 0;
        loop {
            // Models keep to the order of the schema, and a guess is held against the text faster than a key is read.
            let guess = parameters.get(next);
            let index = if guess.is_some_and(|parameter| scanner.key_is(parameter.name)) {
                next
            } else {
                let Some(key) = scanner.key().ok_or(ParseRejection::SHAPE)? else {
                    break;
                };
                let mut names = parameters.iter().map(|parameter| parameter.name);
                let found = names.position(|name| *key == *name);
                found.ok_or(ParseRejection::SHAPE)?
            };
            next = index + 1;
            if !seen.insert(index) {
                return Err(ParseRejection::SHAPE);
            }
            value(&parameters[index], &mut scanner, &mut slots[index])?;
            scanner.after_value().ok_or(ParseRejection::SHAPE)?;
        }
    }
    for (index, parameter) in parameters.iter().enumerate() {
        if !seen.contains(index) && !absent(parameter, &mut slots[index]) {
            return Err(ParseRejection::SHAPE);
        }
    }
    Ok(())
}

fn value<'a>(
    parameter: &Parameter,
    scanner: &mut Scanner<'a>,
    slot: &mut Slot<'_, 'a>,
) -> Result<(), ParseRejection> {
    let rest = scanner.rest();
    // Strict dialects send null for what they would leave out, and mean the default.
    if parameter.default.is_some() && scanner.null() {
        absent(parameter, slot);
        return Ok(());
    }
    let constraints = &parameter.constraints;
    let error = match (parameter.kind.fill)(slot, rest) {
        Ok(length)
            if constraints.is_none() || constraint::is_satisfied(constraints, &rest[..length]) =>
        {
            scanner.advance(length);
            return Ok(());
        }
        read => read.err(),
    };
    Err(ParseRejection {
        parameter: Some(parameter.name),
        error,
    })
}

/// Fills a parameter that the call left out; reports whether it may be left out.
fn absent(parameter: &Parameter, slot: &mut Slot<'_, '_>) -> bool {
    match &parameter.default {
        Some(default) => {
            (default.fill)(slot);
            true
        }
        None => (parameter.kind.fill_missing)(slot),
    }
}
