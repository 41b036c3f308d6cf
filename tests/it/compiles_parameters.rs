//! Everything that a tool may take.
#![allow(
    clippy::too_many_arguments,
    unused_qualifications,
    reason = "each kind of parameter and each way to name one is here"
)]

use helve::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

trait Clock: Send + Sync {
    fn hour(&self) -> u8;
}

struct Stations;
struct View<'a>(#[allow(dead_code)] &'a str);

/// Either, or not.
#[data]
#[derive(Clone, Default, Debug)]
struct Maybe(Option<String>);

type Perhaps<T> = Option<T>;

#[data]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
enum Unit {
    #[default]
    Celsius,
    Fahrenheit,
}

impl From<&str> for Unit {
    fn from(text: &str) -> Self {
        if text == "F" {
            Self::Fahrenheit
        } else {
            Self::Celsius
        }
    }
}

/// Takes values.
///
/// # Arguments
///
/// * `listed` - documented in a list,
///   over two lines
/// - maybe: without quotes
#[tool]
async fn values(
    listed: u8,
    maybe: Maybe,
    /// An alias.
    perhaps: Perhaps<u8>,
    /// A list.
    list: Vec<String>,
    /// A map.
    map: HashMap<String, u32>,
    /// A sorted map.
    sorted: BTreeMap<String, Vec<Option<u8>>>,
    /// A tuple.
    pair: (u8, String),
    /// An array.
    array: [u8; 2],
    /// A path.
    path: PathBuf,
    /// A box.
    boxed: Box<Unit>,
    /// Any JSON.
    json: serde_json::Value,
    /** A text. */
    text: &str,
    #[doc = "An optional text."] optional_text: Option<&str>,
    /// A slice.
    slice: &[Unit],
    #[arg(description = "A letter.")] letter: char,
    /// A list of its own.
    mut cloned: Vec<u8>,
) -> String {
    cloned.push(1);
    format!(
        "{listed}{maybe:?}{perhaps:?}{list:?}{map:?}{sorted:?}{pair:?}{array:?}{path:?}{boxed:?}{json:?}{text:?}{optional_text:?}{slice:?}{letter:?}"
    )
}

/// Takes defaults.
#[tool]
async fn defaults(
    /// Of the type.
    #[arg(default)]
    unit: Unit,
    /// A literal.
    #[arg(default = 2)]
    number: u64,
    /// A negative one.
    #[arg(default = -2.5, min = -3, max = 9.5)]
    fraction: f32,
    /// A path.
    #[arg(default = Unit::Fahrenheit)]
    variant: Unit,
    /// A call.
    #[arg(default = Vec::with_capacity(4))]
    list: Vec<u8>,
    /// A block.
    #[arg(default = { let a = 1; a + 1 })]
    block: u8,
    /// A text.
    #[arg(default = "a", min_len = 1, max_len = 9, pattern = "^[a-z]+$")]
    text: String,
    /// A borrowed text.
    #[arg(default = "b")]
    borrowed: &str,
    /// Borrowed from an empty text.
    #[arg(default)]
    empty: &str,
    /// An optional text.
    #[arg(default = Some("c"))]
    optional_text: Option<&str>,
    /// An optional number.
    #[arg(default = Some(3))]
    optional: Option<u8>,
    /// A slice.
    #[arg(default = vec![1, 2], max_len = 3)]
    slice: &[u8],
    /// An empty slice.
    #[arg(default)]
    empty_slice: &[u8],
    /// From a text.
    #[arg(default = "F", example = Unit::Celsius, example = Unit::Fahrenheit)]
    from_text: Unit,
    /// In two attributes.
    #[arg(name = "renamed-2")]
    #[arg(default = true)]
    flag: bool,
) -> String {
    format!(
        "{unit:?}{number}{fraction}{variant:?}{list:?}{block}{text}{borrowed}{empty}{optional_text:?}{optional:?}{slice:?}{empty_slice:?}{from_text:?}{flag}"
    )
}

/// Takes host state.
#[tool]
async fn host(
    stations: &Stations,
    shared: &Arc<Stations>,
    locked: &Mutex<Vec<u8>>,
    clock: &dyn Clock,
    both: &(dyn Clock + 'static),
    absent: Option<&Stations>,
    absent_clock: Option<&dyn Clock>,
    text: &Arc<str>,
    view: &View<'_>,
    fixed: &View<'static>,
    function: &fn(&str) -> u8,
    context: &helve::ToolContext,
) {
    let _ = (
        stations,
        shared,
        locked,
        clock.hour(),
        both,
        absent,
        text,
        view.0,
        fixed,
        function,
        context,
    );
    let _ = absent_clock.map(Clock::hour);
}

/// Takes host state on the blocking pool.
#[tool(blocking)]
fn host_blocking(
    /// A text.
    text: &str,
    /// An optional text.
    other: Option<&str>,
    /// A list.
    list: &[u8],
    /// A value.
    value: Unit,
    clock: &dyn Clock,
    absent: Option<&Stations>,
    cx: &ToolContext,
) -> usize {
    let _ = (clock.hour(), absent.is_some(), cx, value, other);
    text.len() + list.len()
}

#[test]
fn parameters_of_every_kind_compile() {
    let own = crate::tools_of(file!());
    let values = crate::named(&own, "values");
    let texts: Vec<_> = values
        .parameters()
        .iter()
        .map(|parameter| parameter.description)
        .collect();
    assert_eq!(texts[0], "documented in a list, over two lines");
    assert_eq!(texts[1], "without quotes");
    let defaults = crate::named(&own, "defaults");
    assert!(
        defaults
            .parameters()
            .iter()
            .all(|parameter| !parameter.is_required())
    );
    let required = values
        .parameters()
        .iter()
        .filter(|parameter| parameter.is_required())
        .count();
    assert_eq!(required, 13, "{values:?}");
    assert_eq!(crate::named(&own, "host").required_state().count(), 11);
}
