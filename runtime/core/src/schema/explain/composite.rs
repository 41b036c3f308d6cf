//! The check of arrays and objects.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::keyword::ReadKeywords as _;
use super::super::mistake::Mistake;
use super::super::normalize::escape;
use super::check::Checker;
use super::raw::{JsonKind, elements, entries};
use super::{describe, scalar};

impl<'s> Checker<'s> {
    pub(super) fn array(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Some(items) = elements(raw) else {
            return self.refuse("a valid array", raw);
        };
        let prefix = map.list("prefixItems");
        let bounds = ["minItems", "maxItems"];
        let many = self.check_length(map, raw, items.len(), bounds, ["item", "items"]);
        for (at, item) in items.iter().enumerate() {
            match prefix.get(at).or_else(|| map.get("items")) {
                // Reported once, as too many items.
                Some(Value::Bool(false)) if many => {}
                Some(schema) => self.check_at(&at.to_string(), schema, item),
                None => break,
            }
        }
        if map.get("uniqueItems") == Some(&Value::Bool(true)) {
            self.unique(&items);
        }
    }

    fn unique(&mut self, items: &[&str]) {
        let mut seen = HashSet::new();
        for (at, item) in items.iter().enumerate() {
            // Parsed, so that white space makes no difference.
            let plain = serde_json::from_str::<Value>(item)
                .map_or_else(|_| (*item).to_owned(), |value| value.to_string());
            if !seen.insert(plain) {
                let got = format!("{} again", describe::describe_value(item));
                self.push_at(&at.to_string(), "each item once", &got);
            }
        }
    }

    pub(super) fn object(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Some(given) = entries(raw) else {
            return self.refuse("an object whose keys are valid Unicode", raw);
        };
        let bounds = ["minProperties", "maxProperties"];
        self.check_length(map, raw, given.len(), bounds, ["entry", "entries"]);
        let properties = map.object("properties");
        let mut seen: HashSet<&str> = HashSet::with_capacity(given.len());
        for (key, value) in &given {
            if !seen.insert(key) && self.is_listed_or_closed(map, key) {
                let got = format!("`{}` again", describe::excerpt(key));
                self.push_at(key, "each key once", &got);
                continue;
            }
            match properties.and_then(|listed| listed.get(key)) {
                Some(schema) => {
                    let before = self.mistakes.len();
                    self.check_at(key, schema, value);
                    if let [mistake] = &mut self.mistakes[before..]
                        && JsonKind::from_raw(value) == JsonKind::Null
                        && !map.requires(key)
                    {
                        mistake.suggestion = Some("leave the key out, or give a value".to_owned());
                    }
                }
                None => self.other_key(map, key, value, &given),
            }
        }
        for name in map.names("required").filter(|name| !seen.contains(name)) {
            let schema = properties.and_then(|listed| listed.get(name));
            let expected =
                schema.map_or_else(|| "a value".to_owned(), |schema| self.describe(schema));
            let path = format!("{}/{}", self.path, escape(name));
            let misspelled = self.find_misspelled(map, name, &given);
            let rename = |key| format!("rename `{}` to `{name}`", describe::excerpt(key));
            self.report(Mistake::missing(path, expected).suggesting(misspelled.map(rename)));
        }
    }

    /// Reports a mistake below the current path.
    fn push_at(&mut self, segment: &str, expected: &str, got: &str) {
        let length = self.enter(segment);
        self.push(expected, got);
        self.path.truncate(length);
    }

    /// Finds the given key that is most likely a misspelling of a missing one, if it would not be reported as unknown
    /// otherwise.
    fn find_misspelled<'g>(
        &self,
        map: &Map<String, Value>,
        name: &str,
        given: &'g [(String, &str)],
    ) -> Option<&'g str> {
        if self.path.is_empty() || map.contains_key("additionalProperties") {
            return None;
        }
        let keys = given.iter().map(|(key, _)| key.as_str());
        describe::nearest(name, keys.filter(|key| !map.lists_property(key)))
    }

    /// Reports whether a repeated key is an error: serde refuses a repeated field, but takes the last of repeated map
    /// keys and ignores unknown ones.
    fn is_listed_or_closed(&self, map: &Map<String, Value>, key: &str) -> bool {
        let is_closed = || {
            map.get("additionalProperties") == Some(&Value::Bool(false))
                && !map.contains_key("patternProperties")
        };
        self.path.is_empty() || map.lists_property(key) || is_closed()
    }

    fn other_key(
        &mut self,
        map: &'s Map<String, Value>,
        key: &str,
        value: &str,
        given: &[(String, &str)],
    ) {
        let patterns = map.object("patternProperties").into_iter().flatten();
        let mut matched = false;
        for (_, schema) in patterns.filter(|(pattern, _)| scalar::matches(pattern, key)) {
            matched = true;
            self.check_at(key, schema, value);
        }
        if matched {
            return;
        }
        match map.get("additionalProperties") {
            Some(Value::Bool(false)) => self.unknown_key(map, key, value, given),
            Some(schema @ Value::Object(_)) => self.check_at(key, schema, value),
            // At the root, an unknown key is a mistake, unless the schema lists no keys.
            None if self.is_root(map) && self.is_closed_root(map, key) => {
                self.unknown_key(map, key, value, given);
            }
            _ => {}
        }
    }

    /// Returns whether a schema is the root itself, and not a branch of a union that describes the same object.
    fn is_root(&self, map: &Map<String, Value>) -> bool {
        let root = self.tree().as_object();
        self.path.is_empty() && root.is_some_and(|root| std::ptr::eq(root, map))
    }

    fn is_closed_root(&self, map: &Map<String, Value>, key: &str) -> bool {
        let opening = ["$ref", "if", "dependentSchemas", "unevaluatedProperties"];
        let is_open = opening.iter().any(|keyword| map.contains_key(*keyword));
        let branches = map.list("anyOf").iter().chain(map.list("allOf"));
        let mut branches = branches.map(|branch| self.resolve_reference(branch));
        let allows_more = ["anyOf", "allOf", "additionalProperties"];
        map.get("properties")
            .is_some_and(|all| all != &Value::Object(Map::new()))
            && !is_open
            && !branches.any(|branch| {
                branch.lists_property(key)
                    || allows_more
                        .iter()
                        .any(|keyword| branch.get(keyword).is_some())
            })
    }

    /// Resolves a reference without the lifetime of the schema.
    fn resolve_reference<'v>(&'v self, schema: &'v Value) -> &'v Value {
        let pointer = schema.text("$ref").and_then(|to| to.strip_prefix('#'));
        let target = pointer.and_then(|pointer| self.tree().pointer(pointer));
        target.unwrap_or(schema)
    }

    fn unknown_key(
        &mut self,
        map: &'s Map<String, Value>,
        key: &str,
        value: &str,
        given: &[(String, &str)],
    ) {
        let empty = Map::new();
        let properties = map.object("properties").unwrap_or(&empty);
        let names = properties.keys().map(String::as_str);
        let free = names.filter(|name| !given.iter().any(|(key, _)| key == name));
        let suggestion = match describe::nearest(key, free) {
            Some(name) => Some(format!("did you mean `{name}`?")),
            None => self.find_owner_path(properties, key),
        };
        let suggestion =
            suggestion.or_else(|| properties.is_empty().then(|| "leave it out".to_owned()));
        let got = format!(
            "the unknown key `{}` with {}",
            describe::excerpt(key),
            describe::describe_value(value)
        );
        let path = format!("{}/{}", self.path, escape(key));
        let mistake = Mistake::new(path, describe::one_of_keys(properties.keys()), got);
        self.report(mistake.suggesting(suggestion));
    }

    /// Finds the path to which an unknown key belongs: inside a sibling property, or at the top level.
    fn find_owner_path(&self, properties: &Map<String, Value>, key: &str) -> Option<String> {
        let has = |schema: &Value| self.resolve_reference(schema).lists_property(key);
        let is_owner = |schema: &Value| {
            let schema = self.resolve_reference(schema);
            let items = schema.get("items");
            let inside = items.map_or(schema, |items| self.resolve_reference(items));
            inside.lists_property(key) || inside.list("anyOf").iter().any(has)
        };
        if let Some((name, _)) = properties.iter().find(|(_, schema)| is_owner(schema)) {
            let owner = format!("{}/{}", self.path, escape(name));
            return Some(format!("`{key}` belongs inside `{owner}`"));
        }
        (!self.path.is_empty() && self.tree().lists_property(key))
            .then(|| format!("`{key}` belongs at the top level, as `/{}`", escape(key)))
    }

    /// Describes the values that a schema accepts.
    pub(super) fn describe(&self, schema: &Value) -> String {
        let Value::Object(map) = self.resolve_reference(schema) else {
            return "a value".to_owned();
        };
        let kind = match map.get("anyOf").and_then(Value::as_array) {
            Some(branches) if !map.contains_key("type") => self.describe_union(branches),
            _ => describe::describe_schema(map),
        };
        let line = schema
            .text("description")
            .and_then(|text| text.lines().next());
        match line.filter(|line| !line.is_empty() && !line.starts_with("- `")) {
            Some(line) => format!("{kind} ({})", describe::excerpt(line.trim_end_matches('.'))),
            None => kind,
        }
    }

    /// Describes the kinds of values that the branches of a union accept.
    pub(super) fn describe_union(&self, branches: &[Value]) -> String {
        let mut kinds: Vec<String> = Vec::new();
        for branch in branches {
            if let Value::Object(map) = self.resolve_reference(branch) {
                let kind = describe::describe_schema(map);
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
        let more = kinds.len().saturating_sub(5);
        kinds.truncate(5);
        if more > 0 {
            kinds.push(format!("{more} other forms"));
        }
        kinds.join(" or ")
    }

    /// Returns whether a branch accepts values of this kind.
    pub(super) fn takes(&self, branch: &Value, kind: JsonKind) -> bool {
        match self.resolve_reference(branch) {
            Value::Object(map) => {
                !map.contains_key("type") || map.types().any(|one| kind.fits(one))
            }
            other => *other != Value::Bool(false),
        }
    }
}
