//! The signature of a call: calls of the same tool with equivalent arguments have the same signature.
//!
//! A signature is a number that is the same on every machine and in every version, because it is part of the snapshot
//! of a turn.

use std::fmt;

use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use helve_core::transcript::ToolCall;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Signature {
    /// The hash of the name of the tool.
    pub(super) tool: u64,
    /// The hash of the arguments.
    arguments: u64,
}

impl Signature {
    pub(super) fn new(call: &ToolCall) -> Self {
        let arguments = call.arguments.trim();
        // Some models write an empty text if there are no arguments.
        let arguments = if arguments.is_empty() {
            "{}"
        } else {
            arguments
        };
        let canonical = serde_json::from_str::<CanonicalHash>(arguments);
        Self {
            tool: hash_bytes(TEXT, call.name.as_bytes()),
            arguments: canonical.map_or_else(
                // Arguments that are not JSON are compared as text.
                |_| hash_bytes(RAW, arguments.as_bytes()),
                |canonical| canonical.0,
            ),
        }
    }
}

pub(super) fn combine(calls: &[Signature]) -> u64 {
    calls.iter().fold(LIST, |hash, call| {
        combine_hashes(combine_hashes(hash, call.tool), call.arguments)
    })
}

// Each hash begins with the kind of the value, so that `"1"`, `1` and `[1]` differ.
const NULL: u64 = 1;
const BOOL: u64 = 2;
const INTEGER: u64 = 3;
const FLOAT: u64 = 4;
const TEXT: u64 = 5;
const LIST: u64 = 6;
const OBJECT: u64 = 7;
const RAW: u64 = 8;

/// Hashes bytes with FNV-1a. The texts are short, and a collision gives an attacker no advantage.
fn hash_bytes(kind: u64, bytes: &[u8]) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ kind;
    bytes.iter().fold(start, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Combines two hashes; the order matters.
fn combine_hashes(hash: u64, next: u64) -> u64 {
    let mixed = (hash.rotate_left(25) ^ next).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 32)
}

/// The hash of a JSON value, computed while it is parsed. The order of keys, white space, escapes and the spelling of
/// numbers do not matter.
struct CanonicalHash(u64);

impl<'de> Deserialize<'de> for CanonicalHash {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CanonicalHashVisitor).map(Self)
    }
}

struct CanonicalHashVisitor;

impl<'de> Visitor<'de> for CanonicalHashVisitor {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<u64, E> {
        Ok(combine_hashes(NULL, 0))
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<u64, E> {
        Ok(combine_hashes(BOOL, value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<u64, E> {
        Ok(combine_hashes(INTEGER, value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<u64, E> {
        Ok(combine_hashes(
            INTEGER,
            u64::from_ne_bytes(value.to_ne_bytes()),
        ))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<u64, E> {
        // `1.0` and `1e0` are equal to `1`; beyond this range, a float does not distinguish integers anyway.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if value.fract() == 0.0 && value.abs() < EXACT {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it has no fraction and fits"
            )]
            return self.visit_i64(value as i64);
        }
        Ok(combine_hashes(FLOAT, value.to_bits()))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<u64, E> {
        Ok(hash_bytes(TEXT, value.as_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<u64, A::Error> {
        let mut hash = LIST;
        while let Some(CanonicalHash(item)) = items.next_element()? {
            hash = combine_hashes(hash, item);
        }
        Ok(hash)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<u64, A::Error> {
        // A sum does not depend on the order; sorting would require a copy of the keys.
        let mut sum = 0_u64;
        while let Some((CanonicalHash(key), CanonicalHash(value))) = fields.next_entry()? {
            sum = sum.wrapping_add(combine_hashes(combine_hashes(OBJECT, key), value));
        }
        Ok(combine_hashes(OBJECT, sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(one: &str, other: &str) -> bool {
        let of = |arguments: &str| Signature::new(&ToolCall::new("c", "tool", arguments));
        of(one) == of(other)
    }

    #[test]
    fn spelling_does_not_matter() {
        for (one, other) in [
            (
                r#"{"a":1,"b":[true,null]}"#,
                "{ \"b\": [true, null], \"a\": 1.0 }",
            ),
            (r#"{"a":"é"}"#, r#"{"a":"\u00e9"}"#),
            (r#"{"a":{"x":1,"y":2}}"#, r#"{"a":{"y":2,"x":1}}"#),
            ("", "{}"),
            ("{not json", " {not json "),
            ("-0.0", "0"),
        ] {
            assert!(same(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn meaning_matters() {
        for (one, other) in [
            (r#"{"a":1}"#, r#"{"a":2}"#),
            (r#"{"a":1}"#, r#"{"a":"1"}"#),
            (r#"{"a":1}"#, r#"{"b":1}"#),
            (r#"{"a":"b"}"#, r#"{"b":"a"}"#),
            (r#"{"a":[1,2]}"#, r#"{"a":[2,1]}"#),
            (r#"{"a":{"b":1}}"#, r#"{"a":[{"b":1}]}"#),
            (r#"{"a":null}"#, "{}"),
            (r#"{"a":0}"#, r#"{"a":false}"#),
            (r#"{"a":1.5}"#, r#"{"a":1}"#),
            (r#"[[],[]]"#, "[[]]"),
            ("{not json", "{not  json"),
        ] {
            assert!(!same(one, other), "{one} and {other}");
        }
    }

    #[test]
    fn a_signature_is_the_same_for_ever() {
        let call = ToolCall::new("c", "read_file", r#"{"path":"a.txt","limit":10}"#);
        let json = serde_json::to_string(&Signature::new(&call)).unwrap();
        insta::assert_snapshot!(json, @r#"{"tool":14513636860616909015,"arguments":7088318977104352441}"#);
    }
}
