//! Resolution of `$ref`, including the detection of recursive targets.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::error::SchemaError;
use crate::support::text::percent_decode;

pub(super) enum ReferenceTarget<'d> {
    /// A schema that can be inlined.
    Inline(&'d Value),
    /// A recursive schema, to be kept under this name.
    Recursive(String),
}

/// Resolves the references of one document.
pub(super) struct References<'d> {
    document: &'d Value,
    recursive: HashMap<String, bool>,
    names: HashMap<String, String>,
    pending: Vec<(String, &'d Value)>,
}

impl<'d> References<'d> {
    pub(super) fn new(document: &'d Value) -> Self {
        Self {
            document,
            recursive: HashMap::new(),
            names: HashMap::new(),
            pending: Vec::new(),
        }
    }

    /// Finds the target of a reference.
    pub(super) fn find(&mut self, reference: &str) -> Result<ReferenceTarget<'d>, SchemaError> {
        let target = target(self.document, reference)?;
        if !self.is_recursive(reference, target) {
            return Ok(ReferenceTarget::Inline(target));
        }
        if let Some(name) = self.names.get(reference) {
            return Ok(ReferenceTarget::Recursive(name.clone()));
        }
        let base = match reference.rsplit('/').next() {
            Some("" | "#") | None => "Root".to_owned(),
            Some(last) => unescape(last),
        };
        let free = |name: &String| self.names.values().all(|other| other != name);
        let mut names = (2..).map(|count| format!("{base}{count}"));
        let name = Some(base.clone()).filter(free).or_else(|| names.find(free));
        let name = name.unwrap_or(base);
        self.names.insert(reference.to_owned(), name.clone());
        self.pending.push((name.clone(), target));
        Ok(ReferenceTarget::Recursive(name))
    }

    /// Returns a recursive definition that has been named but not yet written.
    pub(super) fn pending(&mut self) -> Option<(String, &'d Value)> {
        self.pending.pop()
    }

    fn is_recursive(&mut self, reference: &str, from: &'d Value) -> bool {
        if let Some(known) = self.recursive.get(reference) {
            return *known;
        }
        let mut seen: HashSet<&str> = HashSet::new();
        let mut todo = vec![from];
        let mut found = false;
        while let (false, Some(value)) = (found, todo.pop()) {
            match value {
                Value::Array(items) => todo.extend(items),
                Value::Object(map) => {
                    todo.extend(map.values());
                    if let Some(Value::String(next)) = map.get("$ref") {
                        found = next == reference;
                        if seen.insert(next) {
                            todo.extend(target(self.document, next).ok());
                        }
                    }
                }
                _ => {}
            }
        }
        self.recursive.insert(reference.to_owned(), found);
        found
    }
}

fn target<'d>(document: &'d Value, reference: &str) -> Result<&'d Value, SchemaError> {
    let Some(pointer) = reference.strip_prefix('#') else {
        return Err(SchemaError::Remote(reference.to_owned()));
    };
    // A pointer in a URI fragment is percent-encoded: this occurs for generic Rust names such as `Page<T>`.
    let found = document
        .pointer(pointer)
        .or_else(|| document.pointer(&percent_decode(pointer)?));
    found.ok_or_else(|| SchemaError::Unresolved(reference.to_owned()))
}

/// Reports whether a reference points to a part of the document.
pub(super) fn leads_somewhere(document: &Value, reference: &str) -> bool {
    target(document, reference).is_ok()
}

fn unescape(segment: &str) -> String {
    percent_decode(segment)
        .unwrap_or_else(|| segment.to_owned())
        .replace("~1", "/")
        .replace("~0", "~")
}
