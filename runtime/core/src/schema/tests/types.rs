//! The types of the golden cases. The tests of the dialects in `helve-model` use these files, too.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{CanonicalSchema, Constraints, ParameterSchema, input_schema};

/// Creates a required parameter of a type.
pub(super) fn parameter<T: JsonSchema>(name: &str) -> ParameterSchema<'_> {
    ParameterSchema {
        name,
        description: "",
        schema: |generator| generator.subschema_for::<T>(),
        required: true,
        default: None,
        examples: Vec::new(),
        constraints: Constraints::NONE,
    }
}

/// Builds the input schema of a tool with one required parameter `value`.
pub(super) fn schema_of<T: JsonSchema>() -> CanonicalSchema {
    input_schema(vec![parameter::<T>("value")])
}

/// A place on earth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Address {
    /// Street and number.
    pub(super) street: String,
    /// Where it is.
    pub(super) at: Point,
    pub(super) floor: Option<i8>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
}

/// A tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Tree {
    /// What it is called.
    pub(super) label: String,
    pub(super) children: Vec<Tree>,
    pub(super) twin: Option<Box<Tree>>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Folder {
    pub(super) files: Vec<File>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) archive: Option<Folder>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shape {
    /// Nothing.
    Empty,
    Dot,
    /// Round.
    Circle {
        radius: f64,
    },
    Line(Point, Point),
    Label(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Action {
    /// Moves somewhere.
    Move {
        to: Point,
        speed: Option<f32>,
    },
    /// Says something.
    Say(Speech),
    Stop,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Speech {
    pub(super) text: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
pub(super) enum Adjacent {
    Number(u32),
    Pair(u8, String),
    Unit,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Untagged {
    /// By number.
    Id(u64),
    /// By name.
    Name(String),
    Both {
        id: u64,
        name: String,
    },
}

/// The unit of a temperature.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    /// Degrees Celsius,
    /// as most of the world has it.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
    Kelvin,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
pub(super) enum Plain {
    Low,
    High,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Options {
    pub(super) number: Option<u32>,
    pub(super) text: Option<String>,
    /// In this unit.
    pub(super) unit: Option<Unit>,
    pub(super) plain: Option<Plain>,
    pub(super) place: Option<Address>,
    pub(super) shape: Option<Shape>,
    pub(super) either: Option<Untagged>,
    pub(super) list: Option<Vec<Option<u32>>>,
    pub(super) map: Option<BTreeMap<String, Option<bool>>>,
    pub(super) pair: Option<(Option<String>, i16)>,
    pub(super) twice: Option<Option<bool>>,
    pub(super) any: Option<Value>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Maps {
    pub(super) labels: BTreeMap<String, String>,
    pub(super) by_id: HashMap<u32, Point>,
    pub(super) by_level: BTreeMap<Plain, f64>,
    pub(super) free: Value,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Tuples(
    pub(super) u8,
    pub(super) (String, bool),
    pub(super) [f32; 2],
);

/// An identifier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Id(pub(super) String);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Newtypes {
    pub(super) id: Id,
    /// The other one.
    pub(super) other: Option<Id>,
    pub(super) ids: Vec<Id>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Flat {
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) point: Point2,
    #[serde(flatten)]
    pub(super) action: Action,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Point2 {
    pub(super) x: i32,
    pub(super) y: Option<i32>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Defaults {
    #[serde(default = "ten")]
    pub(super) count: u16,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) note: Option<String>,
}

pub(super) fn ten() -> u16 {
    10
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Widths {
    pub(super) a: u8,
    pub(super) b: i8,
    pub(super) c: u16,
    pub(super) d: i16,
    pub(super) e: u32,
    pub(super) f: i32,
    pub(super) g: u64,
    pub(super) h: i64,
    pub(super) i: usize,
    pub(super) j: f32,
    pub(super) k: f64,
    pub(super) l: std::num::NonZeroU32,
    pub(super) m: std::num::NonZeroI32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Formats {
    pub(super) address: IpAddr,
    #[schemars(extend("format" = "date-time"))]
    pub(super) at: String,
    #[schemars(extend("format" = "uri"))]
    pub(super) link: String,
    pub(super) letter: char,
    pub(super) path: std::path::PathBuf,
    pub(super) wait: std::time::Duration,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Bounded {
    #[schemars(range(min = 1, max = 5))]
    pub(super) stars: u8,
    #[schemars(length(min = 2), regex(pattern = "^[a-z]+$"))]
    pub(super) word: String,
    pub(super) seen: HashSet<String>,
}
