//! Explanations of all mistakes in a call's arguments.
//!
//! This is the cold path, and not generic: it runs if decoding failed, or if a schema has constraints that serde does
//! not enforce. The text is parsed level by level as the schema requires, so that nesting that no schema describes
//! costs nothing.

mod check;
mod composite;
mod describe;
mod raw;
mod scalar;
mod union;

use serde_json::value::RawValue;

use super::canonical_schema::CanonicalSchema;
use super::mistake::{Mistake, Mistakes};

pub(super) use check::{Checker, MAX_DEPTH};
pub use describe::describe_schema;
pub(super) use describe::excerpt;
pub(super) use raw::{JsonKind, elements, entries};

/// Lists every mistake of a JSON text against a canonical schema; empty if there is none.
///
/// An empty text and `null` are treated as the empty object. Keys that the schema does not list are mistakes at the
/// top level, and below it if `additionalProperties` forbids them. Arguments that decode are never a mistake, unless
/// the schema has more constraints than the type. The reverse does not hold for constraints that a schema cannot
/// express, such as the text of a UUID: for those, only serde's own error exists.
pub fn explain(schema: &CanonicalSchema, arguments: &str) -> Mistakes {
    let text = match arguments.trim() {
        "" | "null" => "{}",
        text => text,
    };
    let raw = match serde_json::from_str::<&RawValue>(text) {
        Ok(raw) => raw.get(),
        Err(error) => return Mistakes::from(not_json(text, &error)),
    };
    if JsonKind::from_raw(raw) != JsonKind::Object {
        let mistake = Mistake::new("", "a JSON object", describe::describe_value(raw));
        let suggestion = match JsonKind::from_raw(raw) {
            JsonKind::String => "pass the object itself, not a string",
            _ => "pass one object with the parameters as its keys",
        };
        return mistake.with_suggestion(suggestion).into();
    }
    let mut checker = Checker::new(schema.marked(), raw.len());
    checker.check(schema.marked(), raw);
    checker.into_mistakes()
}

/// Returns the mistake at the position where a text stops being JSON.
fn not_json(text: &str, error: &serde_json::Error) -> Mistake {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let at = (line_start + error.column()).min(text.len());
    let got = format!(
        "text that is not JSON: {error}, near `{}`",
        describe::excerpt_around(text, at)
    );
    let mistake = Mistake::new("", "a JSON object", got);
    if error.is_eof() {
        return mistake.with_suggestion("the text ends too early; send the whole object again");
    }
    mistake
}
