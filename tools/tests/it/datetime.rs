//! `datetime`, with a clock that stands still.

#![cfg(feature = "datetime")]

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use helve::{State, ToolContext};
use helve_tools::datetime::Clock;
use serde_json::{Value, json};

/// 2026-07-14T09:30:15.9Z, a Tuesday.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(1_784_021_415_900)
    }
}

async fn at(arguments: Value) -> String {
    let mut state = State::new();
    state.insert_arc::<dyn Clock>(Arc::new(Stopped));
    let cx = ToolContext::builder().app(Arc::new(state)).build();
    let tools = helve_tools::datetime();
    match tools.call("datetime", &arguments.to_string(), &cx).await {
        Ok(output) => output.into_text(),
        Err(error) => format!("{}: {error}", error.kind()),
    }
}

#[tokio::test]
async fn tells_the_time_of_the_clock() {
    insta::assert_snapshot!(at(json!({})).await, @r#"{"datetime":"2026-07-14T09:30:15+00:00[UTC]","date":"2026-07-14","time":"09:30:15","weekday":"Tuesday","timezone":"UTC","utc_offset":"+00:00","unix_seconds":1784021415}"#);
    insta::assert_snapshot!(at(json!({ "timezone": "america/los_angeles" })).await, @r#"{"datetime":"2026-07-14T02:30:15-07:00[America/Los_Angeles]","date":"2026-07-14","time":"02:30:15","weekday":"Tuesday","timezone":"America/Los_Angeles","utc_offset":"-07:00","unix_seconds":1784021415}"#);
}

#[tokio::test]
async fn converts_a_given_moment() {
    let in_tokyo = |at: &'static str| json!({ "timezone": "Asia/Tokyo", "at": at });
    for (given, expected) in [
        ("2026-01-01T00:00Z", "2026-01-01T09:00:00+09:00[Asia/Tokyo]"),
        (
            "2026-01-01T00:00-05:00",
            "2026-01-01T14:00:00+09:00[Asia/Tokyo]",
        ),
        (
            "2026-01-01T00:00[America/New_York]",
            "2026-01-01T14:00:00+09:00[Asia/Tokyo]",
        ),
        ("2026-01-01 08:00", "2026-01-01T08:00:00+09:00[Asia/Tokyo]"),
        ("2026-01-01", "2026-01-01T00:00:00+09:00[Asia/Tokyo]"),
    ] {
        let text = at(in_tokyo(given)).await;
        let value: Value =
            serde_json::from_str(&text).unwrap_or_else(|_| panic!("{given}: {text}"));
        assert_eq!(value["datetime"], expected, "{given}");
    }
    // The clocks jump from 02:00 to 03:00 that night.
    let gap = at(json!({ "timezone": "Europe/Paris", "at": "2026-03-29T02:30" })).await;
    assert!(
        gap.contains("2026-03-29T03:30:00+02:00[Europe/Paris]"),
        "{gap}"
    );
}

#[tokio::test]
async fn says_what_is_wrong() {
    let zone = |name: &'static str| at(json!({ "timezone": name }));
    insta::assert_snapshot!(zone("Europe/Pariss").await, @"failed: unknown time zone `Europe/Pariss`; did you mean `Europe/Paris`?");
    insta::assert_snapshot!(zone("tokyo").await, @"failed: unknown time zone `tokyo`; did you mean `Asia/Tokyo`?");
    insta::assert_snapshot!(zone("new york").await, @"failed: unknown time zone `new york`; did you mean `America/New_York`?");
    insta::assert_snapshot!(zone("qqqqqqqqqq").await, @"failed: unknown time zone `qqqqqqqqqq`; give an IANA name such as `Europe/Paris`, `America/New_York` or `UTC`");
    insta::assert_snapshot!(zone("").await, @"failed: unknown time zone ``; give an IANA name such as `Europe/Paris`, `America/New_York` or `UTC`");
    insta::assert_snapshot!(at(json!({ "at": "tomorrow" })).await, @"failed: `at` is not a moment: failed to parse four digit integer as year: invalid digit, expected 0-9 but got t; write it like `2026-07-14T09:30Z`, `2026-07-14T09:30[America/New_York]` or `2026-07-14T09:30`");
    insta::assert_snapshot!(at(json!({ "at": "2026-02-30T09:30Z" })).await, @"failed: `at` is not a moment: parsed date is not valid: parameter 'day' for `2026-02` is invalid, must be in range `1..=28`; write it like `2026-07-14T09:30Z`, `2026-07-14T09:30[America/New_York]` or `2026-07-14T09:30`");
}

#[tokio::test]
async fn takes_the_clock_of_the_machine_where_there_is_no_other() {
    let output = helve::testing::call(helve_tools::datetime::datetime, json!({}))
        .await
        .unwrap();
    let value: Value = serde_json::from_str(&output.text()).unwrap();
    assert!(value["unix_seconds"].as_i64() > Some(1_700_000_000));
    assert_eq!(value["timezone"], "UTC");
}
