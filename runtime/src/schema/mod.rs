//! Stub of the schema floor.
use schemars::{Schema, SchemaGenerator};
use serde_json::{Value, json};
use std::sync::OnceLock;
/// c
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraints {
    /// c
    pub min: Option<f64>,
    /// c
    pub max: Option<f64>,
    /// c
    pub min_len: Option<usize>,
    /// c
    pub max_len: Option<usize>,
    /// c
    pub pattern: Option<&'static str>,
}
impl Constraints {
    /// none
    pub const NONE: Self = Self {
        min: None,
        max: None,
        min_len: None,
        max_len: None,
        pattern: None,
    };
}
/// p
#[derive(Debug)]
pub struct ParameterSchema<'a> {
    /// c
    pub name: &'a str,
    /// c
    pub description: &'a str,
    /// c
    pub schema: fn(&mut SchemaGenerator) -> Schema,
    /// c
    pub required: bool,
    /// c
    pub default: Option<Value>,
    /// c
    pub examples: Vec<Value>,
    /// c
    pub constraints: Constraints,
}
/// c
#[derive(Debug)]
pub struct Canonical {
    value: Value,
    text: OnceLock<String>,
}
/// d
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// c
    Mcp,
    /// c
    OpenAi,
    /// c
    OpenAiStrict,
    /// c
    Anthropic,
    /// c
    Gemini,
}
impl Canonical {
    /// v
    pub fn value(&self) -> &Value {
        &self.value
    }
    /// r
    pub fn render(&self, _d: Dialect) -> &str {
        self.text.get_or_init(|| self.value.to_string())
    }
    /// w
    pub fn requires_walk(&self) -> bool {
        false
    }
}
/// i
pub fn input_schema(ps: Vec<ParameterSchema<'_>>) -> Canonical {
    let mut g = SchemaGenerator::default();
    let mut props = serde_json::Map::new();
    let mut req = vec![];
    for p in ps {
        props.insert(p.name.into(), (p.schema)(&mut g).into());
        if p.required {
            req.push(p.name.to_owned())
        }
    }
    Canonical {
        value: json!({"type":"object","properties":props,"required":req,"additionalProperties":false}),
        text: OnceLock::new(),
    }
}
/// o
pub fn output_schema(f: fn(&mut SchemaGenerator) -> Schema) -> Option<Canonical> {
    let mut g = SchemaGenerator::default();
    let v: Value = f(&mut g).into();
    (v.get("type") == Some(&json!("object"))).then(|| Canonical {
        value: v,
        text: OnceLock::new(),
    })
}
/// e
#[derive(Debug, thiserror::Error)]
#[error("schema")]
pub struct SchemaError;
/// f
pub fn from_value(value: Value) -> Result<Canonical, SchemaError> {
    Ok(Canonical {
        value,
        text: OnceLock::new(),
    })
}
/// m
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Mistake {
    /// c
    pub path: String,
    /// c
    pub expected: String,
    /// c
    pub got: String,
    /// c
    pub suggestion: Option<String>,
}
/// m
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Mistakes(pub Vec<Mistake>);
impl Mistakes {
    /// e
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
impl From<Mistake> for Mistakes {
    fn from(m: Mistake) -> Self {
        Self(vec![m])
    }
}
impl std::fmt::Display for Mistakes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}
/// e
pub fn explain(_s: &Canonical, _a: &str) -> Mistakes {
    Mistakes::default()
}
/// r
#[derive(Debug)]
pub struct Repaired {
    /// c
    pub arguments: String,
    /// c
    pub repairs: Vec<String>,
}
/// r
pub fn repair(_s: &Canonical, _a: &str) -> Option<Repaired> {
    None
}
