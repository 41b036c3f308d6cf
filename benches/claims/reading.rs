//! What a result costs on its way to the model: escapes, secrets, the share of the budget, and the enclosure.

use std::hint::black_box;
use std::time::Duration;

use futures_util::FutureExt;
use helve::ToolOutput;
use helve::results::{ResultInput, ResultPipeline};
use helve::schema;
use helve::tool::ToolSpec;
use helve::transcript::{CallAddress, SessionId, ToolCall};

use crate::harness::{Bar, Row, measure_alternately, nanos_per_run};

const ROUNDS: usize = 40;

/// Ordinary text of 80,000 characters and a little more, with two secrets.
fn long() -> String {
    let line = "    let name = config.get(\"name\").unwrap_or(default); // see https://example.org/docs: a = b\n";
    let mut text = line.repeat(900);
    text.insert_str(20_000, "password = \"hunter2hunter2\"\n");
    text.push_str("ghp_abcdefghij1234567890abcdefghij123456\n");
    text.push_str(&"more\n".repeat(100));
    text
}

fn read(pipeline: &ResultPipeline, spec: &ToolSpec, call: &ToolCall, text: String) {
    let (session, address): (SessionId, CallAddress) = ("s".into(), "t1/1.0".parse().unwrap());
    let input = ResultInput::new(&session, &address, call).spec(spec);
    let reading = pipeline.process(input, Ok(ToolOutput::plain(text)));
    black_box(reading.now_or_never().unwrap());
}

/// Copies a text and looks once for something that it may have.
fn copy(text: &str) {
    black_box(text.to_string().contains('\u{1b}'));
}

pub(crate) fn rows() -> Vec<Row> {
    let pipeline = ResultPipeline::new();
    let call = ToolCall::new("c", "fetch", r#"{"url":"https://example.org"}"#);
    let trusted = ToolSpec::new("fetch", "d", schema::input_schema(Vec::new()));
    let mut untrusted = trusted.clone();
    untrusted.untrusted_output = true;
    let row = |what, text: &str, spec: &ToolSpec, runs, bar| Row {
        what,
        against: "to_string and one search",
        bar: Bar::Time(bar),
        rounds: measure_alternately(
            ROUNDS,
            || nanos_per_run(runs, || read(&pipeline, spec, &call, text.to_string())),
            || nanos_per_run(runs, || copy(text)),
        ),
    };
    let short = "Paris: 12 °C, rain until the evening; wind from the west, 20 km/h.";
    let (milli, micro) = (Duration::from_millis(1), Duration::from_micros(1));
    vec![
        row("reading a short result", short, &trusted, 3_000, micro),
        row(
            "reading a result of 80,000 characters",
            &long(),
            &trusted,
            5,
            milli,
        ),
        row(
            "reading an untrusted one of 80,000 characters",
            &long(),
            &untrusted,
            5,
            2 * milli,
        ),
    ]
}
