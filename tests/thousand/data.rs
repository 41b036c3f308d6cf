//! The types that the tools take: one of each form that serde and the schema know.

use std::collections::BTreeMap;

/// Where something is.
#[helve::data]
pub(crate) struct Place {
    /// Degrees north.
    latitude: f64,
    /// Degrees east.
    longitude: f64,
    /// What people call it.
    name: Option<String>,
}

/// A way through places.
#[helve::data]
pub(crate) struct Journey {
    /// Where it leads.
    stops: Vec<Place>,
    /// Who travels.
    traveller: Traveller,
    /// How many days it takes.
    days: u8,
}

/// Somebody who travels.
#[helve::data]
pub(crate) struct Traveller {
    /// The name.
    name: String,
    /// What they carry, and how heavy it is.
    luggage: BTreeMap<String, u16>,
}

/// A form, with its kind beside its sizes.
#[helve::data]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum Shape {
    /// Round.
    Circle {
        /// From the middle to the edge.
        radius: u32,
    },
    /// Four corners.
    Rectangle {
        /// From left to right.
        width: u32,
        /// From top to bottom.
        height: u32,
    },
    /// Nothing to see.
    Empty,
}

/// An order, with its name around its data.
#[helve::data]
pub(crate) enum Command {
    /// Go on.
    Continue,
    /// Say something.
    Say(String),
    /// Go somewhere.
    Move {
        /// To the right.
        right: i32,
        /// Up.
        up: i32,
    },
    /// Take two numbers.
    Take(u8, u8),
}

/// Something that happened, with its data in a field of its own.
#[helve::data]
#[serde(tag = "type", content = "data")]
pub(crate) enum Event {
    /// It started.
    Started,
    /// So much is done.
    Progress {
        /// In hundredths.
        percent: u8,
    },
    /// It failed.
    Failed(String),
}

/// A name or a number; nothing says which.
#[helve::data]
#[serde(untagged)]
pub(crate) enum Key {
    /// By number.
    Number(u64),
    /// By name.
    Name(String),
    /// By place.
    Place(Place),
}

/// Where to, with a word on each.
#[helve::data]
pub(crate) enum Direction {
    /// Towards the pole star.
    North,
    /// Where the sun rises.
    East,
    /// Towards noon.
    South,
    /// Where the sun sets.
    West,
}

#[helve::data]
#[derive(Default)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Colour {
    #[default]
    Red,
    DarkGreen,
    LightBlue,
}

/// A length in metres.
#[helve::data]
pub(crate) struct Metres(f64);

/// The number of a user.
#[helve::data]
#[serde(transparent)]
pub(crate) struct UserId(u32);

/// A label that may be absent, in a type of its own.
#[helve::data]
pub(crate) struct Label(Option<String>);

/// A tree.
#[helve::data]
pub(crate) struct Tree {
    /// What is here.
    value: i32,
    /// What is below.
    children: Vec<Tree>,
}

/// A sum of sums.
#[helve::data]
pub(crate) enum Sum {
    /// A number.
    Number(i32),
    /// Two sums.
    Plus(Box<Sum>, Box<Sum>),
}

/// What can be set.
#[helve::data]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Settings {
    /// How many lines.
    #[serde(default)]
    line_count: u16,
    /// Which colour.
    #[serde(default)]
    main_colour: Colour,
    /// Where it is kept.
    #[serde(rename = "path")]
    location: String,
    /// What else there is.
    more: More,
}

/// What else can be set.
#[helve::data]
pub(crate) struct More {
    /// Out in the open.
    #[serde(flatten)]
    place: Place,
    /// How strong.
    strength: Option<i8>,
}

/// Host state that is there.
#[derive(Debug)]
pub(crate) struct Scale {
    /// What counts are multiplied by.
    pub(crate) factor: u64,
}

/// Host state that nobody gives.
#[derive(Debug)]
pub(crate) struct Absent;
