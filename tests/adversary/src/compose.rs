//! Arguments that fit a schema.

use serde_json::{Map, Value, json};

use crate::theme::Theme;
use crate::{Rng, Targets, command, file, persistent, task, web};

/// How deep a value may be nested.
const DEPTH: usize = 4;

/// Fills schemas in.
pub(crate) struct ArgumentComposer<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) targets: &'a Targets,
    pub(crate) theme: Theme,
    /// The tool that is called.
    pub(crate) tool: &'a str,
    /// Whether a task that goes to the background is wanted.
    pub(crate) likes_background: bool,
    /// What is sent somewhere, where it can be.
    pub(crate) word: &'a str,
}

impl ArgumentComposer<'_> {
    /// Composes a value for the schema of a tool's arguments.
    pub(crate) fn compose(&mut self, schema: &Value) -> Value {
        self.value("", schema, schema, DEPTH)
    }

    fn value(&mut self, name: &str, schema: &Value, root: &Value, depth: usize) -> Value {
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return self.one_of(values).cloned().unwrap_or_default();
        }
        for several in ["anyOf", "oneOf"] {
            if let Some(values) = schema.get(several).and_then(Value::as_array) {
                let picked = self.one_of(values).cloned().unwrap_or_default();
                return self.value(name, &picked, root, depth);
            }
        }
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            let found = root.pointer(reference.trim_start_matches('#'));
            return match found.filter(|_| depth > 0) {
                Some(found) => self.value(name, found, root, depth - 1),
                None => Value::Null,
            };
        }
        match self.kind(schema).as_str() {
            "object" => self.object(schema, root, depth),
            "array" => self.array(name, schema, root, depth),
            "integer" => self.integer(name, schema),
            "number" => json!(self.rng.below(1_000) as f64 / 7.0),
            "boolean" => self.boolean(name),
            "string" => Value::String(self.string(name)),
            _ => Value::Null,
        }
    }

    fn one_of<'v>(&mut self, values: &'v [Value]) -> Option<&'v Value> {
        values.get(self.rng.below(values.len()))
    }

    fn kind(&mut self, schema: &Value) -> String {
        match schema.get("type") {
            Some(Value::String(kind)) => kind.clone(),
            Some(Value::Array(kinds)) => {
                let kind = self.one_of(kinds).and_then(Value::as_str);
                kind.unwrap_or("null").to_owned()
            }
            _ if schema.get("properties").is_some() => "object".to_owned(),
            // Without a type, everything fits.
            _ => "string".to_owned(),
        }
    }

    fn object(&mut self, schema: &Value, root: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| {
            required.is_some_and(|names| names.iter().any(|required| required == name))
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        // What may be left out mostly is, so that calls of tools with many arguments are valid now and then.
        let rarely = match properties.map_or(0, Map::len) {
            0..8 => 4,
            _ => 10,
        };
        for (name, property) in properties.into_iter().flatten() {
            let is_wanted = self.likes_background && name == "background"
                || name == "headers" && self.rng.one_in(3)
                || self.tool == "memory" && (name != "view_range" || self.rng.one_in(4));
            if is_required(name) || (depth > 0 && (is_wanted || self.rng.one_in(rarely))) {
                let value = self.value(name, property, root, depth.saturating_sub(1));
                object.insert(name.clone(), value);
            }
        }
        if properties.is_none() && schema.get("additionalProperties").is_some() {
            for _ in 0..self.rng.below(3) {
                let (name, value) = web::entry(self.rng, self.word);
                object.insert(name, Value::String(value));
            }
        }
        Value::Object(object)
    }

    fn array(&mut self, name: &str, schema: &Value, root: &Value, depth: usize) -> Value {
        let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) as usize;
        let most = schema.get("maxItems").and_then(Value::as_u64);
        let length = least + if depth > 0 { self.rng.below(3) } else { 0 };
        let length = most.map_or(length, |most| length.min(most as usize));
        let items = schema.get("items").cloned().unwrap_or_default();
        let values = (0..length).map(|_| self.value(name, &items, root, depth.saturating_sub(1)));
        Value::Array(values.collect())
    }

    /// Picks a small number within the bounds: a long wait would show nothing more.
    fn integer(&mut self, name: &str, schema: &Value) -> Value {
        let bound = |key| schema.get(key).and_then(Value::as_i64);
        let least = bound("minimum").unwrap_or(0);
        let most = bound("maximum").unwrap_or(least.saturating_add(50));
        let is_time = ["timeout", "wait", "seconds"]
            .iter()
            .any(|time| name.contains(time));
        let span = if is_time { 2 } else { 50 };
        let span = most.saturating_sub(least).clamp(0, span) as usize;
        json!(least + self.rng.below(span + 1) as i64)
    }

    /// A command that goes to the background is watched for a while first, which takes time.
    fn boolean(&mut self, name: &str) -> Value {
        let is_rare = name == "background" && !self.likes_background;
        let rarely = if is_rare { 12 } else { 2 };
        Value::Bool(self.rng.one_in(rarely))
    }

    fn string(&mut self, name: &str) -> String {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let (rng, targets) = (&mut *self.rng, self.targets);
        if let Some(text) = persistent::argument(rng, targets, self.tool, name, self.word) {
            text
        } else if name == "url" {
            web::address(rng, targets, self.word)
        } else if matches!(name, "query" | "json" | "text" | "body") && rng.one_in(2) {
            self.word.to_owned()
        } else if name == "source" && rng.one_in(2) {
            web::address(rng, targets, self.word)
        } else if name == "source" {
            file::path(rng, targets, self.theme)
        } else if name == "filter" {
            rng.pick(&["adds", "tests::adds", "src/a.rs"]).to_owned()
        } else if name == "repo" {
            rng.pick(&["acme/app", "acme/app", "acme/other"]).to_owned()
        } else if name == "preset" {
            rng.pick(&["site", "site", "none"]).to_owned()
        } else if name == "save_to" {
            file::path(rng, targets, self.theme)
        } else if has(&["command", "script", "cmd"]) {
            command::command_line(rng, targets, self.theme)
        } else if has(&["patch", "diff"]) {
            file::patch(rng, targets, self.theme)
        } else if has(&["path", "file", "folder", "dir"]) {
            file::path(rng, targets, self.theme)
        } else if has(&["content", "new_string", "text", "body"]) {
            file::contents(rng, targets)
        } else if has(&["old_string", "pattern", "query"]) {
            file::piece(rng).to_owned()
        } else if has(&["glob"]) {
            rng.pick(&["**/*", ".*", "**/.env*", "*.txt", "../**", "**/.git/**"])
                .to_owned()
        } else if name == "id" {
            format!("bash-{}", rng.below(6))
        } else if let Some(text) = task::argument(rng, name) {
            text
        } else {
            match rng.below(4) {
                0 => command::command_line(rng, targets, self.theme),
                1 => file::contents(rng, targets),
                2 => file::piece(rng).to_owned(),
                _ => file::path(rng, targets, self.theme),
            }
        }
    }
}
