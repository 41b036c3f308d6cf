//! Changes of shape that several dialects share.

use serde_json::{Map, Value, json};

use super::name::Dialect;
use helve_core::schema::keyword::{self, KeywordValue, ReadKeywords as _};

/// Converts a tuple to a list of any of its items, and describes the order in words.
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
    // If all items are equal, there is no order to describe.
    if named.iter().any(|one| *one != named[0]) {
        super::describe::append(map, &format!("In this order: {}.", named.join(", ")));
    }
}

fn brief(schema: &Value) -> String {
    let kind = schema.text("type").unwrap_or("value");
    match schema
        .text("description")
        .and_then(|text| text.lines().next())
    {
        Some(text) => format!("{kind} ({})", text.trim_end_matches('.')),
        None => kind.to_owned(),
    }
}

/// Adds `items` to an array without it, because providers reject such an array.
pub(super) fn items_said(map: &mut Map<String, Value>) {
    if map.has_type("array") && !matches!(map.get("items"), Some(Value::Object(_))) {
        map.insert("items".to_owned(), json!({}));
    }
}

/// Converts `patternProperties` to a map with any keys.
pub(super) fn patterns_as_map(map: &mut Map<String, Value>) {
    let Some(Value::Object(mut patterns)) = map.shift_remove("patternProperties") else {
        return;
    };
    let said: Vec<String> = patterns.keys().map(|key| format!("`{key}`")).collect();
    let any = match patterns.values_mut().next() {
        Some(only) if said.len() == 1 => only.take(),
        _ => true.into(),
    };
    map.insert("additionalProperties".to_owned(), any);
    super::describe::append(map, &format!("Keys match {}.", said.join(" or ")));
}

/// Moves a reference with sibling keywords into a union with one branch, for readers that require a reference to be
/// the only keyword.
pub(super) fn lone_reference(map: &mut Map<String, Value>) {
    if map.len() < 2 {
        return;
    }
    if let Some(reference) = map.shift_remove("$ref") {
        map.insert("anyOf".to_owned(), json!([{ "$ref": reference }]));
    }
}

/// Merges the parts of `allOf` into the schema itself, if they are compatible.
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
            // With two unions, every key of the second one becomes optional.
            part.shift_remove("anyOf");
            absorb_branches(map, &branches);
        }
        merge(map, part);
    }
}

/// Copies the object around a union into each of its branches, for readers that close every object.
pub(super) fn spread_base(map: &mut Map<String, Value>) {
    if !map.contains_key("properties") {
        return;
    }
    let Some(Value::Array(branches)) = map.shift_remove("anyOf") else {
        return;
    };
    let is_object = |branch: &Value| branch.get("type").is_some_and(|one| one == "object");
    if !branches.iter().all(is_object) {
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
    let annotations = base.into_iter();
    map.extend(annotations.filter(|(key, _)| keyword::is_annotation(key)));
}

fn merge(map: &mut Map<String, Value>, part: Map<String, Value>) {
    for (key, value) in part {
        match (map.get_mut(&key), value) {
            (Some(Value::Object(own)), Value::Object(more)) if key == "properties" => {
                own.extend(more);
            }
            (Some(Value::Array(own)), Value::Array(more)) if key == "required" => {
                add_new(own, more);
            }
            (None, value) => {
                map.insert(key, value);
            }
            _ => {}
        }
    }
}

/// Adds the values that are missing in a list.
fn add_new(list: &mut Vec<Value>, mut more: Vec<Value>) {
    more.retain(|value| !list.contains(value));
    list.append(&mut more);
}

/// Removes a union from the root, for providers that reject one there: the keys of all branches are merged, and a key
/// is required if all branches require it.
pub(super) fn flatten_root(tree: &mut Value) {
    let Value::Object(map) = tree else { return };
    merge_all(map);
    for keyword in ["if", "then", "else", "not", "enum"] {
        map.shift_remove(keyword);
    }
    if let Some(Value::Array(branches)) = map.shift_remove("anyOf") {
        let definitions = map.get("$defs").cloned().unwrap_or_default();
        let branches = branches.into_iter();
        let resolved = branches.map(|branch| resolve_branch(branch, &definitions));
        absorb_branches(map, &resolved.collect::<Vec<_>>());
    }
}

fn resolve_branch(branch: Value, definitions: &Value) -> Value {
    let pointer = branch
        .text("$ref")
        .and_then(|to| to.strip_prefix("#/$defs"));
    let target = pointer.and_then(|pointer| definitions.pointer(pointer));
    target.cloned().unwrap_or(branch)
}

fn absorb_branches(map: &mut Map<String, Value>, branches: &[Value]) {
    let properties = map.entry("properties").or_insert_with(|| json!({}));
    let Value::Object(properties) = properties else {
        return;
    };
    let offered = branches
        .iter()
        .filter_map(|branch| branch.object("properties"));
    for (name, schema) in offered.flatten() {
        match properties.get_mut(name) {
            None => {
                properties.insert(name.clone(), schema.clone());
            }
            // The tag: its values are those of all branches.
            Some(own) if own != schema => match (own.get_mut("enum"), schema.get("enum")) {
                (Some(Value::Array(own)), Some(Value::Array(more))) => add_new(own, more.clone()),
                _ => *own = json!({ "anyOf": [own.take(), schema] }),
            },
            Some(_) => {}
        }
    }
    let mut common = branches
        .first()
        .map_or_else(Vec::new, |first| first.list("required").to_vec());
    common.retain(|name| {
        branches
            .iter()
            .all(|branch| branch.list("required").contains(name))
    });
    if !common.is_empty() {
        merge(
            map,
            Map::from_iter([("required".to_owned(), Value::Array(common))]),
        );
    }
    let choices = branches.iter().map(|branch| {
        let names: Vec<String> = branch
            .names("required")
            .map(|name| format!("`{name}`"))
            .collect();
        names.join(" and ")
    });
    let mut choices: Vec<String> = choices.filter(|choice| !choice.is_empty()).collect();
    choices.dedup();
    if choices.len() > 1 {
        super::describe::append(map, &format!("Give {}.", choices.join(", or ")));
    }
}

/// Returns an error if the root is not a single plain object.
pub(super) fn plain_root(tree: &Value, dialect: Dialect) -> Result<(), String> {
    let mut unions = ["anyOf", "allOf", "not", "if", "enum"].into_iter();
    match unions.find(|keyword| tree.get(keyword).is_some()) {
        Some(keyword) => Err(format!("{dialect} cannot express `{keyword}` at the root")),
        None => Ok(()),
    }
}

/// Visits every schema object with its path, outermost first.
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
            let inside: Vec<(String, &Value)> = match (keyword::content(key), value) {
                (Some(KeywordValue::Schema), value) => vec![(key.clone(), value)],
                (Some(KeywordValue::SchemaList), Value::Array(list)) => {
                    let places = list.iter().enumerate();
                    places
                        .map(|(at, value)| (format!("{key}/{at}"), value))
                        .collect()
                }
                (Some(KeywordValue::SchemaMap), Value::Object(named)) => {
                    let places = named.iter();
                    places
                        .map(|(name, value)| (format!("{key}/{name}"), value))
                        .collect()
                }
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
