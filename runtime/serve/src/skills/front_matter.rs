//! Converts the front matter of a skill to JSON, with all of its fields.

use helve_skill_format::{TypedValue, Value as UntypedValue, parse_typed};
use rmcp::model::SkillFrontmatter;
use serde_json::{Map, Number, Value};

use helve_skill::{FrontMatter, Skill};

/// Returns the front matter of a skill. The values have their YAML types if the text is available and valid YAML.
///
/// The name and the description fall back to those of the catalog, which a lenient parser may have repaired.
pub(super) async fn from_skill(skill: &Skill) -> SkillFrontmatter {
    let fields = match read_text(skill).await.as_deref().and_then(parse_typed) {
        Some(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, to_json(value)))
            .collect(),
        None => untyped_fields(&skill.front_matter()),
    };
    let mut front_matter = SkillFrontmatter::new(skill.name(), skill.description());
    front_matter.extra = fields;
    for known in ["name", "description"] {
        if let Some(Value::String(text)) = front_matter.extra.shift_remove(known) {
            match known {
                "name" => front_matter.name = text,
                _ => front_matter.description = text,
            }
        }
    }
    front_matter
}

/// Returns the text of the SKILL.md.
async fn read_text(skill: &Skill) -> Option<String> {
    if let Some((_, embedded)) = skill.as_embedded() {
        return Some(embedded.source().to_owned());
    }
    // A skill of an MCP server has no body until it is loaded, and a list should not load it.
    skill.body()?;
    let bytes = skill.read("SKILL.md").await.ok()?;
    String::from_utf8(bytes.into_owned()).ok()
}

fn to_json(value: TypedValue) -> Value {
    match value {
        TypedValue::Bool(value) => Value::Bool(value),
        TypedValue::Integer(value) => Value::from(value),
        TypedValue::Float(value) => Number::from_f64(value).map_or(Value::Null, Value::Number),
        TypedValue::Text(value) => Value::String(value),
        TypedValue::List(items) => Value::Array(items.into_iter().map(to_json).collect()),
        TypedValue::Mapping(entries) => {
            let entries = entries.into_iter();
            Value::Object(entries.map(|(key, value)| (key, to_json(value))).collect())
        }
        // Null, and types that later versions of the format may add.
        _ => Value::Null,
    }
}

/// Returns the fields of the lenient parser, which has all scalars as text.
fn untyped_fields(front_matter: &FrontMatter) -> Map<String, Value> {
    let fields = front_matter.fields.iter();
    fields
        .map(|field| (field.key.clone(), untyped_to_json(&field.value)))
        .collect()
}

fn untyped_to_json(value: &UntypedValue) -> Value {
    match value {
        UntypedValue::Text(text) => Value::String(text.clone()),
        UntypedValue::List(items) => Value::Array(items.iter().map(untyped_to_json).collect()),
        UntypedValue::Mapping(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries
                    .map(|(key, value)| (key.clone(), untyped_to_json(value)))
                    .collect(),
            )
        }
        _ => Value::Null,
    }
}
