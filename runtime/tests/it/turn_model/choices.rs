//! Choices out of a list of numbers, so that a failing run shrinks. When the list is used up, every choice is the
//! plainest one.

use std::time::Duration;

use helve_runtime::agent::turn::{Bounds, Execution, Outcome, Plan, Totals};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Rule, RuleScope, Verdict};
use helve_runtime::transcript::{
    AgentId, ArgumentsDefect, AssistantMessage, CallKey, Content, Cost, MessagePart, ToolCall,
    Usage,
};

pub(crate) struct Choices {
    numbers: std::vec::IntoIter<u32>,
    /// How much the model repeats itself: the fewer calls it knows, the more.
    calls_known: u32,
}

impl Choices {
    pub(crate) fn new(numbers: Vec<u32>) -> Self {
        let mut choices = Self {
            numbers: numbers.into_iter(),
            calls_known: 1_000,
        };
        if choices.one_in(3) {
            choices.calls_known = 1 + choices.below(3);
        }
        choices
    }

    fn next(&mut self) -> u32 {
        self.numbers.next().unwrap_or(0)
    }

    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        self.next() % limit.max(1)
    }

    /// Is rarely true, and never once the numbers are used up.
    pub(crate) fn one_in(&mut self, many: u32) -> bool {
        self.below(many) == many - 1
    }

    fn maybe<T>(&mut self, many: u32, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.one_in(many).then(|| make(self))
    }

    pub(crate) fn bounds(&mut self) -> Bounds {
        let bounds = Bounds::new([9, 30, 5, 1, 0, 14][self.below(6) as usize])
            .parallel(self.below(6))
            .tool_calls(self.maybe(6, |choices| choices.below(40)))
            .same_tool(self.maybe(7, |choices| choices.below(6)))
            .reviews(self.maybe(2, |choices| choices.below(4)))
            .tokens(self.maybe(7, |choices| choices.below(60).into()))
            .cost(self.maybe(7, |choices| Cost::from_micros(choices.below(30).into())))
            .wall_time(self.maybe(6, |choices| Duration::from_millis(choices.below(90).into())));
        let bounds = if self.one_in(2) {
            bounds.identical_calls(self.maybe(2, |choices| choices.below(5)))
        } else {
            bounds
        };
        let bounds = if self.one_in(3) {
            bounds.denials(self.maybe(2, |choices| choices.below(4)))
        } else {
            bounds
        };
        if self.one_in(3) {
            bounds.repeats(self.maybe(2, |choices| choices.below(5)))
        } else {
            bounds
        }
    }

    /// Makes a plan without covers.
    pub(crate) fn plan(&mut self) -> Plan {
        let reason = || "because".to_owned();
        let verdict = match self.below(12) {
            4..=9 => Verdict::Ask {
                reason: reason(),
                safety: self.one_in(4),
                suggestions: self.rules(),
            },
            10 => Verdict::Deny { reason: reason() },
            _ => Verdict::Allow,
        };
        let execution = match self.below(9) {
            6 => Execution::External,
            7..=8 => Execution::Delegate {
                agent: AgentId::from("helper"),
            },
            _ => Execution::Local,
        };
        Plan {
            exclusive: self.one_in(3),
            idempotent: self.one_in(2),
            dry_run: self.one_in(6),
            execution,
            ..Plan::new(verdict)
        }
    }

    fn rules(&mut self) -> Vec<Rule> {
        let all = ["git commit:*", "git:*", "rm:*"].map(|calls| Rule::calls("bash", calls));
        all.into_iter().filter(|_| self.one_in(2)).collect()
    }

    /// Answers a question; the plainest answer is a yes.
    pub(crate) fn decision(&mut self) -> Decision {
        let message = self.one_in(3).then(|| "mind the gap".to_owned());
        let scope = RuleScope::Session;
        match self.below(8) {
            2 => Decision::RejectOnce { message },
            3 => Decision::Unanswered {
                reason: "nobody".to_owned(),
            },
            4 | 5 => Decision::AllowAlways {
                rules: self.rules(),
                scope,
                message,
            },
            6 | 7 => Decision::RejectAlways {
                rules: self.rules(),
                scope,
                message,
            },
            _ => Decision::AllowOnce { message },
        }
    }

    /// Picks some of several things, at least one, in order.
    pub(crate) fn some_of<T: Copy>(&mut self, all: &[T]) -> Vec<T> {
        let mut some: Vec<_> = all.iter().copied().filter(|_| !self.one_in(3)).collect();
        if some.is_empty() {
            some.push(all[0]);
        }
        some
    }

    pub(crate) fn outcome(&mut self, call: CallKey, granted: Option<&Bounds>) -> Outcome {
        let text = Content::text(format!("result of {call}"));
        let outcome = match self.below(80) {
            79 => Outcome::fatal(text),
            60..79 => Outcome::error(text),
            _ => Outcome::ok(text).cost(Cost::from_micros(1)),
        };
        match granted {
            Some(granted) => outcome.used(self.used(granted)),
            None => outcome,
        }
    }

    pub(crate) fn cost(&mut self) -> Cost {
        Cost::from_micros(self.below(3).into())
    }

    /// What a delegate used up that was given so much.
    fn used(&mut self, granted: &Bounds) -> Totals {
        let mut used = Totals::default();
        used.model_calls = self.below(3).min(granted.model_calls);
        used.tool_calls = self.below(3).min(granted.tool_calls.unwrap_or(u32::MAX));
        used.usage = Usage::new(self.below(4).into(), 1);
        used.cost = Cost::from_micros(self.below(3).into());
        used.milliseconds = 1_000_000;
        used.delegates = self.below(2).min(granted.delegates.unwrap_or(0));
        used
    }

    pub(crate) fn reply(&mut self, round: u32) -> Reply {
        let stop = match self.below(80) {
            20..24 => StopReason::MaxTokens,
            24 => StopReason::Refusal,
            25 => StopReason::Cancelled,
            26..30 => StopReason::PauseTurn,
            30 => StopReason::ContextWindow,
            _ => StopReason::ToolUse,
        };
        let calls = if self.numbers.len() == 0 || self.one_in(16) {
            0
        } else if self.calls_known == 1 {
            // Nothing else brings it about that two replies are alike.
            1
        } else {
            1 + self.below(7)
        };
        let mut content = vec![MessagePart::Text {
            text: if self.one_in(9) { " " } else { "So" }.to_owned(),
        }];
        for index in 0..calls {
            content.push(MessagePart::ToolCall(self.call(round, index)));
        }
        if self.one_in(9) && calls == 0 {
            content.clear();
        }
        Reply {
            message: AssistantMessage::new(content),
            stop,
            usage: Usage::new(2, 1),
        }
    }

    fn call(&mut self, round: u32, index: u32) -> ToolCall {
        let value = (round * 10 + index) % self.calls_known;
        // One call has several spellings.
        let arguments = if self.one_in(2) {
            format!(r#"{{ "x": [1.0], "of": {value} }}"#)
        } else {
            format!(r#"{{"of":{value},"x":[1]}}"#)
        };
        let tools = if self.calls_known == 1 { 1 } else { 3 };
        let tool = ["read", "read", "write"][self.below(tools) as usize];
        // Some providers begin with the same ids in every reply.
        let mut call = ToolCall::new(format!("call_{index}"), tool, arguments);
        if self.one_in(12) {
            call.defect = Some(ArgumentsDefect::Truncated);
        }
        call
    }
}
