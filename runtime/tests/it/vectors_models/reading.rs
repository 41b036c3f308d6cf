//! What is read out of a response, in the words of the index.

use std::collections::BTreeMap;

use futures_core::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, stream};
use helve_runtime::model::{Assembler, ModelError, ModelEvent, Reply, ResponseHead};
use helve_runtime::transcript::MessagePart;
use serde_json::{Value, json};

/// The pieces of a body.
pub(crate) type Chunks<'a> = BoxStream<'a, Result<Vec<u8>, ModelError>>;

/// The events that are read out of it.
pub(crate) type Events<'a> = BoxStream<'a, Result<ModelEvent, ModelError>>;

/// A protocol, and the way into its decoder that everybody has.
pub(crate) trait Protocol {
    /// Its name, as in the index.
    fn api(&self) -> &'static str;

    /// Reads a response.
    fn read<'a>(&'a self, head: ResponseHead, pieces: Chunks<'a>) -> Events<'a>;

    /// Says what was read in the words of the index; [`DecodedReply::of`] is most of it.
    fn found(&self, reply: &Reply) -> DecodedReply;
}

/// Reads a response that is in these pieces, and says what was read in the words of the index.
pub(crate) fn read(
    protocol: &dyn Protocol,
    head: ResponseHead,
    pieces: Vec<Vec<u8>>,
) -> Result<DecodedReply, ModelError> {
    let reply = assemble(protocol, head, pieces)?;
    Ok(protocol.found(&reply))
}

/// Reads a response that is in these pieces, without waiting for anything.
pub(crate) fn assemble(
    protocol: &dyn Protocol,
    head: ResponseHead,
    pieces: Vec<Vec<u8>>,
) -> Result<Reply, ModelError> {
    let pieces = stream::iter(pieces.into_iter().map(Ok)).boxed();
    let events = protocol.read(head, pieces).collect::<Vec<_>>();
    let events = events.now_or_never().expect("nothing to wait for");
    let mut assembler = Assembler::new();
    for event in events {
        assembler.push(event?)?;
    }
    assembler.finish()
}

/// What was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct DecodedReply {
    pub(crate) text: String,
    pub(crate) thinking: String,
    /// How many proofs of thinking there are.
    pub(crate) signatures: u64,
    pub(crate) tool_calls: Vec<Value>,
    pub(crate) server_tool_calls: Vec<Value>,
    /// By the index's names: `input`, `output`, `cache_read`, `cache_write`, `reasoning`.
    pub(crate) usage: BTreeMap<&'static str, u64>,
    pub(crate) stop_reason: &'static str,
}

impl DecodedReply {
    /// Says what every protocol says in the same way; the stop reason is left out.
    pub(crate) fn of(reply: &Reply) -> Self {
        let mut found = Self::default();
        for part in &reply.message.content {
            match part {
                MessagePart::Text { text } => found.text.push_str(text),
                MessagePart::Thinking { text, signature } => {
                    found.thinking.push_str(text);
                    found.signatures += u64::from(signature.is_some());
                }
                MessagePart::ToolCall(call) => {
                    let arguments = serde_json::from_str(&call.arguments);
                    let raw = json!({ "__raw__": &*call.arguments });
                    let arguments = match call.arguments.is_empty() {
                        true => json!({}),
                        false => arguments.unwrap_or(raw),
                    };
                    let (id, name) = (&*call.id, &*call.name);
                    found
                        .tool_calls
                        .push(json!({ "id": id, "name": name, "arguments": arguments }));
                }
                _ => {}
            }
        }
        let usage = reply.usage;
        found.usage = BTreeMap::from([
            ("input", usage.input_tokens),
            ("output", usage.output_tokens),
            ("cache_read", usage.cache_read_input_tokens),
            ("cache_write", usage.cache_creation_input_tokens),
            ("reasoning", usage.reasoning_output_tokens),
        ]);
        found
    }

    /// Says what differs from the index, which leaves out what it does not know.
    pub(crate) fn compare(&self, expected: &Value) -> Result<(), String> {
        let empty = json!([]);
        let or_empty = |value: &'_ Value| match value.is_null() {
            true => empty.clone(),
            false => value.clone(),
        };
        let text = |key: &str| json!(expected[key].as_str().unwrap_or_default());
        let usage = expected["usage"].as_object().cloned().unwrap_or_default();
        let known = self
            .usage
            .iter()
            .filter(|(name, _)| usage.contains_key(**name));
        let known: BTreeMap<_, _> = known.collect();
        let pairs = [
            ("the text", json!(self.text), text("text")),
            ("the thinking", json!(self.thinking), text("thinking")),
            (
                "the proofs",
                json!(self.signatures),
                expected["signatures"].clone(),
            ),
            (
                "the calls",
                json!(self.tool_calls),
                or_empty(&expected["tool_calls"]),
            ),
            (
                "the provider's calls",
                json!(self.server_tool_calls),
                or_empty(&expected["server_tool_calls"]),
            ),
            ("the usage", json!(known), json!(usage)),
            (
                "the stop reason",
                json!(self.stop_reason),
                expected["stop_reason"].clone(),
            ),
        ];
        let differing = pairs
            .into_iter()
            .find(|(_, found, expected)| found != expected);
        differing.map_or(Ok(()), |(what, found, expected)| {
            Err(format!("{what}: {found}, and not {expected}"))
        })
    }
}

#[test]
fn a_difference_in_anything_is_noticed() {
    let found = DecodedReply {
        text: "a".into(),
        thinking: "b".into(),
        signatures: 1,
        tool_calls: vec![json!({"id": "c"})],
        server_tool_calls: vec![json!({"id": "d"})],
        usage: BTreeMap::from([("input", 1), ("output", 2)]),
        stop_reason: "end_turn",
    };
    let same = json!({
        "text": "a",
        "thinking": "b",
        "signatures": 1,
        "tool_calls": [{"id": "c"}],
        "server_tool_calls": [{"id": "d"}],
        "usage": {"input": 1},
        "stop_reason": "end_turn",
    });
    assert_eq!(found.compare(&same), Ok(()));
    for key in same.as_object().unwrap().keys() {
        let mut other = same.clone();
        other[key] = json!({"input": 3});
        assert!(found.compare(&other).is_err(), "{key}");
    }
}
