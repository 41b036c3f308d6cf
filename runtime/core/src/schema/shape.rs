//! The shapes of parameter types: the part of a parameter's schema that depends on its type alone, cached per process.
//!
//! Types such as `String` and `u32` occur in most tools. Their part of the text is cached, so that a new tool costs a
//! few copies of text instead of a tree of maps. The shape is derived with the function that builds the tree, with a
//! mark in place of the description, so that the two cannot diverge.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::parameter::{Constraints, ParameterSchema};
use super::shown::UnmarkedSchema;
use super::tree;
use crate::support::lock::RwLock;

/// The placeholder of a description: characters of private use, which JSON does not escape and which no documentation
/// contains.
const MARK: &str = "\u{e000}description\u{e000}";

/// The beginning of a line in a list of variants; a text that contains one gets no second list.
const VARIANT: &str = "\n- `";

/// The shape of a parameter type.
struct Shape {
    /// The text before and after the description, if the parameter adds nothing else.
    text: Option<(Box<str>, Box<str>)>,
    requires_walk: bool,
}

/// Returns the text that the tree of these parameters would be rendered to for MCP; `None` if the tree is needed.
pub(super) fn text(parameters: Vec<ParameterSchema<'static>>) -> Option<String> {
    let mut text = String::with_capacity(128 * (parameters.len() + 1));
    let mut required = String::new();
    text.push_str(r#"{"type":"object","properties":{"#);
    for (index, parameter) in parameters.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        push_string(&mut text, parameter.name);
        text.push(':');
        if parameter.required {
            required.push_str(if required.is_empty() { "" } else { "," });
            push_string(&mut required, parameter.name);
        }
        push_property(&mut text, parameter)?;
    }
    text.push('}');
    if !required.is_empty() {
        text.push_str(r#","required":["#);
        text.push_str(&required);
        text.push(']');
    }
    text.push_str(r#","additionalProperties":false}"#);
    Some(text)
}

/// Returns the result of [`Canonical::requires_walk`](super::Canonical::requires_walk); `None` if the tree is needed.
pub(super) fn requires_walk(parameters: &[ParameterSchema<'static>]) -> Option<bool> {
    // The argument parser enforces the constraints that a parameter adds to its type.
    let mut walks = parameters.iter().map(|one| Some(shape(one)?.requires_walk));
    walks.try_fold(false, |any, walk| Some(walk? || any))
}

fn push_property(text: &mut String, parameter: ParameterSchema<'static>) -> Option<()> {
    let plain = parameter.default.is_none()
        && parameter.examples.is_empty()
        && parameter.constraints.is_none()
        && !parameter.description.is_empty()
        && !parameter.description.contains(VARIANT);
    match &shape(&parameter)?.text {
        Some((before, behind)) if plain => {
            text.push_str(before);
            push_escaped(text, parameter.description);
            text.push_str(behind);
        }
        _ => {
            let tree = tree::property_tree(parameter)?;
            text.push_str(&serde_json::to_string(&UnmarkedSchema(&tree.schema)).ok()?);
        }
    }
    Some(())
}

/// Returns the shape of a parameter's type; `None` for a recursive type, which adds definitions to the root.
fn shape(parameter: &ParameterSchema<'static>) -> Option<Arc<Shape>> {
    static KNOWN: TypeCache<(usize, bool), Option<Arc<Shape>>> = TypeCache::new();
    let (schema, required) = (parameter.schema, parameter.required);
    // If the linker has merged two functions, they return the same schema, too.
    KNOWN.learn((schema as usize, required), || {
        let tree = tree::property_tree(ParameterSchema {
            name: "",
            description: MARK,
            schema,
            required,
            default: None,
            examples: Vec::new(),
            constraints: Constraints::NONE,
        })?;
        let text = serde_json::to_string(&UnmarkedSchema(&tree.schema)).ok()?;
        let text = text
            .split_once(MARK)
            .filter(|(_, behind)| !behind.contains(MARK))
            .map(|(before, behind)| (before.into(), behind.into()));
        Some(Arc::new(Shape {
            text,
            requires_walk: tree.walk,
        }))
    })
}

fn push_string(text: &mut String, content: &str) {
    text.push('"');
    push_escaped(text, content);
    text.push('"');
}

/// Appends the contents of a JSON string, without the quotes.
fn push_escaped(text: &mut String, content: &str) {
    let escapes = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    if content.bytes().any(escapes) {
        // Serialising a string does not fail.
        let quoted = serde_json::to_string(content).unwrap_or_default();
        text.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
    } else {
        text.push_str(content);
    }
}

/// A cache for the lifetime of the process, bounded by the number of types.
pub(super) struct TypeCache<K, V>(RwLock<Option<HashMap<K, V, foldhash::fast::FixedState>>>);

impl<K: Hash + Eq, V: Clone> TypeCache<K, V> {
    pub(super) const fn new() -> Self {
        Self(RwLock::new(None))
    }

    pub(super) fn learn(&self, key: K, learn: impl FnOnce() -> V) -> V {
        let known = self.0.read();
        if let Some(value) = known.as_ref().and_then(|known| known.get(&key)) {
            return value.clone();
        }
        drop(known);
        // Two threads may compute the same value; the results are equal.
        let value = learn();
        let mut known = self.0.write();
        known.get_or_insert_default().insert(key, value.clone());
        value
    }
}
