//! Origins: the agent, the turn and the call to which a step, an event or an entry belongs.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AgentId, CallKey, TurnId};

/// The agent and the turn that something belongs to, and the call that the turn works for, if it works for one.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::{CallKey, Origin};
///
/// let origin = Origin::new("main", "t1");
/// assert_eq!(origin.call_address(CallKey::new(1, 0)).to_string(), "t1/1.0");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The agent.
    pub agent: AgentId,
    /// The turn; its id is its own within the session.
    pub turn: TurnId,
    /// The call of another agent's turn that this turn works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
}

impl Origin {
    /// Creates the origin of a turn that does not work for a call.
    pub fn new(agent: impl Into<AgentId>, turn: impl Into<TurnId>) -> Self {
        Self {
            agent: agent.into(),
            turn: turn.into(),
            parent_call: None,
        }
    }

    /// Creates the origin of a delegate's turn, in which another agent works for a call of this turn.
    pub fn delegate(&self, call: CallKey, agent: impl Into<AgentId>) -> Self {
        let parent = self.call_address(call);
        Self {
            agent: agent.into(),
            turn: TurnId::from(parent.to_string()),
            parent_call: Some(parent),
        }
    }

    /// Returns the address of a call of this turn.
    #[must_use]
    pub fn call_address(&self, call: CallKey) -> CallAddress {
        CallAddress {
            turn: self.turn.clone(),
            call,
        }
    }

    /// Returns the idempotency key of a model call of this turn: `turn/round/purpose`, which is not a call address.
    #[must_use]
    pub fn model_call_key(&self, round: u32, purpose: &str) -> String {
        format!("{}/{round}/{purpose}", self.turn)
    }
}

/// Addresses a call within its session, across turns, agents, processes and attempts.
///
/// Its text, `turn/round.index`, is the idempotency key of the call, the id of its approval and the id of its external
/// request: a thing that happened under it did happen. Turns of delegates carry their parent call in their own id, as in
/// `t1/2.0/1.0`.
///
/// ```
/// # extern crate helve_core as helve;
/// use helve::transcript::{CallAddress, CallKey};
///
/// let address: CallAddress = "t1/2.0/1.0".parse()?;
/// assert_eq!((&*address.turn, address.call), ("t1/2.0", CallKey::new(1, 0)));
/// assert_eq!(address.to_string(), "t1/2.0/1.0");
/// # Ok::<(), helve::transcript::InvalidCallAddress>(())
/// ```
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct CallAddress {
    /// The turn.
    pub turn: TurnId,
    /// The call in it.
    pub call: CallKey,
}

/// The text is not a [`CallAddress`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid call address `{0}`; expected `turn/round.index`, for example `t1/2.0`")]
pub struct InvalidCallAddress(String);

impl FromStr for CallAddress {
    type Err = InvalidCallAddress;

    fn from_str(text: &str) -> Result<Self, InvalidCallAddress> {
        let parsed = text.rsplit_once('/').and_then(|(turn, call)| {
            let turn = (!turn.is_empty()).then(|| TurnId::from(turn))?;
            Some(Self {
                turn,
                call: call.parse().ok()?,
            })
        });
        parsed.ok_or_else(|| InvalidCallAddress(text.to_owned()))
    }
}

impl fmt::Display for CallAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.turn, self.call)
    }
}

impl TryFrom<String> for CallAddress {
    type Error = InvalidCallAddress;

    fn try_from(text: String) -> Result<Self, InvalidCallAddress> {
        text.parse()
    }
}

impl From<CallAddress> for String {
    fn from(address: CallAddress) -> Self {
        address.to_string()
    }
}
