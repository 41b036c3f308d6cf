//! Arrays and objects.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::super::mistake::Mistake;
use super::super::normalize::escape;
use super::check::Checker;
use super::raw::{JsonKind, elements, entries};
use super::{describe, scalar};

impl<'s> Checker<'s> {
    pub(super) fn array(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Some(items) = elements(raw) else {
            self.push("a valid array", &describe::describe_value(raw));
            return;
        };
        let count = |keyword: &str| {
            map.get(keyword)
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
        };
        let prefix = map
            .get("prefixItems")
            .and_then(Value::as_array)
            .map_or(&[] as &[Value], Vec::as_slice);
        let few = count("minItems").is_some_and(|least| items.len() < least);
        let many = count("maxItems").is_some_and(|most| items.len() > most);
        if few || many {
            let got = format!(
                "{} of {}",
                describe::describe_value(raw),
                describe::plural(items.len(), "item", "items")
            );
            self.push(&describe::describe_schema(map), &got);
        }
        for (at, item) in items.iter().enumerate() {
            match prefix.get(at).or_else(|| map.get("items")) {
                // Reported as too many, once.
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
            // Through a value, so that spacing makes no difference.
            let plain = serde_json::from_str::<Value>(item)
                .map_or_else(|_| (*item).to_owned(), |value| value.to_string());
            if !seen.insert(plain) {
                let length = self.enter(&at.to_string());
                self.push(
                    "each item once",
                    &format!("{} again", describe::describe_value(item)),
                );
                self.path.truncate(length);
            }
        }
    }

    pub(super) fn object(&mut self, map: &'s Map<String, Value>, raw: &str) {
        let Some(given) = entries(raw) else {
            self.push(
                "an object whose keys are valid Unicode",
                &describe::describe_value(raw),
            );
            return;
        };
        self.sizes(map, raw, given.len());
        let properties = map.get("properties").and_then(Value::as_object);
        let mut seen: HashSet<&str> = HashSet::with_capacity(given.len());
        for (key, value) in &given {
            if !seen.insert(key) && self.is_listed_or_closed(map, properties, key) {
                let length = self.enter(key);
                self.report(Mistake::new(
                    self.path.as_str(),
                    "each key once",
                    format!("`{}` again", describe::excerpt(key)),
                ));
                self.path.truncate(length);
                continue;
            }
            match properties.and_then(|listed| listed.get(key)) {
                Some(schema) => {
                    let before = self.mistakes.len();
                    self.check_at(key, schema, value);
                    let optional = !required_keys(map).any(|name| name == key);
                    if let (true, JsonKind::Null, [mistake]) = (
                        optional,
                        JsonKind::from_raw(value),
                        &mut self.mistakes[before..],
                    ) {
                        mistake.suggestion = Some("leave the key out, or give a value".to_owned());
                    }
                }
                None => self.other_key(map, key, value, &given),
            }
        }
        for name in required_keys(map) {
            if !seen.contains(name) {
                let expected = properties
                    .and_then(|listed| listed.get(name))
                    .map(|schema| self.describe(schema));
                let path = format!("{}/{}", self.path, escape(name));
                let missing =
                    Mistake::missing(path, expected.unwrap_or_else(|| "a value".to_owned()));
                self.report(match self.find_misspelled(map, name, &given) {
                    Some(key) => missing.with_suggestion(format!(
                        "rename `{}` to `{name}`",
                        describe::excerpt(key)
                    )),
                    None => missing,
                });
            }
        }
    }

    /// Finds the key that stands for a missing one, where nothing else would say that it is unknown.
    fn find_misspelled<'g>(
        &self,
        map: &Map<String, Value>,
        name: &str,
        given: &'g [(String, &str)],
    ) -> Option<&'g str> {
        if self.path.is_empty() || map.contains_key("additionalProperties") {
            return None;
        }
        let properties = map.get("properties").and_then(Value::as_object);
        let unlisted = given
            .iter()
            .map(|(key, _)| key.as_str())
            .filter(|key| properties.is_none_or(|listed| !listed.contains_key(*key)));
        describe::nearest(name, unlisted)
    }

    fn sizes(&mut self, map: &'s Map<String, Value>, raw: &str, given: usize) {
        let count = |keyword: &str| {
            map.get(keyword)
                .and_then(Value::as_u64)
                .and_then(|count| usize::try_from(count).ok())
        };
        if count("minProperties").is_some_and(|least| given < least)
            || count("maxProperties").is_some_and(|most| given > most)
        {
            let got = format!(
                "{} of {}",
                describe::describe_value(raw),
                describe::plural(given, "entry", "entries")
            );
            self.push(&describe::describe_schema(map), &got);
        }
    }

    /// serde refuses a field twice, but takes the last of two equal keys of a map and skips what it does not know.
    fn is_listed_or_closed(
        &self,
        map: &Map<String, Value>,
        properties: Option<&Map<String, Value>>,
        key: &str,
    ) -> bool {
        self.path.is_empty() || properties.is_some_and(|listed| listed.contains_key(key)) || {
            map.get("additionalProperties") == Some(&Value::Bool(false))
                && !map.contains_key("patternProperties")
        }
    }

    fn other_key(
        &mut self,
        map: &'s Map<String, Value>,
        key: &str,
        value: &str,
        given: &[(String, &str)],
    ) {
        let patterns = map.get("patternProperties").and_then(Value::as_object);
        let mut matched = false;
        for (_, schema) in patterns
            .into_iter()
            .flatten()
            .filter(|(pattern, _)| scalar::matches(pattern, key))
        {
            matched = true;
            self.check_at(key, schema, value);
        }
        if matched {
            return;
        }
        match map.get("additionalProperties") {
            Some(Value::Bool(false)) => self.unknown_key(map, key, value, given),
            Some(schema @ Value::Object(_)) => self.check_at(key, schema, value),
            // At the root an unused key is a mistake, unless the schema lists no keys at all.
            None if self.is_root(map) && self.is_closed_root(map, key) => {
                self.unknown_key(map, key, value, given);
            }
            _ => {}
        }
    }

    /// Returns whether a schema is the root itself, and not a branch of a union that describes the same object.
    fn is_root(&self, map: &Map<String, Value>) -> bool {
        self.tree()
            .as_object()
            .is_some_and(|root| std::ptr::eq(root, map))
            && self.path.is_empty()
    }

    fn is_closed_root(&self, map: &Map<String, Value>, key: &str) -> bool {
        let lists = |schema: &Value| {
            schema
                .get("properties")
                .and_then(Value::as_object)
                .is_some_and(|all| all.contains_key(key))
        };
        let open = ["$ref", "if", "dependentSchemas", "unevaluatedProperties"]
            .iter()
            .any(|keyword| map.contains_key(*keyword));
        let elsewhere = ["anyOf", "allOf"]
            .iter()
            .filter_map(|keyword| map.get(*keyword)?.as_array())
            .flatten();
        map.get("properties")
            .is_some_and(|all| all != &Value::Object(Map::new()))
            && !open
            && !elsewhere
                .map(|branch| self.resolve_reference(branch))
                .any(|branch| {
                    lists(branch)
                        || ["anyOf", "allOf", "additionalProperties"]
                            .iter()
                            .any(|keyword| branch.get(keyword).is_some())
                })
    }

    /// Follows a reference without the lifetime of the schema.
    fn resolve_reference<'v>(&'v self, schema: &'v Value) -> &'v Value {
        let target = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|to| to.strip_prefix('#'));
        target
            .and_then(|pointer| self.tree().pointer(pointer))
            .unwrap_or(schema)
    }

    fn unknown_key(
        &mut self,
        map: &'s Map<String, Value>,
        key: &str,
        value: &str,
        given: &[(String, &str)],
    ) {
        let empty = Map::new();
        let properties = map
            .get("properties")
            .and_then(Value::as_object)
            .unwrap_or(&empty);
        let length = self.enter(key);
        let mistake = Mistake::new(
            self.path.as_str(),
            describe::one_of_keys(properties.keys()),
            {
                format!(
                    "the unknown key `{}` with {}",
                    describe::excerpt(key),
                    describe::describe_value(value)
                )
            },
        );
        self.path.truncate(length);
        let free = properties
            .keys()
            .map(String::as_str)
            .filter(|name| !given.iter().any(|(key, _)| key == name));
        let suggestion = match describe::nearest(key, free) {
            Some(name) => Some(format!("did you mean `{name}`?")),
            None => self.find_owner_path(properties, key),
        };
        self.report(match suggestion {
            Some(suggestion) => mistake.with_suggestion(suggestion),
            None if properties.is_empty() => mistake.with_suggestion("leave it out"),
            None => mistake,
        });
    }

    /// Finds where a key belongs that is not known here: inside a property beside it, or at the top level.
    fn find_owner_path(&self, properties: &Map<String, Value>, key: &str) -> Option<String> {
        let has = |schema: &Value| {
            schema
                .get("properties")
                .and_then(Value::as_object)
                .is_some_and(|all| all.contains_key(key))
        };
        for (name, schema) in properties {
            let schema = self.resolve_reference(schema);
            let inside = schema
                .get("items")
                .map_or(schema, |items| self.resolve_reference(items));
            let branches = inside
                .get("anyOf")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            if has(inside)
                || branches
                    .map(|branch| self.resolve_reference(branch))
                    .any(has)
            {
                return Some(format!(
                    "`{key}` belongs inside `{}/{}`",
                    self.path,
                    escape(name)
                ));
            }
        }
        let root = self.tree();
        (!self.path.is_empty() && has(root))
            .then(|| format!("`{key}` belongs at the top level, as `/{}`", escape(key)))
    }

    /// Describes what a schema asks for.
    pub(super) fn describe(&self, schema: &Value) -> String {
        let text = schema.get("description").and_then(Value::as_str);
        let Value::Object(map) = self.resolve_reference(schema) else {
            return "a value".to_owned();
        };
        let kind = match map.get("anyOf").and_then(Value::as_array) {
            Some(branches) if !map.contains_key("type") => self.describe_union(branches),
            _ => describe::describe_schema(map),
        };
        match text
            .and_then(|text| text.lines().next())
            .filter(|line| !line.is_empty() && !line.starts_with("- `"))
        {
            Some(line) => format!("{kind} ({})", describe::excerpt(line.trim_end_matches('.'))),
            None => kind,
        }
    }

    fn describe_union(&self, branches: &[Value]) -> String {
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
        let tail = if more > 0 {
            format!(" or {more} other forms")
        } else {
            String::new()
        };
        format!("{}{tail}", kinds.join(" or "))
    }

    /// The kinds that the branches of a union take, to say them all.
    pub(super) fn describe_branches(&self, branches: &[Value]) -> String {
        self.describe_union(branches)
    }

    /// Returns whether a branch takes a value of this kind at all.
    pub(super) fn takes(&self, branch: &Value, kind: JsonKind) -> bool {
        match self.resolve_reference(branch) {
            Value::Object(map) => {
                !map.contains_key("type") || describe::types(map).any(|one| kind.fits(one))
            }
            other => *other != Value::Bool(false),
        }
    }
}

fn required_keys(map: &Map<String, Value>) -> impl Iterator<Item = &str> {
    map.get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}
