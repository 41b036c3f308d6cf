//! Short ways to write a turn down.

#![allow(dead_code, reason = "each test binary uses some of it")]

use helve_runtime::agent::turn::{Bounds, Outcome, Plan, Purpose, Record, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Verdict};
use helve_runtime::transcript::{
    AssistantMessage, CallKey, Content, Cost, MessagePart, Origin, ToolCall, Usage,
};

pub(crate) fn origin() -> Origin {
    Origin::new("main", "t1")
}

pub(crate) fn key(index: u32) -> CallKey {
    CallKey::new(1, index)
}

pub(crate) fn reply(calls: &[&str], stop: StopReason) -> Reply {
    let part =
        |name: &&str| MessagePart::ToolCall(ToolCall::new(format!("id-{name}"), *name, "{}"));
    let message = AssistantMessage::new(calls.iter().map(part).collect());
    Reply {
        message,
        stop,
        usage: Usage::new(10, 2),
    }
}

pub(crate) fn started(round: u32) -> Record {
    Record::ModelStarted {
        round,
        purpose: Purpose::Reply,
    }
}

pub(crate) fn planned(index: u32, verdict: Verdict, exclusive: bool) -> Record {
    Record::Planned {
        call: key(index),
        plan: Plan {
            exclusive,
            idempotent: !exclusive,
            ..Plan::new(verdict)
        },
    }
}

pub(crate) fn asked(indices: &[u32]) -> Record {
    let calls = indices.iter().map(|&index| key(index)).collect();
    Record::Asked { calls }
}

pub(crate) fn answered(index: u32, decision: Decision) -> Record {
    let call = key(index);
    Record::Answered { call, decision }
}

pub(crate) fn run(indices: &[u32]) -> Record {
    Record::Started {
        calls: indices.iter().map(|&index| key(index)).collect(),
    }
}

pub(crate) fn finished(index: u32) -> Record {
    let outcome = Outcome::ok(Content::text(format!("result {index}"))).cost(Cost::from_micros(5));
    Record::Finished {
        call: key(index),
        outcome,
    }
}

pub(crate) fn ask() -> Verdict {
    Verdict::ask("it writes")
}

/// Makes a turn whose model has just made these calls.
pub(crate) fn called(bounds: Bounds, calls: &[&str]) -> Turn {
    let mut turn = Turn::new(origin(), bounds);
    let reply = reply(calls, StopReason::ToolUse);
    apply(&mut turn, &[started(1), Record::model_done(1, reply)]);
    turn
}

pub(crate) fn apply(turn: &mut Turn, records: &[Record]) {
    for record in records {
        turn.apply(record).unwrap();
    }
}

pub(crate) fn text(turn: &Turn, index: u32) -> String {
    turn.outcome(key(index)).unwrap().content[0]
        .as_text()
        .unwrap()
        .to_owned()
}

pub(crate) fn steps(turn: &Turn) -> String {
    serde_json::to_string(&turn.next()).unwrap()
}
