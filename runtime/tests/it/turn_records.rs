//! The form of a turn's records and steps: what is written today is read for ever.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::turn_script::*;
use helve_runtime::agent::turn::{
    Bounds, Cover, EndReason, Execution, Located, Outcome, Plan, Purpose, Record, Step, Totals,
};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Rule, RuleScope, Verdict};
use helve_runtime::sandbox::{Access, FolderAccess};
use helve_runtime::transcript::{
    AgentId, AssistantMessage, CallKey, Content, Cost, MessagePart, Origin, ToolCall, Usage,
};

fn model_records() -> Vec<Record> {
    let asked = ToolCall::new("c1", "add", r#"{"a":1}"#);
    let message = AssistantMessage::new(vec![MessagePart::ToolCall(asked)]);
    let reply = Reply {
        message,
        stop: StopReason::ToolUse,
        usage: Usage::new(10, 2),
    };
    let (round, purpose) = (1, Purpose::SuggestTools);
    vec![
        Record::Wanted { purpose },
        Record::ModelStarted { round, purpose },
        Record::ModelDone {
            round,
            purpose,
            cost: Cost::from_micros(3),
            reply: reply.clone(),
        },
        started(1),
        Record::model_done(1, reply),
        Record::ModelFailed {
            round: 2,
            purpose: Purpose::Reply,
            error: "down".into(),
        },
    ]
}

#[expect(clippy::too_many_lines, reason = "a list")]
fn call_records() -> Vec<Record> {
    let rules = vec![Rule::calls("bash", "git:*")];
    let cover = Cover {
        call: key(0),
        rules: rules.clone(),
    };
    let verdict = Verdict::Ask {
        reason: "it writes".into(),
        safety: true,
        suggestions: rules.clone(),
    };
    let agent = AgentId::from("helper");
    let plan = Plan {
        execution: Execution::Delegate { agent },
        covered_by: vec![cover],
        dry_run: true,
        ..Plan::new(verdict)
    };
    let external = Plan {
        execution: Execution::External,
        ..Plan::new(Verdict::deny("no"))
    };
    let decision = Decision::AllowAlways {
        rules,
        scope: RuleScope::Project,
        message: None,
    };
    let outcome = Outcome::ok(Content::text("result 1")).cost(Cost::from_micros(5));
    let mut used = Totals::default();
    (used.model_calls, used.usage) = (2, Usage::new(7, 1));
    let (call, calls) = (key(0), vec![key(0), key(1)]);
    vec![
        Record::Planned { call: key(1), plan },
        Record::Planned {
            call,
            plan: external,
        },
        Record::Asked {
            calls: calls.clone(),
        },
        answered(0, decision),
        answered(1, Decision::reject_once()),
        Record::Started {
            calls: calls.clone(),
        },
        Record::Submitted { calls },
        Record::Finished { call, outcome },
        Record::Finished {
            call,
            outcome: Outcome::fatal(Content::default()).used(used),
        },
        Record::Compacted {
            round: 2,
            text: "It was about 2 + 3.".into(),
            kept: Box::default(),
            before: 900,
            after: 9,
        },
        Record::NotCompacted {
            round: 3,
            why: "the summary was empty".into(),
        },
        Record::Elapsed { milliseconds: 12 },
        Record::Interrupt,
        Record::Resumed,
        Record::ConnectionAsked {
            call,
            host: "a.example".into(),
            port: 443,
            reason: "a command connects".into(),
            unlisted: false,
        },
        Record::ConnectionAsked {
            call,
            host: "b.example".into(),
            port: 8443,
            reason: "no rule allows it".into(),
            unlisted: true,
        },
        Record::FolderAsked {
            call,
            folder: FolderAccess::new("/srv/data", Access::Read),
            reason: "the command failed".into(),
        },
        Record::FolderAnswered {
            call,
            folder: FolderAccess::new("/srv/data", Access::Write),
            decision: Decision::allow_once(),
        },
        Record::ConnectionAnswered {
            call,
            host: "a.example".into(),
            port: 443,
            decision: Decision::reject_with_message("not there"),
        },
        Record::Edited {
            call,
            plan: Plan {
                arguments: Some(r#"{"a":2}"#.to_owned().into()),
                ..Plan::new(Verdict::Allow)
            },
        },
    ]
}

fn lines<T: serde::Serialize>(all: &[T]) -> String {
    let lines: Vec<_> = all
        .iter()
        .map(|one| serde_json::to_string(one).unwrap())
        .collect();
    lines.join("\n")
}

#[test]
fn records_have_a_stable_form() {
    let records = [model_records(), call_records()].concat();
    insta::assert_snapshot!(lines(&records), @r#"
    {"type":"wanted","purpose":"suggest_tools"}
    {"type":"model_started","round":1,"purpose":"suggest_tools"}
    {"type":"model_done","round":1,"purpose":"suggest_tools","cost_micro_usd":3,"message":{"content":[{"type":"tool_call","id":"c1","name":"add","arguments":"{\"a\":1}"}]},"stop":"tool_use","usage":{"input_tokens":10,"output_tokens":2}}
    {"type":"model_started","round":1,"purpose":"reply"}
    {"type":"model_done","round":1,"message":{"content":[{"type":"tool_call","id":"c1","name":"add","arguments":"{\"a\":1}"}]},"stop":"tool_use","usage":{"input_tokens":10,"output_tokens":2}}
    {"type":"model_failed","round":2,"error":"down"}
    {"type":"planned","call":"1.1","plan":{"verdict":{"type":"ask","reason":"it writes","safety":true,"suggestions":["bash(git:*)"]},"exclusive":true,"idempotent":false,"execution":{"type":"delegate","agent":"helper"},"covered_by":[{"call":"1.0","rules":["bash(git:*)"]}],"dry_run":true}}
    {"type":"planned","call":"1.0","plan":{"verdict":{"type":"deny","reason":"no"},"exclusive":true,"idempotent":false,"execution":{"type":"external"}}}
    {"type":"asked","calls":["1.0","1.1"]}
    {"type":"answered","call":"1.0","decision":{"type":"allow_always","rules":["bash(git:*)"],"scope":"project"}}
    {"type":"answered","call":"1.1","decision":{"type":"reject_once"}}
    {"type":"started","calls":["1.0","1.1"]}
    {"type":"submitted","calls":["1.0","1.1"]}
    {"type":"finished","call":"1.0","outcome":{"content":[{"type":"text","text":"result 1"}],"cost_micro_usd":5}}
    {"type":"finished","call":"1.0","outcome":{"content":[],"is_error":true,"fatal":true,"used":{"model_calls":2,"tool_calls":0,"usage":{"input_tokens":7,"output_tokens":1},"cost_micro_usd":0,"milliseconds":0}}}
    {"type":"compacted","round":2,"text":"It was about 2 + 3.","kept":{},"before":900,"after":9}
    {"type":"not_compacted","round":3,"why":"the summary was empty"}
    {"type":"elapsed","milliseconds":12}
    {"type":"interrupt"}
    {"type":"resumed"}
    {"type":"connection_asked","call":"1.0","host":"a.example","port":443,"reason":"a command connects"}
    {"type":"connection_asked","call":"1.0","host":"b.example","port":8443,"reason":"no rule allows it","unlisted":true}
    {"type":"folder_asked","call":"1.0","folder":{"path":"/srv/data","access":"read"},"reason":"the command failed"}
    {"type":"folder_answered","call":"1.0","folder":{"path":"/srv/data","access":"write"},"decision":{"type":"allow_once"}}
    {"type":"connection_answered","call":"1.0","host":"a.example","port":443,"decision":{"type":"reject_once","message":"not there"}}
    {"type":"edited","call":"1.0","plan":{"verdict":{"type":"allow"},"exclusive":true,"idempotent":false,"arguments":"{\"a\":2}"}}
    "#);
    for record in &records {
        let line = serde_json::to_string(record).unwrap();
        assert_eq!(&serde_json::from_str::<Record>(&line).unwrap(), record);
    }
}

#[test]
fn records_of_the_first_day_still_load() {
    for line in [
        r#"{"type":"model_done","round":1,"message":{"content":[]},"stop":"end_turn"}"#,
        r#"{"type":"model_failed","round":2,"error":"down"}"#,
        r#"{"type":"planned","call":"1.0","plan":{"verdict":{"type":"ask","reason":"it writes"},"exclusive":true,"idempotent":false}}"#,
        r#"{"type":"finished","call":"1.0","outcome":{"content":[]}}"#,
    ] {
        serde_json::from_str::<Record>(line).unwrap();
    }
}

#[test]
fn steps_say_where_they_belong() {
    let origin = Origin::new("main", "t1").delegate(CallKey::new(2, 0), "helper");
    let calls = vec![key(0), key(1)];
    let (round, purpose) = (3, Purpose::Compact);
    let bounds = Bounds::new(4).tokens(100).cost(Cost::from_micros(9));
    let agent = AgentId::from("deputy");
    let steps = [
        Step::CallModel { round, purpose },
        Step::Plan { call: key(0) },
        Step::Run {
            calls: calls.clone(),
        },
        Step::Delegate {
            call: key(1),
            agent,
            bounds: Box::new(bounds),
        },
        Step::AwaitExternal { calls },
        Step::Wait,
        Step::End {
            reason: EndReason::WallTime,
        },
    ];
    let located: Vec<_> = steps
        .into_iter()
        .map(|step| Located::step(&origin, step))
        .collect();
    insta::assert_snapshot!(lines(&located), @r#"
    {"type":"call_model","round":3,"purpose":"compact","agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":["t1/2.0/3/compact"]}
    {"type":"plan","call":"1.0","agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":["t1/2.0/1.0"]}
    {"type":"run","calls":["1.0","1.1"],"agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":["t1/2.0/1.0","t1/2.0/1.1"]}
    {"type":"delegate","call":"1.1","to":"deputy","bounds":{"model_calls":4,"identical_calls":5,"repeats":3,"denials":10,"tokens":100,"cost_micro_usd":9,"parallel":10},"agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":["t1/2.0/1.1"]}
    {"type":"await_external","calls":["1.0","1.1"],"agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":["t1/2.0/1.0","t1/2.0/1.1"]}
    {"type":"wait","agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":[]}
    {"type":"end","reason":"wall_time","agent":"helper","turn":"t1/2.0","parent_call":"t1/2.0","keys":[]}
    "#);
    for step in &located {
        let line = serde_json::to_string(step).unwrap();
        assert_eq!(&serde_json::from_str::<Located<Step>>(&line).unwrap(), step);
    }
}

#[test]
fn records_say_where_they_belong() {
    let all = [model_records(), call_records()].concat();
    let kinds = [2, 6, 8, 17];
    let located = kinds.map(|index| Located::record(&origin(), all[index].clone()));
    let keys: Vec<_> = located
        .iter()
        .map(|located| located.keys.join(" "))
        .collect();
    assert_eq!(keys, ["t1/1/suggest_tools", "t1/1.1", "t1/1.0 t1/1.1", ""]);
    for record in located {
        let line = serde_json::to_string(&record).unwrap();
        assert!(line.contains(r#""agent":"main","turn":"t1""#), "{line}");
        assert_eq!(
            serde_json::from_str::<Located<Record>>(&line).unwrap(),
            record
        );
    }
}
