//! Parses the messages of clients.

use std::fmt;
use std::marker::PhantomData;

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequest, CallToolRequestMethod, CallToolRequestParams, ClientRequest, JsonRpcMessage,
    JsonRpcVersion2_0, RequestId,
};
use rmcp::service::RxJsonRpcMessage;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// A `tools/call` request as almost all clients write it: with these members only, each once.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainCall {
    #[expect(dead_code, reason = "the type checks the version")]
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    method: CallToolRequestMethod,
    params: JsonObjectOf<CallToolRequestParams>,
}

/// A struct that must be written as an object. serde also accepts an array for a struct, which the protocol does not.
struct JsonObjectOf<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for JsonObjectOf<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }

        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// Parses a message.
///
/// rmcp buffers a message and tries one type of message after the other, which takes most of the time of a short call. This
/// function therefore tries to parse a call first, and leaves all other messages to rmcp.
pub(super) fn parse_message(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<RoleServer>> {
    match serde_json::from_slice::<JsonObjectOf<PlainCall>>(line) {
        Ok(JsonObjectOf(call)) => Ok(call.into()),
        Err(_) => serde_json::from_slice(line),
    }
}

impl From<PlainCall> for RxJsonRpcMessage<RoleServer> {
    fn from(call: PlainCall) -> Self {
        let PlainCall {
            id,
            method,
            params: JsonObjectOf(mut params),
            ..
        } = call;
        let meta = params.meta.take();
        let mut request = CallToolRequest::new(params);
        request.method = method;
        // rmcp stores the metadata in the extensions, too.
        if let Some(meta) = meta {
            request.extensions.insert(meta);
        }
        JsonRpcMessage::request(ClientRequest::CallToolRequest(request), id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rmcp::model::GetMeta as _;
    use serde_json::{Value, json};

    use super::*;

    fn format_message(parsed: serde_json::Result<RxJsonRpcMessage<RoleServer>>) -> Option<String> {
        let message = parsed.ok()?;
        let meta = match &message {
            JsonRpcMessage::Request(request) => Some(request.request.get_meta()),
            _ => None,
        };
        Some(format!("{message:?} {meta:?}"))
    }

    fn assert_same_as_rmcp(line: &str) {
        let general = serde_json::from_slice(line.as_bytes());
        assert_eq!(
            format_message(parse_message(line.as_bytes())),
            format_message(general),
            "{line}"
        );
    }

    #[test]
    fn a_plain_call_is_parsed_directly() {
        let line = r#"{"method":"tools/call","params":{"name":"a","_meta":{"progressToken":7}},"id":"1","jsonrpc":"2.0"}"#;
        assert!(serde_json::from_str::<JsonObjectOf<PlainCall>>(line).is_ok());
        assert_same_as_rmcp(line);
    }

    #[test]
    fn unusual_messages_are_parsed_by_rmcp() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"id":2}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"},"x":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools\/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"a","arguments":null}}"#,
            r#"["2.0",1,"tools/call",{"name":"a"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[null,"a",null,null,null]}"#,
            r#"[null,"a"]"#,
            "",
        ] {
            assert_same_as_rmcp(line);
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-z_]{1,4}", inner, 0..4)
                    .prop_map(|members| json!(members)),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_message_is_parsed_as_by_rmcp(
            id in values(),
            method in prop::sample::select(vec!["tools/call", "tools/list", "ping", "other"]),
            members in prop::collection::vec(
                (prop::sample::select(vec!["name", "arguments", "_meta", "inputResponses", "requestState", "x"]), values()),
                0..5,
            ),
            name in prop::option::of("[a-z]{1,8}"),
        ) {
            let mut params: serde_json::Map<String, Value> =
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
            if let Some(name) = name {
                params.insert("name".to_owned(), name.into());
            }
            let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
            assert_same_as_rmcp(&line.to_string());
        }
    }
}
