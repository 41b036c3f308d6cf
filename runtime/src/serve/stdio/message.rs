//! Reading a client's message.

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

/// A call as almost every client writes it: with these members alone, each once.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    #[expect(dead_code, reason = "its type says all")]
    jsonrpc: JsonRpcVersion2_0,
    id: RequestId,
    method: CallToolRequestMethod,
    params: Object<CallToolRequestParams>,
}

/// What is written as an object: serde takes a list for a struct, too, which the protocol does not.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
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

/// Reads a message.
///
/// rmcp keeps a message in parts, and tries what they could be one kind after the other; for a call that is most of the
/// time that its server spends. So a call is read as such first. Whatever is anything else, or is written in another way,
/// is for rmcp to judge.
pub(super) fn read(line: &[u8]) -> serde_json::Result<RxJsonRpcMessage<RoleServer>> {
    match serde_json::from_slice::<Object<Call>>(line) {
        Ok(Object(call)) => Ok(call.into()),
        Err(_) => serde_json::from_slice(line),
    }
}

impl From<Call> for RxJsonRpcMessage<RoleServer> {
    fn from(call: Call) -> Self {
        let Call {
            id,
            method,
            params: Object(mut params),
            ..
        } = call;
        let meta = params.meta.take();
        let mut request = CallToolRequest::new(params);
        request.method = method;
        // Where rmcp puts it, too.
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

    /// Writes all of a message down, what it carries beside its members included.
    fn told(read: serde_json::Result<RxJsonRpcMessage<RoleServer>>) -> Option<String> {
        let message = read.ok()?;
        let meta = match &message {
            JsonRpcMessage::Request(request) => Some(request.request.get_meta()),
            _ => None,
        };
        Some(format!("{message:?} {meta:?}"))
    }

    fn assert_read_alike(line: &str) {
        let general = serde_json::from_slice(line.as_bytes());
        assert_eq!(told(read(line.as_bytes())), told(general), "{line}");
    }

    #[test]
    fn a_call_is_read_at_once() {
        let line = r#"{"method":"tools/call","params":{"name":"a","_meta":{"progressToken":7}},"id":"1","jsonrpc":"2.0"}"#;
        assert!(serde_json::from_str::<Object<Call>>(line).is_ok());
        assert_read_alike(line);
    }

    #[test]
    fn what_is_odd_is_judged_by_rmcp() {
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
            assert_read_alike(line);
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
        fn whatever_comes_is_read_as_rmcp_reads_it(
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
            assert_read_alike(&line.to_string());
        }
    }
}
