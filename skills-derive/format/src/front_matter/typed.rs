//! The front matter with YAML's types, such as numbers and booleans, for conversion to JSON.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use super::split::split;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 32;

/// A value of YAML's core schema.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TypedValue {
    /// Null.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(i64),
    /// Any other number; always finite.
    Float(f64),
    /// Text.
    Text(String),
    /// A list.
    List(Vec<TypedValue>),
    /// A mapping, in the order of the file.
    Mapping(Vec<(String, TypedValue)>),
}

/// Parses the front matter of a SKILL.md with the types that YAML's core schema gives to unquoted scalars.
///
/// Returns `None` if the front matter is not a mapping, or uses constructs that [`parse`](crate::parse) rejects
/// (aliases, anchors, tags, keys that are not text), because such a front matter has no unique conversion.
///
/// ```
/// use helve_skill_format::{TypedValue, parse_typed};
///
/// let fields = parse_typed("---\nname: pdf\nrevision: 3\nquoted: \"3\"\n---\nText").unwrap();
/// assert_eq!(fields[1], ("revision".into(), TypedValue::Integer(3)));
/// assert_eq!(fields[2], ("quoted".into(), TypedValue::Text("3".into())));
/// ```
#[must_use]
pub fn parse_typed(text: &str) -> Option<Vec<(String, TypedValue)>> {
    let parts = split(text).ok()?;
    let events: Parser<'_, StrInput<'_>> = Parser::new_from_str(parts.yaml);
    let mut open: Vec<TypedCollection> = Vec::new();
    let mut fields = None;
    for event in events {
        let done = match event.ok()?.0 {
            Event::Scalar(text, style, 0, None) => scalar(&text, style),
            Event::SequenceStart(0, None) => {
                open.push(TypedCollection::List(Vec::new()));
                None
            }
            Event::MappingStart(0, None) => {
                open.push(TypedCollection::Mapping(Vec::new(), None));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => Some(open.pop()?.into_value()),
            Event::DocumentStart(_) if fields.is_some() => return None,
            Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::StreamStart
            | Event::StreamEnd
            | Event::Nothing => None,
            _ => return None,
        };
        if open.len() > MAX_DEPTH {
            return None;
        }
        match (done, open.last_mut()) {
            (None, _) => {}
            (Some(value), Some(collection)) => collection.take(value)?,
            (Some(TypedValue::Mapping(entries)), None) => fields = Some(entries),
            (Some(_), None) => return None,
        }
    }
    fields
}

/// A collection that is not closed yet.
enum TypedCollection {
    List(Vec<TypedValue>),
    /// The entries, and the key whose value follows.
    Mapping(Vec<(String, TypedValue)>, Option<String>),
}

impl TypedCollection {
    /// Adds the next value; returns `None` if the value is a key, and is not text.
    fn take(&mut self, value: TypedValue) -> Option<()> {
        match self {
            Self::List(items) => items.push(value),
            Self::Mapping(entries, key) => match key.take() {
                Some(key) if entries.iter().any(|(known, _)| *known == key) => return None,
                Some(key) => entries.push((key, value)),
                None => match value {
                    TypedValue::Text(text) => *key = Some(text),
                    _ => return None,
                },
            },
        }
        Some(())
    }

    fn into_value(self) -> TypedValue {
        match self {
            Self::List(items) => TypedValue::List(items),
            Self::Mapping(entries, _) => TypedValue::Mapping(entries),
        }
    }
}

/// Determines the type of a scalar: a quoted scalar is text.
#[expect(
    clippy::unnecessary_wraps,
    reason = "one arm of a match whose others have no value yet"
)]
fn scalar(text: &str, style: ScalarStyle) -> Option<TypedValue> {
    let text_value = || TypedValue::Text(text.to_owned());
    if style != ScalarStyle::Plain {
        return Some(text_value());
    }
    Some(match text {
        "" | "~" | "null" | "Null" | "NULL" => TypedValue::Null,
        "true" | "True" | "TRUE" => TypedValue::Bool(true),
        "false" | "False" | "FALSE" => TypedValue::Bool(false),
        _ => number(text).unwrap_or_else(text_value),
    })
}

/// Parses a number of the core schema.
fn number(text: &str) -> Option<TypedValue> {
    let radix = |digits: &str, radix| {
        i64::from_str_radix(digits, radix)
            .ok()
            .map(TypedValue::Integer)
    };
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    // Rust also parses `inf` and `nan`, which are text in this schema.
    let starts = unsigned.strip_prefix('.').unwrap_or(unsigned);
    if !starts.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(TypedValue::Integer);
    }
    let float: f64 = text.parse().ok()?;
    float.is_finite().then_some(TypedValue::Float(float))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed_entries(yaml: &str) -> Option<Vec<(String, TypedValue)>> {
        parse_typed(&format!("---\n{yaml}\n---\n"))
    }

    #[test]
    fn what_is_not_quoted_has_the_type_of_the_core_schema() {
        let fields = typed_entries(
            "a: 1\nb: 1.50\nc: '1'\nd: true\ne: ~\nf: 1.2.3\ng: 2024-01-01\nh: -0x\ni: .inf\nj: 0x1F\nk: [no, 2]\nl:\n  m: |\n    7\nn: 5e3\no: +3",
        );
        let text = |text: &str| TypedValue::Text(text.into());
        let expected = [
            ("a", TypedValue::Integer(1)),
            ("b", TypedValue::Float(1.5)),
            ("c", text("1")),
            ("d", TypedValue::Bool(true)),
            ("e", TypedValue::Null),
            ("f", text("1.2.3")),
            ("g", text("2024-01-01")),
            ("h", text("-0x")),
            ("i", text(".inf")),
            ("j", TypedValue::Integer(31)),
            (
                "k",
                TypedValue::List(vec![text("no"), TypedValue::Integer(2)]),
            ),
            ("l", TypedValue::Mapping(vec![("m".into(), text("7\n"))])),
            ("n", TypedValue::Float(5000.0)),
            ("o", TypedValue::Integer(3)),
        ];
        let expected = expected.map(|(key, value)| (key.to_owned(), value));
        assert_eq!(fields, Some(expected.to_vec()));
    }

    #[test]
    fn what_has_no_one_meaning_is_refused() {
        let deep = format!("a: {}{}", "[".repeat(40), "]".repeat(40));
        for yaml in [
            "a: &x 1",
            "a: !!str 1",
            "a: 1\na: 2",
            "- a",
            "1: a",
            "text",
            "a: b: c",
            &deep,
        ] {
            assert_eq!(typed_entries(yaml), None, "{yaml}");
        }
        assert_eq!(parse_typed("no front matter"), None);
    }
}
