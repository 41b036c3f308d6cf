//! The front matter of a skill as JSON: every field that its author wrote.

use helve_skill_format::{Typed, Value as Written, typed};
use rmcp::model::SkillFrontmatter;
use serde_json::{Map, Number, Value};

use crate::skill::{FrontMatter, Skill};

/// Returns the front matter, with the types that YAML gives it where the text is at hand and strict YAML.
///
/// The name and the description are those by which the skill is known here, which a lenient reader may have mended.
pub(super) async fn of(skill: &Skill) -> SkillFrontmatter {
    let fields = match text(skill).await.as_deref().and_then(typed) {
        Some(fields) => fields
            .into_iter()
            .map(|(key, value)| (key, json(value)))
            .collect(),
        None => plain(&skill.front_matter()),
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
async fn text(skill: &Skill) -> Option<String> {
    if let Some((_, embedded)) = skill.as_embedded() {
        return Some(embedded.source().to_owned());
    }
    // What a server lists has its front matter beside it; nothing is fetched for a list.
    skill.body()?;
    let bytes = skill.read("SKILL.md").await.ok()?;
    String::from_utf8(bytes.into_owned()).ok()
}

fn json(value: Typed) -> Value {
    match value {
        Typed::Bool(value) => Value::Bool(value),
        Typed::Integer(value) => Value::from(value),
        Typed::Float(value) => Number::from_f64(value).map_or(Value::Null, Value::Number),
        Typed::Text(value) => Value::String(value),
        Typed::List(items) => Value::Array(items.into_iter().map(json).collect()),
        Typed::Mapping(entries) => {
            let entries = entries.into_iter();
            Value::Object(entries.map(|(key, value)| (key, json(value))).collect())
        }
        // Nothing, and what later versions of the format may know.
        _ => Value::Null,
    }
}

/// Returns the fields as they were read leniently: every scalar is text.
fn plain(front_matter: &FrontMatter) -> Map<String, Value> {
    let fields = front_matter.fields.iter();
    fields
        .map(|field| (field.key.clone(), written(&field.value)))
        .collect()
}

fn written(value: &Written) -> Value {
    match value {
        Written::Text(text) => Value::String(text.clone()),
        Written::List(items) => Value::Array(items.iter().map(written).collect()),
        Written::Mapping(entries) => {
            let entries = entries.iter();
            Value::Object(
                entries
                    .map(|(key, value)| (key.clone(), written(value)))
                    .collect(),
            )
        }
        _ => Value::Null,
    }
}
