//! What the driver knows by itself, and the promises it checks with it.

use std::collections::{BTreeMap, BTreeSet};

use helve_runtime::agent::turn::{Bounds, Outcome, Purpose, Record, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::Verdict;
use helve_runtime::transcript::{ArgumentsDefect, AssistantMessage, CallKey, Usage};

use super::Choices;

/// What happened, counted over all cases.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) turns: usize,
    pub(crate) records: usize,
    pub(crate) reloads: usize,
    pub(crate) prefixes: usize,
    pub(crate) stale: usize,
    pub(crate) interrupts: usize,
    pub(crate) resumed: usize,
    pub(crate) ends: BTreeSet<String>,
}

impl Counts {
    pub(crate) fn note(&mut self, record: &Record) {
        self.records += 1;
        self.interrupts += usize::from(*record == Record::Interrupt);
        self.resumed += usize::from(*record == Record::Resumed);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.turns += other.turns;
        self.records += other.records;
        self.reloads += other.reloads;
        self.prefixes += other.prefixes;
        self.stale += other.stale;
        self.interrupts += other.interrupts;
        self.resumed += other.resumed;
        self.ends.extend(other.ends.iter().cloned());
    }

    pub(crate) fn saw_everything(&self) -> bool {
        self.ends.len() == 8 && self.interrupts > 0 && self.resumed > 0
    }
}

/// The books.
#[derive(Debug, Default)]
pub(crate) struct Books {
    pub(crate) round: u32,
    pub(crate) stopping: bool,
    pub(crate) running: BTreeSet<CallKey>,
    model_running: bool,
    model_calls: u32,
    calls: BTreeMap<CallKey, Book>,
}

/// One call's page.
#[derive(Debug, Default)]
struct Book {
    planned: bool,
    allowed: bool,
    exclusive: bool,
    idempotent: bool,
    /// It ran before a crash, and has not run since.
    cut_off: bool,
    runs: u32,
    truncated: bool,
    outcome: Option<Outcome>,
}

impl Books {
    /// What may come back from that which runs.
    pub(crate) fn reports(&self, choices: &mut Choices) -> Vec<Record> {
        let round = self.round + 1;
        if self.model_running && choices.one_in(60) {
            return vec![Record::ModelFailed {
                round,
                purpose: Purpose::Reply,
                error: "down".to_owned(),
            }];
        }
        if self.model_running {
            return vec![Record::model_done(round, choices.reply(round))];
        }
        let finish = |&call| Record::Finished {
            call,
            outcome: choices.outcome(call),
        };
        self.running.iter().map(finish).collect()
    }

    pub(crate) fn model_cancelled(&self) -> Record {
        let reply = Reply {
            message: AssistantMessage::default(),
            stop: StopReason::Cancelled,
            usage: Usage::default(),
        };
        Record::model_done(self.round + 1, reply)
    }

    pub(crate) fn check_before(&self, record: &Record, turn: &Turn, bounds: &Bounds) {
        match record {
            Record::ModelStarted { .. } => {
                assert!(self.running.is_empty() && !self.stopping);
                assert!(
                    turn.calls().all(|(key, _)| turn.outcome(key).is_some()),
                    "an open call"
                );
                assert!(self.model_calls < bounds.model_calls);
            }
            Record::Started { calls } => calls.iter().for_each(|key| self.check_start(*key, turn)),
            _ => {}
        }
    }

    fn check_start(&self, key: CallKey, turn: &Turn) {
        let book = &self.calls[&key];
        assert!(book.allowed && !book.truncated && !self.stopping);
        assert!(
            book.runs == 0 || book.idempotent && book.cut_off,
            "{key} runs twice"
        );
        for (earlier, _) in turn.calls().filter(|(earlier, _)| *earlier < key) {
            let other = &self.calls[&earlier];
            let done = turn.outcome(earlier).is_some();
            assert!(
                done || !book.exclusive && !other.exclusive && other.planned,
                "{key} before {earlier}"
            );
        }
    }

    pub(crate) fn note(&mut self, record: &Record, turn: &Turn) {
        match record {
            Record::ModelStarted { .. } => {
                self.model_running = true;
                self.model_calls += 1;
                self.calls.clear();
            }
            Record::ModelDone { round, reply, .. } => {
                self.model_running = false;
                self.round = *round;
                for (key, call) in turn.calls() {
                    let truncated = call.defect == Some(ArgumentsDefect::Truncated);
                    self.calls.insert(
                        key,
                        Book {
                            exclusive: true,
                            truncated,
                            ..Book::default()
                        },
                    );
                }
                assert_eq!(self.calls.len(), reply.message.calls().count());
            }
            Record::ModelFailed { .. } => self.model_running = false,
            Record::Planned { call, plan } => {
                let book = self.book(*call);
                book.planned = true;
                book.allowed = plan.verdict == Verdict::Allow;
                (book.exclusive, book.idempotent) = (plan.exclusive, plan.idempotent);
            }
            Record::Answered { call, decision } => {
                self.book(*call).allowed = decision.is_allowed();
            }
            Record::Started { calls } => {
                for call in calls {
                    self.running.insert(*call);
                    let book = self.book(*call);
                    book.runs += 1;
                    book.cut_off = false;
                }
            }
            Record::Finished { call, outcome } => {
                self.running.remove(call);
                self.stopping |= outcome.fatal;
                let book = self.book(*call);
                (book.planned, book.outcome) = (true, Some(outcome.clone()));
            }
            Record::Asked { .. } => {}
            Record::Interrupt => self.stopping = true,
            Record::Resumed => self.note_resumed(turn),
            other => panic!("unknown record {other:?}"),
        }
    }

    fn note_resumed(&mut self, turn: &Turn) {
        self.model_calls -= u32::from(self.model_running);
        self.model_running = false;
        let stopping = self.stopping;
        for key in std::mem::take(&mut self.running) {
            let book = self.book(key);
            book.cut_off = true;
            let again = book.idempotent && !stopping;
            let outcome = turn.outcome(key).cloned();
            assert_eq!(outcome.is_none(), again);
            if let Some(outcome) = outcome {
                let text = outcome.content[0].as_text().unwrap();
                assert!(outcome.is_error && text.contains("is unknown"), "{text}");
                book.outcome = Some(outcome);
            }
        }
    }

    pub(crate) fn check_after(&self, turn: &Turn, bounds: &Bounds) {
        assert_eq!(
            turn.in_flight(),
            self.model_running || !self.running.is_empty()
        );
        assert!(self.running.len() <= bounds.parallel.max(1) as usize);
        assert!(
            self.running.len() < 2 || self.running.iter().all(|key| !self.calls[key].exclusive)
        );
        for (key, book) in &self.calls {
            if let Some(outcome) = &book.outcome {
                assert_eq!(
                    turn.outcome(*key),
                    Some(outcome),
                    "the outcome of {key} changed"
                );
            } else if book.runs > 0 && !book.cut_off {
                assert!(
                    turn.outcome(*key).is_none(),
                    "{key} runs, and has an outcome"
                );
            }
        }
    }

    pub(crate) fn check_end(&self, turn: &Turn, bounds: &Bounds) {
        assert!(self.running.is_empty() && !self.model_running);
        assert_eq!(turn.totals().model_calls, self.model_calls);
        assert!(self.model_calls <= bounds.model_calls);
        assert!(
            bounds
                .tool_calls
                .is_none_or(|most| turn.totals().tool_calls <= most)
        );
        assert!(
            turn.calls().all(|(key, _)| turn.outcome(key).is_some()),
            "an open call"
        );
    }

    /// Lists the calls that were planned and do not run, so that nothing can come of them.
    pub(crate) fn idle(&self) -> impl Iterator<Item = CallKey> {
        let planned = self.calls.iter().filter(|(_, book)| book.planned);
        planned
            .map(|(key, _)| *key)
            .filter(|key| !self.running.contains(key))
    }

    fn book(&mut self, key: CallKey) -> &mut Book {
        self.calls.get_mut(&key).expect("a call of this round")
    }
}
