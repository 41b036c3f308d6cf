//! A call by name, JSON text in and JSON text out, against the same by hand.

use std::hint::black_box;

use helve::Registry;
use helve::prelude::*;
use serde::Deserialize;
use tokio::runtime::{Builder, Runtime};

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 60;

/// What the weather will be.
#[helve::data]
struct Forecast {
    city: String,
    days: u32,
    degrees: f64,
}

/// Looks up the weather of the next days.
#[tool(read_only)]
async fn forecast(
    /// The city.
    city: String,
    /// How many days ahead.
    days: u32,
    /// Whether to answer in metric units.
    metric: Option<bool>,
) -> Forecast {
    let degrees = if metric.unwrap_or(true) { 21.5 } else { 70.7 };
    Forecast {
        city,
        days,
        degrees,
    }
}

/// One change of a file.
#[helve::data]
struct Edit {
    line: u32,
    old: String,
    new: String,
}

/// What a file became.
#[helve::data]
struct Edited {
    path: String,
    lines: usize,
    note: String,
}

/// Changes a file.
#[tool]
async fn edit(
    /// The file.
    path: String,
    /// What to change.
    edits: Vec<Edit>,
    /// Why.
    note: String,
) -> Edited {
    Edited {
        path,
        lines: edits.len(),
        note,
    }
}

#[derive(Deserialize)]
struct ForecastArguments {
    city: String,
    days: u32,
    metric: Option<bool>,
}

#[derive(Deserialize)]
struct EditArguments {
    path: String,
    edits: Vec<Edit>,
    note: String,
}

pub(crate) fn rows() -> Vec<Row> {
    let short = r#"{"city":"Paris","days":3,"metric":true}"#;
    let long = long_call();
    let (registry, context, runtime) =
        (Registry::collect().unwrap(), ToolContext::new(), runtime());
    // Where the linker sees the whole program it can inline the call as it does the hand-written one.
    let bar = Bar::Ratio(if is_fat_lto() { 1.15 } else { 1.3 });
    let ours = |name: &'static str, text: &str, runs: u32| {
        nanos_per_call(&runtime, runs, async || {
            registry
                .call(black_box(name), black_box(text), &context)
                .await
                .unwrap()
                .into_text()
        })
    };
    let short_rounds = measure_alternately(
        ROUNDS,
        || ours("forecast", short, 20_000),
        || {
            nanos_per_call(&runtime, 20_000, async || {
                let given: ForecastArguments = serde_json::from_str(black_box(short)).unwrap();
                serde_json::to_string(&forecast(given.city, given.days, given.metric).await)
                    .unwrap()
            })
        },
    );
    let long_rounds = measure_alternately(
        ROUNDS,
        || ours("edit", &long, 3_000),
        || {
            nanos_per_call(&runtime, 3_000, async || {
                let given: EditArguments = serde_json::from_str(black_box(&long)).unwrap();
                serde_json::to_string(&edit(given.path, given.edits, given.note).await).unwrap()
            })
        },
    );
    let against = "from_str, await, to_string";
    vec![
        Row {
            what: "dispatch of a short call",
            against,
            bar,
            rounds: short_rounds,
        },
        Row {
            what: "dispatch of a 2.4 kB call",
            against,
            bar,
            rounds: long_rounds,
        },
    ]
}

/// Awaits a call again and again inside one runtime; returns the nanoseconds of one.
fn nanos_per_call(runtime: &Runtime, runs: u32, call: impl AsyncFn() -> String) -> f64 {
    nanos_per_run(1, || {
        runtime.block_on(async {
            for _ in 0..runs {
                black_box(call().await);
            }
        });
    }) / f64::from(runs)
}

pub(crate) fn runtime() -> Runtime {
    Builder::new_current_thread().enable_all().build().unwrap()
}

fn long_call() -> String {
    let edits: Vec<_> = (0..16)
        .map(|line| {
            let old = format!("let total_{line} = first_value + second_value;");
            let new = format!("let total_{line} = sum(&[first_value, second_value])?;");
            serde_json::json!({ "line": line, "old": old, "new": new })
        })
        .collect();
    let note =
        "One function adds up now, so that an overflow is an error in every place. ".repeat(2);
    serde_json::json!({ "path": "src/totals.rs", "edits": edits, "note": note }).to_string()
}

/// Cargo puts the binary below a folder that is named after the profile.
fn is_fat_lto() -> bool {
    let binary = std::env::current_exe().unwrap();
    binary
        .components()
        .any(|part| part.as_os_str() == "bench-lto")
}
