//! What the driver knows by itself.

use std::collections::BTreeMap;

use helve_runtime::agent::turn::{
    Bounds, CallState, Cover, Execution, Outcome, Plan, Purpose, Record, Turn,
};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Rule, Verdict};
use helve_runtime::transcript::{AssistantMessage, CallKey, Usage};

use super::repeated_calls::RepeatedCalls;
use super::{Choices, Counts};

/// The books.
#[derive(Debug, Default)]
pub(crate) struct Expectations {
    pub(crate) round: u32,
    /// Why everything is being stopped, if it is.
    pub(crate) stopping: bool,
    pub(crate) model_running: Option<Purpose>,
    pub(crate) calls: BTreeMap<CallKey, CallExpectation>,
    pub(crate) circles: RepeatedCalls,
    pub(crate) model_calls: u32,
    pub(crate) milliseconds: u64,
    pub(crate) tokens: u64,
    pub(crate) cost: u64,
    pub(crate) denials: u32,
}

/// One call's page.
#[derive(Debug)]
pub(crate) struct CallExpectation {
    pub(crate) state: CallState,
    pub(crate) plan: Plan,
    pub(crate) planned: bool,
    pub(crate) truncated: bool,
    /// The question is out.
    pub(crate) out: bool,
    pub(crate) waited_for_cover: bool,
    /// It ran before a crash, and has not run since.
    pub(crate) cut_off: bool,
    pub(crate) runs: u32,
    pub(crate) granted: Option<Bounds>,
    pub(crate) note: bool,
    pub(crate) denied: bool,
    pub(crate) outcome: Option<Outcome>,
}

impl CallExpectation {
    fn new(truncated: bool) -> Self {
        Self {
            state: CallState::Unplanned,
            plan: Plan::new(Verdict::Allow),
            planned: false,
            truncated,
            out: false,
            waited_for_cover: false,
            cut_off: false,
            runs: 0,
            granted: None,
            note: false,
            denied: false,
            outcome: None,
        }
    }

    pub(crate) fn is_safety(&self) -> bool {
        matches!(self.plan.verdict, Verdict::Ask { safety: true, .. })
    }

    pub(crate) fn is_delegation(&self) -> bool {
        matches!(self.plan.execution, Execution::Delegate { .. })
    }

    fn suggestions(&self) -> &[Rule] {
        match &self.plan.verdict {
            Verdict::Ask { suggestions, .. } => suggestions,
            _ => &[],
        }
    }
}

impl Expectations {
    /// Lists the calls in a state.
    pub(crate) fn in_state(&self, state: CallState) -> Vec<CallKey> {
        let calls = self.calls.iter().filter(|(_, book)| book.state == state);
        calls.map(|(key, _)| *key).collect()
    }

    pub(crate) fn running(&self) -> Vec<CallKey> {
        self.in_state(CallState::Running)
    }

    /// What may come back from that which runs.
    pub(crate) fn reports(&self, choices: &mut Choices) -> Vec<Record> {
        let round = self.round + 1;
        if let Some(purpose) = self.model_running {
            if choices.one_in(60) {
                let error = "down".to_owned();
                return vec![Record::ModelFailed {
                    round,
                    purpose,
                    error,
                }];
            }
            let cost = choices.cost();
            let reply = choices.reply(round);
            return vec![Record::ModelDone {
                round,
                purpose,
                cost,
                reply,
            }];
        }
        let finish = |call| self.report(call, choices);
        self.running().into_iter().map(finish).collect()
    }

    pub(crate) fn report(&self, call: CallKey, choices: &mut Choices) -> Record {
        let outcome = choices.outcome(call, self.calls[&call].granted.as_ref());
        Record::Finished { call, outcome }
    }

    /// What comes of a reply that is stopped: nothing, or a part.
    pub(crate) fn model_cancelled(&self, choices: &mut Choices) -> Record {
        let partial = Reply {
            stop: StopReason::Cancelled,
            ..choices.reply(self.round + 1)
        };
        let nothing = Reply {
            message: AssistantMessage::default(),
            stop: StopReason::Cancelled,
            usage: Usage::default(),
        };
        let purpose = self.model_running.unwrap_or_default();
        Record::ModelDone {
            round: self.round + 1,
            purpose,
            cost: choices.cost(),
            reply: if choices.one_in(2) { partial } else { nothing },
        }
    }

    /// Finds what covers a call that is about to be planned: earlier questions that suggest a rule which the dice say
    /// matches this call too.
    pub(crate) fn covers(&self, call: CallKey, choices: &mut Choices) -> Vec<Cover> {
        let mut covers = Vec::new();
        for (&earlier, book) in self.calls.range(..call) {
            let matching = book.suggestions().iter().filter(|_| choices.one_in(2));
            let rules: Vec<_> = matching.cloned().collect();
            if !rules.is_empty() {
                let call = earlier;
                covers.push(Cover { call, rules });
            }
        }
        covers
    }

    pub(crate) fn has_open_cover(&self, book: &CallExpectation) -> bool {
        let mut covers = book.plan.covered_by.iter();
        covers.any(|cover| self.calls[&cover.call].state == CallState::Asking)
    }

    pub(crate) fn note(&mut self, record: &Record, turn: &Turn, counts: &mut Counts) {
        match record {
            Record::Wanted { .. }
            | Record::Compacted { .. }
            | Record::NotCompacted { .. }
            | Record::Noted { .. }
            | Record::Reviewed { .. } => {}
            Record::ModelStarted { purpose, .. } => {
                self.model_running = Some(*purpose);
                self.model_calls += 1;
                if *purpose == Purpose::Reply {
                    self.calls.clear();
                }
            }
            Record::ModelDone {
                round,
                purpose,
                cost,
                reply,
            } => {
                self.model_running = None;
                self.tokens += reply.usage.input_tokens + reply.usage.output_tokens;
                self.cost += cost.micros();
                self.stopping |= reply.stop == StopReason::Cancelled;
                if *purpose == Purpose::Reply {
                    self.note_reply(*round, turn);
                } else {
                    counts.saw(&format!("side step {}", purpose.name()));
                }
            }
            Record::ModelFailed { .. } => self.model_running = None,
            Record::Planned { call, plan } => self.note_plan(*call, plan, counts),
            Record::Asked { calls } => self.note_asked(calls, counts),
            Record::Answered { call, decision } => self.note_answer(*call, decision, counts),
            Record::Started { calls } => self.note_started(calls, counts),
            Record::Submitted { calls } => {
                for call in calls {
                    self.book(*call).state = CallState::Submitted;
                }
            }
            Record::Finished { call, outcome } => {
                self.stopping |= outcome.fatal;
                let used = &outcome.used;
                self.model_calls += used.model_calls;
                self.tokens += used.tokens();
                self.cost += outcome.cost.micros() + used.cost.micros();
                let book = self.book(*call);
                book.state = CallState::Finished;
                book.outcome = Some(outcome.clone());
            }
            Record::Elapsed { milliseconds } => {
                self.milliseconds += milliseconds;
                let most = turn.bounds().milliseconds;
                self.stopping |= most.is_some_and(|most| self.milliseconds >= most);
            }
            Record::Interrupt => self.stopping = true,
            Record::Resumed => self.note_resumed(turn, counts),
            other => panic!("unknown record {other:?}"),
        }
    }

    fn note_reply(&mut self, round: u32, turn: &Turn) {
        self.round = round;
        self.circles.note(turn.calls().map(|(_, call)| call));
        for (key, call) in turn.calls() {
            self.calls
                .insert(key, CallExpectation::new(call.defect.is_some()));
        }
    }

    fn note_plan(&mut self, call: CallKey, plan: &Plan, counts: &mut Counts) {
        if plan.dry_run {
            counts.saw("dry run");
        }
        let book = self.book(call);
        book.plan = plan.clone();
        book.planned = true;
        book.state = match plan.verdict {
            Verdict::Allow => CallState::Allowed,
            Verdict::Ask { .. } => CallState::Asking,
            _ => CallState::Finished,
        };
        book.denied = matches!(plan.verdict, Verdict::Deny { .. });
    }

    fn note_asked(&mut self, calls: &[CallKey], counts: &mut Counts) {
        if calls.len() > 1 {
            counts.saw("question together with others");
        }
        let waiting: Vec<_> = self.in_state(CallState::Asking);
        for key in waiting {
            let (book, open) = (&self.calls[&key], self.has_open_cover(&self.calls[&key]));
            match (book.is_safety(), open, calls.contains(&key)) {
                (true, true, true) => counts.saw("question of safety in spite of a cover"),
                (false, true, _) => {
                    counts.saw("question that is covered");
                    self.book(key).waited_for_cover = true;
                }
                (false, false, true) if book.waited_for_cover => {
                    counts.saw("covered question after all");
                }
                _ => {}
            }
        }
        for call in calls {
            self.book(*call).out = true;
        }
    }

    fn note_answer(&mut self, call: CallKey, decision: &Decision, counts: &mut Counts) {
        let rules = match decision {
            Decision::AllowAlways { rules, .. } | Decision::RejectAlways { rules, .. } => {
                &rules[..]
            }
            _ => &[],
        };
        let is_settled = |book: &CallExpectation| {
            let mut covers = book.plan.covered_by.iter();
            book.state == CallState::Asking
                && !book.is_safety()
                && covers.any(|cover| {
                    cover.call == call && cover.rules.iter().any(|rule| rules.contains(rule))
                })
        };
        for (key, book) in &mut self.calls {
            if *key != call && !is_settled(book) {
                continue;
            }
            if *key != call {
                counts.saw(if decision.is_allowed() {
                    "cover allows"
                } else {
                    "cover rejects"
                });
            }
            book.out = false;
            book.note = decision.is_allowed() && decision.message().is_some();
            book.denied = !decision.is_allowed();
            book.state = if decision.is_allowed() {
                CallState::Allowed
            } else {
                CallState::Finished
            };
        }
    }

    fn note_started(&mut self, calls: &[CallKey], counts: &mut Counts) {
        for call in calls {
            let book = self.book(*call);
            book.state = CallState::Running;
            book.runs += 1;
            if book.cut_off {
                counts.saw(if book.is_delegation() {
                    "delegate goes on after a crash"
                } else {
                    "rerun after a crash"
                });
            }
            book.cut_off = false;
            if book.is_delegation() {
                counts.saw("delegate");
            }
        }
        let running = self
            .calls
            .values()
            .filter(|book| book.state == CallState::Running);
        if running.filter(|book| book.is_delegation()).count() > 1 {
            counts.saw("delegates side by side");
        }
    }

    fn note_resumed(&mut self, turn: &Turn, counts: &mut Counts) {
        self.model_calls -= u32::from(self.model_running.is_some());
        self.model_running = None;
        let stopping = self.stopping;
        if !self.in_state(CallState::Submitted).is_empty() {
            counts.saw("external after a crash");
        }
        if self.calls.values().any(|book| book.out) {
            counts.saw("answer after a crash");
        }
        for key in self.running() {
            let book = self.book(key);
            book.cut_off = true;
            let may_again = book.plan.idempotent || book.plan.dry_run || book.is_delegation();
            if may_again && !stopping {
                book.state = CallState::Allowed;
                continue;
            }
            counts.saw("unknown after a crash");
            book.state = CallState::Finished;
            let outcome = turn.outcome(key).unwrap();
            let text = outcome.content[0].as_text().unwrap();
            assert!(outcome.is_error && text.contains("is unknown"), "{text}");
            book.note = false;
            book.outcome = Some(outcome.clone());
        }
    }

    pub(crate) fn book(&mut self, key: CallKey) -> &mut CallExpectation {
        self.calls.get_mut(&key).expect("a call of this round")
    }
}
