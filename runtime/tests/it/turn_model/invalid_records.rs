//! Records that come late, twice or out of place.

use helve_runtime::agent::turn::{
    Bounds, CallState, Outcome, Plan, Purpose, Record, Review, Step, Turn,
};
use helve_runtime::permission::{Decision, Verdict};
use helve_runtime::transcript::{CallKey, Content};

use super::expectations::Expectations;

/// Whether an old record could happen again by now.
pub(crate) fn is_repeatable(record: &Record, since: &[Record]) -> bool {
    let replied = |record: &Record| {
        matches!(
            record,
            Record::ModelDone {
                purpose: Purpose::Reply,
                ..
            }
        )
    };
    match record {
        Record::Interrupt | Record::Resumed | Record::Elapsed { .. } => true,
        Record::Wanted { .. } => since.iter().any(replied),
        Record::ModelStarted { .. } | Record::Started { .. } => since.contains(&Record::Resumed),
        _ => false,
    }
}

fn finish(call: CallKey) -> Record {
    let outcome = Outcome::ok(Content::default());
    Record::Finished { call, outcome }
}

/// Makes up records that never fit.
pub(crate) fn nonsense(turn: &Turn, books: &Expectations, bounds: &Bounds) -> Vec<Record> {
    let beyond = CallKey::new(77, 0);
    let round = 78;
    let purpose = Purpose::Reply;
    let mut nonsense = vec![
        finish(beyond),
        Record::Started {
            calls: vec![beyond],
        },
        Record::Started { calls: Vec::new() },
        Record::Submitted { calls: Vec::new() },
        Record::Asked { calls: Vec::new() },
        Record::Wanted { purpose },
        Record::ModelStarted { round, purpose },
        Record::ModelFailed {
            round,
            purpose,
            error: String::new(),
        },
    ];
    nonsense.push(Record::Noted { notes: Vec::new() });
    nonsense.push(Record::Reviewed {
        round,
        by: "strict".to_owned(),
        review: Review::Pass,
        used: None,
    });
    if !turn.in_flight() {
        nonsense.push(Record::Resumed);
    }
    out_of_order(turn, books, bounds, &mut nonsense);
    out_of_state(turn, books, &mut nonsense);
    nonsense
}

/// Calls that start though they may not, or twice, or in a wrong order.
fn out_of_order(turn: &Turn, books: &Expectations, bounds: &Bounds, nonsense: &mut Vec<Record>) {
    let offered: Vec<CallKey> = turn
        .next()
        .iter()
        .filter(|step| matches!(step, Step::Run { .. } | Step::Delegate { .. }))
        .flat_map(Step::calls)
        .collect();
    let running = books.running();
    let full = offered.len() + running.len() >= bounds.parallel.max(1) as usize;
    for (call, _) in turn.calls().filter(|(call, _)| !offered.contains(call)) {
        let mut calls = vec![call];
        if full && !running.contains(&call) {
            // It may be the bound on parallel calls alone that keeps it back: then it is one too many.
            calls.extend(&offered);
            calls.sort_unstable();
        }
        nonsense.push(Record::Started { calls });
    }
    if let [first, second, ..] = offered[..] {
        for calls in [vec![second, first], vec![first, first]] {
            let [high, low] = [calls[0], calls[1]];
            if high >= low {
                nonsense.push(Record::Started { calls });
            }
        }
    }
}

/// Records about calls that are in another state.
fn out_of_state(turn: &Turn, books: &Expectations, nonsense: &mut Vec<Record>) {
    let askable: Vec<_> = turn
        .next()
        .iter()
        .filter(|step| matches!(step, Step::Ask { .. }))
        .flat_map(Step::calls)
        .collect();
    let submittable: Vec<_> = turn
        .next()
        .iter()
        .filter(|step| matches!(step, Step::Submit { .. }))
        .flat_map(Step::calls)
        .collect();
    for (&call, book) in &books.calls {
        let calls = vec![call];
        if matches!(
            book.state,
            CallState::Allowed | CallState::Asking | CallState::Finished
        ) {
            nonsense.push(finish(call));
        }
        if book.state != CallState::Unplanned {
            let plan = Plan::new(Verdict::Allow);
            nonsense.push(Record::Planned { call, plan });
        }
        if !book.out {
            let decision = Decision::allow_once();
            nonsense.push(Record::Answered { call, decision });
        }
        if !askable.contains(&call) {
            nonsense.push(Record::Asked {
                calls: calls.clone(),
            });
        }
        if !submittable.contains(&call) {
            nonsense.push(Record::Submitted { calls });
        }
    }
}
