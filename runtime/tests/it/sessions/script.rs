//! A session with entries of every kind.

use helve_runtime::agent::session::{Artifact, Entry};
use helve_runtime::agent::turn::{
    Bounds, EndReason, Execution, Outcome, Plan, Purpose, Record, Totals,
};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Rule, RuleScope, Verdict};
use helve_runtime::transcript::{
    AssistantMessage, CallKey, Content, ContentBlock, Message, MessagePart, Origin, ToolCall, Usage,
};

pub(crate) const TEXT: &str = "Größe: 12 °C, 雨 🌧 \u{2028}\u{0}\n\t\"quoted\" \\ </untrusted>";

pub(crate) fn origin() -> Origin {
    Origin::new("main", "t1")
}

pub(crate) fn delegate() -> Origin {
    origin().delegate(CallKey::new(1, 3), "helper")
}

pub(crate) fn reply(round: u32, parts: Vec<MessagePart>, stop: StopReason) -> Record {
    let message = AssistantMessage::new(parts);
    let usage = Usage::new(1_200, 80);
    Record::model_done(
        round,
        Reply {
            message,
            stop,
            usage,
        },
    )
}

pub(crate) fn says(text: &str) -> MessagePart {
    MessagePart::Text { text: text.into() }
}

pub(crate) fn calls(name: &str, arguments: &str) -> MessagePart {
    MessagePart::ToolCall(ToolCall::new(format!("c-{name}"), name, arguments))
}

pub(crate) fn started(round: u32) -> Record {
    let purpose = Purpose::Reply;
    Record::ModelStarted { round, purpose }
}

pub(crate) fn planned(index: u32, plan: Plan) -> Record {
    let call = CallKey::new(1, index);
    Record::Planned { call, plan }
}

pub(crate) fn finished(index: u32, outcome: Outcome) -> Record {
    let call = CallKey::new(1, index);
    Record::Finished { call, outcome }
}

pub(crate) fn asks() -> Plan {
    let suggestions = vec![Rule::calls("bash", "git commit:*")];
    let reason = "it does not say what it changes (medium risk)".to_owned();
    Plan::new(Verdict::Ask {
        reason,
        safety: false,
        suggestions,
    })
}

pub(crate) fn external() -> Plan {
    let execution = Execution::External;
    Plan {
        execution,
        exclusive: false,
        ..Plan::new(Verdict::Allow)
    }
}

/// The beginning of a turn: one call asks, one is handed out, one runs, one is a delegate's.
pub(crate) fn opening() -> Vec<Entry> {
    let agent = "helper".into();
    let helped = Plan {
        execution: Execution::Delegate { agent },
        exclusive: false,
        ..Plan::new(Verdict::Allow)
    };
    let reads = Plan {
        exclusive: false,
        idempotent: true,
        ..Plan::new(Verdict::Allow)
    };
    let key = |index| CallKey::new(1, index);
    let parts = vec![
        MessagePart::Thinking {
            text: "Hmm…".into(),
            signature: Some("sig==".into()),
        },
        says(TEXT),
        calls("bash", r#"{"command":"git commit -m 'größer'"}"#),
        calls("ask_elsewhere", "{}"),
        calls("read_file", r#"{"path":"src/main.rs"}"#),
        calls("helper", r#"{"task":"look"}"#),
    ];
    let records = [
        Record::Wanted {
            purpose: Purpose::SuggestTools,
        },
        Record::ModelStarted {
            round: 1,
            purpose: Purpose::SuggestTools,
        },
        Record::ModelFailed {
            round: 1,
            purpose: Purpose::SuggestTools,
            error: "503".into(),
        },
        started(1),
        reply(1, parts, StopReason::ToolUse),
        planned(
            0,
            Plan {
                exclusive: false,
                ..asks()
            },
        ),
        planned(1, external()),
        planned(2, reads),
        planned(3, helped),
        Record::Asked {
            calls: vec![key(0)],
        },
        Record::Submitted {
            calls: vec![key(1)],
        },
        Record::Started {
            calls: vec![key(2), key(3)],
        },
    ];
    let prompt = vec![Message::user(format!("\n  Look around. {TEXT}"))];
    let mut entries = vec![Entry::turn_started(&origin(), Bounds::new(50), prompt)];
    entries.extend(records.map(|record| Entry::record(&origin(), record)));
    entries
}

/// What the delegate does.
pub(crate) fn helping() -> Vec<Entry> {
    let bounds = Bounds::new(5);
    let prompt = vec![Message::user("look")];
    vec![
        Entry::turn_started(&delegate(), bounds, prompt),
        Entry::record(&delegate(), started(1)),
        Entry::record(
            &delegate(),
            reply(1, vec![says("seen")], StopReason::EndTurn),
        ),
        Entry::turn_ended(&delegate(), EndReason::Finished, None, Totals::default()),
    ]
}

/// How it all comes to an end.
pub(crate) fn ending() -> Vec<Entry> {
    let decision = Decision::AllowAlways {
        rules: vec![Rule::calls("bash", "git commit:*")],
        scope: RuleScope::Session,
        message: Some("but only here".into()),
    };
    let picture = vec![
        ContentBlock::text("a picture"),
        ContentBlock::Image {
            data: "aGVsdmU=".into(),
            mime_type: "image/png".into(),
        },
    ];
    let call = |index| CallKey::new(1, index);
    let record = |record| Entry::record(&origin(), record);
    let artifact = Artifact::new(
        "main",
        origin().call_address(call(2)),
        "main.rs",
        "spill:1",
        90_000,
    );
    vec![
        record(Record::Elapsed {
            milliseconds: 1_250,
        }),
        record(finished(2, Outcome::ok(Content::from(picture)))),
        Entry::Artifact(artifact.mime_type("text/plain")),
        record(finished(3, Outcome::ok(Content::text("seen")))),
        record(Record::Answered {
            call: call(0),
            decision,
        }),
        record(Record::Started {
            calls: vec![call(0)],
        }),
        record(Record::Resumed),
        record(finished(1, Outcome::error(Content::text(TEXT)))),
        Entry::State {
            name: "notes".into(),
            value: serde_json::json!({ "größe": [1, 2.5, null] }),
        },
        Entry::RulesGranted {
            allow: vec![Rule::tool("grep")],
            deny: vec![Rule::tool("mcp__*")],
        },
        Entry::RulesRevoked {
            rules: vec![Rule::tool("mcp__*")],
        },
        record(Record::Interrupt),
        Entry::turn_ended(
            &origin(),
            EndReason::Interrupted,
            Some("told to".into()),
            Totals::default(),
        ),
    ]
}

/// Entries of every kind.
pub(crate) fn everything() -> Vec<Entry> {
    let mut entries = opening();
    entries.extend(helping());
    entries.extend(ending());
    entries
}
