//! Why a door did not open.

use std::fmt;

use super::BackendError;

/// Something that a tool can only use when it declared it and the host granted it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// Files below the roots.
    Files,
    /// The network.
    Net,
    /// Processes.
    Process,
    /// Stored keys and values.
    KeyValue,
    /// Secrets by name.
    Secrets,
    /// What the user attached to the conversation.
    Attachments,
}

impl Capability {
    /// Gives what a tool writes in `requires(…)`, or `None` where nothing is to be declared.
    pub fn keyword(self) -> Option<&'static str> {
        match self {
            Self::Files => Some("fs"),
            Self::Net => Some("net"),
            Self::Process => Some("process"),
            Self::KeyValue => Some("kv"),
            Self::Secrets => Some("secrets"),
            Self::Attachments => None,
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Files => "files",
            Self::Net => "the network",
            Self::Process => "processes",
            Self::KeyValue => "stored values",
            Self::Secrets => "secrets",
            Self::Attachments => "attachments",
        })
    }
}

/// Which of the two conditions of a door was not met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalCode {
    /// The tool did not declare the capability.
    NotDeclared,
    /// The tool did not declare this secret.
    SecretNotDeclared,
    /// The host granted nothing.
    NotGranted,
}

impl RefusalCode {
    /// Gives the code as programs write it, such as `NOT_GRANTED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotDeclared => "NOT_DECLARED",
            Self::SecretNotDeclared => "SECRET_NOT_DECLARED",
            Self::NotGranted => "NOT_GRANTED",
        }
    }
}

/// A capability that a tool asked for and does not have; asking again does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
#[non_exhaustive]
pub struct Refusal {
    /// What was asked for.
    pub capability: Capability,
    /// Why it was refused.
    pub code: RefusalCode,
    /// The secret that was asked for, by name.
    pub secret: Option<String>,
}

impl Refusal {
    /// Refuses a capability that the tool did not declare.
    pub fn not_declared(capability: Capability) -> Self {
        Self::new(capability, RefusalCode::NotDeclared, None)
    }

    /// Refuses a secret that the tool did not declare.
    pub fn secret_not_declared(name: impl Into<String>) -> Self {
        Self::new(
            Capability::Secrets,
            RefusalCode::SecretNotDeclared,
            Some(name.into()),
        )
    }

    /// Refuses a capability that the host did not grant.
    pub fn not_granted(capability: Capability) -> Self {
        Self::new(capability, RefusalCode::NotGranted, None)
    }

    /// Refuses a secret that the host does not have.
    pub fn secret_not_granted(name: impl Into<String>) -> Self {
        Self::new(
            Capability::Secrets,
            RefusalCode::NotGranted,
            Some(name.into()),
        )
    }

    fn new(capability: Capability, code: RefusalCode, secret: Option<String>) -> Self {
        Self {
            capability,
            code,
            secret,
        }
    }

    fn sentence(&self) -> String {
        let capability = self.capability;
        let declare = capability.keyword().unwrap_or_default();
        match (self.code, self.secret.as_deref()) {
            (RefusalCode::NotGranted, None) => {
                format!(
                    "the host gave this tool no access to {capability}; it is granted where the app is built"
                )
            }
            (RefusalCode::NotGranted, Some(name)) => {
                format!(
                    "the host has no secret `{name}` for this tool; it is granted where the app is built"
                )
            }
            (_, None) => format!(
                "this tool did not declare that it uses {capability}; declare `requires({declare})` on the tool"
            ),
            (_, Some(name)) => format!(
                "this tool did not declare the secret `{name}`; declare `requires({declare}({name:?}))` on the tool"
            ),
        }
    }
}

/// A use of a capability that did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CapabilityError {
    /// The door did not open. The reason is the source, so that it is found along a chain of errors.
    #[error("refused")]
    Refused(#[source] Refusal),
    /// The door opened, and what was asked for went wrong.
    #[error("using {capability} failed")]
    Failed {
        /// What was used.
        capability: Capability,
        /// What went wrong.
        source: BackendError,
    },
}

impl From<Refusal> for CapabilityError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl CapabilityError {
    /// Adapts a backend's error, for `map_err`.
    pub(super) fn failed(capability: Capability) -> impl FnOnce(BackendError) -> Self {
        move |source| match source.downcast::<Refusal>() {
            // A backend may refuse too, such as a host that is on no list.
            Ok(refusal) => Self::Refused(*refusal),
            Err(source) => Self::Failed { capability, source },
        }
    }
}
