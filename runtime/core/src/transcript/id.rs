//! Identifiers, and short texts that are shared like identifiers.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// Deserialises a string into a shared one; `serde`'s own support for `Arc` is a feature that would be enabled for all
/// crates of a build.
struct SharedTextVisitor;

impl Visitor<'_> for SharedTextVisitor {
    type Value = Arc<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Arc<str>, E> {
        Ok(Arc::from(text))
    }
}

/// Declares string newtypes that are shared, so that cloning increments a counter, and that are transparent in JSON.
macro_rules! shared_text {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Creates a value from its text.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// Returns the text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&*self.0, f)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<Arc<str>> for $name {
            fn from(text: Arc<str>) -> Self {
                Self(text)
            }
        }

        impl From<$name> for Arc<str> {
            fn from(text: $name) -> Self {
                text.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_str(SharedTextVisitor).map(Self)
            }
        }

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "description": concat!($($doc),*).trim() })
            }
        }
    )*};
}

shared_text! {
    /// Names a session: the conversation that one journal records.
    SessionId;
    /// Names an agent: the specification that a turn follows.
    AgentId;
    /// Names a turn: what happens between a user's message and the end of the answer.
    TurnId;
    /// Names a tool call, as the provider does; it binds a result to its call in a request.
    ///
    /// Providers promise nothing beyond one reply, so the turn itself goes by [`CallKey`].
    CallId;
    /// Names a tool, as the model sees it.
    ToolName;
    /// Text that claims to be JSON, exactly as it came.
    RawJson;
}

/// The key of a call within its turn: the round of the model's reply and the index in the reply, from zero.
///
/// Unlike a [`CallId`], a key is unique, and it does not include the attempt, so that with the turn's id it forms the
/// idempotency key of the call. Its text is `round.index`.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::CallKey;
///
/// let key: CallKey = "2.0".parse()?;
/// assert_eq!(key, CallKey::new(2, 0));
/// assert_eq!(key.to_string(), "2.0");
/// # Ok::<(), helve::transcript::InvalidCallKey>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey {
    /// The round, from one.
    pub round: u32,
    /// The index in the reply, from zero.
    pub index: u32,
}

impl CallKey {
    /// Creates a key.
    #[must_use]
    pub const fn new(round: u32, index: u32) -> Self {
        Self { round, index }
    }
}

impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.round, self.index)
    }
}

/// The text is not a [`CallKey`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid call key `{0}`; expected `round.index`, for example `2.0`")]
pub struct InvalidCallKey(String);

impl FromStr for CallKey {
    type Err = InvalidCallKey;

    fn from_str(text: &str) -> Result<Self, InvalidCallKey> {
        let parsed = text.split_once('.').and_then(|(round, index)| {
            let key = Self::new(round.parse().ok()?, index.parse().ok()?);
            // Each key has one spelling: `02.0` and `+2.0` would be aliases of `2.0`.
            (key.to_string() == text).then_some(key)
        });
        parsed.ok_or_else(|| InvalidCallKey(text.to_owned()))
    }
}

impl JsonSchema for CallKey {
    fn schema_name() -> Cow<'static, str> {
        "CallKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "The round of a call in its turn and its place there: `round.index`.",
            "pattern": r"^[0-9]+\.[0-9]+$"
        })
    }
}

impl Serialize for CallKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_str(SharedTextVisitor)?
            .parse()
            .map_err(de::Error::custom)
    }
}
