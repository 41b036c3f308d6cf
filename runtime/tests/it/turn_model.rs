//! A driver made of choices, with books of its own that it checks the turn against.

mod checks;
mod choices;
mod counts;
mod expectations;
mod invalid_records;
mod notes;
mod plain;
mod repeated_calls;

use helve_runtime::agent::session::Entry;
use helve_runtime::agent::turn::{
    Bounds, CallState, EndReason, Outcome, Purpose, Record, Step, Turn,
};
use helve_runtime::model::StopReason;
use helve_runtime::transcript::{Content, Message};

pub(crate) use self::choices::Choices;
pub(crate) use self::counts::Counts;
use self::expectations::Expectations;
use self::notes::NoteExpectations;
use self::plain::{check_transcript, fold, go_on, origin};

/// No turn within our bounds needs as many steps.
const MAX_STEPS: usize = 5_000;

pub(crate) struct TurnModel {
    choices: Choices,
    bounds: Bounds,
    turn: Turn,
    messages: Vec<Message>,
    records: Vec<Record>,
    /// The turn as JSON after each number of records.
    snapshots: Vec<String>,
    expectations: Expectations,
    notes: NoteExpectations,
    pub(crate) counts: Counts,
}

fn json(turn: &Turn) -> String {
    serde_json::to_string(turn).unwrap()
}

fn steps_json(turn: &Turn) -> String {
    serde_json::to_string(&turn.located_next()).unwrap()
}

impl TurnModel {
    pub(crate) fn new(mut choices: Choices) -> Self {
        let bounds = choices.bounds();
        let turn = Turn::new(origin(), bounds.clone());
        Self {
            choices,
            bounds,
            snapshots: vec![json(&turn)],
            turn,
            messages: vec![Message::user("go")],
            records: Vec::new(),
            expectations: Expectations::default(),
            notes: NoteExpectations::default(),
            counts: Counts::default(),
        }
    }

    /// The turn as the entries of a session.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        let prompt = vec![Message::user("go")];
        let begun = Entry::turn_started(&origin(), self.bounds.clone(), prompt);
        let records = self.records.iter().cloned();
        let records = records.map(|record| Entry::record(&origin(), record));
        std::iter::once(begun).chain(records).collect()
    }

    /// Does what is possible until the turn is over.
    pub(crate) fn run_to_the_end(&mut self) {
        for _ in 0..MAX_STEPS {
            self.check_steps();
            let often = if self.expectations.stopping { 3 } else { 15 };
            if self.choices.one_in(often) {
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
        for step in self.turn.next() {
            self.push_possible(step, &mut possible);
        }
        let often = if self.turn.is_closing() { 8 } else { 150 };
        if self.choices.one_in(often) && !self.expectations.stopping {
            possible = vec![Record::Interrupt];
        }
        if self.choices.one_in(20) {
            self.push_notes(&mut possible);
        }
        if self.choices.one_in(10) {
            let milliseconds = self.choices.below(20).into();
            possible = vec![Record::Elapsed { milliseconds }];
        }
        // A guard replaces a reply once.
        possible.retain(|record| {
            let is_review = matches!(record, Record::Reviewed { .. });
            !is_review || self.turn.clone().apply(record).is_ok()
        });
        assert!(
            !possible.is_empty(),
            "nothing is possible: {:?}",
            self.turn.next()
        );
        possible
    }

    fn push_possible(&mut self, step: Step, possible: &mut Vec<Record>) {
        let (choices, books) = (&mut self.choices, &self.expectations);
        match step {
            Step::CallModel { round, purpose } => {
                possible.push(Record::ModelStarted { round, purpose });
                if choices.one_in(4) {
                    self.push_wanted(possible);
                }
                self.push_settled(round, possible);
            }
            Step::Plan { call } if choices.one_in(8) => {
                let outcome = Outcome::error(Content::text(format!("no such tool {call}")));
                possible.push(Record::Finished { call, outcome });
            }
            Step::Plan { call } => {
                let mut plan = choices.plan();
                plan.covered_by = books.covers(call, choices);
                possible.push(Record::Planned { call, plan });
            }
            Step::Ask { calls } => {
                let calls: Vec<_> = calls.iter().map(|asking| asking.call).collect();
                let calls = choices.some_of(&calls);
                possible.push(Record::Asked { calls });
            }
            Step::AwaitAnswers { calls } => {
                possible.extend(calls.iter().map(|&call| Record::Answered {
                    call,
                    decision: choices.decision(),
                }));
            }
            Step::Run { calls } => {
                let calls = choices.some_of(&calls);
                possible.push(Record::Started { calls });
            }
            Step::Delegate { call, .. } => possible.push(Record::Started { calls: vec![call] }),
            Step::Submit { calls } => {
                let calls = choices.some_of(&calls);
                possible.push(Record::Submitted { calls });
            }
            Step::AwaitExternal { calls } => {
                possible.extend(calls.iter().map(|&call| books.report(call, choices)));
            }
            Step::StopModel => possible.push(books.model_cancelled(choices)),
            Step::Stop { calls } => possible.extend(calls.iter().map(|&call| {
                let outcome = Outcome::error(Content::text(format!("stopped {call}")));
                Record::Finished { call, outcome }
            })),
            Step::Review { round } => possible.extend(self.notes.reviews(round, choices)),
            Step::Wait => possible.extend(books.reports(choices)),
            other => panic!("unknown step {other:?}"),
        }
    }

    /// A note can come at any time but during a side step; a guard can say something about the prompt before the model is
    /// called.
    fn push_notes(&mut self, possible: &mut Vec<Record>) {
        let noted = self.notes.noted(&mut self.choices);
        let prompt = self.notes.prompt_review(&mut self.choices);
        for record in [noted, prompt] {
            if self.turn.clone().apply(&record).is_ok() {
                possible.push(record);
            } else {
                self.refuse(&record);
            }
        }
    }

    fn push_wanted(&mut self, possible: &mut Vec<Record>) {
        let all = [
            Purpose::SuggestTools,
            Purpose::Compact,
            Purpose::Summarise,
            Purpose::Recall,
        ];
        let purpose = all[self.choices.below(4) as usize];
        if self.turn.may_want(purpose) {
            possible.push(Record::Wanted { purpose });
        } else {
            self.counts.saw("wanted refused");
            self.refuse(&Record::Wanted { purpose });
        }
    }

    /// A summary that was made takes the place of the conversation, or leaves it.
    fn push_settled(&mut self, round: u32, possible: &mut Vec<Record>) {
        let compacted = Record::Compacted {
            round,
            text: "summed up".into(),
            kept: Box::default(),
            before: 9,
            after: 1,
        };
        if self.turn.clone().apply(&compacted).is_ok() {
            let why = "it was empty".into();
            possible.extend([compacted, Record::NotCompacted { round, why }]);
        } else {
            self.refuse(&compacted);
        }
    }

    /// Applies a record, and checks all that must hold before and after.
    fn record(&mut self, record: Record) {
        self.expectations
            .check_before(&record, &self.turn, &self.bounds);
        let nonsense = invalid_records::nonsense(&self.turn, &self.expectations, &self.bounds);
        let pick = self.choices.below(nonsense.len() as u32) as usize;
        self.refuse(&nonsense[pick]);
        self.note_grants(&record);
        let is_closing = self.turn.is_closing();
        let before = self.messages.len();
        self.turn.apply_to(&record, &mut self.messages).unwrap();
        self.note_messages(&record, before);
        self.expectations
            .note(&record, &self.turn, &mut self.counts);
        self.notes.note(&record, &self.turn, &mut self.counts);
        if is_closing && matches!(record, Record::Interrupt | Record::Elapsed { .. }) {
            let what = if self.turn.end().is_some() {
                "ended"
            } else {
                "went on"
            };
            self.counts.saw(&format!("review {what}"));
        }
        self.notes.check_transcript(&self.turn, &self.messages);
        self.expectations
            .check_after(&self.turn, &self.bounds, &mut self.counts);
        // A summary takes the place of all messages, and leaves fewer.
        let added = self.messages.get(before..).unwrap_or_default();
        if matches!(added.last(), Some(Message::Tool { .. })) {
            self.expectations.note_denials();
        }
        if self.messages.len() < before {
            assert!(matches!(self.messages[0], Message::User { .. }));
            self.counts.saw("compacted");
        }
        check_transcript(&self.messages, self.turn.end().is_some());
        if !invalid_records::is_repeatable(&record, &[]) {
            self.refuse(&record);
        }
        self.counts.note(&record);
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        self.records.push(record);
        self.snapshots.push(json(&self.turn));
        self.refuse_late();
    }

    /// Notes what the delegates that start are given.
    fn note_grants(&mut self, record: &Record) {
        let Record::Started { calls } = record else {
            return;
        };
        for step in self.turn.next() {
            if let Step::Delegate { call, bounds, .. } = step
                && calls.contains(&call)
            {
                let granted = &mut self.expectations.book(call).granted;
                let again = granted.replace((*bounds).clone());
                assert!(
                    again.is_none_or(|again| again == *bounds),
                    "it had other bounds"
                );
            }
        }
    }

    fn note_messages(&mut self, record: &Record, before: usize) {
        let Record::ModelDone {
            reply,
            purpose: Purpose::Reply,
            ..
        } = record
        else {
            return;
        };
        if reply.stop == StopReason::Cancelled {
            let kept = matches!(&self.messages[before], Message::Assistant(kept)
                if !kept.text().starts_with("(The turn ended"));
            let what = if kept { "kept" } else { "dropped" };
            self.counts.saw(&format!("partial reply {what}"));
        }
    }

    /// A stale record is refused and leaves no trace.
    fn refuse(&mut self, record: &Record) {
        let (before, messages) = (self.turn.clone(), self.messages.len());
        let result = self.turn.apply_to(record, &mut self.messages);
        assert!(
            result.is_err(),
            "{record:?} was accepted twice, or late, in {:?}",
            before.next()
        );
        assert_eq!(self.turn, before);
        assert_eq!(self.messages.len(), messages);
        self.counts.saw("stale");
    }

    /// Repeats an old record of those that can happen once only.
    fn refuse_late(&mut self) {
        let old = self.choices.below(self.records.len() as u32) as usize;
        let record = self.records[old].clone();
        if !invalid_records::is_repeatable(&record, &self.records[old..]) {
            self.refuse(&record);
        }
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
        self.counts.saw("reload");
        if self.turn.in_flight() {
            self.record(Record::Resumed);
        }
    }

    /// The same state gives the same bytes, and a snapshot is as good as the state.
    fn check_steps(&self) {
        let restored: Turn = serde_json::from_str(&json(&self.turn)).unwrap();
        assert_eq!(restored, self.turn);
        let steps = steps_json(&self.turn);
        assert_eq!(steps_json(&restored), steps);
        assert!(!self.turn.next().is_empty());
        assert!(steps.contains(r#""agent":"helper","turn":"t0/1.0","parent_call":"t0/1.0""#));
        let waits = self.turn.is_suspended();
        let outside = [CallState::Submitted, CallState::Asking]
            .iter()
            .any(|state| !self.expectations.in_state(*state).is_empty());
        assert!(!waits || outside && !self.turn.in_flight());
    }

    fn check_end(&mut self, reason: EndReason) {
        assert_eq!(self.turn.end(), Some(reason));
        self.expectations.check_end(&self.turn);
        if self.turn.round() > 0 || reason == EndReason::Blocked {
            self.notes.check_end(reason, &self.bounds, &self.messages);
        }
        let name = serde_json::to_string(&reason).unwrap();
        self.counts.saw(&format!("end {}", name.trim_matches('"')));
        if let Some(Message::Assistant(last)) = self.messages.last()
            && last.text().starts_with("(The turn ended")
        {
            self.counts.saw("closing word");
        }
        let round = self.expectations.round + 1;
        let purpose = Purpose::Reply;
        for record in [
            Record::Interrupt,
            Record::Resumed,
            Record::Elapsed { milliseconds: 1 },
            Record::Wanted {
                purpose: Purpose::Compact,
            },
            Record::ModelStarted { round, purpose },
        ] {
            self.refuse(&record);
        }
    }

    /// A process that dies after any record, and loads, comes to where it was and to an end.
    pub(crate) fn check_every_prefix(&mut self) {
        for length in 0..=self.records.len() {
            let records = &self.records[..length];
            let (mut turn, mut messages) = fold(&self.bounds, records);
            assert_eq!(json(&turn), self.snapshots[length]);
            if turn.in_flight() {
                turn.apply_to(&Record::Resumed, &mut messages).unwrap();
            }
            go_on(&mut turn, &mut messages, records);
            if turn.round() > 0 {
                check_transcript(&messages, true);
            }
            self.counts.saw("prefix");
        }
    }
}
