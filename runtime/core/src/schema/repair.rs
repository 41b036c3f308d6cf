//! Repair of arguments that have only one possible meaning.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::canonical_schema::CanonicalSchema;
use super::explain::{Checker, JsonKind, MAX_DEPTH, elements, entries, excerpt, explain};
use super::keyword::{NULLABLE, ReadKeywords as _};
use super::lenient_json;

/// Repaired arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairedArguments {
    /// The arguments; the text of every value that was already valid is unchanged.
    pub arguments: String,
    /// The repairs, one sentence each.
    pub repairs: Vec<String>,
}

/// Repairs a JSON text that does not match a schema, if it has only one possible meaning.
///
/// The repair unquotes numbers and booleans, parses objects and lists in strings, and wraps a single value where a
/// list is expected; accepts single quotes, bare keys, trailing commas and Python's literals; and drops a code fence
/// and text around the JSON, and null for optional values. Valid values are never changed, no value is invented, and
/// truncated JSON is not completed. Returns `None` if no repair applied, or if mistakes would remain.
pub fn repair(schema: &CanonicalSchema, arguments: &str) -> Option<RepairedArguments> {
    repair_partly(schema, arguments)
        .filter(|repaired| explain(schema, &repaired.arguments).is_empty())
}

/// Repairs what [`repair`] repairs, also where mistakes remain.
pub(crate) fn repair_partly(
    schema: &CanonicalSchema,
    arguments: &str,
) -> Option<RepairedArguments> {
    let mut repairs = Vec::new();
    let text = arguments.trim_start_matches('\u{feff}').trim();
    let text = match strip_code_fence(text) {
        Some(inside) => {
            repairs.push("removed the code fence around the arguments".to_owned());
            inside
        }
        None => text,
    };
    let read;
    let text = match serde_json::from_str::<&RawValue>(text) {
        Ok(_) => text,
        Err(_) => {
            let liberties;
            (read, liberties) = lenient_json::read(text)?;
            repairs.extend(liberties.sentences());
            &read
        }
    };
    let raw: &RawValue = serde_json::from_str(text).ok()?;
    let mut mender = Repairer {
        checker: Checker::new(schema.marked(), text.len()),
        repairs,
        path: String::new(),
        depth: 0,
    };
    let mended = mender.repair(schema.marked(), raw.get());
    let repairs = mender.repairs;
    if repairs.is_empty() {
        return None;
    }
    let arguments = mended.unwrap_or_else(|| raw.get().to_owned());
    Some(RepairedArguments { arguments, repairs })
}

/// Removes the fence of a text that consists of one fenced code block.
fn strip_code_fence(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("```")?.strip_suffix("```")?;
    let inside = inside
        .strip_prefix("json")
        .or_else(|| inside.strip_prefix("JSON"))
        .unwrap_or(inside);
    (!inside.contains("```")).then(|| inside.trim())
}

/// Returns whether a JSON number is written as an integer that some Rust type can hold.
fn is_integer(number: &str) -> bool {
    number.parse::<i128>().is_ok() || number.parse::<u128>().is_ok()
}

/// Traverses a text along a schema and rewrites the parts that do not match.
struct Repairer<'s> {
    checker: Checker<'s>,
    repairs: Vec<String>,
    path: String,
    depth: usize,
}

impl<'s> Repairer<'s> {
    /// Repairs a value; `None` leaves the value unchanged.
    fn repair(&mut self, schema: &'s Value, raw: &str) -> Option<String> {
        if self.depth >= MAX_DEPTH || self.checker.fits(schema, raw) {
            return None;
        }
        let map = self.checker.resolve(schema).as_object()?;
        self.depth += 1;
        let mended = self.repair_by_type(map, raw);
        self.depth -= 1;
        mended
    }

    fn repair_by_type(&mut self, map: &'s Map<String, Value>, raw: &str) -> Option<String> {
        if let Some(Value::Array(branches)) = map.get("anyOf")
            && !map.contains_key("properties")
        {
            return self.repair_branch(branches, raw);
        }
        match JsonKind::from_raw(raw) {
            JsonKind::Object if map.has_type("object") => self.repair_object(map, raw),
            JsonKind::Array if map.has_type("array") => self.repair_array(map, raw),
            JsonKind::String if map.has_type("string") => None,
            JsonKind::String => self.repair_string(map, raw),
            JsonKind::Null => None,
            _ if map.has_type("array") => self.wrap(map, raw),
            _ => None,
        }
    }

    /// Returns the repair for the first branch that the value matches once it is repaired.
    fn repair_branch(&mut self, branches: &'s [Value], raw: &str) -> Option<String> {
        for branch in branches {
            let before = self.repairs.len();
            if let Some(mended) = self.repair(branch, raw) {
                if self.checker.fits(branch, &mended) {
                    return Some(mended);
                }
                self.repairs.truncate(before);
            }
        }
        None
    }

    fn repair_object(&mut self, map: &'s Map<String, Value>, raw: &str) -> Option<String> {
        let given = entries(raw)?;
        let before = self.repairs.len();
        let mut out = String::with_capacity(raw.len());
        for (key, value) in &given {
            let schema = self.property(map, key);
            let length = self.path.len();
            self.path.push('/');
            self.path.push_str(&super::normalize::escape(key));
            let dropped = self.is_absent(map, key, value);
            let mended = schema
                .filter(|_| !dropped)
                .and_then(|schema| self.repair(schema, value));
            if dropped {
                self.note("treated null as absent");
            } else {
                out.push(if out.is_empty() { '{' } else { ',' });
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                out.push_str(mended.as_deref().unwrap_or(value));
            }
            self.path.truncate(length);
        }
        if self.repairs.len() == before {
            return None;
        }
        out.push_str(if out.is_empty() { "{}" } else { "}" });
        Some(out)
    }

    fn property(&self, map: &'s Map<String, Value>, key: &str) -> Option<&'s Value> {
        let own = map.get("properties").and_then(|all| all.get(key));
        let any = map.get("additionalProperties");
        let own = own.or_else(|| any.filter(|schema| schema.is_object()));
        own.or_else(|| {
            // The keys of a flattened union are in its branches; a key that only one branch has is unambiguous.
            let branches = map.get("anyOf")?.as_array()?.iter();
            let mut found = branches
                .filter_map(|branch| self.checker.resolve(branch).get("properties")?.get(key));
            found.next().filter(|_| found.next().is_none())
        })
    }

    /// Returns whether null is given for a listed key that is optional and cannot be null.
    fn is_absent(&mut self, map: &'s Map<String, Value>, key: &str, value: &str) -> bool {
        let Some(schema) = map.get("properties").and_then(|all| all.get(key)) else {
            return false;
        };
        JsonKind::from_raw(value) == JsonKind::Null
            && !map.requires(key)
            && schema.get(NULLABLE).is_none()
            && !self.checker.fits(schema, value)
    }

    fn repair_array(&mut self, map: &'s Map<String, Value>, raw: &str) -> Option<String> {
        let given = elements(raw)?;
        let prefix = map.list("prefixItems");
        let before = self.repairs.len();
        let mut out = String::with_capacity(raw.len());
        for (at, item) in given.iter().enumerate() {
            let schema = prefix.get(at).or_else(|| map.get("items"));
            let length = self.path.len();
            self.path.push_str(&format!("/{at}"));
            let mended = schema.and_then(|schema| self.repair(schema, item));
            self.path.truncate(length);
            out.push(if at == 0 { '[' } else { ',' });
            out.push_str(mended.as_deref().unwrap_or(item));
        }
        (self.repairs.len() > before).then(|| out + "]")
    }

    /// Parses the contents of a string where no string is expected.
    fn repair_string(&mut self, map: &'s Map<String, Value>, raw: &str) -> Option<String> {
        let text: String = serde_json::from_str(raw).ok()?;
        let inner = text.trim();
        let shown = excerpt(raw);
        if map.has_type("boolean")
            && (inner.eq_ignore_ascii_case("true") || inner.eq_ignore_ascii_case("false"))
        {
            let value = inner.to_ascii_lowercase();
            self.note(&format!("read the string {shown} as the boolean {value}"));
            return Some(value);
        }
        let held = serde_json::from_str::<&RawValue>(inner).map_or("", RawValue::get);
        let read = match JsonKind::from_raw(held) {
            _ if held.is_empty() => None,
            JsonKind::Number if map.has_type("integer") && is_integer(held) => Some("integer"),
            JsonKind::Number if map.has_type("number") => Some("number"),
            JsonKind::Object if map.has_type("object") => Some("object"),
            JsonKind::Array if map.has_type("array") => Some("list"),
            _ => None,
        };
        match read {
            Some(what @ ("integer" | "number")) => {
                let number = excerpt(held);
                self.note(&format!("read the string {shown} as the {what} {number}"));
                Some(held.to_owned())
            }
            Some(what) => {
                self.note(&format!("read the {what} that the string {shown} holds"));
                let mended = self.repair_by_type(map, held);
                Some(mended.unwrap_or_else(|| held.to_owned()))
            }
            None if map.has_type("array") => self.wrap(map, raw),
            None => None,
        }
    }

    /// Wraps a value in a list.
    fn wrap(&mut self, map: &'s Map<String, Value>, raw: &str) -> Option<String> {
        let items = map
            .get("items")
            .filter(|_| !map.contains_key("prefixItems"))?;
        let before = self.repairs.len();
        let mended = self.repair(items, raw);
        let item = mended.as_deref().unwrap_or(raw);
        if !self.checker.fits(items, item) {
            self.repairs.truncate(before);
            return None;
        }
        let list = format!("[{item}]");
        self.note(&format!("wrapped {} in a list", excerpt(raw)));
        Some(list)
    }

    fn note(&mut self, what: &str) {
        self.repairs.push(match self.path.as_str() {
            "" => format!("the arguments: {what}"),
            path => format!("`{path}`: {what}"),
        });
    }
}
