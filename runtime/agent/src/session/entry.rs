//! What a journal of a session holds.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::authority::TurnAuthority;
use crate::journal::{Format, ReservedField, is_default};
use crate::setters::setters;
use crate::turn::{Bounds, EndReason, Located, Record, Totals};
use helve_core::tool::Principal;
use helve_core::transcript::{
    AgentId, CallAddress, CallKey, Label, Message, Origin, SessionId, TurnId,
};
use helve_permission::Rule;

/// The format of a session's journal. Its version rises with every kind of entry or record that an older program would
/// not understand.
///
/// Version 2 says of a result, of a summary and of the beginning of a turn what it is made of (`label`). Without it,
/// and in journals of version 1, the label follows from the enclosures. A journal keeps the version that it began with.
///
/// These names are reserved, in version 2, for what is to come. A program that does not know one of the first table says
/// that a newer version wrote the journal, and neither shows the session nor goes on with it; those of the second it reads
/// past, for they only say more about what it knows.
///
/// | of | names |
/// |---|---|
/// | entries | `flow_started`, `flow`, `flow_ended`, `active`, `mode`, `job`, `delivered` |
/// | records | `noted`, `reviewed` |
/// | messages | the role `note`, with its `source`: `user`, `agent`, `job`, `hook`, `memory`, `flow`, `runtime` |
/// | the execution of a call | `hand_off`, `flow`, `job` |
/// | ends of turns | `blocked`, `handed_off`, `reviews`, `depth` |
/// | a turn that begins | `node`, `aside` |
/// | bounds | `reviews`, `delegates` |
///
/// | of | names |
/// |---|---|
/// | a turn that begins | `spec` |
/// | an outcome | `structured`, `child` |
/// | a turn that ends | `to` |
///
/// Postings are no part of a journal. The types `say` and `stop` are reserved; a program that does not know one puts such a
/// posting aside and says why.
pub const FORMAT: Format = Format {
    name: "helve.session",
    version: 2,
};

/// One thing that happened in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry {
    /// The session began; the first entry.
    Created(SessionMetadata),
    /// A turn began.
    TurnStarted(TurnStarted),
    /// Something happened in a turn.
    Record(TurnRecord),
    /// Rules hold for the session from here on, besides those that came with answers.
    RulesGranted {
        /// Rules that let calls run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allow: Vec<Rule>,
        /// Rules that stop calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deny: Vec<Rule>,
    },
    /// Rules hold for the session no more, wherever they came from.
    RulesRevoked {
        /// The rules.
        rules: Vec<Rule>,
    },
    /// Something too large or too odd for the conversation was put beside it.
    Artifact(Artifact),
    /// The session's state of one type, as it is from here on.
    State {
        /// The name of the state.
        name: String,
        /// What it is.
        value: Value,
    },
    /// A turn is over.
    TurnEnded(TurnEnded),
}

/// The metadata of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionMetadata {
    /// The session.
    pub session: SessionId,
    /// The app that it belongs to.
    pub app: String,
    /// The folder that its tools worked in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// Whom it works for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub principal: Principal,
    /// The session that it goes on from, where it does: its first entries are copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Fork>,
}

/// Where a session goes on from another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// The other session.
    pub session: SessionId,
    /// The last entry that was copied.
    pub entry: u64,
}

impl SessionMetadata {
    /// Creates one without a folder and without a principal, under a [new id](SessionId).
    pub fn new(app: impl Into<String>) -> Self {
        Self {
            session: super::id::new_id(),
            app: app.into(),
            folder: None,
            principal: Principal::default(),
            forked_from: None,
        }
    }

    setters! {
        /// Sets the id.
        session(session: impl Into<SessionId>) => session = session.into();

        /// Sets the folder that the tools work in.
        folder(folder: impl Into<String>) => folder = Some(folder.into());

        /// Sets whom it works for.
        principal(principal: Principal) => principal = principal;
    }
}

/// A turn began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnStarted {
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this one works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
    /// How far it may go.
    pub bounds: Bounds,
    /// What it adds to the conversation; for a delegate that is where its conversation begins.
    pub prompt: Vec<Message>,
    /// What the conversation was made of before; for a delegate, that of the agent which wrote its task.
    #[serde(default, skip_serializing_if = "Label::is_user")]
    pub label: Label,
    /// What it was allowed at most; nothing in journals that were written before this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<TurnAuthority>,
    /// Such a turn belongs to another conversation than the session's.
    #[serde(default, skip_serializing)]
    node: ReservedField,
    #[serde(default, skip_serializing)]
    aside: ReservedField,
}

impl TurnStarted {
    /// Returns where the turn belongs.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin(&self.agent, &self.turn, self.parent_call.as_ref())
    }
}

/// Something that happened in a turn, with all that names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnRecord {
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this one works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
    /// The idempotency keys of the calls that it is about, which are their addresses, or of the model call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// What happened.
    pub record: Record,
}

impl TurnRecord {
    /// Returns where the turn belongs.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin(&self.agent, &self.turn, self.parent_call.as_ref())
    }

    /// Iterates over the calls that it is about.
    pub fn calls(&self) -> impl Iterator<Item = CallAddress> {
        let address = |call: &CallKey| CallAddress {
            turn: self.turn.clone(),
            call: *call,
        };
        self.record.calls().iter().map(address)
    }
}

fn origin(agent: &AgentId, turn: &TurnId, parent_call: Option<&CallAddress>) -> Origin {
    let mut origin = Origin::new(agent.clone(), turn.clone());
    origin.parent_call = parent_call.cloned();
    origin
}

/// Something that was put beside the conversation: a spilled result, a picture, a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artifact {
    /// The agent.
    pub agent: AgentId,
    /// The call that it came from.
    pub call: CallAddress,
    /// What the conversation calls it.
    pub name: String,
    /// Where it is.
    pub uri: String,
    /// For example `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// How long it is.
    pub bytes: u64,
}

impl Artifact {
    /// Makes one of a call.
    pub fn new(
        agent: impl Into<AgentId>,
        call: CallAddress,
        name: impl Into<String>,
        uri: impl Into<String>,
        bytes: u64,
    ) -> Self {
        Self {
            agent: agent.into(),
            call,
            name: name.into(),
            uri: uri.into(),
            mime_type: None,
            bytes,
        }
    }

    /// Sets what kind of thing it is.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }
}

/// A turn is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnEnded {
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this one worked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
    /// Why.
    pub reason: EndReason,
    /// What went wrong, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it used up.
    pub totals: Totals,
}

impl Entry {
    /// Creates the entry of a turn that begins.
    #[must_use]
    pub fn turn_started(origin: &Origin, bounds: Bounds, prompt: Vec<Message>) -> Self {
        Self::TurnStarted(TurnStarted {
            agent: origin.agent.clone(),
            turn: origin.turn.clone(),
            parent_call: origin.parent_call.clone(),
            bounds,
            prompt,
            label: Label::user(),
            authority: None,
            node: ReservedField,
            aside: ReservedField,
        })
    }

    /// Sets the label of the conversation before the turn.
    #[must_use]
    pub fn with_label(mut self, before: Label) -> Self {
        if let Self::TurnStarted(started) = &mut self {
            started.label = before;
        }
        self
    }

    /// Creates the entry of a record of a turn.
    #[must_use]
    pub fn record(origin: &Origin, record: Record) -> Self {
        let Located { what, origin, keys } = Located::record(origin, record);
        Self::Record(TurnRecord {
            agent: origin.agent,
            turn: origin.turn,
            parent_call: origin.parent_call,
            keys,
            record: what,
        })
    }

    /// Makes the entry of a turn that is over.
    #[must_use]
    pub fn turn_ended(
        origin: &Origin,
        reason: EndReason,
        error: Option<String>,
        totals: Totals,
    ) -> Self {
        Self::TurnEnded(TurnEnded {
            agent: origin.agent.clone(),
            turn: origin.turn.clone(),
            parent_call: origin.parent_call.clone(),
            reason,
            error,
            totals,
        })
    }
}
