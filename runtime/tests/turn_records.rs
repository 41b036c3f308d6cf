//! The form of a turn's records on disk: what is written today is read for ever.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use helve_runtime::agent::turn::{Outcome, Plan, Purpose, Record};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Verdict};
use helve_runtime::transcript::{AssistantMessage, CallKey, Content, Cost, Part, ToolCall, Usage};

#[test]
fn records_have_a_stable_form() {
    let call = CallKey::new(1, 0);
    let verdict = Verdict::ask("it writes");
    let plan = Plan::new(verdict);
    let outcome = Outcome::ok(Content::text("result 1")).cost(Cost::from_micros(5));
    let asked = ToolCall::new("c1", "add", r#"{"a":1}"#);
    let message = AssistantMessage {
        content: vec![Part::ToolCall(asked)],
    };
    let reply = Reply {
        message,
        stop: StopReason::ToolUse,
        usage: Usage::new(10, 2),
    };
    let decision = Decision::RejectOnce { message: None };
    let records = [
        Record::ModelStarted {
            round: 1,
            purpose: Purpose::Reply,
        },
        Record::model_done(1, reply),
        Record::ModelFailed {
            round: 2,
            purpose: Purpose::Reply,
            error: "down".into(),
        },
        Record::Planned { call, plan },
        Record::Answered { call, decision },
        Record::Started {
            calls: vec![call, CallKey::new(1, 1)],
        },
        Record::Finished { call, outcome },
        Record::Interrupt,
        Record::Resumed,
    ];
    let lines: Vec<_> = records
        .iter()
        .map(|record| serde_json::to_string(record).unwrap())
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"type":"model_started","round":1,"purpose":"reply"}
    {"type":"model_done","round":1,"message":{"content":[{"type":"tool_call","id":"c1","name":"add","arguments":"{\"a\":1}"}]},"stop":"tool_use","usage":{"input_tokens":10,"output_tokens":2}}
    {"type":"model_failed","round":2,"error":"down"}
    {"type":"planned","call":"1.0","plan":{"verdict":{"type":"ask","reason":"it writes"},"exclusive":true,"idempotent":false}}
    {"type":"answered","call":"1.0","decision":{"type":"reject_once"}}
    {"type":"started","calls":["1.0","1.1"]}
    {"type":"finished","call":"1.0","outcome":{"content":[{"type":"text","text":"result 1"}],"cost_micro_usd":5}}
    {"type":"interrupt"}
    {"type":"resumed"}
    "#);
    for (line, record) in lines.iter().zip(&records) {
        assert_eq!(&serde_json::from_str::<Record>(line).unwrap(), record);
    }
}
