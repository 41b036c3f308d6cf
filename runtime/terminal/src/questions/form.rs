//! The fields of a form, which the user fills in line by line: their types and the validation of answers.

use serde_json::{Map, Number, Value};

/// The maximum number of fields of a form, and of choices of a field.
const MAX_ITEMS: usize = 100;

#[derive(Debug, PartialEq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) description: Option<String>,
    is_required: bool,
    default: Option<Value>,
    kind: FieldKind,
    /// The field of an answer that is none of the choices.
    pub(super) other: Option<String>,
}

#[derive(Debug, PartialEq)]
enum FieldKind {
    Text(Bounds<u64>, Option<FieldFormat>),
    Number { is_whole: bool, bounds: Bounds<f64> },
    Bool,
    Choice(Vec<FieldChoice>),
    Choices(Vec<FieldChoice>, Bounds<u64>),
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Bounds<T> {
    least: Option<T>,
    most: Option<T>,
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
                other: None,
            })
        });
        fields.collect()
    }

    /// Makes one field of a choice and the text field after it that has its name and `_other`.
    pub(super) fn merge_others(fields: Vec<Self>) -> Vec<Self> {
        let mut merged: Vec<Self> = Vec::new();
        for field in fields {
            let is_text = matches!(field.kind, FieldKind::Text(..));
            match merged.last_mut() {
                Some(last)
                    if is_text
                        && last.is_choice()
                        && field.name == format!("{}_other", last.name) =>
                {
                    last.other = Some(field.name);
                }
                _ => merged.push(field),
            }
        }
        merged
    }

    /// Reports whether the field has choices.
    pub(super) fn is_choice(&self) -> bool {
        matches!(self.kind, FieldKind::Choice(_) | FieldKind::Choices(..))
    }

    /// Reports whether more than one choice can be taken.
    #[cfg(all(unix, feature = "chat"))]
    pub(super) fn takes_many(&self) -> bool {
        matches!(self.kind, FieldKind::Choices(..))
    }

    /// Returns the value of choices, by their places.
    #[cfg(all(unix, feature = "chat"))]
    pub(super) fn value_of(&self, places: &[usize]) -> Option<Value> {
        let value = |choices: &[FieldChoice], place: &usize| {
            choices.get(*place).map(|choice| choice.value.clone())
        };
        match &self.kind {
            FieldKind::Choice(choices) => Some(value(choices, places.first()?)?.into()),
            FieldKind::Choices(choices, _) if !places.is_empty() => {
                let values = places.iter().filter_map(|place| value(choices, place));
                Some(values.collect())
            }
            _ => None,
        }
    }

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
        let (FieldKind::Choice(choices) | FieldKind::Choices(choices, _)) = &self.kind else {
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

    /// Parses an answer; `None` is no answer to an optional field.
    pub(super) fn parse(&self, line: &str) -> Result<Option<Value>, String> {
        match line.trim() {
            "" if self.is_required && self.default.is_none() => {
                Err("an answer is required".to_owned())
            }
            "" => Ok(self.default.clone()),
            line => self.kind.parse(line).map(Some),
        }
    }
}

impl FieldKind {
    fn from_schema(schema: &Value) -> Result<Self, String> {
        if let Some(choices) = parse_choices(schema)? {
            return Ok(Self::Choice(choices));
        }
        let lengths = |least: &str, most: &str| Bounds {
            least: schema[least].as_u64(),
            most: schema[most].as_u64(),
        };
        match schema["type"].as_str() {
            Some("string") => {
                let format = schema["format"].as_str().and_then(FieldFormat::parse);
                Ok(Self::Text(lengths("minLength", "maxLength"), format))
            }
            Some(kind @ ("number" | "integer")) => {
                let is_whole = kind == "integer";
                let least = schema["minimum"].as_f64();
                let most = schema["maximum"].as_f64();
                let bounds = Bounds { least, most };
                Ok(Self::Number { is_whole, bounds })
            }
            Some("boolean") => Ok(Self::Bool),
            Some("array") => {
                let choices = parse_choices(&schema["items"])?;
                let choices = choices.ok_or("is a list without choices")?;
                Ok(Self::Choices(choices, lengths("minItems", "maxItems")))
            }
            _ => Err("is not a string, number, boolean or choice".to_owned()),
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Text(lengths, format) => {
                let what = format.map_or("text", FieldFormat::describe);
                format!("{what}{}", lengths.render(" characters"))
            }
            Self::Number { is_whole, bounds } => {
                let what = match is_whole {
                    true => "an integer",
                    false => "a number",
                };
                match (bounds.least, bounds.most) {
                    (Some(least), Some(most)) => format!("{what} from {least} to {most}"),
                    (Some(least), None) => format!("{what} from {least}"),
                    (None, Some(most)) => format!("{what} up to {most}"),
                    (None, None) => what.to_owned(),
                }
            }
            Self::Bool => "yes or no".to_owned(),
            Self::Choice(_) => "the number of a choice".to_owned(),
            Self::Choices(_, lengths) => format!("comma-separated numbers{}", lengths.render("")),
        }
    }

    fn parse(&self, line: &str) -> Result<Value, String> {
        let wrong = || format!("expected {}", self.describe());
        match self {
            Self::Text(lengths, format) => {
                let fits = lengths.contain(line.chars().count() as u64)
                    && format.is_none_or(|format| format.matches_pattern(line));
                fits.then(|| line.into()).ok_or_else(wrong)
            }
            Self::Number { is_whole, bounds } => {
                let number = parse_number(line, *is_whole).ok_or_else(wrong)?;
                let fits = bounds.contain(number.as_f64().unwrap_or_default());
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
            Self::Choices(choices, lengths) => {
                let mut values: Vec<&str> = Vec::new();
                for part in line.split(',').filter(|part| !part.trim().is_empty()) {
                    let value = find_choice(choices, part.trim()).ok_or_else(wrong)?;
                    if !values.contains(&value) {
                        values.push(value);
                    }
                }
                let fits = lengths.contain(values.len() as u64);
                fits.then(|| values.into()).ok_or_else(wrong)
            }
        }
    }
}

/// Returns the choices of a schema, where it has any: `enum`, with or without names, or `oneOf` and `anyOf` of constants.
fn parse_choices(schema: &Value) -> Result<Option<Vec<FieldChoice>>, String> {
    let choice = |value: &Value, title: &Value| {
        let value = value.as_str()?.to_owned();
        let title = title.as_str().unwrap_or(&value).to_owned();
        Some(FieldChoice { value, title })
    };
    let choices: Option<Vec<FieldChoice>> = if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().enumerate();
        values
            .map(|(index, value)| choice(value, &schema["enumNames"][index]))
            .collect()
    } else if let Some(values) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
        values
            .iter()
            .map(|value| choice(&value["const"], &value["title"]))
            .collect()
    } else {
        return Ok(None);
    };
    let choices = choices.ok_or("has choices that are not strings")?;
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

impl<T: Copy + PartialOrd + std::fmt::Display> Bounds<T> {
    fn contain(self, value: T) -> bool {
        self.least.is_none_or(|least| value >= least) && self.most.is_none_or(|most| value <= most)
    }

    fn render(self, of: &str) -> String {
        match (self.least, self.most) {
            (Some(least), Some(most)) => format!(" ({least} to {most}{of})"),
            (Some(least), None) => format!(" (at least {least}{of})"),
            (None, Some(most)) => format!(" (at most {most}{of})"),
            (None, None) => String::new(),
        }
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
        let text = json!({ "type": "string", "minLength": 2, "maxLength": 3 });
        let number = json!({ "type": "number", "minimum": 0.5 });
        let whole = json!({ "type": "integer", "maximum": 9 });
        let boolean = json!({ "type": "boolean" });
        let named = json!({ "oneOf": [{ "const": "r", "title": "Red" }, { "const": "1" }] });
        let items = json!({ "enum": ["a", "b", "c"] });
        let several = json!({ "type": "array", "maxItems": 2, "items": items });
        for (schema, line, expected) in [
            (&text, " äö\n", Ok(json!("äö"))),
            (&text, "a", Err("expected text (2 to 3 characters)")),
            (&text, "abcd", Err("expected text (2 to 3 characters)")),
            (&text, "", Err("an answer is required")),
            (&number, "1.5", Ok(json!(1.5))),
            (&number, "2", Ok(json!(2))),
            (&number, "0", Err("expected a number from 0.5")),
            (&number, "NaN", Err("expected a number from 0.5")),
            (&whole, "9", Ok(json!(9))),
            (&whole, "9.0", Err("expected an integer up to 9")),
            (&boolean, "Yes", Ok(json!(true))),
            (&boolean, "maybe", Err("expected yes or no")),
            (&named, "red", Ok(json!("r"))),
            (&named, "2", Ok(json!("1"))),
            // What is called by a number is chosen by it.
            (&named, "1", Ok(json!("1"))),
            (&named, "3", Err("expected the number of a choice")),
            (&several, "3, a,3", Ok(json!(["c", "a"]))),
            (
                &several,
                "1,2,3",
                Err("expected comma-separated numbers (at most 2)"),
            ),
        ] {
            let expected = expected.map(Some).map_err(str::to_owned);
            assert_eq!(field(schema).parse(line), expected, "{line:?}");
        }
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
            assert_eq!(field.parse(fits), Ok(Some(json!(fits))), "{format}");
            assert!(field.parse(does_not).is_err(), "{format}");
        }
    }

    #[test]
    fn what_is_not_said_is_the_default_or_left_out() {
        let schema = json!({ "properties": {
            "a": { "type": "integer", "default": 3 },
            "b": { "type": "string", "title": "b" },
        } });
        let fields = Field::from_schema(&schema).expect("a form");
        assert_eq!(fields[0].parse(""), Ok(Some(json!(3))));
        assert_eq!(fields[0].hint(), "an integer [default: 3]");
        assert_eq!(fields[1].parse("  "), Ok(None));
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
