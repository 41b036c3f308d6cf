//! A driver without surprises, which takes over where another died.

use std::collections::BTreeSet;

use helve_runtime::agent::turn::{Bounds, Execution, Outcome, Plan, Record, Review, Step, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{
    AssistantMessage, CallKey, Content, Message, Origin, ToolCallResult, Usage,
};

use super::{Choices, MAX_STEPS};

pub(crate) fn origin() -> Origin {
    Origin::new("main", "t0").delegate(CallKey::new(1, 0), "helper")
}

pub(crate) fn fold(bounds: &Bounds, records: &[Record]) -> (Turn, Vec<Message>) {
    let mut turn = Turn::new(origin(), bounds.clone());
    let mut messages = vec![Message::user("go")];
    for record in records {
        turn.apply_to(record, &mut messages).unwrap();
    }
    (turn, messages)
}

/// Lists the calls that were ever begun, here or elsewhere.
fn begun(records: &[Record]) -> BTreeSet<CallKey> {
    let calls = records.iter().filter_map(|record| match record {
        Record::Started { calls } | Record::Submitted { calls } => Some(calls.iter().copied()),
        _ => None,
    });
    calls.flatten().collect()
}

/// Goes on after a crash; only what may run again comes up a second time.
pub(crate) fn go_on(turn: &mut Turn, messages: &mut Vec<Message>, records: &[Record]) {
    let begun = begun(records);
    let may_again = |key: &CallKey| {
        records.iter().any(|record| match record {
            Record::Planned { call, plan } if call == key => {
                let delegated = matches!(plan.execution, Execution::Delegate { .. });
                plan.idempotent || plan.dry_run || delegated
            }
            _ => false,
        })
    };
    for _ in 0..MAX_STEPS {
        let step = turn.next().remove(0);
        let records = match step {
            Step::Run { .. } | Step::Delegate { .. } | Step::Submit { .. } => {
                let calls = step.calls();
                assert!(
                    calls
                        .iter()
                        .all(|call| !begun.contains(call) || may_again(call))
                );
                do_calls(&step, calls)
            }
            Step::End { .. } => return,
            step => do_plainly(step),
        };
        for record in records {
            turn.apply_to(&record, messages).unwrap();
        }
    }
    panic!("the turn does not end after a crash");
}

fn finish(call: CallKey) -> Record {
    let outcome = Outcome::ok(Content::default());
    Record::Finished { call, outcome }
}

fn do_calls(step: &Step, calls: Vec<CallKey>) -> Vec<Record> {
    let finished: Vec<_> = calls.iter().copied().map(finish).collect();
    let first = match step {
        Step::Submit { .. } => Record::Submitted { calls },
        _ => Record::Started { calls },
    };
    [vec![first], finished].concat()
}

fn do_plainly(step: Step) -> Vec<Record> {
    match step {
        Step::CallModel { round, purpose } => {
            let reply = Reply {
                message: AssistantMessage::default(),
                stop: StopReason::EndTurn,
                usage: Usage::default(),
            };
            let done = match Record::model_done(round, reply) {
                Record::ModelDone { cost, reply, .. } => Record::ModelDone {
                    round,
                    purpose,
                    cost,
                    reply,
                },
                other => other,
            };
            vec![Record::ModelStarted { round, purpose }, done]
        }
        Step::Plan { call } => {
            let plan = Plan::new(Verdict::Allow);
            vec![Record::Planned { call, plan }]
        }
        Step::Ask { calls } => {
            let calls = calls.iter().map(|asking| asking.call).collect();
            vec![Record::Asked { calls }]
        }
        Step::AwaitAnswers { calls } => {
            let decision = Choices::new(Vec::new()).decision();
            vec![Record::Answered {
                call: calls[0],
                decision,
            }]
        }
        Step::AwaitExternal { calls } => vec![finish(calls[0])],
        Step::Review { round } => vec![Record::Reviewed {
            round,
            by: "all".to_owned(),
            review: Review::Pass,
            used: None,
        }],
        other => panic!("{other:?} after a crash"),
    }
}

/// What every provider demands: right after a message with calls, one result for each, in order; roles that take turns;
/// nothing empty; no call whose arguments nobody can read, unless the result says so; and the model speaks last.
pub(crate) fn check_transcript(messages: &[Message], over: bool) {
    for pair in messages.windows(2) {
        match pair {
            [
                Message::User { .. } | Message::Tool { .. } | Message::Note(_),
                Message::Assistant(reply),
            ] => {
                assert!(!reply.content.is_empty(), "an empty message");
            }
            [Message::Assistant(reply), Message::Tool { content }] => check_results(reply, content),
            // A note is text in the role of the user, which providers merge, and does not come before results.
            [Message::Assistant(reply), Message::Note(_)] if reply.calls().next().is_none() => {}
            [
                Message::User { .. } | Message::Tool { .. } | Message::Note(_),
                Message::Note(_),
            ] => {}
            other => panic!("no provider takes {other:?}"),
        }
    }
    if let Some(Message::Assistant(reply)) = messages.last() {
        assert!(!over || reply.calls().next().is_none(), "a dangling call");
    } else {
        assert!(!over, "a turn that ends with {:?}", messages.last());
    }
}

fn check_results(reply: &AssistantMessage, results: &[ToolCallResult]) {
    let expected: Vec<_> = reply.calls().map(|call| &call.id).collect();
    let found: Vec<_> = results.iter().map(|result| &result.call_id).collect();
    assert!(!expected.is_empty());
    assert_eq!(found, expected, "results and calls differ");
}
