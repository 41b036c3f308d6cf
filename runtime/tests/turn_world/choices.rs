//! Choices out of a list of numbers, so that a failing run shrinks. When the list is used up, every choice is the
//! plainest one.

use helve_runtime::agent::turn::{Outcome, Plan};
use helve_runtime::model::{Reply, StopReason};
use helve_runtime::permission::{Decision, Verdict};
use helve_runtime::transcript::{
    ArgumentsDefect, AssistantMessage, CallKey, Content, Cost, Part, ToolCall, Usage,
};

pub(crate) struct Choices {
    numbers: std::vec::IntoIter<u32>,
}

impl Choices {
    pub(crate) fn new(numbers: Vec<u32>) -> Self {
        Self {
            numbers: numbers.into_iter(),
        }
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

    pub(crate) fn plan(&mut self) -> Plan {
        let reason = || "because".to_owned();
        let verdict = match self.below(7) {
            4 | 5 => Verdict::ask(reason()),
            6 => Verdict::Deny { reason: reason() },
            _ => Verdict::Allow,
        };
        Plan {
            exclusive: self.one_in(3),
            idempotent: self.one_in(2),
            ..Plan::new(verdict)
        }
    }

    pub(crate) fn decision(&mut self) -> Decision {
        match self.below(4) {
            2 => Decision::RejectOnce { message: None },
            3 => Decision::Unanswered {
                reason: "nobody".to_owned(),
            },
            _ => Decision::allow_once(),
        }
    }

    /// Picks some of the calls, at least one, in order.
    pub(crate) fn some_of(&mut self, calls: &[CallKey]) -> Vec<CallKey> {
        let mut some: Vec<_> = calls.iter().copied().filter(|_| !self.one_in(3)).collect();
        if some.is_empty() {
            some.push(calls[0]);
        }
        some
    }

    pub(crate) fn outcome(&mut self, call: CallKey) -> Outcome {
        let text = Content::text(format!("result of {call}"));
        match self.below(80) {
            79 => Outcome::fatal(text),
            60..79 => Outcome::error(text),
            _ => Outcome::ok(text).cost(Cost::from_micros(1)),
        }
    }

    pub(crate) fn reply(&mut self, round: u32) -> Reply {
        let stop = match self.below(60) {
            20 => StopReason::MaxTokens,
            21 => StopReason::Refusal,
            22 => StopReason::Cancelled,
            _ => StopReason::ToolUse,
        };
        let calls = if self.numbers.len() == 0 || self.one_in(12) {
            0
        } else {
            1 + self.below(7)
        };
        let mut content = vec![Part::Text {
            text: "So".to_owned(),
        }];
        for index in 0..calls {
            // Some providers begin with the same ids in every reply.
            let mut call = ToolCall::new(
                format!("call_{index}"),
                "tool",
                format!("{{\"round\":{round}}}"),
            );
            if self.one_in(12) {
                call.defect = Some(ArgumentsDefect::Truncated);
            }
            content.push(Part::ToolCall(call));
        }
        if self.one_in(9) && calls == 0 {
            content.clear();
        }
        Reply {
            message: AssistantMessage { content },
            stop,
            usage: Usage::new(2, 1),
        }
    }
}
