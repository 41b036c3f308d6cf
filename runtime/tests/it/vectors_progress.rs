//! How other systems gather what tools report, held against helve; see `support/vectors.rs`.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::support::vectors;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve_runtime::tool::{
    Progress, ProgressBuffer, ProgressSettings, ProgressStream, ProgressUpdate, tail_for_progress,
};
use serde_json::{Value, json};
use vectors::{Case, Tally, load_topic};

/// Where helve differs, and why.
const DIFFERENCES: &[(&str, &str)] = &[];

#[tokio::test(start_paused = true)]
async fn tool_progress() {
    let Some(cases) = load_topic("tool_progress") else {
        return;
    };
    let mut tally = Tally::new("tool_progress");
    for case in &cases {
        match case.function.as_str() {
            "diff_tail_for_progress" => {
                let text = |key: &str| case.input[key].as_str().unwrap_or_default();
                let new = tail_for_progress(text("prev"), text("cur"));
                tally.compare(case, &json!(new), &case.expected);
            }
            "tool_progress_scenario" => {
                let found = Scenario::new(case).play().await;
                tally.compare(case, &found, &told_only(&case.expected));
            }
            other => panic!(
                "{}: `{other}` is a function that these tests do not know",
                case.id
            ),
        }
    }
    tally.finish(DIFFERENCES);
}

/// Keeps of the expected events what helve's have too: what is told, of which call, and what stands between.
fn told_only(expected: &Value) -> Value {
    let events = expected["events"].as_array().cloned().unwrap_or_default();
    let events = events.into_iter().map(|event| match event.get("$mark") {
        Some(mark) => json!({ "mark": mark }),
        // The end of a call's reports is of no stream with us.
        None if event["closed"] == true => json!({
            "call": event["tool_call_id"],
            "text": event["text"],
            "closed": true
        }),
        None => json!({
            "call": event["tool_call_id"],
            "text": event["text"],
            "stream": event["stream"]
        }),
    });
    json!({ "events": events.collect::<Vec<_>>(), "waiting": expected["pending_buffers_after"] })
}

/// A chat with at most one call in it.
struct Scenario<'c> {
    case: &'c Case,
    settings: ProgressSettings,
    events: Arc<Mutex<Vec<Value>>>,
    call: Option<ProgressBuffer>,
    progress: Progress,
}

impl<'c> Scenario<'c> {
    fn new(case: &'c Case) -> Self {
        let environment = &case.input["env"];
        let variable = |name: &str| {
            let name = match name {
                "HELVE_PROGRESS" => "SAGE_TOOL_PROGRESS_ENABLED",
                "HELVE_PROGRESS_FLUSH_MS" => "SAGE_TOOL_PROGRESS_FLUSH_INTERVAL_MS",
                "HELVE_PROGRESS_MAX_BYTES" => "SAGE_TOOL_PROGRESS_FLUSH_BYTES",
                other => panic!("{other} has no name there"),
            };
            environment[name].as_str().map(str::to_owned)
        };
        Self {
            case,
            settings: ProgressSettings::default()
                .with_environment(variable)
                .unwrap(),
            events: Arc::default(),
            call: None,
            progress: Progress::default(),
        }
    }

    async fn play(mut self) -> Value {
        for step in self.case.input["steps"].as_array().unwrap() {
            let word = |index: usize| step[index].as_str().unwrap_or_default();
            match word(0) {
                "register" => {}
                "unregister" | "cleanup" => self.call = None,
                // A call without an id is none of a chat.
                "bind" if word(2).is_empty() => self.progress = Progress::default(),
                "bind" => self.bind(word(2)),
                "emit" => self.progress.text(stream(word(2)), word(1)),
                "closed" => self.progress.close(),
                "mark" => self.events.lock().unwrap().push(json!({ "mark": word(1) })),
                "sleep_ms" => self.sleep(step[1].as_u64().unwrap()).await,
                other => panic!(
                    "{}: `{other}` is a step that these tests do not know",
                    self.case.id
                ),
            }
        }
        let waiting = self.call.as_ref().map_or(0, ProgressBuffer::pending);
        json!({ "events": *self.events.lock().unwrap(), "waiting": waiting })
    }

    fn bind(&mut self, call: &str) {
        let (events, call) = (self.events.clone(), call.to_owned());
        let buffer = ProgressBuffer::new(&self.settings, move |update: ProgressUpdate| {
            let mut event = json!({ "call": call, "text": update.text });
            match update.stream {
                Some(stream) => event["stream"] = json!(stream),
                None => event["closed"] = json!(update.closed),
            }
            events.lock().unwrap().push(event);
        });
        self.progress = buffer.progress();
        self.call = Some(buffer);
    }

    async fn sleep(&self, milliseconds: u64) {
        let sleeping = tokio::time::sleep(Duration::from_millis(milliseconds));
        match &self.call {
            Some(call) => call.run_with_flush(sleeping).await,
            None => sleeping.await,
        }
    }
}

fn stream(name: &str) -> ProgressStream {
    match name {
        "stderr" => ProgressStream::Stderr,
        "info" => ProgressStream::Info,
        _ => ProgressStream::Stdout,
    }
}
