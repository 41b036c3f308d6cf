//! The promises, checked against the books.

use helve_runtime::agent::turn::{Bounds, CallState, Execution, Purpose, Record, Turn};
use helve_runtime::transcript::{CallKey, ContentBlock};

use super::Counts;
use super::expectations::{CallExpectation, Expectations};
use super::repeated_calls::RepeatedCalls;

impl Expectations {
    pub(crate) fn check_before(&self, record: &Record, turn: &Turn, bounds: &Bounds) {
        match record {
            Record::ModelStarted { purpose, .. } => {
                assert!(self.running().is_empty() && !self.stopping);
                assert!(
                    turn.calls().all(|(key, _)| turn.outcome(key).is_some()),
                    "an open call"
                );
                self.check_may_go_on(bounds);
                assert!(self.model_calls < bounds.model_calls);
                let is_side_step = *purpose != Purpose::Reply;
                assert!(!is_side_step || self.model_calls + 1 < bounds.model_calls);
            }
            Record::Asked { calls } => calls.iter().for_each(|key| self.check_ask(*key)),
            Record::Started { calls } => {
                for key in calls {
                    self.check_start(*key, turn);
                    assert_ne!(self.calls[key].plan.execution, Execution::External);
                }
            }
            Record::Submitted { calls } => {
                for key in calls {
                    self.check_start(*key, turn);
                    assert_eq!(self.calls[key].plan.execution, Execution::External);
                }
            }
            _ => {}
        }
    }

    /// Nothing that is bounded was reached.
    fn check_may_go_on(&self, bounds: &Bounds) {
        assert!(bounds.tokens.is_none_or(|most| self.tokens < most));
        assert!(bounds.cost.is_none_or(|most| self.cost < most.micros()));
        assert!(
            bounds
                .milliseconds
                .is_none_or(|most| self.milliseconds < most)
        );
        assert!(bounds.denials.is_none_or(|most| self.denials < most.max(1)));
        assert!(!self.circles.is_repeating(bounds));
        let identical = bounds.identical_calls;
        let circles = &self.circles;
        assert!(!circles.has_too_many(identical, RepeatedCalls::is_identical));
        assert!(!circles.has_too_many(bounds.same_tool, RepeatedCalls::is_same_tool));
    }

    fn check_ask(&self, key: CallKey) {
        let book = &self.calls[&key];
        assert!(book.state == CallState::Asking && !book.out && !self.stopping);
        assert!(
            self.in_state(CallState::Unplanned).is_empty(),
            "not together"
        );
        assert!(
            book.is_safety() || !self.has_open_cover(book),
            "{key} is asked about, and its cover is open"
        );
    }

    fn check_start(&self, key: CallKey, turn: &Turn) {
        let book = &self.calls[&key];
        assert!(book.state == CallState::Allowed && !book.truncated && !self.stopping);
        let may_again = book.plan.idempotent || book.plan.dry_run || book.is_delegation();
        assert!(
            book.runs == 0 || may_again && book.cut_off,
            "{key} runs twice"
        );
        for (earlier, _) in turn.calls().filter(|(earlier, _)| *earlier < key) {
            let other = &self.calls[&earlier];
            let done = turn.outcome(earlier).is_some();
            let side_by_side = !book.plan.exclusive && !other.plan.exclusive;
            assert!(
                done || side_by_side && other.planned,
                "{key} before {earlier}"
            );
        }
    }

    /// Takes down the outcomes that the turn gave by itself, and checks that all else is as the books say.
    pub(crate) fn check_after(&mut self, turn: &Turn, bounds: &Bounds, counts: &mut Counts) {
        for (key, book) in &mut self.calls {
            if let Some(outcome) = turn.outcome(*key)
                && book.outcome.is_none()
            {
                check_closed(*key, book, outcome.content[0].as_text().unwrap(), counts);
                assert!(outcome.is_error && !outcome.fatal);
                book.state = CallState::Finished;
                book.outcome = Some(outcome.clone());
                book.note = false;
            }
            assert_eq!(turn.state(*key), Some(book.state), "{key}: {book:?}");
            check_outcome(*key, book, turn, counts);
        }
        let running = self.running();
        assert_eq!(
            turn.in_flight(),
            self.model_running.is_some() || !running.is_empty()
        );
        assert!(running.len() <= bounds.parallel.max(1) as usize);
        let is_exclusive = |key: &CallKey| self.calls[key].plan.exclusive;
        assert!(running.len() < 2 || !running.iter().any(is_exclusive));
        self.check_totals(turn, bounds);
    }

    fn check_totals(&self, turn: &Turn, bounds: &Bounds) {
        let totals = turn.totals();
        assert_eq!(totals.model_calls, self.model_calls);
        assert_eq!(totals.tokens(), self.tokens);
        assert_eq!(totals.cost.micros(), self.cost);
        assert_eq!(totals.milliseconds, self.milliseconds);
        assert!(totals.model_calls <= bounds.model_calls);
        assert!(
            bounds
                .tool_calls
                .is_none_or(|most| totals.tool_calls <= most)
        );
        let rest = turn.remaining();
        assert!(rest.model_calls <= bounds.model_calls - totals.model_calls);
        let running = self
            .calls
            .values()
            .filter(|book| book.state == CallState::Running);
        let granted: u32 = running
            .filter_map(|book| book.granted.as_ref().map(|granted| granted.model_calls))
            .sum();
        assert!(
            totals.model_calls + granted <= bounds.model_calls,
            "delegates were given more than there is"
        );
    }

    /// Counts the denials in a row once every call of a reply is done.
    pub(crate) fn note_denials(&mut self) {
        for book in self.calls.values() {
            let text = book
                .outcome
                .as_ref()
                .and_then(|outcome| outcome.content[0].as_text());
            let closed = text.is_some_and(is_closing);
            self.denials = match (book.denied, closed) {
                (true, _) => self.denials + 1,
                (false, true) => self.denials,
                (false, false) => 0,
            };
        }
    }

    pub(crate) fn check_end(&self, turn: &Turn) {
        assert!(self.running().is_empty() && self.model_running.is_none());
        assert!(
            turn.calls().all(|(key, _)| turn.outcome(key).is_some()),
            "an open call"
        );
    }
}

/// What the model reads of a call that the turn itself closed.
fn is_closing(text: &str) -> bool {
    text.starts_with("Not run: ") || text.starts_with("The turn was stopped while")
}

fn check_closed(key: CallKey, book: &CallExpectation, text: &str, counts: &mut Counts) {
    if book.denied {
        let expected =
            text.starts_with("Tool call denied") || text.starts_with("Tool call rejected");
        assert!(expected, "{text}");
        return;
    }
    let expected = match book.state {
        CallState::Submitted => {
            counts.saw("external withdrawn");
            text.contains("submitted for external execution") && text.contains("is unknown")
        }
        CallState::Allowed if book.runs > 0 => text.contains("is unknown"),
        _ => text.starts_with("Not run: ") && book.runs == 0,
    };
    if text.contains("the limit of ") {
        counts.saw("call beyond a bound");
    }
    assert!(expected, "{key} has the result `{text}` in {book:?}");
    assert!(!book.truncated || book.runs == 0);
}

/// An outcome stays what it was, but for a note at its end.
fn check_outcome(key: CallKey, book: &CallExpectation, turn: &Turn, counts: &mut Counts) {
    let (Some(expected), Some(found)) = (&book.outcome, turn.outcome(key)) else {
        assert_eq!(book.outcome.is_some(), turn.outcome(key).is_some());
        return;
    };
    let whole = expected.content.len();
    assert_eq!(found.content[..whole], expected.content[..]);
    assert_eq!(found.is_error, expected.is_error);
    let said: Vec<_> = found.content[whole..]
        .iter()
        .filter_map(ContentBlock::as_text)
        .collect();
    if book.note {
        counts.saw("note to the model");
        assert_eq!(said, ["The user allowed this call and said: mind the gap"]);
    } else {
        assert!(said.is_empty());
    }
}
