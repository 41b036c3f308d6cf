//! What a turn costs of its own: `cargo test --release -p helve-runtime --test turn_cost -- --ignored --nocapture`.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use helve_runtime::agent::turn::{Bounds, Outcome, Plan, Purpose, Record, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{AssistantMessage, CallKey, Content, Part, ToolCall, Usage};

fn reply(part: Part, stop: StopReason) -> Reply {
    Reply {
        message: AssistantMessage {
            content: vec![part],
        },
        stop,
        usage: Usage::new(10, 2),
    }
}

/// A model call, one tool call, a model call.
fn records() -> Vec<Record> {
    let call = CallKey::new(1, 0);
    let asked = ToolCall::new("call_1", "get_weather", r#"{"city":"Paris"}"#);
    let text = Part::Text {
        text: "It rains. ".repeat(200),
    };
    let plan = Plan {
        verdict: Verdict::Allow,
        exclusive: false,
        idempotent: true,
    };
    let purpose = Purpose::Reply;
    vec![
        Record::ModelStarted { round: 1, purpose },
        Record::ModelDone {
            round: 1,
            reply: reply(Part::ToolCall(asked), StopReason::ToolUse),
        },
        Record::Planned { call, plan },
        Record::Started { calls: vec![call] },
        Record::Finished {
            call,
            outcome: Outcome::ok(Content::text("rain ".repeat(2_000))),
        },
        Record::ModelStarted { round: 2, purpose },
        Record::ModelDone {
            round: 2,
            reply: reply(text, StopReason::EndTurn),
        },
    ]
}

/// Takes the best of many rounds, since anything else on the machine only adds.
fn best(mut work: impl FnMut()) -> Duration {
    let round = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        (0..1_000).for_each(|_| work());
        start.elapsed() / 1_000
    };
    (0..50).map(|_| round(&mut work)).min().unwrap()
}

#[test]
#[ignore = "a measurement: it wants the release profile and a quiet machine"]
fn a_turn_folds_in_well_under_five_microseconds() {
    let records = records();
    let fold = best(|| {
        let mut turn = Turn::new(Bounds::new(10));
        for record in &records {
            turn.apply(record).unwrap();
        }
        black_box(&turn);
    });
    let drive = best(|| {
        let (mut turn, mut messages) = (Turn::new(Bounds::new(10)), Vec::new());
        for record in &records {
            black_box(turn.next());
            turn.apply_to(record, &mut messages).unwrap();
        }
        black_box((turn.next(), messages));
    });
    let count = records.len() as u32;
    println!(
        "fold: {fold:?} a turn, {:?} a record; with steps and messages: {drive:?}",
        fold / count
    );
    assert!(drive < Duration::from_micros(5), "{drive:?}");
}
