//! Assembles the calls of a streamed reply: assigns each delta to a call, even if its index, id or name is missing.

use serde_json::Value;

use crate::openai::call_id::CallIds;
use crate::openai::json;
use crate::{ModelError, ModelEvent};
use helve_core::transcript::CallId;

/// The greatest number of calls in a reply, to limit the cost of a hostile server.
const MAX_CALLS: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct CallAccumulator {
    open: Vec<OpenCall>,
    ids: CallIds,
}

#[derive(Debug, Default)]
struct OpenCall {
    /// The index that the server sent.
    index: Option<u64>,
    /// The id that the server sent; the latest one if the server changes it.
    sent_id: Option<String>,
    /// The id that was emitted; `None` before the call has started.
    id: Option<CallId>,
    name: Option<String>,
    arguments: String,
}

struct CallDelta<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    arguments: String,
    signature: Option<String>,
}

impl CallAccumulator {
    pub(super) fn has_any(&self) -> bool {
        self.open.iter().any(|call| call.id.is_some())
    }

    /// Reports whether arguments were received for a call without a name.
    pub(super) fn has_nameless(&self) -> bool {
        let is_nameless = |call: &OpenCall| call.name.is_none() && !call.arguments.is_empty();
        self.open.iter().any(is_nameless)
    }

    /// Processes the calls of a delta, or of a complete message.
    pub(super) fn push_delta(
        &mut self,
        delta: &Value,
        reply: Option<&str>,
        out: &mut Vec<ModelEvent>,
    ) -> Result<(), ModelError> {
        for value in json::list(delta, "tool_calls") {
            self.push_call(CallDelta::parse(value), reply, out);
            if self.open.len() > MAX_CALLS {
                let what = format!("it has more than {MAX_CALLS} calls");
                return Err(ModelError::Malformed(what));
            }
        }
        Ok(())
    }

    fn push_call(&mut self, piece: CallDelta<'_>, reply: Option<&str>, out: &mut Vec<ModelEvent>) {
        let place = self.find_call(&piece).unwrap_or_else(|| {
            self.open.push(OpenCall {
                index: piece.index,
                ..OpenCall::default()
            });
            self.open.len() - 1
        });
        let call = &mut self.open[place];
        if let Some(id) = piece.id {
            call.sent_id = Some(id.to_owned());
        }
        call.name = call.name.take().or_else(|| piece.name.map(str::to_owned));
        call.arguments.push_str(&piece.arguments);
        let mut news = piece.arguments;
        let id = match (&call.id, &call.name) {
            (Some(id), _) => id.clone(),
            (None, Some(name)) => {
                let id = self.ids.assign(call.sent_id.as_deref(), reply);
                call.id = Some(id.clone());
                out.push(ModelEvent::call(&id, name.as_str()));
                // The arguments that were received before the name.
                news.clone_from(&call.arguments);
                id
            }
            // A call without a name has not started.
            (None, None) => return,
        };
        if !news.is_empty() {
            out.push(ModelEvent::arguments(&id, news));
        }
        if let Some(signature) = piece.signature {
            out.push(ModelEvent::ToolCallSignature { id, signature });
        }
    }

    /// Finds the call that a delta belongs to; returns `None` if the delta starts a call.
    ///
    /// The index decides if there is one, else the id. Some servers send the same index or id for several calls, or
    /// another id with each delta: a name then distinguishes the start of a call from the continuation of the last
    /// one.
    fn find_call(&self, piece: &CallDelta<'_>) -> Option<usize> {
        let find = |is: &dyn Fn(&OpenCall) -> bool| self.open.iter().rposition(is);
        let last = || self.open.len().checked_sub(1);
        let place = match (piece.index, piece.id) {
            (Some(_), _) => find(&|call| call.index == piece.index),
            (None, Some(_)) => find(&|call| call.sent_id.as_deref() == piece.id).or_else(last),
            (None, None) => last(),
        }?;
        (!self.open[place].is_other_call(piece)).then_some(place)
    }
}

impl OpenCall {
    /// Reports whether a delta that seems to continue this call starts another one.
    fn is_other_call(&self, piece: &CallDelta<'_>) -> bool {
        let (Some(name), Some(known)) = (piece.name, &self.name) else {
            return false;
        };
        let other_id = piece.id.is_some() && self.sent_id.as_deref() != piece.id;
        let same_id = piece.id.is_some() && !other_id;
        let whole = !self.arguments.is_empty() && json::is_whole(&self.arguments);
        // Some servers repeat the head of a call with each delta; two calls of the same tool are distinguished by
        // their arguments.
        (name != known && !same_id)
            || (other_id || !same_id) && whole && !piece.arguments.is_empty()
    }
}

impl<'a> CallDelta<'a> {
    fn parse(value: &'a Value) -> Self {
        let function = value.get("function").unwrap_or(value);
        let extra = value.get("extra_content");
        Self {
            index: json::count(value, &["index"]),
            id: json::text(value, "id"),
            name: json::text(function, "name"),
            arguments: json::arguments(function.get("arguments")),
            signature: extra
                .filter(|extra| extra.is_object())
                .map(Value::to_string),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Decodes deltas of calls, and returns the resulting calls.
    fn read(deltas: &[Value]) -> Vec<(String, String, String)> {
        let mut calls = CallAccumulator::default();
        let mut out = Vec::new();
        for delta in deltas {
            let delta = json!({"tool_calls": delta});
            calls.push_delta(&delta, Some("r"), &mut out).unwrap();
        }
        let mut read: Vec<(String, String, String)> = Vec::new();
        for event in out {
            match event {
                ModelEvent::ToolCallStart { id, name } => {
                    read.push((id.to_string(), name.to_string(), String::new()));
                }
                ModelEvent::ToolCallDelta { id, arguments } => {
                    let call = read.iter_mut().find(|call| id == *call.0);
                    call.expect("a call that began").2.push_str(&arguments);
                }
                other => panic!("{other:?}"),
            }
        }
        read
    }

    fn piece(index: Option<u64>, id: &str, name: &str, arguments: &str) -> Value {
        json!([{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}])
    }

    fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
        (id.to_owned(), name.to_owned(), arguments.to_owned())
    }

    #[test]
    fn indexes_keep_interleaved_calls_apart() {
        let calls = read(&[
            piece(Some(0), "a", "x", ""),
            piece(Some(1), "b", "y", ""),
            piece(Some(0), "", "", "{\"n\""),
            piece(Some(1), "", "", "{}"),
            piece(Some(0), "", "", ":1}"),
        ]);
        assert_eq!(calls, [call("a", "x", "{\"n\":1}"), call("b", "y", "{}")]);
    }

    #[test]
    fn without_an_index_the_id_or_the_order_tells() {
        let calls = read(&[
            piece(None, "a", "x", "{"),
            piece(None, "", "", "}"),
            piece(None, "b", "x", "{\"n\":"),
            piece(None, "b", "", "1}"),
        ]);
        assert_eq!(calls, [call("a", "x", "{}"), call("b", "x", "{\"n\":1}")]);
    }

    #[test]
    fn one_index_for_all_calls_is_no_index() {
        let calls = read(&[
            piece(Some(0), "a", "x", "{}"),
            piece(Some(0), "b", "x", "{\"n\":1}"),
            piece(Some(0), "c", "y", "{}"),
        ]);
        let [a, c] = [call("a", "x", "{}"), call("c", "y", "{}")];
        assert_eq!(calls, [a, call("b", "x", "{\"n\":1}"), c]);
    }

    #[test]
    fn heads_that_repeat_and_ids_that_change_are_one_call() {
        for (index, id, name) in [(Some(0), "a", "x"), (Some(0), "b", "x"), (None, "b", "")] {
            let head = piece(index, "a", "x", "{\"n\"");
            let calls = read(&[head, piece(index, id, name, ":1}")]);
            assert_eq!(calls, [call("a", "x", "{\"n\":1}")]);
        }
    }

    #[test]
    fn missing_and_double_ids_are_made_up() {
        let calls = read(&[
            piece(Some(0), "", "x", "{}"),
            piece(Some(1), "a", "x", "{}"),
            piece(Some(2), "a", "y", "{}"),
        ]);
        assert_eq!(calls.len(), 3);
        let [made, sent, double] = [0, 1, 2].map(|call: usize| &*calls[call].0);
        assert!(made.starts_with("call_") && made.ends_with("_0"), "{made}");
        assert_eq!((sent, double), ("a", "a_2"));
    }

    #[test]
    fn arguments_may_be_an_object_and_a_name_may_come_late() {
        let object = json!([{"id": "a", "function": {"name": "x", "arguments": {"n": 1}}}]);
        assert_eq!(read(&[object]), [call("a", "x", "{\"n\":1}")]);
        let calls = read(&[piece(Some(0), "a", "", "{"), piece(Some(0), "", "x", "}")]);
        assert_eq!(calls, [call("a", "x", "{}")]);
        assert_eq!(read(&[piece(None, "", "", "{}")]), []);
    }
}
