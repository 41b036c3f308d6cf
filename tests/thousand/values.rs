//! Random values that fit a schema, made from nothing but the schema.

use std::ops::RangeInclusive;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::Union;
use proptest::string::string_regex;
use serde_json::{Map, Value, json};

/// How deep recursive types go.
const MAX_DEPTH: usize = 4;

/// How much longer than it must be a list, a text or a map gets.
const MAX_EXTRA_LEN: usize = 4;

/// Makes the arguments that fit an input schema.
pub(crate) fn arguments(schema: &Value) -> BoxedStrategy<Map<String, Value>> {
    let values = Values {
        root: schema,
        depth: 0,
    };
    let object = |value| match value {
        Value::Object(map) => map,
        other => panic!("arguments are an object, not {other}"),
    };
    values.any_value(schema).prop_map(object).boxed()
}

/// Makes values of one document's schemas.
#[derive(Clone, Copy)]
struct Values<'s> {
    root: &'s Value,
    depth: usize,
}

impl<'s> Values<'s> {
    fn any_value(self, schema: &'s Value) -> BoxedStrategy<Value> {
        let values = Self {
            depth: self.depth + 1,
            ..self
        };
        let schema = self.resolve(schema);
        let fitting = match (&schema["enum"], &schema["anyOf"]) {
            (Value::Array(words), _) => select(words.clone()).boxed(),
            (_, Value::Array(branches)) => values.any_of(schema, branches),
            _ => values.of_types(schema),
        };
        match schema["not"]["enum"].as_array().cloned() {
            None => fitting,
            Some(refused) => fitting
                .prop_filter("refused by `not`", move |value| !refused.contains(value))
                .boxed(),
        }
    }

    fn resolve(self, mut schema: &'s Value) -> &'s Value {
        while let Some(reference) = schema["$ref"].as_str() {
            let target = reference
                .strip_prefix('#')
                .and_then(|to| self.root.pointer(to));
            schema = target.unwrap_or_else(|| panic!("{reference} leads nowhere"));
        }
        schema
    }

    /// Whether only what ends may be made.
    fn is_deep(self) -> bool {
        self.depth > MAX_DEPTH
    }

    fn any_of(self, schema: &'s Value, branches: &'s [Value]) -> BoxedStrategy<Value> {
        let refers = |branch: &&Value| branch.to_string().contains("\"$ref\"");
        let ending: Vec<_> = branches.iter().filter(|branch| !refers(branch)).collect();
        let branches = if self.is_deep() && !ending.is_empty() {
            ending
        } else {
            branches.iter().collect()
        };
        let chosen = Union::new(branches.into_iter().map(|branch| self.any_value(branch)));
        if schema.get("properties").is_none() {
            return chosen.boxed();
        }
        // What is flattened stands beside the properties.
        let both = (self.object(schema), chosen);
        both.prop_map(|(mut object, branch)| {
            if let (Value::Object(object), Value::Object(branch)) = (&mut object, branch) {
                object.extend(branch);
            }
            object
        })
        .boxed()
    }

    fn of_types(self, schema: &'s Value) -> BoxedStrategy<Value> {
        match &schema["type"] {
            Value::String(name) => self.of_type(name, schema),
            Value::Array(names) => {
                let names = names.iter().filter_map(Value::as_str);
                Union::new(names.map(|name| self.of_type(name, schema))).boxed()
            }
            _ => any::<bool>().prop_map(Value::from).boxed(),
        }
    }

    fn of_type(self, name: &str, schema: &'s Value) -> BoxedStrategy<Value> {
        match name {
            "null" => Just(Value::Null).boxed(),
            "boolean" => any::<bool>().prop_map(Value::from).boxed(),
            "integer" => integer(schema),
            "number" => number(schema),
            "string" => string(schema),
            "array" => self.array(schema),
            "object" => self.object(schema),
            other => panic!("there is no type `{other}`"),
        }
    }

    fn array(self, schema: &'s Value) -> BoxedStrategy<Value> {
        if let Some(places) = schema["prefixItems"].as_array() {
            let places: Vec<_> = places.iter().map(|place| self.any_value(place)).collect();
            return places.prop_map(Value::Array).boxed();
        }
        let lengths = self.lengths(schema, "minItems", "maxItems");
        if *lengths.end() == 0 {
            return Just(json!([])).boxed();
        }
        let unique = schema["uniqueItems"] == true;
        vec(self.any_value(&schema["items"]), lengths)
            .prop_map(move |mut items| {
                if unique {
                    let mut seen = Vec::new();
                    items.retain(|item| {
                        !seen.contains(item) && {
                            seen.push(item.clone());
                            true
                        }
                    });
                }
                Value::Array(items)
            })
            .boxed()
    }

    fn object(self, schema: &'s Value) -> BoxedStrategy<Value> {
        let required = schema["required"].as_array();
        let listed = schema["properties"].as_object().into_iter().flatten();
        let mut entries = Vec::new();
        for (name, property) in listed {
            let is_required = required.is_some_and(|names| names.iter().any(|other| other == name));
            if is_required || !self.is_deep() {
                let name = name.clone();
                let present = if is_required {
                    Just(true).boxed()
                } else {
                    any::<bool>().boxed()
                };
                let entry = (present, self.any_value(property));
                entries
                    .push(entry.prop_map(move |(is_there, value)| {
                        is_there.then(|| (name.clone(), value))
                    }));
            }
        }
        let listed = entries
            .prop_map(|entries| entries.into_iter().flatten().collect::<Map<_, _>>())
            .boxed();
        (listed, self.other_entries(schema))
            .prop_map(|(listed, others)| Value::Object(listed.into_iter().chain(others).collect()))
            .boxed()
    }

    /// Makes the entries of a map: by pattern, or with any names.
    fn other_entries(self, schema: &'s Value) -> BoxedStrategy<Vec<(String, Value)>> {
        let sizes = self.lengths(schema, "minProperties", "maxProperties");
        if *sizes.end() == 0 {
            return Just(Vec::new()).boxed();
        }
        let named = |names: BoxedStrategy<String>, values| {
            btree_map(names, values, sizes)
                .prop_map(|map| map.into_iter().collect())
                .boxed()
        };
        if let Some(patterns) = schema["patternProperties"].as_object() {
            // The only ones that schemars writes are for integers.
            let values = patterns.values().map(|values| self.any_value(values));
            return named(
                (0..=255_u8).prop_map(|key| key.to_string()).boxed(),
                Union::new(values).boxed(),
            );
        }
        match &schema["additionalProperties"] {
            values @ Value::Object(_) => named("\\PC{0,6}".boxed(), self.any_value(values)),
            _ => Just(Vec::new()).boxed(),
        }
    }

    fn lengths(self, schema: &Value, least: &str, most: &str) -> RangeInclusive<usize> {
        let spare = if self.is_deep() { 0 } else { MAX_EXTRA_LEN };
        lengths(schema, least, most, spare)
    }
}

fn lengths(schema: &Value, least: &str, most: &str, spare: usize) -> RangeInclusive<usize> {
    let count = |keyword: &str| {
        let count = schema[keyword].as_u64()?;
        usize::try_from(count).ok()
    };
    let least = count(least).unwrap_or(0);
    least..=count(most).unwrap_or(least + spare)
}

/// Makes integers, the bounds more often than the others. Where the schema sets no bound, the type may have one that the
/// schema does not say: every type that has none in its schema holds 31 bits and a sign, where it holds one.
fn integer(schema: &Value) -> BoxedStrategy<Value> {
    let whole = |keyword: &str| {
        let bound = &schema[keyword];
        let whole = bound.as_i64().map(i128::from);
        whole.or_else(|| bound.as_u64().map(i128::from))
    };
    let least = whole("minimum").unwrap_or_else(|| i32::MIN.into());
    let most = whole("maximum").unwrap_or_else(|| i32::MAX.into());
    prop_oneof![
        Just(least),
        Just(most),
        least..=most,
        least.max(-9)..=most.min(9).max(least.max(-9))
    ]
    .prop_map(|number| match u64::try_from(number) {
        Ok(natural) => json!(natural),
        Err(_) => json!(i64::try_from(number).expect("the bounds are within 64 bits")),
    })
    .boxed()
}

fn number(schema: &Value) -> BoxedStrategy<Value> {
    let bound = |keyword: &str, default| schema[keyword].as_f64().unwrap_or(default);
    let (least, most) = (bound("minimum", -1e9), bound("maximum", 1e9));
    let some = least..=most;
    prop_oneof![
        Just(least),
        Just(most),
        some.clone(),
        some.prop_map(f64::round)
    ]
    .prop_filter("rounded past the bounds", move |number| {
        (least..=most).contains(number)
    })
    .prop_map(Value::from)
    .boxed()
}

fn string(schema: &Value) -> BoxedStrategy<Value> {
    let text = match schema["pattern"].as_str() {
        Some(pattern) => {
            let unanchored = pattern.trim_start_matches('^').trim_end_matches('$');
            string_regex(unanchored)
                .unwrap_or_else(|error| panic!("`{pattern}` makes no strings: {error}"))
                .boxed()
        }
        None => vec(
            any::<char>(),
            lengths(schema, "minLength", "maxLength", 2 * MAX_EXTRA_LEN),
        )
        .prop_map(String::from_iter)
        .boxed(),
    };
    text.prop_map(Value::from).boxed()
}
