//! A turn with a driver of the plainest kind.

use helve_runtime::agent::turn::{Bounds, EndReason, Outcome, Plan, Purpose, Record, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{
    AssistantMessage, CallKey, Content, Cost, MessagePart, Origin, ToolCall, Usage,
};
use serde_json::Value;

/// What comes of a call.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ScriptedOutcome {
    Succeeds,
    Fails,
    IsDenied,
}

pub(crate) struct TestDriver(pub(crate) Turn);

impl TestDriver {
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self(Turn::new(Origin::new("main", "t1"), bounds))
    }

    pub(crate) fn apply(&mut self, record: &Record) {
        self.0.apply(record).unwrap();
    }

    /// Has the model say something and make calls, which cost so much.
    pub(crate) fn reply(&mut self, text: &str, calls: Vec<ToolCall>, cost: Cost) {
        let (round, purpose) = (self.0.round() + 1, Purpose::Reply);
        let text = MessagePart::Text { text: text.into() };
        let calls = calls.into_iter().map(MessagePart::ToolCall);
        let message = AssistantMessage::new(std::iter::once(text).chain(calls).collect());
        let reply = Reply {
            message,
            stop: StopReason::EndTurn,
            usage: Usage::default(),
        };
        self.apply(&Record::ModelStarted { round, purpose });
        self.apply(&Record::ModelDone {
            round,
            purpose,
            cost,
            reply,
        });
    }

    /// Lists the calls that the turn did not close.
    pub(crate) fn open(&self) -> Vec<CallKey> {
        let calls = self.0.calls().map(|(key, _)| key);
        calls.filter(|key| self.0.outcome(*key).is_none()).collect()
    }

    /// Brings every open call to its end.
    pub(crate) fn finish(&mut self, fate: impl Fn(usize) -> ScriptedOutcome) {
        for (index, call) in self.open().into_iter().enumerate() {
            let record = match fate(index) {
                ScriptedOutcome::IsDenied => Record::Planned {
                    call,
                    plan: Plan::new(Verdict::deny("no")),
                },
                fate => Record::Finished {
                    call,
                    outcome: outcome(fate),
                },
            };
            self.apply(&record);
        }
    }

    /// Makes calls, all of which succeed.
    pub(crate) fn calls(&mut self, calls: Vec<ToolCall>) {
        self.reply("So", calls, Cost::ZERO);
        self.finish(|_| ScriptedOutcome::Succeeds);
    }

    pub(crate) fn end(&self) -> Option<EndReason> {
        self.0.end()
    }
}

fn outcome(fate: ScriptedOutcome) -> Outcome {
    let content = Content::text("result");
    match fate {
        ScriptedOutcome::Succeeds => Outcome::ok(content),
        _ => Outcome::error(content),
    }
}

pub(crate) fn call(name: &str, arguments: &Value) -> ToolCall {
    ToolCall::new("c", name, arguments.to_string())
}

/// Bounds without any guard, to be given the one in question.
pub(crate) fn free() -> Bounds {
    Bounds::new(1_000)
        .identical_calls(None)
        .repeats(None)
        .denials(None)
}
