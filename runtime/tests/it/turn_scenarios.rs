//! The turn, case by case: what is offered, what is refused, what the model reads.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::turn_script::*;
use helve_runtime::agent::turn::{Bounds, EndReason, Outcome, Plan, Purpose, Record, Step, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Verdict};
use helve_runtime::transcript::{
    ArgumentsDefect, AssistantMessage, Content, Cost, Message, MessagePart, ToolCall, Usage,
};

#[test]
fn safe_calls_overtake_a_question_and_exclusive_ones_wait() {
    let mut turn = called(Bounds::new(5), &["ask", "read", "write", "read2"]);
    assert_eq!(
        steps(&turn),
        r#"[{"type":"plan","call":"1.0"},{"type":"plan","call":"1.1"},{"type":"plan","call":"1.2"},{"type":"plan","call":"1.3"}]"#
    );
    apply(&mut turn, &[planned(1, Verdict::Allow, false)]);
    // Call 0 may yet turn out exclusive.
    assert!(!steps(&turn).contains("run"));
    apply(&mut turn, &[planned(0, ask(), false)]);
    assert!(turn.next().contains(&Step::Run {
        calls: vec![key(1)]
    }));
    apply(
        &mut turn,
        &[
            planned(2, Verdict::Allow, true),
            planned(3, Verdict::Allow, false),
        ],
    );
    apply(&mut turn, &[run(&[1])]);
    assert_eq!(
        steps(&turn),
        r#"[{"type":"ask","calls":[{"call":"1.0","reason":"it writes"}]},{"type":"wait"}]"#
    );
    assert!(turn.apply(&run(&[2])).is_err());
    assert!(turn.apply(&run(&[3])).is_err());
    let yes = Record::Answered {
        call: key(0),
        decision: Decision::allow_once(),
    };
    apply(
        &mut turn,
        &[asked(&[0]), yes, run(&[0]), finished(0), finished(1)],
    );
    assert_eq!(
        turn.next(),
        [Step::Run {
            calls: vec![key(2)]
        }]
    );
    apply(&mut turn, &[run(&[2]), finished(2), run(&[3]), finished(3)]);
    let Some(Message::Tool { content }) = turn.results() else {
        panic!("no results")
    };
    let ids: Vec<_> = content
        .iter()
        .map(|result| result.call_id.as_str())
        .collect();
    assert_eq!(ids, ["id-ask", "id-read", "id-write", "id-read2"]);
    assert_eq!(turn.totals().cost, Cost::from_micros(20));
    assert_eq!(
        turn.next(),
        [Step::CallModel {
            round: 2,
            purpose: Purpose::Reply
        }]
    );
}

#[test]
fn at_most_so_many_run_side_by_side() {
    let mut turn = called(Bounds::new(5).parallel(2), &["a", "b", "c"]);
    apply(
        &mut turn,
        &[0, 1, 2].map(|index| planned(index, Verdict::Allow, false)),
    );
    assert_eq!(
        turn.next(),
        [Step::Run {
            calls: vec![key(0), key(1)]
        }]
    );
    let error = turn.apply(&run(&[0, 1, 2])).unwrap_err().to_string();
    assert_eq!(
        error,
        "stale record `started`: 0 calls are running, but at most 2 may run"
    );
    assert!(turn.apply(&run(&[1, 0])).is_err(), "out of order");
    assert!(turn.apply(&run(&[1, 1])).is_err(), "named twice");
    apply(&mut turn, &[run(&[1, 2])]);
    assert_eq!(turn.next(), [Step::Wait]);
}

#[test]
fn what_does_not_run_says_why() {
    let mut turn = called(Bounds::new(5), &["a", "b", "c", "d", "e"]);
    let reject = |message: Option<&str>| Decision::RejectOnce {
        message: message.map(Into::into),
    };
    apply(
        &mut turn,
        &[
            planned(
                0,
                Verdict::Deny {
                    reason: "rule `rm`".into(),
                },
                true,
            ),
            planned(1, ask(), true),
            planned(2, ask(), true),
            planned(3, ask(), true),
            Record::Finished {
                call: key(4),
                outcome: Outcome::error(Content::text("no tool `e`")),
            },
            asked(&[1, 2, 3]),
            answered(1, reject(None)),
            answered(2, reject(Some("use a copy"))),
            answered(
                3,
                Decision::Unanswered {
                    reason: "nobody is there".into(),
                },
            ),
        ],
    );
    assert_eq!(text(&turn, 0), "Tool call denied: rule `rm`");
    assert_eq!(text(&turn, 1), "Tool call rejected by user");
    assert_eq!(text(&turn, 2), "Tool call rejected by user: use a copy");
    assert_eq!(text(&turn, 3), "Tool call denied: nobody is there");
    assert_eq!(text(&turn, 4), "no tool `e`");
    assert_eq!(
        turn.next(),
        [Step::CallModel {
            round: 2,
            purpose: Purpose::Reply
        }]
    );
}

#[test]
fn an_interrupt_answers_every_call_and_stops_what_runs() {
    let mut turn = called(Bounds::new(5), &["a", "b", "c"]);
    apply(
        &mut turn,
        &[
            planned(0, Verdict::Allow, false),
            planned(1, ask(), true),
            run(&[0]),
        ],
    );
    apply(&mut turn, &[Record::Interrupt]);
    assert_eq!(
        turn.next(),
        [
            Step::Stop {
                calls: vec![key(0)]
            },
            Step::Wait
        ]
    );
    assert!(turn.apply(&Record::Interrupt).is_err());
    let late = Record::Answered {
        call: key(1),
        decision: Decision::allow_once(),
    };
    assert_eq!(
        turn.apply(&late).unwrap_err().to_string(),
        "stale record `answered`: call 1.1 is finished"
    );
    apply(&mut turn, &[finished(0)]);
    assert_eq!(
        turn.next(),
        [Step::End {
            reason: EndReason::Interrupted
        }]
    );
    assert_eq!(text(&turn, 0), "result 0");
    assert!(
        text(&turn, 1).contains("The call had no effect"),
        "{}",
        text(&turn, 1)
    );
    assert!(turn.results().is_some());
}

#[test]
fn an_interrupt_in_the_reply_keeps_what_came_and_runs_nothing() {
    let mut turn = Turn::new(origin(), Bounds::new(5));
    apply(&mut turn, &[started(1), Record::Interrupt]);
    assert_eq!(turn.next(), [Step::StopModel, Step::Wait]);
    let mut messages = vec![Message::user("go")];
    let partial = Record::model_done(1, reply(&["a"], StopReason::Cancelled));
    turn.apply_to(&partial, &mut messages).unwrap();
    assert_eq!(
        turn.next(),
        [Step::End {
            reason: EndReason::Interrupted
        }]
    );
    assert!(
        matches!(&messages[..], [Message::User { .. }, Message::Assistant(_), Message::Tool { content }, Message::Assistant(_)] if content.len() == 1)
    );
    let Some(Message::Assistant(last)) = messages.last() else {
        panic!("the model does not speak last")
    };
    assert_eq!(last.text(), "(The turn ended here: interrupted.)");

    let mut turn = Turn::new(origin(), Bounds::new(5));
    apply(&mut turn, &[Record::Interrupt]);
    assert_eq!(turn.end(), Some(EndReason::Interrupted));
}

#[test]
fn a_crash_reruns_only_what_may_run_twice() {
    let mut turn = called(Bounds::new(5), &["read", "append"]);
    let append = Plan {
        exclusive: false,
        ..Plan::new(Verdict::Allow)
    };
    let append = Record::Planned {
        call: key(1),
        plan: append,
    };
    apply(
        &mut turn,
        &[planned(0, Verdict::Allow, false), append, run(&[0, 1])],
    );
    assert!(turn.in_flight());
    apply(&mut turn, &[Record::Resumed]);
    assert!(!turn.in_flight());
    assert!(text(&turn, 1).contains("whether it took effect is unknown"));
    assert_eq!(
        turn.next(),
        [Step::Run {
            calls: vec![key(0)]
        }]
    );
    apply(&mut turn, &[run(&[0]), finished(0)]);

    // A model call is made again, and the one that was cut off does not count.
    apply(&mut turn, &[started(2), Record::Resumed]);
    assert_eq!(turn.totals().model_calls, 1);
    assert_eq!(
        turn.next(),
        [Step::CallModel {
            round: 2,
            purpose: Purpose::Reply
        }]
    );
}

#[test]
fn bounds_end_the_turn_and_say_which() {
    let mut turn = called(Bounds::new(1), &["a"]);
    apply(
        &mut turn,
        &[planned(0, Verdict::Allow, true), run(&[0]), finished(0)],
    );
    assert_eq!(
        turn.next(),
        [Step::End {
            reason: EndReason::ModelCalls
        }]
    );
    assert!(turn.results().is_some());
    assert_eq!(
        Turn::new(origin(), Bounds::new(0)).end(),
        Some(EndReason::ModelCalls)
    );

    let mut turn = called(Bounds::new(9).tool_calls(1), &["a", "b"]);
    assert_eq!(
        text(&turn, 1),
        "Not run: the limit of 1 tool calls in this turn is reached."
    );
    apply(
        &mut turn,
        &[planned(0, Verdict::Allow, true), run(&[0]), finished(0)],
    );
    assert_eq!(
        turn.next(),
        [Step::End {
            reason: EndReason::ToolCalls
        }]
    );
}

#[test]
fn arguments_that_break_off_are_never_planned() {
    let mut call = ToolCall::new("c", "write", "{\"text\":\"é");
    call.defect = Some(ArgumentsDefect::Truncated);
    let message = AssistantMessage::new(vec![MessagePart::ToolCall(call)]);
    let reply = Reply {
        message,
        stop: StopReason::MaxTokens,
        usage: Usage::default(),
    };
    let mut turn = Turn::new(origin(), Bounds::new(5));
    apply(&mut turn, &[started(1), Record::model_done(1, reply)]);
    assert!(
        text(&turn, 0).contains("were truncated after 10 characters"),
        "{}",
        text(&turn, 0)
    );
    assert_eq!(
        turn.next(),
        [Step::CallModel {
            round: 2,
            purpose: Purpose::Reply
        }]
    );
}

#[test]
fn the_way_a_reply_stops_decides_the_end() {
    let ends = [
        (StopReason::EndTurn, EndReason::Finished),
        (StopReason::MaxTokens, EndReason::OutputLimit),
        (StopReason::Refusal, EndReason::Refused),
        (StopReason::Cancelled, EndReason::Interrupted),
    ];
    for (stop, end) in ends {
        let mut turn = Turn::new(origin(), Bounds::new(5));
        apply(
            &mut turn,
            &[started(1), Record::model_done(1, reply(&[], stop))],
        );
        assert_eq!(turn.end(), Some(end));
    }
    let mut turn = Turn::new(origin(), Bounds::new(5));
    apply(
        &mut turn,
        &[
            started(1),
            Record::ModelFailed {
                round: 1,
                purpose: Purpose::Reply,
                error: "down".into(),
            },
        ],
    );
    assert_eq!(turn.end(), Some(EndReason::ModelFailed));
}

#[test]
fn a_fatal_outcome_ends_the_turn() {
    let mut turn = called(Bounds::new(5), &["a", "b", "c"]);
    apply(
        &mut turn,
        &[0, 1].map(|index| planned(index, Verdict::Allow, false)),
    );
    apply(&mut turn, &[run(&[0, 1])]);
    let outcome = Outcome::fatal(Content::text("the disk is gone"));
    apply(
        &mut turn,
        &[Record::Finished {
            call: key(0),
            outcome,
        }],
    );
    assert_eq!(
        turn.next(),
        [
            Step::Stop {
                calls: vec![key(1)]
            },
            Step::Wait
        ]
    );
    apply(&mut turn, &[finished(1)]);
    assert_eq!(turn.end(), Some(EndReason::Fatal));
    assert!(turn.results().is_some());
}

#[test]
fn an_interrupt_stays_the_reason_whatever_comes_after_it() {
    let mut turn = called(Bounds::new(5), &["a"]);
    apply(
        &mut turn,
        &[
            planned(0, Verdict::Allow, true),
            run(&[0]),
            Record::Interrupt,
        ],
    );
    let outcome = Outcome::fatal(Content::text("the disk is gone"));
    apply(
        &mut turn,
        &[Record::Finished {
            call: key(0),
            outcome,
        }],
    );
    assert_eq!(turn.end(), Some(EndReason::Interrupted));
}
