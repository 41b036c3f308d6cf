//! The fields of a form, which the user fills in line by line: their types and the validation of answers.

use serde_json::{Map, Number, Value};

/// The maximum number of fields of a form, and of choices of a field.
const MAX_ITEMS: usize = 100;

/// One field.
#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    is_required: bool,
    default: Option<Value>,
    kind: FieldKind,
}

#[derive(Debug, PartialEq)]
enum FieldKind {
    Text {
        min: Option<u64>,
        most: Option<u64>,
        format: Option<FieldFormat>,
    },
    Number {
        is_whole: bool,
        least: Option<f64>,
        most: Option<f64>,
    },
    Bool,
    Choice(Vec<FieldChoice>),
    Choices {
        choices: Vec<FieldChoice>,
        least: Option<u64>,
        most: Option<u64>,
    },
}

#[derive(Debug, PartialEq)]
struct FieldChoice {
    value: String,
    title: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum FieldFormat {
    Email,
    Uri,
    Date,
    DateTime,
}

/// The result of parsing a line.
#[derive(Debug, PartialEq)]
pub(super) enum FieldInput {
    /// A valid value.
    Value(Value),
    /// No answer to an optional field.
    Omitted,
    /// An invalid answer, with the reason.
    Invalid(String),
}

impl Field {
    /// Parses the fields of a schema; the error is the reason why the form cannot be shown.
    pub(super) fn from_schema(schema: &Value) -> Result<Vec<Self>, String> {
        let none = Map::new();
        let properties = match &schema["properties"] {
            Value::Null => &none,
            Value::Object(properties) => properties,
            _ => return Err("`properties` is not an object".to_owned()),
        };
        if properties.len() > MAX_ITEMS {
            return Err(format!("more than {MAX_ITEMS} fields"));
        }
        let required = schema["required"].as_array();
        let fields = properties.iter().map(|(name, schema)| {
            let is_required = required.is_some_and(|names| names.iter().any(|known| known == name));
            let kind =
                FieldKind::from_schema(schema).map_err(|why| format!("field `{name}` {why}"))?;
            let text = |key: &str| schema[key].as_str().map(str::to_owned);
            let default = schema.get("default").filter(|value| !value.is_null());
            Ok(Self {
                name: name.clone(),
                title: text("title").filter(|title| title != name),
                description: text("description"),
                is_required,
                default: default.cloned(),
                kind,
            })
        });
        fields.collect()
    }

    /// Describes the expected answer.
    pub(super) fn hint(&self) -> String {
        let mut hint = self.kind.describe();
        match &self.default {
            Some(Value::String(text)) => hint.push_str(&format!(" [default: {text:?}]")),
            Some(value) => hint.push_str(&format!(" [default: {value}]")),
            None if self.is_required => {}
            None => hint.push_str(" (optional)"),
        }
        hint
    }

    /// Lists the choices, numbered from one.
    pub(super) fn choices(&self) -> Vec<String> {
        let (FieldKind::Choice(choices) | FieldKind::Choices { choices, .. }) = &self.kind else {
            return Vec::new();
        };
        let shown = choices
            .iter()
            .map(|choice| match choice.title == choice.value {
                true => choice.value.clone(),
                false => format!("{} ({})", choice.title, choice.value),
            });
        shown.collect()
    }

    /// Reads a line.
    pub(super) fn parse(&self, line: &str) -> FieldInput {
        let line = line.trim();
        if line.is_empty() {
            return match &self.default {
                Some(value) => FieldInput::Value(value.clone()),
                None if self.is_required => FieldInput::Invalid("an answer is required".to_owned()),
                None => FieldInput::Omitted,
            };
        }
        match self.kind.parse(line) {
            Ok(value) => FieldInput::Value(value),
            Err(why) => FieldInput::Invalid(why),
        }
    }
}

impl FieldKind {
    fn from_schema(schema: &Value) -> Result<Self, String> {
        if let Some(choices) = parse_choices(schema)? {
            return Ok(Self::Choice(choices));
        }
        let whole = |key: &str| schema[key].as_u64();
        match schema["type"].as_str() {
            Some("string") => Ok(Self::Text {
                min: whole("minLength"),
                most: whole("maxLength"),
                format: schema["format"].as_str().and_then(FieldFormat::parse),
            }),
            Some(kind @ ("number" | "integer")) => Ok(Self::Number {
                is_whole: kind == "integer",
                least: schema["minimum"].as_f64(),
                most: schema["maximum"].as_f64(),
            }),
            Some("boolean") => Ok(Self::Bool),
            Some("array") => match parse_choices(&schema["items"])? {
                Some(choices) => Ok(Self::Choices {
                    choices,
                    least: whole("minItems"),
                    most: whole("maxItems"),
                }),
                None => Err("is a list without choices".to_owned()),
            },
            _ => Err("is not a string, number, boolean or choice".to_owned()),
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Text {
                min: least,
                most,
                format,
            } => {
                let what = format.map_or("text", FieldFormat::describe);
                format!("{what}{}", render_range(*least, *most, " characters"))
            }
            Self::Number {
                is_whole,
                least,
                most,
            } => {
                let what = match is_whole {
                    true => "an integer",
                    false => "a number",
                };
                match (least, most) {
                    (Some(least), Some(most)) => format!("{what} from {least} to {most}"),
                    (Some(least), None) => format!("{what} from {least}"),
                    (None, Some(most)) => format!("{what} up to {most}"),
                    (None, None) => what.to_owned(),
                }
            }
            Self::Bool => "yes or no".to_owned(),
            Self::Choice(_) => "the number of a choice".to_owned(),
            Self::Choices { least, most, .. } => {
                format!("comma-separated numbers{}", render_range(*least, *most, ""))
            }
        }
    }

    fn parse(&self, line: &str) -> Result<Value, String> {
        let wrong = || format!("expected {}", self.describe());
        match self {
            Self::Text {
                min: least,
                most,
                format,
            } => {
                let length = line.chars().count() as u64;
                let fits = least.is_none_or(|least| length >= least)
                    && most.is_none_or(|most| length <= most)
                    && format.is_none_or(|format| format.matches_pattern(line));
                fits.then(|| line.into()).ok_or_else(wrong)
            }
            Self::Number {
                is_whole,
                least,
                most,
            } => {
                let number = parse_number(line, *is_whole).ok_or_else(wrong)?;
                let value = number.as_f64().unwrap_or_default();
                let fits = least.is_none_or(|least| value >= least)
                    && most.is_none_or(|most| value <= most);
                fits.then_some(Value::Number(number)).ok_or_else(wrong)
            }
            Self::Bool => match line.to_ascii_lowercase().as_str() {
                "y" | "yes" | "true" => Ok(true.into()),
                "n" | "no" | "false" => Ok(false.into()),
                _ => Err(wrong()),
            },
            Self::Choice(choices) => {
                let chosen = find_choice(choices, line).ok_or_else(wrong)?;
                Ok(chosen.into())
            }
            Self::Choices {
                choices,
                least,
                most,
            } => {
                let mut values: Vec<&str> = Vec::new();
                for part in line.split(',').filter(|part| !part.trim().is_empty()) {
                    let value = find_choice(choices, part.trim()).ok_or_else(wrong)?;
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                let length = values.len() as u64;
                let fits = least.is_none_or(|least| length >= least)
                    && most.is_none_or(|most| length <= most);
                fits.then(|| values.into()).ok_or_else(wrong)
            }
        }
    }
}

/// Returns the choices of a schema, where it has any: `enum`, with or without names, or `oneOf` and `anyOf` of constants.
fn parse_choices(schema: &Value) -> Result<Option<Vec<FieldChoice>>, String> {
    let choices: Vec<FieldChoice> = if let Some(values) = schema["enum"].as_array() {
        let names = schema["enumNames"].as_array();
        let texts = values.iter().enumerate().map(|(index, value)| {
            let value = value.as_str()?.to_owned();
            let title = names.and_then(|names| names.get(index)?.as_str());
            let title = title.unwrap_or(&value).to_owned();
            Some(FieldChoice { value, title })
        });
        texts
            .collect::<Option<_>>()
            .ok_or("has choices that are not strings")?
    } else if let Some(values) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        let texts = values.iter().map(|choice| {
            let value = choice["const"].as_str()?.to_owned();
            let title = choice["title"].as_str().unwrap_or(&value).to_owned();
            Some(FieldChoice { value, title })
        });
        texts
            .collect::<Option<_>>()
            .ok_or("has choices that are not strings")?
    } else {
        return Ok(None);
    };
    match choices.len() {
        0 => Err("has no choices".to_owned()),
        length if length > MAX_ITEMS => Err(format!("has more than {MAX_ITEMS} choices")),
        _ => Ok(Some(choices)),
    }
}

/// Finds a choice by its number, its value or its title.
fn find_choice<'c>(choices: &'c [FieldChoice], line: &str) -> Option<&'c str> {
    let is_it = |choice: &&FieldChoice| {
        choice.value.eq_ignore_ascii_case(line) || choice.title.eq_ignore_ascii_case(line)
    };
    let by_number = || {
        let number: usize = line.parse().ok()?;
        choices.get(number.checked_sub(1)?)
    };
    let by_name = choices.iter().find(is_it);
    by_name.or_else(by_number).map(|choice| &*choice.value)
}

fn parse_number(line: &str, is_whole: bool) -> Option<Number> {
    if let Ok(number) = line.parse::<i64>() {
        return Some(number.into());
    }
    let number = line.parse::<f64>().ok().filter(|_| !is_whole)?;
    Number::from_f64(number)
}

fn render_range(least: Option<u64>, most: Option<u64>, of: &str) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!(" ({least} to {most}{of})"),
        (Some(least), None) => format!(" (at least {least}{of})"),
        (None, Some(most)) => format!(" (at most {most}{of})"),
        (None, None) => String::new(),
    }
}

impl FieldFormat {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "email" => Some(Self::Email),
            "uri" => Some(Self::Uri),
            "date" => Some(Self::Date),
            "date-time" => Some(Self::DateTime),
            _ => None,
        }
    }

    fn describe(self) -> &'static str {
        match self {
            Self::Email => "an e-mail address",
            Self::Uri => "a URL such as https://host/path",
            Self::Date => "a date such as 2026-07-28",
            Self::DateTime => "a time such as 2026-07-28T12:00:00Z",
        }
    }

    fn matches_pattern(self, text: &str) -> bool {
        match self {
            Self::Email => text.split_once('@').is_some_and(|(name, host)| {
                !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
            }),
            Self::Uri => text.split_once(':').is_some_and(|(scheme, rest)| {
                let fits = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
                scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                    && scheme.chars().all(fits)
                    && !rest.is_empty()
                    && !text.contains(char::is_whitespace)
            }),
            Self::Date => is_date(text),
            Self::DateTime => text
                .split_once(['T', 't'])
                .is_some_and(|(date, time)| is_date(date) && is_time_with_zone(time)),
        }
    }
}

/// Reports whether a text starts like a time and ends with a time zone.
fn is_time_with_zone(time: &str) -> bool {
    let is_colon = |at: usize| time.as_bytes().get(at) == Some(&b':');
    is_colon(2) && is_colon(5) && (time.ends_with(['Z', 'z']) || time.contains(['+', '-']))
}

/// Reports whether a text is a date: the form and its bounds, not how many days a month has.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |part: &str, length: usize| {
        let is_number = part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| part.parse::<u32>().ok()).flatten()
    };
    match parts[..] {
        [year, month, day] => {
            number(year, 4).is_some()
                && number(month, 2).is_some_and(|month| (1..=12).contains(&month))
                && number(day, 2).is_some_and(|day| (1..=31).contains(&day))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn field(schema: &Value) -> Field {
        let schema = json!({ "properties": { "x": schema }, "required": ["x"] });
        Field::from_schema(&schema).expect("a form").remove(0)
    }

    #[test]
    fn an_answer_is_of_its_kind() {
        let value = |schema: Value, line: &str| match field(&schema).parse(line) {
            FieldInput::Value(value) => value,
            FieldInput::Invalid(why) => json!({ "wrong": why }),
            FieldInput::Omitted => Value::Null,
        };
        let wrong = |why: &str| json!({ "wrong": why });
        let text = || json!({ "type": "string", "minLength": 2, "maxLength": 3 });
        assert_eq!(value(text(), " äö\n"), json!("äö"));
        let why = "expected text (2 to 3 characters)";
        assert_eq!(value(text(), "a"), wrong(why));
        assert_eq!(value(text(), "abcd"), wrong(why));
        assert_eq!(value(text(), ""), wrong("an answer is required"));
        let number = || json!({ "type": "number", "minimum": 0.5 });
        assert_eq!(value(number(), "1.5"), json!(1.5));
        assert_eq!(value(number(), "2"), json!(2));
        assert_eq!(value(number(), "0"), wrong("expected a number from 0.5"));
        assert_eq!(value(number(), "NaN"), wrong("expected a number from 0.5"));
        let whole = || json!({ "type": "integer", "maximum": 9 });
        assert_eq!(value(whole(), "9"), json!(9));
        assert_eq!(value(whole(), "9.0"), wrong("expected an integer up to 9"));
        assert_eq!(value(json!({ "type": "boolean" }), "Yes"), json!(true));
        assert_eq!(
            value(json!({ "type": "boolean" }), "maybe"),
            wrong("expected yes or no")
        );
        let named = || json!({ "oneOf": [{ "const": "r", "title": "Red" }, { "const": "1" }] });
        assert_eq!(value(named(), "red"), json!("r"));
        assert_eq!(value(named(), "2"), json!("1"));
        // What is called by a number is chosen by it.
        assert_eq!(value(named(), "1"), json!("1"));
        assert_eq!(
            value(named(), "3"),
            wrong("expected the number of a choice")
        );
        let several =
            || json!({ "type": "array", "maxItems": 2, "items": { "enum": ["a", "b", "c"] } });
        assert_eq!(value(several(), "3, a,3"), json!(["c", "a"]));
        let why = "expected comma-separated numbers (at most 2)";
        assert_eq!(value(several(), "1,2,3"), wrong(why));
    }

    #[test]
    fn formats_are_held_against_their_form() {
        for (format, fits, does_not) in [
            ("email", "a@b", "a@"),
            ("uri", "mailto:a@b", "no address"),
            ("date", "2026-02-28", "2026-13-01"),
            (
                "date-time",
                "2026-02-28T10:00:00+01:00",
                "2026-02-28T10:00:00",
            ),
            ("date-time", "2026-02-28T10:00:00Z", "2026-02-28T"),
        ] {
            let field = field(&json!({ "type": "string", "format": format }));
            assert_eq!(
                field.parse(fits),
                FieldInput::Value(json!(fits)),
                "{format}"
            );
            assert!(
                matches!(field.parse(does_not), FieldInput::Invalid(_)),
                "{format}"
            );
        }
    }

    #[test]
    fn what_is_not_said_is_the_default_or_left_out() {
        let schema = json!({ "properties": {
            "a": { "type": "integer", "default": 3 },
            "b": { "type": "string", "title": "b" },
        } });
        let fields = Field::from_schema(&schema).expect("a form");
        assert_eq!(fields[0].parse(""), FieldInput::Value(json!(3)));
        assert_eq!(fields[0].hint(), "an integer [default: 3]");
        assert_eq!(fields[1].parse("  "), FieldInput::Omitted);
        assert_eq!(fields[1].title, None);
        assert_eq!(Field::from_schema(&json!({})), Ok(Vec::new()));
    }

    #[test]
    fn what_is_no_form_is_none() {
        for schema in [
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "array", "items": { "type": "string" } }),
            json!({ "enum": [] }),
            json!({ "enum": [1, 2] }),
            json!("text"),
        ] {
            let form = json!({ "properties": { "x": schema } });
            assert!(Field::from_schema(&form).is_err(), "{schema}");
        }
        let many: Map<String, Value> = (0..101)
            .map(|index| (index.to_string(), json!({ "type": "string" })))
            .collect();
        assert!(Field::from_schema(&json!({ "properties": many })).is_err());
    }
}
