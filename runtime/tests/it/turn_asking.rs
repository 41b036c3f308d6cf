//! Questions, answers that cover other calls, calls that run elsewhere, and delegates.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use crate::turn_script::*;
use helve_runtime::agent::turn::{
    Bounds, CallState, Cover, EndReason, Execution, Outcome, Plan, Record, Step, Totals, Turn,
};
use helve_runtime::permission::{Decision, Rule, RuleScope, Verdict};
use helve_runtime::transcript::{AgentId, Content, Cost, Usage};

fn rule(text: &str) -> Rule {
    text.parse().unwrap()
}

/// Asks about a call, which these rules of the first call's question match too.
fn covered(index: u32, safety: bool, rules: &[&str]) -> Record {
    let suggestions = vec![rule("bash(git commit:*)"), rule("bash(git:*)")];
    let verdict = Verdict::Ask {
        reason: "it writes".into(),
        safety,
        suggestions,
    };
    let rules: Vec<_> = rules.iter().map(|text| rule(text)).collect();
    let cover = Cover {
        call: key(0),
        rules,
    };
    let plan = Plan {
        covered_by: if index == 0 { Vec::new() } else { vec![cover] },
        ..Plan::new(verdict)
    };
    let call = key(index);
    Record::Planned { call, plan }
}

fn always(allow: bool, rules: &[&str]) -> Decision {
    let rules = rules.iter().map(|text| rule(text)).collect();
    let (scope, message) = (RuleScope::Session, Some("but not on main".into()));
    if allow {
        Decision::AllowAlways {
            rules,
            scope,
            message,
        }
    } else {
        Decision::RejectAlways {
            rules,
            scope,
            message,
        }
    }
}

/// Makes a turn with one question out, and three calls that it may cover.
fn covering() -> Turn {
    let mut turn = called(Bounds::new(5), &["a", "b", "c", "d"]);
    let records = [
        covered(0, false, &[]),
        covered(1, false, &["bash(git commit:*)"]),
        covered(2, false, &["bash(git:*)"]),
        covered(3, true, &["bash(git commit:*)", "bash(git:*)"]),
    ];
    apply(&mut turn, &records);
    let Some(Step::Ask { calls }) = turn.next().into_iter().next() else {
        panic!("no question")
    };
    let calls: Vec<_> = calls.iter().map(|asking| asking.call).collect();
    assert_eq!(
        calls,
        [key(0), key(3)],
        "covered calls wait, questions of safety do not"
    );
    assert!(turn.apply(&asked(&[1])).is_err(), "its cover is open");
    apply(&mut turn, &[asked(&[0, 3])]);
    turn
}

fn states(turn: &Turn) -> Vec<&'static str> {
    let states = turn.calls().map(|(key, _)| turn.state(key).unwrap().name());
    states.collect()
}

#[test]
fn one_answer_covers_what_its_rule_matches_and_never_safety() {
    let mut turn = covering();
    let yes = always(true, &["bash(git commit:*)"]);
    apply(&mut turn, &[answered(0, yes)]);
    assert_eq!(states(&turn), ["allowed", "allowed", "asking", "asking"]);
    // The broader rule was not granted, so the third call is asked about for itself.
    let asks = |step: &Step| matches!(step, Step::Ask { .. }).then(|| step.calls());
    assert_eq!(turn.next().iter().find_map(asks), Some(vec![key(2)]));
    apply(&mut turn, &[run(&[0]), finished(0)]);
    let said = turn.outcome(key(0)).unwrap().content[1].as_text().unwrap();
    assert_eq!(said, "The user allowed this call and said: but not on main");
}

#[test]
fn a_rule_that_forbids_covers_too() {
    let mut turn = covering();
    let no = always(false, &["bash(git:*)"]);
    apply(&mut turn, &[answered(0, no)]);
    assert_eq!(states(&turn), ["finished", "asking", "finished", "asking"]);
    assert_eq!(
        text(&turn, 2),
        "Tool call rejected by user: but not on main"
    );
}

#[test]
fn an_answer_for_once_covers_nothing() {
    for (decision, first) in [
        (Decision::allow_once(), "allowed"),
        (Decision::reject_once(), "finished"),
        (always(true, &[]), "allowed"),
    ] {
        let mut turn = covering();
        apply(&mut turn, &[answered(0, decision)]);
        assert_eq!(states(&turn), [first, "asking", "asking", "asking"]);
        apply(&mut turn, &[asked(&[1, 2])]);
        assert!(turn.next().contains(&Step::AwaitAnswers {
            calls: vec![key(1), key(2), key(3)]
        }));
    }
}

#[test]
fn a_question_survives_the_process_that_put_it() {
    let mut turn = called(Bounds::new(5), &["a"]);
    apply(&mut turn, &[planned(0, ask(), true)]);
    let decision = Decision::allow_once();
    let early = answered(0, decision.clone());
    assert!(turn.apply(&early).is_err(), "nobody was asked");
    apply(&mut turn, &[asked(&[0])]);
    assert!(turn.is_suspended() && !turn.in_flight());
    assert!(turn.apply(&Record::Resumed).is_err(), "nothing was cut off");
    assert_eq!(turn.question(key(0)).unwrap().reason, "it writes");
    let steps = serde_json::to_string(&turn.located_next()).unwrap();
    insta::assert_snapshot!(steps, @r#"[{"type":"await_answers","calls":["1.0"],"agent":"main","turn":"t1","keys":["t1/1.0"]}]"#);
    apply(&mut turn, &[answered(0, decision)]);
    assert_eq!(turn.state(key(0)), Some(CallState::Allowed));
    assert!(!turn.is_suspended());
}

fn plan(index: u32, execution: Execution) -> Record {
    let plan = Plan {
        exclusive: false,
        execution,
        ..Plan::new(Verdict::Allow)
    };
    let call = key(index);
    Record::Planned { call, plan }
}

fn helper() -> Execution {
    Execution::Delegate {
        agent: AgentId::from("helper"),
    }
}

#[test]
fn a_call_that_runs_elsewhere_waits_for_its_result() {
    let mut turn = called(Bounds::new(5), &["a", "b"]);
    apply(
        &mut turn,
        &[0, 1].map(|index| plan(index, Execution::External)),
    );
    let calls = vec![key(0), key(1)];
    assert_eq!(
        turn.next(),
        [Step::Submit {
            calls: calls.clone()
        }]
    );
    assert!(turn.apply(&run(&[0])).is_err(), "it does not run here");
    let submitted = Record::Submitted {
        calls: calls.clone(),
    };
    apply(&mut turn, &[submitted]);
    assert_eq!(turn.next(), [Step::AwaitExternal { calls }]);
    assert!(turn.is_suspended() && !turn.in_flight());
    apply(&mut turn, &[finished(1), Record::Interrupt]);
    assert_eq!(turn.end(), Some(EndReason::Interrupted));
    assert!(
        text(&turn, 0).contains("submitted for external execution"),
        "{}",
        text(&turn, 0)
    );
    assert!(turn.apply(&finished(0)).is_err(), "it comes too late");
}

fn delegated(turn: &Turn) -> Vec<(u32, u32, Option<u64>)> {
    let delegate = |step| match step {
        Step::Delegate { call, bounds, .. } => {
            Some((call.index, bounds.model_calls, bounds.tokens))
        }
        _ => None,
    };
    turn.next().into_iter().filter_map(delegate).collect()
}

#[test]
fn delegates_share_what_is_left_and_what_they_use_counts() {
    let mut turn = called(Bounds::new(10).tokens(1_012), &["a", "b", "c"]);
    apply(&mut turn, &[0, 1].map(|index| plan(index, helper())));
    apply(&mut turn, &[planned(2, ask(), false), asked(&[2])]);
    // Ten less the one that was made, less one to read what comes.
    assert_eq!(delegated(&turn), [(0, 4, Some(500)), (1, 4, Some(500))]);
    apply(&mut turn, &[run(&[0, 1])]);
    assert_eq!(turn.remaining().model_calls, 1);

    let mut used = Totals::default();
    (used.model_calls, used.tool_calls) = (3, 2);
    used.usage = Usage::new(300, 0);
    used.cost = Cost::from_micros(7);
    let call = key(0);
    let outcome = Outcome::ok(Content::text("found it")).used(used);
    apply(&mut turn, &[Record::Finished { call, outcome }]);
    let totals = turn.totals();
    assert_eq!((totals.model_calls, totals.tool_calls), (4, 5));
    assert_eq!((totals.tokens(), totals.cost.micros()), (312, 7));
    assert_eq!(turn.remaining().model_calls, 2, "the other still has four");

    // After a crash the other goes on with what it had.
    apply(&mut turn, &[Record::Resumed]);
    assert_eq!(delegated(&turn), [(1, 4, Some(500))]);
}

#[test]
fn a_delegate_waits_for_what_another_leaves_over() {
    let mut turn = called(Bounds::new(3), &["a", "b"]);
    apply(&mut turn, &[plan(0, helper()), planned(1, ask(), false)]);
    assert_eq!(delegated(&turn), [(0, 1, None)]);
    apply(&mut turn, &[asked(&[1]), run(&[0])]);
    let mut late = called(Bounds::new(3), &["a", "b"]);
    apply(&mut late, &[0, 1].map(|index| plan(index, helper())));
    assert_eq!(delegated(&late), [(0, 1, None), (1, 0, None)]);
    apply(&mut late, &[run(&[0])]);
    assert_eq!(late.next(), [Step::Wait]);
    assert!(late.apply(&run(&[1])).is_err(), "nothing is left for it");
    apply(&mut late, &[finished(0)]);
    assert_eq!(delegated(&late), [(1, 1, None)]);
}
