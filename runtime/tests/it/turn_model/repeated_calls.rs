//! Going round in circles, as one would say it: the whole history, compared value by value.

use helve_runtime::agent::turn::Bounds;
use helve_runtime::transcript::ToolCall;
use serde_json::Value;

type Call = (String, Value);

/// The calls of every reply that had some.
#[derive(Debug, Default)]
pub(crate) struct RepeatedCalls {
    replies: Vec<Vec<Call>>,
}

impl RepeatedCalls {
    pub(crate) fn note<'a>(&mut self, calls: impl Iterator<Item = &'a ToolCall>) {
        let call = |call: &ToolCall| {
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            // As text, `1` and `1.0` differ.
            let text = arguments.to_string().replace("1.0", "1");
            (call.name.to_string(), serde_json::from_str(&text).unwrap())
        };
        let calls: Vec<_> = calls.map(call).collect();
        if !calls.is_empty() {
            self.replies.push(calls);
        }
    }

    pub(crate) fn is_repeating(&self, bounds: &Bounds) -> bool {
        let Some(most) = bounds.repeats else {
            return false;
        };
        let is_hit = |count: usize| {
            let replies = &self.replies[..count];
            (1..=8.min(count / 2)).any(|period| {
                let (before, last) = replies.split_at(count - period);
                before.ends_with(last)
            })
        };
        let lengths = (1..=self.replies.len()).rev();
        lengths.take_while(|count| is_hit(*count)).count() >= most.max(1) as usize
    }

    /// Whether some call so far was one too many in a row.
    pub(crate) fn has_too_many(&self, most: Option<u32>, same: fn(&Call, &Call) -> bool) -> bool {
        let calls: Vec<_> = self.replies.iter().flatten().collect();
        let most = most.map(|most| most as usize);
        let mut runs = calls.chunk_by(|a, b| same(a, b)).map(<[_]>::len);
        most.is_some_and(|most| runs.any(|length| length > most))
    }

    pub(crate) fn is_identical(a: &Call, b: &Call) -> bool {
        a == b
    }

    pub(crate) fn is_same_tool(a: &Call, b: &Call) -> bool {
        a.0 == b.0
    }
}
