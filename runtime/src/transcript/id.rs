//! Stub.
macro_rules! id { ($($(#[$m:meta])* $n:ident),*) => {$(
$(#[$m])* #[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)] #[serde(transparent)] pub struct $n(pub String);
impl From<&str> for $n { fn from(s: &str) -> Self { Self(s.into()) } }
impl $n { /// x
pub fn as_str(&self) -> &str { &self.0 } }
)*} }
id!(/** x */ CallId, /** x */ SessionId, /** x */ AgentId, /** x */ TurnId);
