//! A parameter of a tool, as described by the macro's table.

use schemars::transform::Transform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Number, Value};

use super::keyword::ReadKeywords as _;

/// A parameter of a tool.
#[derive(Clone, Debug)]
pub struct ParameterSchema<'a> {
    /// The key of the argument in the call.
    pub name: &'a str,
    /// The description for the model; if it is empty, the documentation of the type is used.
    pub description: &'a str,
    /// Generates the schema of the type.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// Whether the argument is required.
    pub required: bool,
    /// The value that is used if the argument is absent.
    pub default: Option<Value>,
    /// Example values for the model.
    pub examples: Vec<Value>,
    /// The constraints beyond the type.
    pub constraints: Constraints,
}

/// The constraints on a value beyond its type.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Constraints {
    /// The minimum of a number.
    pub min: Option<f64>,
    /// The maximum of a number.
    pub max: Option<f64>,
    /// The minimum number of characters of a string, items of an array or entries of a map.
    pub min_len: Option<usize>,
    /// The maximum number of characters of a string, items of an array or entries of a map.
    pub max_len: Option<usize>,
    /// A regular expression that a string must contain a match of.
    pub pattern: Option<&'static str>,
}

impl Constraints {
    /// No constraints.
    pub const NONE: Self = Self {
        min: None,
        max: None,
        min_len: None,
        max_len: None,
        pattern: None,
    };

    /// Reports whether there are no constraints; called once per argument.
    #[inline]
    pub(crate) const fn is_none(&self) -> bool {
        self.min.is_none()
            && self.max.is_none()
            && self.min_len.is_none()
            && self.max_len.is_none()
            && self.pattern.is_none()
    }

    /// Writes the constraints into a schema, with the keywords of its type.
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
            // The bound of the type is kept if it is tighter.
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

/// The constraints of a field, which its type's derive applies.
impl Transform for Constraints {
    fn transform(&mut self, schema: &mut Schema) {
        self.write(schema.ensure_object());
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

/// Converts a bound to the shortest form: `1`, not `1.0`.
fn number(bound: f64) -> Option<Number> {
    // Up to 2^53 every integer is exactly representable as a double, so that the cast is lossless.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be integral and small on the same line"
    )]
    let whole =
        (bound.fract() == 0.0 && bound.abs() <= 9_007_199_254_740_992.0).then_some(bound as i64);
    whole.map(Number::from).or_else(|| Number::from_f64(bound))
}
