//! What a tool takes by reference.

use super::*;

trait Clock: Send + Sync {
    fn hour(&self) -> u8;
}

struct At(u8);

impl Clock for At {
    fn hour(&self) -> u8 {
        self.0
    }
}

struct Stations(u32);

/// Takes state of every kind.
#[tool]
async fn kinds(
    stations: &Stations,
    shared: &Arc<Stations>,
    clock: &dyn Clock,
    absent: Option<&At>,
    cx: &ToolContext,
) -> String {
    let turn = cx.turn_number();
    format!(
        "{} {} {} {} {turn}",
        stations.0,
        shared.0,
        clock.hour(),
        absent.is_some(),
    )
}

/// Takes state on the blocking pool.
#[tool(blocking)]
fn kinds_blocking(clock: &dyn Clock, absent: Option<&Stations>, cx: &ToolContext) -> String {
    format!("{} {} {}", clock.hour(), absent.is_some(), cx.turn_number())
}

/// Counts stations.
#[tool]
fn stations(stations: &Stations) -> u32 {
    stations.0
}

fn all() -> ToolContext {
    let mut app = State::new();
    app.insert(Stations(1));
    app.insert(Arc::new(Stations(2)));
    app.insert_arc::<dyn Clock>(Arc::new(At(3)));
    ToolContext::builder()
        .app(Arc::new(app))
        .turn_number(4)
        .build()
}

#[tokio::test]
async fn is_lent_whatever_its_kind() {
    assert_eq!(
        call_text(|| toolset![kinds], "", &all()).await,
        "1 2 3 false 4"
    );
    assert_eq!(
        call_text(|| toolset![kinds_blocking], "", &all()).await,
        "3 true 4"
    );
}

#[tokio::test]
async fn that_is_missing_is_named() {
    let said = call_text(|| toolset![stations], "", &ToolContext::new()).await;
    assert_snapshot!(said, @"not_available: the tool needs the host state `it::tool_macro::host_state::Stations`, which this app does not have");
}

#[test]
fn that_is_missing_is_named_for_all_tools_before_anything_runs() {
    let error = toolset![kinds, stations]
        .check_state(&[])
        .unwrap_err()
        .to_string();
    let places = without_lines(&error);
    assert_snapshot!(places, @"
    some tools need state that this app does not provide:
      `kinds` (tests/it/tool_macro/host_state.rs:N) takes `&it::tool_macro::host_state::Stations`: add it with `.state(…)` or `.state_with(…)`
      `kinds` (tests/it/tool_macro/host_state.rs:N) takes `&alloc::sync::Arc<it::tool_macro::host_state::Stations>`: add it with `.state(…)` or `.state_with(…)`
      `kinds` (tests/it/tool_macro/host_state.rs:N) takes `&dyn it::tool_macro::host_state::Clock`: add it with `.state(…)` or `.state_with(…)`
      `stations` (tests/it/tool_macro/host_state.rs:N) takes `&it::tool_macro::host_state::Stations`: add it with `.state(…)` or `.state_with(…)`
    ");
}

/// Drops the line numbers, which every edit of this file changes.
fn without_lines(text: &str) -> String {
    let lines = text.lines().map(|line| match line.split_once(".rs:") {
        Some((before, after)) => {
            format!(
                "{before}.rs:N{}",
                after.trim_start_matches(|c: char| c.is_ascii_digit())
            )
        }
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn of_the_call_goes_before_the_sessions_and_that_before_the_apps() {
    let state = |number| {
        let mut state = State::new();
        state.insert(Stations(number));
        Arc::new(state)
    };
    let app = ToolContext::builder().app(state(1));
    let session = app.clone().session_state(state(2));
    let call = session.clone().call_state(state(3));
    for (context, expected) in [(app, "1"), (session, "2"), (call, "3")] {
        assert_eq!(
            call_text(|| toolset![stations], "", &context.build()).await,
            expected
        );
    }
}

#[tokio::test]
async fn that_is_lazy_is_made_once_and_its_failure_is_told() {
    let mut app = State::new();
    app.insert_with(|| Err::<Stations, _>("the list is empty"));
    let context = ToolContext::builder().app(Arc::new(app)).build();
    for _ in 0..2 {
        let said = call_text(|| toolset![stations], "", &context).await;
        assert_eq!(
            said,
            "failed: the state `it::tool_macro::host_state::Stations` could not be made: the list is empty"
        );
    }
}
