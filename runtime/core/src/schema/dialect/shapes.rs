//! Changes of shape that several dialects need.

use serde_json::{Map, Value, json};

use super::super::keyword;
use super::name::Dialect;

/// Turns a tuple into a list of anything that the tuple holds, with its order in words.
pub(super) fn tuple_as_list(map: &mut Map<String, Value>) {
    let Some(Value::Array(prefix)) = map.shift_remove("prefixItems") else {
        return;
    };
    let named: Vec<_> = prefix.iter().map(brief).collect();
    let mut kinds: Vec<Value> = Vec::new();
    for schema in prefix {
        if !kinds.contains(&schema) {
            kinds.push(schema);
        }
    }
    let items = if kinds.len() == 1 {
        kinds.swap_remove(0)
    } else {
        json!({ "anyOf": kinds })
    };
    map.insert("items".to_owned(), items);
    map.insert("minItems".to_owned(), named.len().into());
    map.insert("maxItems".to_owned(), named.len().into());
    // Where all are alike there is no order to describe.
    if named.iter().any(|one| *one != named[0]) {
        super::describe::append(map, &format!("In this order: {}.", named.join(", ")));
    }
}

fn brief(schema: &Value) -> String {
    let text = schema
        .get("description")
        .and_then(Value::as_str)
        .and_then(|text| text.lines().next());
    let kind = schema
        .get("type")
        .and_then(Value::as_str)
        .unwrap_or("value");
    text.map_or_else(
        || kind.to_owned(),
        |text| format!("{kind} ({})", text.trim_end_matches('.')),
    )
}

/// Adds `items` to an array without them: providers refuse it otherwise.
pub(super) fn items_said(map: &mut Map<String, Value>) {
    let array = match map.get("type") {
        Some(Value::Array(types)) => types.iter().any(|one| one == "array"),
        one => one.is_some_and(|one| one == "array"),
    };
    if array && !matches!(map.get("items"), Some(Value::Object(_))) {
        map.insert("items".to_owned(), json!({}));
    }
}

/// Turns keys by pattern into a map of any key.
pub(super) fn patterns_as_map(map: &mut Map<String, Value>) {
    let Some(Value::Object(mut patterns)) = map.shift_remove("patternProperties") else {
        return;
    };
    let said = patterns
        .keys()
        .map(|key| format!("`{key}`"))
        .collect::<Vec<_>>()
        .join(" or ");
    if let (1, Some((_, only))) = (patterns.len(), patterns.iter_mut().next()) {
        map.insert("additionalProperties".to_owned(), only.take());
    } else {
        map.insert("additionalProperties".to_owned(), true.into());
    }
    super::describe::append(map, &format!("Keys match {said}."));
}

/// Puts a reference that has siblings into a union of one, where a reference must stand alone.
pub(super) fn lone_reference(map: &mut Map<String, Value>) {
    if map.len() < 2 {
        return;
    }
    if let Some(reference) = map.shift_remove("$ref") {
        map.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
    }
}

/// Writes the parts of `allOf` into the schema itself, as far as they agree.
pub(super) fn merge_all(map: &mut Map<String, Value>) {
    let Some(Value::Array(all)) = map.shift_remove("allOf") else {
        return;
    };
    for part in all {
        let Value::Object(mut part) = part else {
            continue;
        };
        merge_all(&mut part);
        if let (true, Some(Value::Array(branches))) =
            (map.contains_key("anyOf"), part.get("anyOf").cloned())
        {
            // Two unions at once: every key of the second may be there.
            part.shift_remove("anyOf");
            absorb_branches(map, &branches);
        }
        merge(map, part);
    }
}

/// Writes the object around a union into each of its branches, for readers that close every object.
pub(super) fn spread_base(map: &mut Map<String, Value>) {
    let objects = |branches: &[Value]| {
        branches
            .iter()
            .all(|branch| branch.get("type").is_some_and(|one| one == "object"))
    };
    let based = map.get("properties").is_some();
    let Some(Value::Array(branches)) = map.get("anyOf").cloned().filter(|_| based) else {
        return;
    };
    map.shift_remove("anyOf");
    if !objects(&branches) {
        absorb_branches(map, &branches);
        return;
    }
    let base = std::mem::take(map);
    let spread = branches.into_iter().filter_map(|branch| match branch {
        Value::Object(branch) => {
            let mut whole = base.clone();
            whole.retain(|key, _| !keyword::is_annotation(key));
            merge(&mut whole, branch);
            Some(Value::Object(whole))
        }
        _ => None,
    });
    map.insert("anyOf".to_owned(), spread.collect());
    map.extend(
        base.into_iter()
            .filter(|(key, _)| keyword::is_annotation(key)),
    );
}

fn merge(map: &mut Map<String, Value>, part: Map<String, Value>) {
    for (key, value) in part {
        match (map.get_mut(&key), value) {
            (Some(Value::Object(own)), Value::Object(more)) if key == "properties" => {
                own.extend(more);
            }
            (Some(Value::Array(own)), Value::Array(more)) if key == "required" => {
                own.extend(
                    more.into_iter()
                        .filter(|name| !own.contains(name))
                        .collect::<Vec<_>>(),
                );
            }
            (None, value) => {
                map.insert(key, value);
            }
            _ => {}
        }
    }
}

/// Takes a union off the root, where providers refuse one: the keys of every branch are listed, and required if all branches
/// require them.
pub(super) fn flatten_root(tree: &mut Value) {
    let Value::Object(map) = tree else { return };
    merge_all(map);
    for keyword in ["if", "then", "else", "not", "enum"] {
        map.shift_remove(keyword);
    }
    if let Some(Value::Array(branches)) = map.shift_remove("anyOf") {
        let definitions = map.get("$defs").cloned().unwrap_or_default();
        let branches: Vec<Value> = branches
            .into_iter()
            .map(|branch| resolve_branch(branch, &definitions))
            .collect();
        absorb_branches(map, &branches);
    }
}

fn resolve_branch(branch: Value, definitions: &Value) -> Value {
    let target = branch
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|to| to.strip_prefix("#/$defs"));
    target
        .and_then(|pointer| definitions.pointer(pointer))
        .cloned()
        .unwrap_or(branch)
}

fn absorb_branches(map: &mut Map<String, Value>, branches: &[Value]) {
    let mut choices = Vec::new();
    let properties = map.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else {
        return;
    };
    for (name, schema) in branches
        .iter()
        .filter_map(|branch| branch.get("properties")?.as_object())
        .flatten()
    {
        match properties.get_mut(name) {
            None => {
                properties.insert(name.clone(), schema.clone());
            }
            // The tag: its values are those of all branches.
            Some(own) if own != schema => match (own.get_mut("enum"), schema.get("enum")) {
                (Some(Value::Array(own)), Some(Value::Array(more))) => {
                    own.extend(
                        more.iter()
                            .filter(|value| !own.contains(value))
                            .cloned()
                            .collect::<Vec<_>>(),
                    );
                }
                _ => *own = json!({ "anyOf": [own.take(), schema] }),
            },
            Some(_) => {}
        }
    }
    let mut common: Option<Vec<Value>> = None;
    for branch in branches {
        let names = branch
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        choices.push(
            names
                .iter()
                .filter_map(Value::as_str)
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" and "),
        );
        common = Some(match common {
            None => names,
            Some(common) => common
                .into_iter()
                .filter(|name| names.contains(name))
                .collect(),
        });
    }
    let common = common.unwrap_or_default();
    if !common.is_empty() {
        merge(
            map,
            Map::from_iter([("required".to_owned(), Value::Array(common))]),
        );
    }
    choices.retain(|choice| !choice.is_empty());
    choices.dedup();
    if choices.len() > 1 {
        super::describe::append(map, &format!("Give {}.", choices.join(", or ")));
    }
}

/// Returns an error if the root is more than one plain object.
pub(super) fn plain_root(tree: &Value, dialect: Dialect) -> Result<(), String> {
    let union = ["anyOf", "allOf", "not", "if", "enum"]
        .into_iter()
        .find(|keyword| tree.get(keyword).is_some());
    union.map_or(Ok(()), |keyword| {
        Err(format!("{dialect} cannot express `{keyword}` at the root"))
    })
}

/// Visits every schema object with its place, outermost first.
pub(super) fn each<F>(tree: &Value, visit: &mut F) -> Result<(), String>
where
    F: FnMut(&Map<String, Value>, &str, usize) -> Result<(), String>,
{
    fn visit_schema<F>(
        schema: &Value,
        path: &mut String,
        level: usize,
        visit: &mut F,
    ) -> Result<(), String>
    where
        F: FnMut(&Map<String, Value>, &str, usize) -> Result<(), String>,
    {
        let Value::Object(map) = schema else {
            return Ok(());
        };
        visit(map, path, level)?;
        for (key, value) in map {
            let Some((_, holds)) = keyword::classify_keyword(key) else {
                continue;
            };
            let inside: Vec<(String, &Value)> = match (holds, value) {
                (keyword::KeywordValue::Schema, value) => vec![(key.clone(), value)],
                (keyword::KeywordValue::SchemaList, Value::Array(list)) => list
                    .iter()
                    .enumerate()
                    .map(|(at, value)| (format!("{key}/{at}"), value))
                    .collect(),
                (keyword::KeywordValue::SchemaMap, Value::Object(named)) => named
                    .iter()
                    .map(|(name, value)| (format!("{key}/{name}"), value))
                    .collect(),
                _ => continue,
            };
            // Unions and definitions do not nest the value that they describe.
            let deeper = usize::from(matches!(
                key.as_str(),
                "properties" | "items" | "prefixItems" | "additionalProperties"
            ));
            for (name, value) in inside {
                let length = path.len();
                path.push('/');
                path.push_str(&name);
                visit_schema(value, path, level + deeper, visit)?;
                path.truncate(length);
            }
        }
        Ok(())
    }
    visit_schema(tree, &mut String::new(), 0, visit)
}
