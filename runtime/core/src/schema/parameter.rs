//! One parameter of a tool, as the macro's table describes it.

use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Number, Value};

use super::keyword::ReadKeywords as _;

/// Describes one parameter of a tool.
#[derive(Clone, Debug)]
pub struct ParameterSchema<'a> {
    /// The key of the argument in the call.
    pub name: &'a str,
    /// What the model reads about it; when it is empty, the documentation of the type stands in.
    pub description: &'a str,
    /// Generates the schema of the type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether a call without it is a mistake.
    pub required: bool,
    /// The value that its absence means.
    pub default: Option<Value>,
    /// Values to show to the model.
    pub examples: Vec<Value>,
    /// What a value must satisfy beyond its type.
    pub constraints: Constraints,
}

/// States what a value must satisfy beyond its type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Constraints {
    /// The smallest number.
    pub min: Option<f64>,
    /// The largest number.
    pub max: Option<f64>,
    /// The fewest characters of a string, items of an array or entries of a map.
    pub min_len: Option<usize>,
    /// The most characters of a string, items of an array or entries of a map.
    pub max_len: Option<usize>,
    /// A regular expression that a string must contain a match of.
    pub pattern: Option<&'static str>,
}

impl Constraints {
    /// No constraint at all.
    pub const NONE: Self = Self {
        min: None,
        max: None,
        min_len: None,
        max_len: None,
        pattern: None,
    };

    /// Reports whether there is no constraint; asked once an argument.
    #[inline]
    pub(crate) const fn is_none(&self) -> bool {
        self.min.is_none()
            && self.max.is_none()
            && self.min_len.is_none()
            && self.max_len.is_none()
            && self.pattern.is_none()
    }

    /// Writes the constraints into a canonical schema, in the words of its type.
    pub(super) fn write(&self, schema: &mut Map<String, Value>) {
        if self.is_none() {
            return;
        }
        let textual = schema.has_type("string");
        let lengths = [
            ("string", "minLength", "maxLength"),
            ("array", "minItems", "maxItems"),
            ("object", "minProperties", "maxProperties"),
        ];
        let lengths = lengths.iter().find(|(name, ..)| schema.has_type(name));
        if schema.has_type("integer") || schema.has_type("number") {
            // A type's own bound stands where it is the tighter one.
            tighten(schema, "minimum", self.min, f64::max);
            tighten(schema, "maximum", self.max, f64::min);
        }
        if let Some((_, least, most)) = lengths {
            for (keyword, bound) in [(least, self.min_len), (most, self.max_len)] {
                if let Some(bound) = bound {
                    schema.insert((*keyword).to_owned(), bound.into());
                }
            }
        }
        if let (true, Some(pattern)) = (textual, self.pattern) {
            schema.insert("pattern".to_owned(), pattern.into());
        }
    }
}

fn tighten(
    schema: &mut Map<String, Value>,
    keyword: &str,
    bound: Option<f64>,
    pick: fn(f64, f64) -> f64,
) {
    let Some(bound) = bound else { return };
    let own = schema.get(keyword).and_then(Value::as_f64);
    let bound = own.map_or(bound, |own| pick(own, bound));
    if let Some(number) = number(bound) {
        schema.insert(keyword.to_owned(), Value::Number(number));
    }
}

/// Writes a bound as a person would: `1`, not `1.0`.
fn number(bound: f64) -> Option<Number> {
    // Up to 2^53 every integer has an exact double, so that the cast changes nothing.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be integral and small on the same line"
    )]
    let whole =
        (bound.fract() == 0.0 && bound.abs() <= 9_007_199_254_740_992.0).then_some(bound as i64);
    whole.map(Number::from).or_else(|| Number::from_f64(bound))
}
