//! The bounds of a turn, one by one: what ends it, what still runs, what the model reads; and its side steps.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Duration;

use crate::turn_script::*;
use helve_runtime::agent::turn::{Bounds, EndReason, Outcome, Purpose, Record, Step, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{
    AssistantMessage, CallKey, Content, Cost, Message, MessagePart, ToolCall, Usage,
};

/// Replies with calls, a pair of name and arguments each.
fn calls(turn: &mut Turn, wanted: &[(&str, &str)]) {
    let round = turn.round() + 1;
    let part = |(index, call): (usize, &(&str, &str))| {
        MessagePart::ToolCall(ToolCall::new(format!("id-{index}"), call.0, call.1))
    };
    let reply = Reply {
        message: AssistantMessage::new(wanted.iter().enumerate().map(part).collect()),
        stop: StopReason::ToolUse,
        usage: Usage::new(10, 2),
    };
    apply(turn, &[started(round), Record::model_done(round, reply)]);
}

/// Runs every call that is open; those that the turn closed have their result.
fn run_all(turn: &mut Turn) {
    let open: Vec<CallKey> = turn
        .calls()
        .map(|(key, _)| key)
        .filter(|key| turn.outcome(*key).is_none())
        .collect();
    for call in open {
        let outcome = Outcome::error(Content::text("no such tool"));
        apply(turn, &[Record::Finished { call, outcome }]);
    }
}

fn closed(turn: &Turn) -> Vec<String> {
    let outcomes = turn.calls().filter_map(|(key, _)| turn.outcome(key));
    outcomes
        .map(|outcome| outcome.content[0].as_text().unwrap().to_owned())
        .collect()
}

fn new(bounds: Bounds) -> Turn {
    Turn::new(origin(), bounds)
}

#[test]
fn the_fourth_reply_with_the_same_calls_is_a_loop() {
    let mut turn = new(Bounds::new(50));
    for arguments in [r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, r#"{"a":1.0,"b":2}"#] {
        calls(&mut turn, &[("read", arguments)]);
        assert_eq!(turn.next().len(), 1);
        run_all(&mut turn);
        assert_eq!(turn.end(), None);
    }
    calls(&mut turn, &[("read", r#"{ "a": 1, "b": 2 }"#)]);
    assert_eq!(turn.end(), Some(EndReason::Repeating));
    assert_eq!(closed(&turn), ["Not run: the same calls were repeated."]);
}

#[test]
fn patterns_of_up_to_eight_replies_are_seen() {
    for (period, replies) in [(1, 4), (2, 6), (3, 8), (8, 18)] {
        let mut turn = new(Bounds::new(50));
        let mut made = 0;
        while turn.end().is_none() {
            let arguments = format!("[{}]", made % period);
            calls(&mut turn, &[("read", &arguments)]);
            run_all(&mut turn);
            made += 1;
        }
        assert_eq!((made, turn.end()), (replies, Some(EndReason::Repeating)));
    }
    for bounds in [Bounds::new(40), Bounds::new(40).repeats(None)] {
        let mut turn = new(bounds);
        let period = if turn.bounds().repeats.is_some() {
            9
        } else {
            2
        };
        for round in 0..40 {
            calls(&mut turn, &[("read", &format!("[{}]", round % period))]);
            run_all(&mut turn);
        }
        assert_eq!(
            turn.end(),
            Some(EndReason::ModelCalls),
            "no pattern of nine"
        );
    }
}

#[test]
fn a_reply_that_differs_breaks_the_pattern() {
    let mut turn = new(Bounds::new(50));
    for name in ["a", "a", "a", "b", "a", "a", "a"] {
        calls(&mut turn, &[(name, "{}")]);
        run_all(&mut turn);
    }
    assert_eq!(turn.end(), None);
}

#[test]
fn calls_in_a_row_are_counted_across_replies() {
    let mut turn = new(Bounds::new(9).identical_calls(2));
    calls(&mut turn, &[("read", "{}"), ("read", "")]);
    run_all(&mut turn);
    calls(&mut turn, &[("read", "{}"), ("list", "{}")]);
    assert_eq!(turn.end(), Some(EndReason::IdenticalCalls));
    let text = "Not run: the limit of 2 identical calls in a row is reached.";
    assert_eq!(closed(&turn), [text, text]);

    let mut turn = new(Bounds::new(9).same_tool(2));
    calls(
        &mut turn,
        &[("read", "[1]"), ("read", "[2]"), ("read", "[3]")],
    );
    assert_eq!(turn.next().len(), 2, "what came before it runs");
    run_all(&mut turn);
    assert_eq!(turn.end(), Some(EndReason::SameTool));
    let text = "Not run: the limit of 2 calls of one tool in a row is reached.";
    assert_eq!(closed(&turn)[2], text);
}

#[test]
fn denials_in_a_row_end_the_turn() {
    let mut turn = new(Bounds::new(9).denials(2));
    let deny = || Verdict::deny("no");
    calls(&mut turn, &[("a", "{}"), ("b", "{}")]);
    let outcome = Outcome::ok(Content::text("done"));
    let ran = Record::Finished {
        call: key(1),
        outcome,
    };
    apply(&mut turn, &[planned(0, deny(), true), ran]);
    assert_eq!(turn.end(), None, "a call that ran is between");
    calls(&mut turn, &[("a", "[]"), ("b", "[]")]);
    for index in [0, 1] {
        let plan = helve_runtime::agent::turn::Plan::new(deny());
        let call = CallKey::new(2, index);
        apply(&mut turn, &[Record::Planned { call, plan }]);
    }
    assert_eq!(turn.end(), Some(EndReason::Denials));
}

#[test]
fn tokens_and_money_are_soft() {
    let mut turn = new(Bounds::new(9).tokens(12));
    calls(&mut turn, &[("a", "{}")]);
    assert_eq!(turn.end(), Some(EndReason::Tokens));
    assert_eq!(
        closed(&turn),
        ["Not run: this turn has used up its tokens."]
    );

    // What runs is waited for, what has not begun does not begin.
    let bounds = Bounds::new(9).cost(Cost::from_micros(5)).parallel(2);
    let mut turn = called(bounds, &["a", "b", "c"]);
    apply(
        &mut turn,
        &[0, 1, 2].map(|index| planned(index, Verdict::Allow, false)),
    );
    apply(&mut turn, &[run(&[0, 1]), finished(0)]);
    assert_eq!(turn.next(), [Step::Wait]);
    apply(&mut turn, &[finished(1)]);
    assert_eq!(turn.end(), Some(EndReason::Cost));
    assert_eq!(text(&turn, 1), "result 1");
    assert_eq!(text(&turn, 2), "Not run: this turn has used up its budget.");

    let nothing = new(Bounds::new(9).cost(Cost::ZERO));
    assert_eq!(nothing.end(), Some(EndReason::Cost));
}

#[test]
fn a_reply_costs_what_its_record_says() {
    let mut turn = new(Bounds::new(9).cost(Cost::from_micros(30)));
    let done = Record::ModelDone {
        round: 1,
        purpose: Purpose::Reply,
        cost: Cost::from_micros(30),
        reply: reply(&[], StopReason::EndTurn),
    };
    apply(&mut turn, &[started(1), done]);
    assert_eq!(turn.totals().cost, Cost::from_micros(30));
    assert_eq!(turn.end(), Some(EndReason::Finished), "it was done anyway");
}

#[test]
fn wall_time_stops_what_runs() {
    let bounds = Bounds::new(9).wall_time(Duration::from_secs(2));
    let mut turn = called(bounds.clone(), &["a", "b"]);
    let elapsed = || Record::Elapsed {
        milliseconds: 1_000,
    };
    apply(
        &mut turn,
        &[planned(0, Verdict::Allow, true), run(&[0]), elapsed()],
    );
    assert_eq!(turn.remaining().milliseconds, Some(1_000));
    apply(&mut turn, &[elapsed()]);
    let calls = vec![key(0)];
    assert_eq!(turn.next(), [Step::Stop { calls }, Step::Wait]);
    apply(&mut turn, &[finished(0)]);
    assert_eq!(turn.end(), Some(EndReason::WallTime));
    assert!(text(&turn, 1).starts_with("Not run: the time limit of this turn is reached"));

    let mut turn = new(bounds);
    apply(&mut turn, &[started(1), elapsed(), elapsed()]);
    assert_eq!(turn.next(), [Step::StopModel, Step::Wait]);
}

#[test]
fn side_steps_come_before_the_reply_and_leave_no_message() {
    let mut turn = new(Bounds::new(4));
    let mut messages = vec![Message::user("go")];
    let wanted = |purpose| Record::Wanted { purpose };
    apply(
        &mut turn,
        &[wanted(Purpose::Compact), wanted(Purpose::Recall)],
    );
    assert!(
        turn.apply(&wanted(Purpose::Compact)).is_err(),
        "it is wanted"
    );
    for (purpose, failed) in [(Purpose::Compact, true), (Purpose::Recall, false)] {
        let round = 1;
        assert_eq!(turn.next(), [Step::CallModel { round, purpose }]);
        assert!(turn.apply(&started(1)).is_err(), "it comes first");
        let end = if failed {
            Record::ModelFailed {
                round,
                purpose,
                error: "down".into(),
            }
        } else {
            Record::ModelDone {
                round,
                purpose,
                cost: Cost::ZERO,
                reply: reply(&["a"], StopReason::ToolUse),
            }
        };
        for record in [Record::ModelStarted { round, purpose }, end.clone()] {
            turn.apply_to(&record, &mut messages).unwrap();
        }
        assert!(turn.apply(&end).is_err(), "it came twice");
        assert!(turn.apply(&wanted(purpose)).is_err(), "it is made");
    }
    assert_eq!((messages.len(), turn.totals().model_calls), (1, 2));
    apply(&mut turn, &[wanted(Purpose::Summarise)]);
    // One is for the side step that is wanted, the last for the reply.
    assert!(!turn.may_want(Purpose::SuggestTools));
}

#[test]
fn a_turn_stays_small() {
    assert!(size_of::<Turn>() <= 560, "{}", size_of::<Turn>());
}
