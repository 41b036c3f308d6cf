//! Converts a schema from schemars or from an external source to the canonical form.

use serde_json::{Map, Value, json};

use super::error::SchemaError;
use super::keyword::{self, KeywordValue, NULLABLE, SECRET, WIDTH};
use super::references::{ReferenceTarget, References};
use super::{enforced, nullable, variants};

/// The maximum nesting depth of an external schema.
pub(super) const MAX_DEPTH: usize = 64;

/// The maximum number of subschemas of an external schema after inlining.
pub(super) const MAX_NODES: usize = 20_000;

/// The origin of a schema, which determines what can be trusted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum SchemaOrigin {
    /// Derived from a Rust type: finite, and decoded by serde.
    RustType,
    /// From another program: limited, and everything unexpected is an error.
    External,
}

/// Converts schemas of one document to the canonical form.
pub(super) struct Normalizer<'d> {
    references: References<'d>,
    origin: SchemaOrigin,
    nodes: usize,
    /// Whether the schema has constraints that serde does not enforce.
    pub(super) requires_walk: bool,
    pub(super) has_markers: bool,
}

/// The parts of a schema object, collected in one pass over its entries.
#[derive(Default)]
struct SchemaParts {
    entries: Vec<(u8, String, Value)>,
    properties: Option<Map<String, Value>>,
    unions: Vec<Vec<Value>>,
    all_of: Vec<Value>,
    width: Option<String>,
}

impl SchemaParts {
    fn put(&mut self, keyword: &str, value: Value) {
        let rank = keyword::rank(keyword);
        match self.entries.iter_mut().find(|entry| entry.1 == keyword) {
            Some(entry) => entry.2 = value,
            None => self.entries.push((rank, keyword.to_owned(), value)),
        }
    }

    fn get(&self, keyword: &str) -> Option<&Value> {
        let mut entries = self.entries.iter();
        entries
            .find(|entry| entry.1 == keyword)
            .map(|entry| &entry.2)
    }
}

impl<'d> Normalizer<'d> {
    pub(super) fn new(document: &'d Value, origin: SchemaOrigin) -> Self {
        Self {
            references: References::new(document),
            origin,
            nodes: 0,
            requires_walk: false,
            has_markers: false,
        }
    }

    pub(super) fn schema(&mut self, schema: Value, depth: usize) -> Result<Value, SchemaError> {
        match schema {
            Value::Object(map) => self.object(map, depth).map(Value::Object),
            Value::Bool(true) => Ok(Value::Object(Map::new())),
            // The schema that matches no value.
            Value::Bool(false) => Ok(json!({ "not": {} })),
            _ => Err(SchemaError::Malformed("schema".to_owned())),
        }
    }

    /// Converts the remaining definitions of recursive types to the canonical form.
    pub(super) fn definitions(&mut self) -> Result<Map<String, Value>, SchemaError> {
        let mut definitions = Map::new();
        while let Some((name, body)) = self.references.pending() {
            let body = self.schema(body.clone(), 1)?;
            definitions.insert(name, body);
        }
        Ok(definitions)
    }

    fn object(
        &mut self,
        map: Map<String, Value>,
        depth: usize,
    ) -> Result<Map<String, Value>, SchemaError> {
        self.nodes += 1;
        if self.origin == SchemaOrigin::External {
            if depth > MAX_DEPTH {
                return Err(SchemaError::TooDeep);
            }
            if self.nodes > MAX_NODES {
                return Err(SchemaError::TooLarge);
            }
        }
        if enforced::is_plain_scalar(&map) {
            return Ok(self.scalar(map));
        }
        if map.contains_key("$ref") {
            return self.reference(map, depth);
        }
        let mut parts = self.sort_out(map, depth)?;
        self.write_properties(&mut parts, depth)?;
        self.write_unions(&mut parts, depth)?;
        if let Some(width) = parts.width.take() {
            self.has_markers = true;
            parts
                .entries
                .push((u8::MAX, WIDTH.to_owned(), Value::String(width)));
        }
        let map = keyword::canonical_order(parts.entries);
        self.requires_walk = self.requires_walk || enforced::promises_more(&map);
        Ok(map)
    }

    /// Converts a plain scalar in place: most parameters are scalars, and a new map would be most of their cost.
    fn scalar(&mut self, mut map: Map<String, Value>) -> Map<String, Value> {
        // schemars writes the type first, then the other keywords in canonical order; only a description comes late.
        if let Some((key, text)) = map.shift_remove_entry("description")
            && text != ""
        {
            map.shift_insert(1, key, text);
        }
        if let Some(format @ Value::String(_)) = map.shift_remove("format")
            && self.origin == SchemaOrigin::RustType
            && format
                .as_str()
                .is_some_and(|format| enforced::bounds(format).is_some())
        {
            self.has_markers = true;
            map.insert(WIDTH.to_owned(), format);
        }
        self.requires_walk = self.requires_walk || enforced::promises_more(&map);
        map
    }

    /// Processes each entry once: drops, renames or converts it, or sets it aside if it depends on its siblings.
    fn sort_out(
        &mut self,
        map: Map<String, Value>,
        depth: usize,
    ) -> Result<SchemaParts, SchemaError> {
        let mut parts = SchemaParts {
            entries: Vec::with_capacity(map.len() + 2),
            ..SchemaParts::default()
        };
        for (key, value) in map {
            match (key.as_str(), value) {
                ("oneOf" | "anyOf", Value::Array(branches)) => parts.unions.push(branches),
                ("allOf", Value::Array(all)) => parts.all_of.extend(all),
                ("properties", Value::Object(properties)) => parts.properties = Some(properties),
                ("const", value) => parts.put("enum", Value::Array(vec![value])),
                ("format", Value::String(format)) if enforced::is_numeric_format(&format) => {
                    let exact = self.origin == SchemaOrigin::RustType
                        && enforced::bounds(&format).is_some();
                    parts.width = exact.then_some(format);
                }
                ("items", Value::Array(prefix)) => {
                    let prefix = self.list(prefix, depth)?;
                    parts.put("prefixItems", prefix);
                }
                ("additionalItems", rest) => {
                    let rest = self.keyword(&key, KeywordValue::Schema, rest, depth)?;
                    parts.put("items", rest);
                }
                ("nullable", Value::Bool(true)) => {
                    self.has_markers = true;
                    parts
                        .entries
                        .push((u8::MAX, NULLABLE.to_owned(), Value::Bool(true)));
                }
                ("writeOnly", Value::Bool(true)) if self.origin == SchemaOrigin::RustType => {
                    self.has_markers = true;
                    parts.put(SECRET, Value::Bool(true));
                }
                ("$defs", _) => {}
                ("description", Value::String(text)) if text.is_empty() => {}
                (known, value) => {
                    if let Some(holds) = keyword::content(known) {
                        let value = self.keyword(known, holds, value, depth)?;
                        parts.put(known, value);
                    }
                }
            }
        }
        if parts.get("prefixItems").is_some()
            && parts.get("items").is_none()
            && self.origin == SchemaOrigin::RustType
        {
            parts.put("items", Value::Bool(false));
        }
        Ok(parts)
    }

    fn keyword(
        &mut self,
        keyword: &str,
        holds: KeywordValue,
        value: Value,
        depth: usize,
    ) -> Result<Value, SchemaError> {
        let malformed = || SchemaError::Malformed(keyword.to_owned());
        Ok(match (holds, value) {
            (KeywordValue::Data, value) => {
                if self.origin == SchemaOrigin::External
                    && !enforced::is_well_formed(keyword, &value)
                {
                    return Err(malformed());
                }
                value
            }
            // Here, a boolean is more precise than `{}` or `{"not": {}}`.
            (KeywordValue::Schema, value @ Value::Bool(_)) => value,
            (KeywordValue::Schema, value @ Value::Object(_)) => self.schema(value, depth + 1)?,
            (KeywordValue::SchemaList, Value::Array(list)) => self.list(list, depth)?,
            (KeywordValue::SchemaMap, Value::Object(named)) => {
                let named = named.into_iter();
                let schemas = named.map(|(name, one)| Ok((name, self.schema(one, depth + 1)?)));
                Value::Object(schemas.collect::<Result<_, SchemaError>>()?)
            }
            _ => return Err(malformed()),
        })
    }

    fn list(&mut self, list: Vec<Value>, depth: usize) -> Result<Value, SchemaError> {
        let list = list
            .into_iter()
            .map(|schema| self.schema(schema, depth + 1));
        list.collect::<Result<_, _>>().map(Value::Array)
    }

    /// Writes `properties`; optional properties lose their null branch, since absence already expresses it.
    fn write_properties(
        &mut self,
        parts: &mut SchemaParts,
        depth: usize,
    ) -> Result<(), SchemaError> {
        let Some(properties) = parts.properties.take() else {
            return Ok(());
        };
        let mut out = Map::with_capacity(properties.len());
        for (name, schema) in properties {
            let required = parts.get("required").and_then(Value::as_array);
            let required = required.is_some_and(|names| names.iter().any(|one| *one == *name));
            let schema = if required {
                self.schema(schema, depth + 1)?
            } else {
                self.optional(schema, depth + 1)?
            };
            out.insert(name, schema);
        }
        parts.put("properties", Value::Object(out));
        Ok(())
    }

    /// Converts the schema of an optional value.
    pub(super) fn optional(
        &mut self,
        mut schema: Value,
        depth: usize,
    ) -> Result<Value, SchemaError> {
        let stripped = nullable::strip(&mut schema);
        let mut schema = self.schema(schema, depth)?;
        if let (true, Value::Object(map)) = (stripped, &mut schema) {
            self.has_markers = true;
            map.insert(NULLABLE.to_owned(), Value::Bool(true));
        }
        Ok(schema)
    }

    /// Writes `anyOf` and `allOf`: folds literals into one `enum`, and unwraps a union with one branch.
    fn write_unions(&mut self, parts: &mut SchemaParts, depth: usize) -> Result<(), SchemaError> {
        let mut folded = Vec::with_capacity(parts.unions.len());
        for branches in std::mem::take(&mut parts.unions) {
            let branches = variants::fold(branches);
            match branches.as_slice() {
                [Value::Object(only)] if variants::fits_beside(only, |key| parts.get(key)) => {
                    let only = self.object(only.clone(), depth)?;
                    Self::absorb(parts, only);
                }
                _ => folded.push(branches),
            }
        }
        if let [_] = folded.as_slice() {
            let only = self.list(folded.swap_remove(0), depth)?;
            parts.put("anyOf", only);
        } else {
            let unions = folded.into_iter();
            parts
                .all_of
                .extend(unions.map(|branches| Value::from_iter([("anyOf", branches)])));
        }
        match parts.all_of.as_slice() {
            [] => {}
            [Value::Object(only)] if variants::fits_beside(only, |key| parts.get(key)) => {
                let only = self.object(only.clone(), depth)?;
                Self::absorb(parts, only);
            }
            _ => {
                let all = self.list(std::mem::take(&mut parts.all_of), depth)?;
                parts.put("allOf", all);
            }
        }
        Ok(())
    }

    fn absorb(parts: &mut SchemaParts, map: Map<String, Value>) {
        for (key, value) in map {
            match (key.as_str(), parts.get("description")) {
                // The outer text describes the purpose of the value; the inner one only adds the list of variants.
                ("description", Some(Value::String(outer))) => {
                    let text = variants::join(outer, value.as_str().unwrap_or_default());
                    parts.put("description", Value::String(text));
                }
                _ => parts.put(&key, value),
            }
        }
    }

    /// Inlines a reference, or keeps it if its target contains itself.
    fn reference(
        &mut self,
        mut map: Map<String, Value>,
        depth: usize,
    ) -> Result<Map<String, Value>, SchemaError> {
        let Some(Value::String(pointer)) = map.shift_remove("$ref") else {
            return Err(SchemaError::Malformed("$ref".to_owned()));
        };
        match self.references.find(&pointer) {
            Ok(ReferenceTarget::Recursive(name)) => {
                let is_secret = map.get("writeOnly") == Some(&Value::Bool(true));
                map.retain(|key, _| keyword::is_annotation(key));
                if is_secret && self.origin == SchemaOrigin::RustType {
                    self.has_markers = true;
                    map.insert(SECRET.to_owned(), Value::Bool(true));
                }
                let reference = format!("#/$defs/{}", escape(&name));
                map.insert("$ref".to_owned(), Value::String(reference));
                Ok(keyword::reorder(map))
            }
            Ok(ReferenceTarget::Inline(Value::Object(target))) => {
                let mut target = target.clone();
                let mut extra = Map::new();
                for (key, value) in map {
                    // A sibling that is an annotation replaces the target's; a sibling that is a constraint applies in
                    // addition.
                    if keyword::is_annotation(&key) || !target.contains_key(&key) {
                        target.insert(key, value);
                    } else if keyword::content(&key).is_some() {
                        extra.insert(key, value);
                    }
                }
                if !extra.is_empty() {
                    let both = vec![Value::Object(target), Value::Object(extra)];
                    target = Map::from_iter([("allOf".to_owned(), Value::Array(both))]);
                }
                self.object(target, depth + 1)
            }
            Ok(ReferenceTarget::Inline(other)) => match self.schema(other.clone(), depth + 1)? {
                Value::Object(map) => Ok(map),
                _ => Err(SchemaError::Malformed("$ref".to_owned())),
            },
            // A dangling reference of a hand-written `JsonSchema` accepts any value: it is no reason to drop the tool.
            Err(_) if self.origin == SchemaOrigin::RustType => Ok(Map::new()),
            Err(error) => Err(error),
        }
    }
}

/// Escapes one segment of a JSON pointer.
pub(super) fn escape(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}
