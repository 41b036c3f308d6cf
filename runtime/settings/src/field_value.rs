//! Values of the keys that packs declare: JSON, checked against the schema of the field.

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeInteger, DeValue};

use super::location::KeyPath;
use super::variables;
use crate::schema_field::SchemaField;

/// What is wrong with a part of a value.
pub(crate) struct FieldMistake {
    /// Where in the text of the file it starts.
    pub offset: usize,
    pub message: String,
}

/// Reads the value of a file. A text with a `${VARIABLE}` in it is checked when it is used.
pub(crate) fn parse(
    field: &SchemaField,
    place: &KeyPath,
    value: &Spanned<DeValue<'_>>,
) -> Result<Value, Vec<FieldMistake>> {
    let json = to_json(value.get_ref());
    let templates = match find_templates(&json, "") {
        Ok(templates) => templates,
        Err((path, what)) => return Err(vec![locate(place, value, &path, &what)]),
    };
    let unescaped = expand(&json, &|_| None).unwrap_or_else(|_| json.clone());
    let is_deferred = |path: &str| templates.iter().any(|template| template.starts_with(path));
    let mistakes = field.explain(&unescaped);
    let mistakes = mistakes.iter();
    let mistakes: Vec<_> = mistakes
        .filter(|mistake| !is_deferred(&mistake.path))
        .collect();
    if mistakes.is_empty() {
        return Ok(json);
    }
    // No message quotes a secret.
    if field.is_secret() {
        let what = format!("expected {}", field.expected());
        return Err(vec![locate(place, value, "", &what)]);
    }
    let located = mistakes
        .into_iter()
        .map(|mistake| locate(place, value, &mistake.path, &mistake.describe()));
    Err(located.collect())
}

/// Puts the values of variables into the texts of a value, and checks what that makes of it.
pub(crate) fn expand_and_check(
    field: &SchemaField,
    place: &KeyPath,
    json: &Value,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Result<Value, String>, String> {
    let expanded = expand(json, variable)?;
    let mistakes = field.explain(&expanded);
    let Some(mistake) = mistakes.as_slice().first() else {
        return Ok(Ok(expanded));
    };
    let shown = show_path(place, &mistake.path);
    Ok(Err(if field.is_secret() {
        format!(
            "`{place}`: the values of its variables make it something else than {}",
            field.expected()
        )
    } else {
        format!("`{shown}`: {}", mistake.describe())
    }))
}

/// Returns a value with the values of variables in its texts, or the name of a variable that has none.
fn expand(json: &Value, variable: &dyn Fn(&str) -> Option<String>) -> Result<Value, String> {
    Ok(match json {
        Value::String(text) => {
            Value::String(variables::expand(text, variable).map_err(str::to_owned)?)
        }
        Value::Array(items) => items
            .iter()
            .map(|item| expand(item, variable))
            .collect::<Result<_, _>>()?,
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| Ok((name.clone(), expand(value, variable)?)))
            .collect::<Result<Map<_, _>, String>>()?
            .into(),
        other => other.clone(),
    })
}

/// Lists the paths of the texts with variables, or says where something looks like a variable and is none.
fn find_templates(json: &Value, path: &str) -> Result<Vec<String>, (String, String)> {
    let mut found = Vec::new();
    let mut inside = |name: &str, value: &Value| -> Result<(), (String, String)> {
        let name = name.replace('~', "~0").replace('/', "~1");
        found.extend(find_templates(value, &format!("{path}/{name}"))?);
        Ok(())
    };
    match json {
        Value::String(text) => match variables::names(text) {
            Ok(names) if names.is_empty() => {}
            Ok(_) => found.push(path.to_owned()),
            Err(what) => return Err((path.to_owned(), what)),
        },
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.try_for_each(|(index, item)| inside(&index.to_string(), item))?;
        }
        Value::Object(map) => map
            .iter()
            .try_for_each(|(name, value)| inside(name, value))?,
        _ => {}
    }
    Ok(found)
}

/// Reads a value of TOML as JSON: a date is a text, and so is a number that JSON does not have.
pub(crate) fn to_json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.clone().into_owned()),
        DeValue::Integer(number) => to_integer(number),
        DeValue::Float(number) => {
            let text = number.as_str().replace('_', "");
            let float = text.parse().ok().and_then(Number::from_f64);
            float.map_or(Value::String(text), Value::Number)
        }
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Datetime(date) => Value::String(date.to_string()),
        DeValue::Array(items) => items.iter().map(|item| to_json(item.get_ref())).collect(),
        DeValue::Table(table) => table
            .iter()
            .map(|(name, value)| (name.get_ref().to_string(), to_json(value.get_ref())))
            .collect::<Map<_, _>>()
            .into(),
    }
}

fn to_integer(number: &DeInteger<'_>) -> Value {
    let (text, radix) = (number.as_str(), number.radix());
    let signed = i64::from_str_radix(text, radix).map(Value::from);
    let number = signed.or_else(|_| u64::from_str_radix(text, radix).map(Value::from));
    number.unwrap_or_else(|_| text.into())
}

/// Says what is wrong at a path of a value, and where that is in the file.
fn locate(place: &KeyPath, value: &Spanned<DeValue<'_>>, path: &str, what: &str) -> FieldMistake {
    let mut at = value;
    let mut offset = value.span().start;
    for segment in segments(path) {
        let next = match at.get_ref() {
            DeValue::Array(items) => segment
                .parse()
                .ok()
                .and_then(|index: usize| items.get(index))
                .map(|item| (item.span().start, item)),
            DeValue::Table(table) => table
                .iter()
                .find(|(name, _)| *name.get_ref() == *segment)
                .map(|(name, value)| (name.span().start, value)),
            _ => None,
        };
        let Some(next) = next else { break };
        (offset, at) = next;
    }
    FieldMistake {
        offset,
        message: format!("`{}`: {what}", show_path(place, path)),
    }
}

/// Writes the place of a part of a value: `weather.stations[0].name`.
fn show_path(place: &KeyPath, path: &str) -> String {
    let mut shown = place.to_string();
    for segment in segments(path) {
        if segment.bytes().all(|byte| byte.is_ascii_digit()) {
            shown.push_str(&format!("[{segment}]"));
        } else {
            shown.push_str(&format!(".{}", KeyPath::new([segment])));
        }
    }
    shown
}

fn segments(path: &str) -> impl Iterator<Item = String> {
    let segments = path.split('/').skip(1);
    segments.map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}
