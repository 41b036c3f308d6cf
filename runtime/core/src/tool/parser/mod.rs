//! The fast parser: one pass over the JSON text of a call, in which a small scanner finds the keys and serde parses
//! the values into typed slots.
//!
//! The pass only accepts or rejects. Mistakes are described by [`explain`](crate::schema::explain), which is the cold
//! path.

mod constraint;
mod scanner;

use scanner::Scanner;

use crate::tool::argument::Slot;
use crate::tool::parameter::Parameter;

/// The rejection of a call, with the parameter at which the fast pass stopped.
#[derive(Debug)]
pub(crate) struct ParseRejection {
    /// The parameter with the invalid value, if a value was invalid.
    pub(crate) parameter: Option<&'static str>,
    pub(crate) error: Option<serde_json::Error>,
}

impl ParseRejection {
    const SHAPE: Self = Self {
        parameter: None,
        error: None,
    };
}

/// A set of seen parameters; the macro refuses a tool with more than 64 parameters.
#[derive(Clone, Copy, Default)]
struct ParameterSet(u64);

impl ParameterSet {
    /// Adds a parameter; reports whether the parameter was new.
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

/// Fills `slots`, one per parameter, from the text of a call.
///
/// `""`, `null` and `{}` are equivalent.
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
            // Models usually follow the order of the schema, and comparing the expected key with the text is faster
            // than parsing a key.
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
    // Strict dialects send null for omitted arguments, which means the default.
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

/// Fills an omitted parameter; reports whether the parameter may be omitted.
fn absent(parameter: &Parameter, slot: &mut Slot<'_, '_>) -> bool {
    match &parameter.default {
        Some(default) => {
            (default.fill)(slot);
            true
        }
        None => (parameter.kind.fill_missing)(slot),
    }
}
