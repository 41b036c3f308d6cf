//! A driver made of choices, with books of its own that it checks the turn against.

mod books;
mod choices;

use std::collections::BTreeSet;

use helve_runtime::agent::turn::{Bounds, EndReason, Outcome, Plan, Purpose, Record, Step, Turn};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::transcript::{CallKey, Content, Message, Origin};

pub(crate) use self::books::{Books, Counts};
pub(crate) use self::choices::Choices;

/// No turn within our bounds needs as many steps.
const MANY: usize = 5_000;

pub(crate) struct World {
    choices: Choices,
    bounds: Bounds,
    turn: Turn,
    messages: Vec<Message>,
    records: Vec<Record>,
    /// The turn as JSON after each number of records.
    snapshots: Vec<String>,
    books: Books,
    pub(crate) counts: Counts,
}

fn json(turn: &Turn) -> String {
    serde_json::to_string(turn).unwrap()
}

fn steps_json(turn: &Turn) -> String {
    serde_json::to_string(&turn.next()).unwrap()
}

impl World {
    pub(crate) fn new(mut choices: Choices) -> Self {
        let bounds = Bounds::new(choices.below(7)).parallel(choices.below(6));
        let bounds = if choices.one_in(3) {
            bounds.tool_calls(choices.below(40))
        } else {
            bounds
        };
        let turn = Turn::new(Origin::new("main", "t1"), bounds.clone());
        Self {
            choices,
            bounds,
            snapshots: vec![json(&turn)],
            turn,
            messages: Vec::new(),
            records: Vec::new(),
            books: Books::default(),
            counts: Counts {
                turns: 1,
                ..Counts::default()
            },
        }
    }

    /// Does what is possible until the turn is over.
    pub(crate) fn run_to_the_end(&mut self) {
        for _ in 0..MANY {
            self.check_steps();
            if self
                .choices
                .one_in(if self.books.stopping { 3 } else { 15 })
            {
                self.crash();
            }
            if let [Step::End { reason }] = self.turn.next()[..] {
                return self.check_end(reason);
            }
            let possible = self.possible();
            let record = possible[self.choices.below(possible.len() as u32) as usize].clone();
            self.record(record);
        }
        panic!("the turn does not end: {:?}", self.turn.next());
    }

    /// Lists what could happen next; the first of them always leads on.
    fn possible(&mut self) -> Vec<Record> {
        let mut possible = Vec::new();
        let choices = &mut self.choices;
        for step in self.turn.next() {
            match step {
                Step::CallModel { round, purpose } => {
                    possible.push(Record::ModelStarted { round, purpose });
                }
                Step::Plan { call } if choices.one_in(8) => {
                    let outcome = Outcome::error(Content::text(format!("no such tool {call}")));
                    possible.push(Record::Finished { call, outcome });
                }
                Step::Plan { call } => possible.push(Record::Planned {
                    call,
                    plan: choices.plan(),
                }),
                Step::Ask { calls } => {
                    let calls = calls.iter().map(|asking| asking.call).collect();
                    possible.push(Record::Asked { calls });
                }
                Step::AwaitAnswers { calls } => {
                    possible.extend(calls.iter().map(|&call| Record::Answered {
                        call,
                        decision: choices.decision(),
                    }));
                }
                Step::Run { calls } => {
                    possible.push(Record::Started {
                        calls: choices.some_of(&calls),
                    });
                }
                Step::StopModel => possible.push(self.books.model_cancelled()),
                Step::Stop { calls } => possible.extend(calls.iter().map(|&call| {
                    let outcome = Outcome::error(Content::text(format!("stopped {call}")));
                    Record::Finished { call, outcome }
                })),
                Step::Wait => possible.extend(self.books.reports(choices)),
                other => panic!("unknown step {other:?}"),
            }
        }
        if self.choices.one_in(50) && !self.books.stopping {
            possible = vec![Record::Interrupt];
        }
        assert!(
            !possible.is_empty(),
            "nothing is possible: {:?}",
            self.turn.next()
        );
        possible
    }

    /// Applies a record, and checks all that must hold before and after.
    fn record(&mut self, record: Record) {
        self.books.check_before(&record, &self.turn, &self.bounds);
        self.refuse_nonsense();
        self.turn.apply_to(&record, &mut self.messages).unwrap();
        self.books.note(&record, &self.turn);
        self.books.check_after(&self.turn, &self.bounds);
        self.refuse(&record);
        self.counts.note(&record);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        self.records.push(record);
        self.snapshots.push(json(&self.turn));
        self.refuse_late();
    }

    /// A stale record is refused and leaves no trace.
    fn refuse(&mut self, record: &Record) {
        let (before, messages) = (self.turn.clone(), self.messages.len());
        let result = self.turn.apply_to(record, &mut self.messages);
        assert!(result.is_err(), "{record:?} was accepted twice, or late");
        assert_eq!(json(&self.turn), json(&before));
        assert_eq!(self.messages.len(), messages);
        self.counts.stale += 1;
    }

    /// Repeats an old record of those that can happen once only.
    fn refuse_late(&mut self) {
        let old = self.choices.below(self.records.len() as u32) as usize;
        let record = self.records[old].clone();
        let resumed_since = self.records[old..].contains(&Record::Resumed);
        let repeatable = match record {
            Record::Interrupt | Record::Resumed => true,
            Record::ModelStarted { .. } | Record::Started { .. } => resumed_since,
            _ => false,
        };
        if !repeatable {
            self.refuse(&record);
        }
    }

    /// Makes up records that never fit.
    fn refuse_nonsense(&mut self) {
        let beyond = CallKey::new(77, 0);
        let outcome = Outcome::ok(Content::default());
        let mut nonsense = vec![
            Record::Finished {
                call: beyond,
                outcome,
            },
            Record::Started {
                calls: vec![beyond],
            },
            Record::Started { calls: Vec::new() },
            Record::ModelStarted {
                round: 78,
                purpose: Purpose::Reply,
            },
            Record::ModelFailed {
                round: 78,
                purpose: Purpose::Reply,
                error: String::new(),
            },
        ];
        let offered = self.turn.next().into_iter().find_map(|step| match step {
            Step::Run { calls } => Some(calls),
            _ => None,
        });
        let offered = offered.unwrap_or_default();
        let full = offered.len() + self.books.running.len() >= self.bounds.parallel.max(1) as usize;
        for (call, _) in self
            .turn
            .calls()
            .filter(|(call, _)| !offered.contains(call))
        {
            let mut calls = vec![call];
            if full && !self.books.running.contains(&call) {
                // It may be the bound on parallel calls alone that keeps it back: then it is one too many.
                calls.extend(&offered);
                calls.sort_unstable();
            }
            nonsense.push(Record::Started { calls });
        }
        nonsense.extend(self.books.idle().map(|call| {
            let outcome = Outcome::ok(Content::default());
            Record::Finished { call, outcome }
        }));
        if let [first, second, ..] = offered[..] {
            nonsense.push(Record::Started {
                calls: vec![second, first],
            });
            nonsense.push(Record::Started {
                calls: vec![first, first],
            });
        }
        if !self.turn.in_flight() {
            nonsense.push(Record::Resumed);
        }
        let pick = self.choices.below(nonsense.len() as u32) as usize;
        self.refuse(&nonsense[pick]);
    }

    /// Forgets everything but the records, loads them, and goes on.
    fn crash(&mut self) {
        let (turn, messages) = fold(&self.bounds, &self.records);
        assert_eq!(
            json(&turn),
            json(&self.turn),
            "the fold differs from the live turn"
        );
        assert_eq!(messages, self.messages);
        (self.turn, self.messages) = (turn, messages);
        self.counts.reloads += 1;
        if self.turn.in_flight() {
            self.record(Record::Resumed);
        }
    }

    /// The same state gives the same bytes, and a snapshot is as good as the state.
    fn check_steps(&self) {
        let restored: Turn = serde_json::from_str(&json(&self.turn)).unwrap();
        assert_eq!(restored, self.turn);
        assert_eq!(steps_json(&restored), steps_json(&self.turn));
        assert!(!self.turn.next().is_empty());
    }

    fn check_end(&mut self, reason: EndReason) {
        assert_eq!(self.turn.end(), Some(reason));
        check_transcript(&self.messages);
        self.books.check_end(&self.turn, &self.bounds);
        self.counts.ends.insert(format!("{reason:?}"));
        for record in [
            Record::Interrupt,
            Record::Resumed,
            Record::ModelStarted {
                round: self.books.round + 1,
                purpose: Purpose::Reply,
            },
        ] {
            self.refuse(&record);
        }
    }

    /// A process that dies after any record, and loads, comes to where it was and to an end.
    pub(crate) fn check_every_prefix(&mut self) {
        for length in 0..=self.records.len() {
            let (mut turn, mut messages) = fold(&self.bounds, &self.records[..length]);
            assert_eq!(json(&turn), self.snapshots[length]);
            let ran: BTreeSet<_> = started(&self.records[..length]);
            if turn.in_flight() {
                turn.apply_to(&Record::Resumed, &mut messages).unwrap();
            }
            drive_plainly(&mut turn, &mut messages, &ran, &self.records[..length]);
            check_transcript(&messages);
            self.counts.prefixes += 1;
        }
    }
}

fn fold(bounds: &Bounds, records: &[Record]) -> (Turn, Vec<Message>) {
    let (mut turn, mut messages) = (
        Turn::new(Origin::new("main", "t1"), bounds.clone()),
        Vec::new(),
    );
    for record in records {
        turn.apply_to(record, &mut messages).unwrap();
    }
    (turn, messages)
}

fn started(records: &[Record]) -> BTreeSet<CallKey> {
    let calls = records.iter().filter_map(|record| match record {
        Record::Started { calls } => Some(calls.iter().copied()),
        _ => None,
    });
    calls.flatten().collect()
}

/// Goes on after a crash without surprises; only idempotent calls may come up a second time.
fn drive_plainly(
    turn: &mut Turn,
    messages: &mut Vec<Message>,
    ran: &BTreeSet<CallKey>,
    records: &[Record],
) {
    let idempotent = |key| {
        records.iter().any(|record| {
            matches!(record, Record::Planned { call, plan: Plan { idempotent: true, .. } } if *call == key)
        })
    };
    for _ in 0..MANY {
        let step = turn.next().remove(0);
        let records = match step {
            Step::CallModel { round, purpose } => {
                let reply = Reply {
                    message: Default::default(),
                    stop: StopReason::EndTurn,
                    usage: Default::default(),
                };
                vec![
                    Record::ModelStarted { round, purpose },
                    Record::model_done(round, reply),
                ]
            }
            Step::Plan { call } => {
                vec![Record::Planned {
                    call,
                    plan: Choices::new(Vec::new()).plan(),
                }]
            }
            Step::Ask { calls } => {
                let calls = calls.iter().map(|asking| asking.call).collect();
                vec![Record::Asked { calls }]
            }
            Step::AwaitAnswers { calls } => {
                vec![Record::Answered {
                    call: calls[0],
                    decision: Choices::new(Vec::new()).decision(),
                }]
            }
            Step::Run { calls } => {
                assert!(
                    calls
                        .iter()
                        .all(|call| !ran.contains(call) || idempotent(*call))
                );
                let finish = |&call: &CallKey| Record::Finished {
                    call,
                    outcome: Outcome::ok(Content::default()),
                };
                let finished: Vec<_> = calls.iter().map(finish).collect();
                [vec![Record::Started { calls }], finished].concat()
            }
            Step::End { .. } => return,
            other => panic!("{other:?} after a crash"),
        };
        for record in records {
            turn.apply_to(&record, messages).unwrap();
        }
    }
    panic!("the turn does not end after a crash");
}

/// What every provider demands: right after a message with calls, one result for each, in order.
fn check_transcript(messages: &[Message]) {
    for (index, message) in messages.iter().enumerate() {
        let expected: Vec<_> = match message {
            Message::Assistant(message) => message.calls().map(|call| &call.id).collect(),
            _ => continue,
        };
        let found: Vec<_> = match messages.get(index + 1) {
            Some(Message::Tool { content }) => {
                content.iter().map(|result| &result.call_id).collect()
            }
            _ => Vec::new(),
        };
        assert_eq!(found, expected, "results and calls differ");
    }
    let count =
        |wanted: fn(&Message) -> bool| messages.iter().filter(|message| wanted(message)).count();
    let with_calls = |message: &Message| matches!(message, Message::Assistant(message) if message.calls().next().is_some());
    assert_eq!(
        count(with_calls),
        count(|message| matches!(message, Message::Tool { .. }))
    );
}
