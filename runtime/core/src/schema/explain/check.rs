//! The check of a JSON text against a schema.

use serde_json::{Map, Value};

use super::super::keyword::{NULLABLE, ReadKeywords as _};
use super::super::mistake::{Mistake, Mistakes};
use super::super::normalize::escape;
use super::describe;
use super::raw::JsonKind;

/// The maximum depth of a value that is checked; the limit of serde_json is the same.
pub(in crate::schema) const MAX_DEPTH: usize = 128;

/// The maximum number of mistakes that are collected.
const MAX_MISTAKES: usize = 1_000;

/// The maximum work of a check, in passes over the text: a union in a recursive type can multiply the work.
const MAX_PASSES: usize = 300;

/// The schema that a dangling reference stands for.
static ANY: Value = Value::Bool(true);

/// Checks a value against a schema and collects the mistakes.
pub(in crate::schema) struct Checker<'s> {
    root: &'s Value,
    pub(super) mistakes: Vec<Mistake>,
    pub(super) path: String,
    depth: usize,
    /// The remaining work; `None` once the budget is exceeded.
    budget: Option<usize>,
}

impl<'s> Checker<'s> {
    /// Creates a checker for a text of the given length.
    pub(in crate::schema) fn new(root: &'s Value, length: usize) -> Self {
        let budget = length.saturating_mul(MAX_PASSES).saturating_add(100_000);
        Self {
            root,
            mistakes: Vec::new(),
            path: String::new(),
            depth: 0,
            budget: Some(budget),
        }
    }

    pub(in crate::schema) fn into_mistakes(mut self) -> Mistakes {
        // An unchecked value is not valid: a value must not pass because its schema is expensive to check.
        if self.budget.is_none() {
            let got = "some that take too long to check";
            self.report(Mistake::new("", "simpler arguments", got));
        }
        self.mistakes.into_iter().collect()
    }

    /// Returns the schema that references point into.
    pub(super) fn tree(&self) -> &'s Value {
        self.root
    }

    /// Returns whether a value matches a schema, without recording mistakes.
    pub(in crate::schema) fn fits(&mut self, schema: &'s Value, raw: &str) -> bool {
        self.trial(schema, raw).is_empty() && self.budget.is_some()
    }

    /// Collects the mistakes of a value against a schema separately from the others.
    pub(super) fn trial(&mut self, schema: &'s Value, raw: &str) -> Vec<Mistake> {
        let before = std::mem::take(&mut self.mistakes);
        self.check(schema, raw);
        std::mem::replace(&mut self.mistakes, before)
    }

    /// Checks a value against a schema, at the current path.
    pub(in crate::schema) fn check(&mut self, schema: &'s Value, raw: &str) {
        let Some(budget) = self.budget.filter(|_| self.mistakes.len() < MAX_MISTAKES) else {
            return;
        };
        self.budget = budget.checked_sub(raw.len() + 1);
        if self.budget.is_none() {
            return;
        }
        // The marker belongs to the property, even if the schema is a reference.
        if schema.get(NULLABLE).is_some() && JsonKind::from_raw(raw) == JsonKind::Null {
            return;
        }
        match self.resolve(schema) {
            Value::Object(map) if self.depth < MAX_DEPTH => {
                self.depth += 1;
                self.object_schema(map, raw);
                self.depth -= 1;
            }
            Value::Object(_) => self.push("less nesting", &format!("more than {MAX_DEPTH} levels")),
            Value::Bool(false) => self.refuse("nothing here", raw),
            _ => {}
        }
    }

    /// Checks a value below the current path.
    pub(super) fn check_at(&mut self, segment: &str, schema: &'s Value, raw: &str) {
        let length = self.enter(segment);
        self.check(schema, raw);
        self.path.truncate(length);
    }

    /// Appends a segment to the path and returns the length to truncate the path to afterwards.
    pub(in crate::schema) fn enter(&mut self, segment: &str) -> usize {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&escape(segment));
        length
    }

    /// Follows the references of a schema; the canonical form only contains references to `$defs`.
    pub(in crate::schema) fn resolve(&self, mut schema: &'s Value) -> &'s Value {
        // A chain of references either ends, or is a cycle that describes nothing.
        for _ in 0..64 {
            let Some(Value::String(reference)) = schema.get("$ref") else {
                return schema;
            };
            let pointer = reference.strip_prefix('#');
            let target = pointer.and_then(|pointer| self.root.pointer(pointer));
            let Some(target) = target else { return &ANY };
            schema = target;
        }
        &ANY
    }

    pub(super) fn push(&mut self, expected: &str, got: &str) {
        self.report(Mistake::new(self.path.as_str(), expected, got));
    }

    /// Creates the mistake of a value at the current path.
    pub(super) fn mistake(&self, expected: impl Into<String>, raw: &str) -> Mistake {
        Mistake::new(self.path.as_str(), expected, describe::describe_value(raw))
    }

    pub(super) fn refuse(&mut self, expected: &str, raw: &str) {
        self.report(self.mistake(expected, raw));
    }

    /// Reports a value that does not match a schema of its type.
    pub(super) fn refuse_for(&mut self, map: &Map<String, Value>, raw: &str) {
        self.refuse(&describe::describe_schema(map), raw);
    }

    pub(super) fn report(&mut self, mistake: Mistake) {
        self.mistakes.push(mistake);
    }

    fn object_schema(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let kind = JsonKind::from_raw(raw);
        if let Some(types) = map.get("type")
            && !type_fits(types, kind)
        {
            self.wrong_type(map, raw);
            return;
        }
        if let Some(Value::Array(values)) = map.get("enum")
            && !self.literal(values, raw)
        {
            return;
        }
        match kind {
            JsonKind::Number => self.number(map, raw),
            JsonKind::String => self.string(map, raw),
            JsonKind::Array => self.array(map, raw),
            JsonKind::Object => self.object(map, raw),
            JsonKind::Null | JsonKind::Boolean => {}
        }
        self.unions(map, raw);
    }

    fn wrong_type(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let wants = |name: &str| map.has_type(name);
        let suggestion = match JsonKind::from_raw(raw) {
            JsonKind::Null => None,
            JsonKind::String if wants("integer") || wants("number") => {
                Some("write the number without quotes")
            }
            JsonKind::String if wants("boolean") => Some("write true or false without quotes"),
            JsonKind::String if holds_json(raw) && (wants("object") || wants("array")) => {
                Some("pass the JSON itself, not a string")
            }
            _ if wants("array") => Some("put the value into a list"),
            _ => None,
        };
        let mistake = self.mistake(describe::describe_schema(map), raw);
        self.report(mistake.suggesting(suggestion.map(str::to_owned)));
    }
}

fn type_fits(types: &Value, kind: JsonKind) -> bool {
    match types {
        Value::Array(types) => {
            let mut types = types.iter().filter_map(Value::as_str);
            types.any(|one| kind.fits(one))
        }
        one => one.as_str().is_none_or(|one| kind.fits(one)),
    }
}

/// Returns whether a string appears to contain an object or a list.
fn holds_json(raw: &str) -> bool {
    raw.trim_start_matches('"')
        .trim_start()
        .starts_with(['{', '['])
}
