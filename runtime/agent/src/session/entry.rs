//! The entries of the journal of a session.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::JobOrigin;
use super::taken_over::TakenOver;
use crate::authority::TurnAuthority;
use crate::journal::{Format, ReservedField, is_default};
use crate::setters::setters;
use crate::turn::{Bounds, EndReason, Located, Record, Totals};
use helve_core::tool::Principal;
use helve_core::transcript::{
    AgentId, CallAddress, CallKey, Label, Message, Origin, SessionId, TurnId,
};
use helve_permission::Rule;

/// The format of the journal of a session. The version is raised with every kind of entry or record that an older
/// program would not understand.
///
/// Version 2 adds the provenance (`label`) of a result, of a summary and of the beginning of a turn. Where it is
/// missing, and in journals of version 1, the label follows from the enclosures. A journal keeps the version with which
/// it was created.
///
/// The following names are reserved in version 2 for future use. A program that encounters an unknown name of the first
/// table reports that a newer version wrote the journal, and neither shows nor continues the session. Names of the
/// second table are ignored, because they only add details to known data.
///
/// | of | names |
/// |---|---|
/// | entries | `flow_started`, `flow`, `flow_ended`, `active`, `mode`, `job`, `delivered` |
/// | the `source` of a note | `flow` |
/// | the execution of a call | `flow`, `job` |
/// | ends of turns | `depth` |
/// | a turn that begins | `node`, `aside` |
///
/// | of | names |
/// |---|---|
/// | a turn that begins | `spec` |
/// | an outcome | `child` |
/// | a turn that ends | `to` |
///
/// Some names were added to version 2: the records `folder_asked`, `folder_answered`, `noted` and `reviewed`, the role
/// `note`, the bounds `reviews` and `delegates`, the execution `hand_off`, and the ends `blocked`, `reviews` and
/// `handed_off`. A program that does not know them reports that a newer version wrote the journal.
///
/// Postings are not part of a journal. The types `say` and `stop` were added to `answer` and `result`; a program that does
/// not know a type sets the posting aside with the reason.
pub const FORMAT: Format = Format {
    name: "helve.session",
    version: 2,
};

/// An event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry {
    /// The session began; the first entry.
    Created(SessionMetadata),
    /// A turn began.
    TurnStarted(TurnStarted),
    /// A record of a turn.
    Record(TurnRecord),
    /// Rules were granted for the rest of the session, besides those that came with answers.
    RulesGranted {
        /// Rules that allow calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allow: Vec<Rule>,
        /// Rules that deny calls.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deny: Vec<Rule>,
    },
    /// Rules no longer apply to the session, whatever their source.
    RulesRevoked {
        /// The rules.
        rules: Vec<Rule>,
    },
    /// Data that is too large or unsuitable for the conversation was stored beside it.
    Artifact(Artifact),
    /// A state of the session changed to a new value.
    State {
        /// The name of the state.
        name: String,
        /// The value of the state.
        value: Value,
    },
    /// A turn ended.
    TurnEnded(TurnEnded),
}

/// The metadata of a session.
///
/// ```
/// use helve::agent::session::SessionMetadata;
///
/// let metadata = SessionMetadata::new("example").session("first");
/// assert_eq!(&*metadata.session, "first");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionMetadata {
    /// The session.
    pub session: SessionId,
    /// The app that the session belongs to.
    pub app: String,
    /// The folder in which the tools of the session work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The principal on whose behalf the session works.
    #[serde(default, skip_serializing_if = "is_default")]
    pub principal: Principal,
    /// The session from which this session was forked, if any: the first entries are copies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<Fork>,
    /// The task that the session works on, if it is a background job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<Box<JobOrigin>>,
}

/// The origin of a forked session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fork {
    /// The original session.
    pub session: SessionId,
    /// The number of the last entry that was copied.
    pub entry: u64,
}

impl SessionMetadata {
    /// Creates metadata without a folder and without a principal, under a [new id](SessionId).
    pub fn new(app: impl Into<String>) -> Self {
        Self {
            session: super::id::new_id(),
            app: app.into(),
            folder: None,
            principal: Principal::default(),
            forked_from: None,
            job: None,
        }
    }

    setters! {
        /// Sets the id.
        session(session: impl Into<SessionId>) => session = session.into();

        /// Sets the folder in which the tools work.
        folder(folder: impl Into<String>) => folder = Some(folder.into());

        /// Makes the session that of a background job.
        job(origin: JobOrigin) => job = Some(Box::new(origin));

        /// Sets the principal on whose behalf the session works.
        principal(principal: Principal) => principal = principal;
    }
}

/// The start of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnStarted {
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this turn works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
    /// The bounds of the turn.
    pub bounds: Bounds,
    /// The messages that the turn adds to the conversation; the conversation of a delegate begins with them.
    pub prompt: Vec<Message>,
    /// The label of the conversation before the turn; for a delegate, that of the agent which wrote its task.
    #[serde(default, skip_serializing_if = "Label::is_user")]
    pub label: Label,
    /// The authority of the turn; `None` in journals that were written before the authority was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authority: Option<TurnAuthority>,
    /// What the agent sees of the conversation, if another agent handed it off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_over: Option<Box<TakenOver>>,
    /// Reserved: a turn with a node belongs to another conversation than that of the session.
    #[serde(default, skip_serializing)]
    node: ReservedField,
    #[serde(default, skip_serializing)]
    aside: ReservedField,
}

impl TurnStarted {
    /// Returns the origin of the turn.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin(&self.agent, &self.turn, self.parent_call.as_ref())
    }

    /// Returns the beginning of another turn of the same agent in the same conversation, with the same authority, and with what
    /// `used` has left of the bounds; `None` if nothing is left.
    #[must_use]
    pub fn followed_by(
        &self,
        turn: TurnId,
        prompt: Message,
        label: Label,
        used: &Totals,
    ) -> Option<Self> {
        let bounds = self.bounds.subtract(used);
        bounds.exhausted_bound().is_none().then(|| Self {
            turn,
            prompt: vec![prompt],
            label,
            bounds,
            taken_over: None,
            ..self.clone()
        })
    }
}

/// A record of a turn, with the identifiers of the turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnRecord {
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this turn works for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
    /// The idempotency keys: the addresses of the calls that the record refers to, or the key of the model call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The record.
    pub record: Record,
}

impl TurnRecord {
    /// Returns the origin of the turn.
    #[must_use]
    pub fn origin(&self) -> Origin {
        origin(&self.agent, &self.turn, self.parent_call.as_ref())
    }

    /// Iterates over the calls that the record refers to.
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

/// Data that is stored beside the conversation: a spilled result, a picture, a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Artifact {
    /// The agent.
    pub agent: AgentId,
    /// The call that returned the artifact.
    pub call: CallAddress,
    /// The name of the artifact in the conversation.
    pub name: String,
    /// The location.
    pub uri: String,
    /// The MIME type, for example `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The size, in bytes.
    pub bytes: u64,
}

impl Artifact {
    /// Creates an artifact of a call.
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

    /// Sets the MIME type.
    #[must_use]
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.mime_type = Some(mime_type.into());
        self
    }
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TurnEnded {
    /// The agent.
    pub agent: AgentId,
    /// The turn.
    pub turn: TurnId,
    /// The call of another agent's turn that this turn worked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_call: Option<CallAddress>,
    /// The reason why the turn ended.
    pub reason: EndReason,
    /// The error, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The totals that the turn consumed.
    pub totals: Totals,
}

impl Entry {
    /// Creates the entry for the start of a turn.
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
            taken_over: None,
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

    /// Creates the entry for a record of a turn.
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

    /// Creates the entry for the end of a turn.
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
