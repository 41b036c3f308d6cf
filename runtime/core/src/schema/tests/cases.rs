//! The golden cases: types, valid values, and invalid texts.

use std::collections::{BTreeMap, HashMap, HashSet};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::CanonicalSchema;
use super::types::*;

/// A golden case.
pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) schema: CanonicalSchema,
    /// Serialised values of the type.
    pub(super) good: Vec<Value>,
    /// Values that neither serde nor the schema accepts.
    pub(super) bad: Vec<Value>,
    /// Whether serde accepts a value.
    pub(super) decodes: fn(&Value) -> bool,
}

fn case<T: JsonSchema + Serialize + DeserializeOwned>(
    name: &'static str,
    good: &[T],
    bad: &[&str],
) -> Case {
    Case {
        name,
        schema: schema_of::<T>(),
        good: good
            .iter()
            .map(|value| serde_json::to_value(value).unwrap())
            .collect(),
        bad: bad
            .iter()
            .map(|text| serde_json::from_str(text).unwrap())
            .collect(),
        decodes: |value| serde_json::from_str::<T>(&value.to_string()).is_ok(),
    }
}

fn point() -> Point {
    Point {
        latitude: 48.85,
        longitude: 2.35,
    }
}

fn address() -> Address {
    Address {
        street: "Rue 1".into(),
        at: point(),
        floor: Some(-1),
    }
}

fn tree() -> Tree {
    let leaf = Tree {
        label: "leaf".into(),
        children: vec![],
        twin: None,
    };
    Tree {
        label: "root".into(),
        children: vec![leaf.clone(), leaf.clone()],
        twin: Some(Box::new(leaf)),
    }
}

/// Every golden case.
pub(super) fn all() -> Vec<Case> {
    let mut cases = structures();
    cases.extend(enums());
    cases.extend(values());
    cases
}

fn structures() -> Vec<Case> {
    let shapes = [Shape::Dot, Shape::Circle { radius: 1.5 }];
    let full = Options {
        number: Some(4_000_000_000),
        text: Some("x".into()),
        unit: Some(Unit::Kelvin),
        plain: Some(Plain::Low),
        place: Some(address()),
        shape: Some(shapes[1].clone()),
        either: Some(Untagged::Name("x".into())),
        list: Some(vec![Some(1), None]),
        map: Some(BTreeMap::from([
            ("a".into(), None),
            ("b".into(), Some(true)),
        ])),
        pair: Some((None, -5)),
        twice: Some(Some(true)),
        any: Some(serde_json::json!({"x": [1]})),
    };
    let folder = Folder {
        files: vec![File {
            name: "a".into(),
            archive: Some(Folder { files: vec![] }),
        }],
    };
    vec![
        case(
            "nested",
            &[
                address(),
                Address {
                    floor: None,
                    ..address()
                },
            ],
            &[
                r#"{"street":"x"}"#,
                r#"{"street":"x","at":{"latitude":1,"longitude":2,"height":3}}"#,
                r#"{"street":"x","at":{"latitude":1,"longitude":2},"floor":200}"#,
                r#"{"street":5,"at":{"latitude":1,"longitude":2}}"#,
                r#"{"street":null,"at":{"latitude":1,"longitude":2}}"#,
            ],
        ),
        case(
            "recursive",
            &[tree(), tree().children[0].clone()],
            &[
                r#"{"label":"x","children":[{"label":"y"}]}"#,
                r#"{"label":"x","children":[],"twin":{"label":1,"children":[]}}"#,
            ],
        ),
        case(
            "mutual",
            &[folder.clone(), Folder { files: vec![] }],
            &[
                r#"{"files":[{"name":"a","archive":{"files":[{}]}}]}"#,
                r#"{"files":{}}"#,
            ],
        ),
        case(
            "options",
            &[full, Options::default()],
            &[
                r#"{"number":-1}"#,
                r#"{"number":1.5}"#,
                r#"{"unit":"rankine"}"#,
                r#"{"list":[null,"x"]}"#,
                r#"{"pair":[null,null]}"#,
                r#"{"shape":"circle"}"#,
                r#"{"map":{"a":1}}"#,
            ],
        ),
        case(
            "maps",
            &[
                Maps {
                    labels: BTreeMap::from([("a".into(), "b".into())]),
                    by_id: HashMap::from([(7, point())]),
                    by_level: BTreeMap::from([(Plain::Low, 1.5)]),
                    free: serde_json::json!([1, "x", null]),
                },
                Maps {
                    labels: BTreeMap::new(),
                    by_id: HashMap::new(),
                    by_level: BTreeMap::new(),
                    free: Value::Null,
                },
            ],
            &[
                r#"{"labels":{"a":1},"by_id":{},"by_level":{},"free":0}"#,
                r#"{"labels":{},"by_id":{"x":{"latitude":1,"longitude":2}},"by_level":{},"free":0}"#,
                r#"{"labels":{},"by_id":{},"by_level":{"rankine":1},"free":0}"#,
            ],
        ),
        case(
            "tuples",
            &[
                Tuples(1, ("a".into(), true), [0.5, 1.0]),
                Tuples(0, (String::new(), false), [0.0, 0.0]),
            ],
            &[
                r#"[1,["a",true]]"#,
                r#"[1,["a",true],[0.5,1.0],4]"#,
                r#"[256,["a",true],[0.5,1.0]]"#,
                r#"[1,["a","b"],[0.5,1.0]]"#,
            ],
        ),
        case(
            "newtypes",
            &[
                Newtypes {
                    id: Id("a".into()),
                    other: Some(Id("b".into())),
                    ids: vec![Id("c".into())],
                },
                Newtypes {
                    id: Id("a".into()),
                    other: None,
                    ids: vec![],
                },
            ],
            &[r#"{"id":["a"],"ids":[]}"#, r#"{"id":"a","ids":[1]}"#],
        ),
        case(
            "flattened",
            &[
                Flat {
                    name: "n".into(),
                    point: Point2 { x: 1, y: None },
                    action: Action::Stop,
                },
                Flat {
                    name: "n".into(),
                    point: Point2 { x: 1, y: Some(2) },
                    action: Action::Say(Speech { text: "hi".into() }),
                },
            ],
            &[
                r#"{"name":"n","kind":"stop"}"#,
                r#"{"name":"n","x":1,"kind":"jump"}"#,
                r#"{"name":"n","x":1}"#,
            ],
        ),
        case(
            "defaults",
            &[
                Defaults {
                    count: 3,
                    tags: vec!["a".into()],
                    note: None,
                },
                Defaults {
                    count: 10,
                    tags: vec![],
                    note: Some("x".into()),
                },
            ],
            &[r#"{"count":null}"#, r#"{"tags":[1]}"#, r#"{"count":70000}"#],
        ),
    ]
}

fn enums() -> Vec<Case> {
    vec![
        case(
            "external",
            &[
                Shape::Empty,
                Shape::Circle { radius: 2.0 },
                Shape::Line(point(), point()),
                Shape::Label("x".into()),
            ],
            &[
                r#""circle""#,
                r#"{"circle":{}}"#,
                r#"{"square":{}}"#,
                r#""emty""#,
                r#"{"line":[{"latitude":1,"longitude":1}]}"#,
            ],
        ),
        case(
            "internal",
            &[
                Action::Move {
                    to: point(),
                    speed: Some(1.5),
                },
                Action::Say(Speech { text: "x".into() }),
                Action::Stop,
            ],
            &[
                r#"{"kind":"move"}"#,
                r#"{"kind":"walk"}"#,
                r#"{"to":1}"#,
                r#"{"kind":"say","text":1}"#,
            ],
        ),
        case(
            "adjacent",
            &[
                Adjacent::Number(5),
                Adjacent::Pair(1, "x".into()),
                Adjacent::Unit,
            ],
            &[
                r#"{"t":"Number"}"#,
                r#"{"t":"Number","c":-1}"#,
                r#"{"t":"Pair","c":[1]}"#,
                r#"{"t":"Other"}"#,
            ],
        ),
        case(
            "untagged",
            &[
                Untagged::Id(1),
                Untagged::Name("x".into()),
                Untagged::Both {
                    id: 1,
                    name: "x".into(),
                },
            ],
            &["-1", "true", r#"{"id":1}"#],
        ),
        case(
            "unit_documented",
            &[Unit::Celsius, Unit::Kelvin],
            &[r#""celsus""#, "1"],
        ),
        case(
            "unit_plain",
            &[Plain::Low, Plain::High],
            &[r#""low""#, "null"],
        ),
    ]
}

fn values() -> Vec<Case> {
    let widths = Widths {
        a: 255,
        b: -128,
        c: 65535,
        d: -32768,
        e: u32::MAX,
        f: i32::MIN,
        g: u64::MAX,
        h: i64::MIN,
        i: 1,
        j: 0.5,
        k: 1e300,
        l: std::num::NonZeroU32::MIN,
        m: std::num::NonZeroI32::MIN,
    };
    let small = Widths {
        a: 0,
        b: 127,
        e: 0,
        f: 7,
        g: 0,
        h: i64::MAX,
        ..widths.clone()
    };
    let with = |key: &str, value: &str| {
        let mut map = serde_json::to_value(&widths).unwrap();
        map[key] = serde_json::from_str(value).unwrap();
        map.to_string()
    };
    let bad: Vec<String> = [
        ("a", "256"),
        ("b", "128"),
        ("c", "-1"),
        ("e", "4294967296"),
        ("f", "2147483648"),
        ("g", "-1"),
        ("h", "9223372036854775808"),
        ("a", "1.0"),
        ("l", "0"),
        ("m", "0"),
        ("j", "\"x\""),
    ]
    .map(|(key, value)| with(key, value))
    .to_vec();
    let bad: Vec<&str> = bad.iter().map(String::as_str).collect();
    let formats = Formats {
        address: "127.0.0.1".parse().unwrap(),
        at: "2026-11-21T10:00:00Z".into(),
        link: "https://example.org".into(),
        letter: 'é',
        path: "/tmp".into(),
        wait: std::time::Duration::from_secs(1),
    };
    let other = Formats {
        address: "::1".parse().unwrap(),
        letter: 'x',
        ..formats.clone()
    };
    let wrong = |key: &str, value: &str| {
        let mut map = serde_json::to_value(&formats).unwrap();
        map[key] = value.into();
        map.to_string()
    };
    let (address, letter) = (wrong("address", "1.2.3"), wrong("letter", "xy"));
    let bounded = Bounded {
        stars: 5,
        word: "abc".into(),
        seen: HashSet::from(["x".into()]),
    };
    vec![
        case("widths", &[widths, small], &bad),
        case("formats", &[formats, other], &[&address, &letter]),
        case(
            "bounded",
            &[
                bounded.clone(),
                Bounded {
                    stars: 1,
                    seen: HashSet::new(),
                    ..bounded
                },
            ],
            &[r#"{"stars":"5","word":"abc","seen":[]}"#],
        ),
    ]
}
