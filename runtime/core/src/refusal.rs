//! Refusals of capabilities, with their reasons.

use std::fmt;

/// A capability that a tool can use only if the tool declares it and the host grants it.
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
    /// The messages of the conversation.
    Conversation,
    /// What is remembered from earlier conversations.
    Memory,
    /// Schedules of work.
    Schedules,
    /// Secrets by name.
    Secrets,
    /// The attachments of the conversation.
    Attachments,
    /// The client.
    Client,
}

impl Capability {
    /// Returns the keyword in `requires(…)`, or `None` if the capability need not be declared.
    pub fn keyword(self) -> Option<&'static str> {
        match self {
            Self::Files => Some("fs"),
            Self::Net => Some("net"),
            Self::Process => Some("process"),
            Self::KeyValue => Some("kv"),
            Self::Conversation => Some("conversation"),
            Self::Memory => Some("memory"),
            Self::Schedules => Some("schedules"),
            Self::Secrets => Some("secrets"),
            Self::Attachments | Self::Client => None,
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
            Self::Conversation => "the conversation",
            Self::Memory => "memory",
            Self::Schedules => "schedules",
            Self::Secrets => "secrets",
            Self::Attachments => "attachments",
            Self::Client => "the client",
        })
    }
}

/// Why a capability was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RefusalCode {
    /// The tool did not declare the capability.
    NotDeclared,
    /// The tool did not declare this secret.
    SecretNotDeclared,
    /// The host did not grant the capability.
    NotGranted,
    /// This host may not be reached.
    HostNotAllowed,
    /// This path is outside of the folders that may be used.
    PathNotReachable,
    /// This program may not be started.
    BinaryNotAllowed,
}

impl RefusalCode {
    /// Returns the code as a string for programs, such as `NOT_GRANTED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotDeclared => "NOT_DECLARED",
            Self::SecretNotDeclared => "SECRET_NOT_DECLARED",
            Self::NotGranted => "NOT_GRANTED",
            Self::HostNotAllowed => "HOST_NOT_ALLOWED",
            Self::PathNotReachable => "PATH_NOT_REACHABLE",
            Self::BinaryNotAllowed => "BINARY_NOT_ALLOWED",
        }
    }
}

/// The refusal of a capability that a tool requested; repeating the request does not help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.sentence())]
#[non_exhaustive]
pub struct Refusal {
    /// The capability that was requested.
    pub capability: Capability,
    /// The reason of the refusal.
    pub code: RefusalCode,
    /// The name of the requested secret, host or program.
    pub subject: Option<String>,
    /// Further explanation and advice, where the code alone is not sufficient.
    pub detail: Option<String>,
}

impl Refusal {
    /// Creates the refusal of a capability that the tool did not declare.
    pub fn not_declared(capability: Capability) -> Self {
        Self::new(capability, RefusalCode::NotDeclared, None)
    }

    /// Creates the refusal of a secret that the tool did not declare.
    pub fn secret_not_declared(name: impl Into<String>) -> Self {
        let code = RefusalCode::SecretNotDeclared;
        Self::new(Capability::Secrets, code, Some(name.into()))
    }

    /// Creates the refusal of a capability that the host did not grant.
    pub fn not_granted(capability: Capability) -> Self {
        Self::new(capability, RefusalCode::NotGranted, None)
    }

    /// Creates the refusal of a secret that the host does not have.
    pub fn secret_not_granted(name: impl Into<String>) -> Self {
        let code = RefusalCode::NotGranted;
        Self::new(Capability::Secrets, code, Some(name.into()))
    }

    /// Creates the refusal of a host, with the reason and advice.
    pub fn host_not_allowed(host: impl Into<String>, detail: impl Into<String>) -> Self {
        let code = RefusalCode::HostNotAllowed;
        Self::new(Capability::Net, code, Some(host.into())).with_detail(detail)
    }

    /// Creates the refusal of a program that the tool did not declare.
    pub fn binary_not_allowed(program: impl Into<String>, declared: &[&str]) -> Self {
        let program = program.into();
        let detail = format!(
            "this tool declared that it starts {}, by name; declare `requires(process({program:?}))` on the tool",
            listed(declared)
        );
        let code = RefusalCode::BinaryNotAllowed;
        Self::new(Capability::Process, code, Some(program)).with_detail(detail)
    }

    /// Creates the refusal of the whole sandbox for a tool that declared individual programs.
    pub(crate) fn whole_sandbox_not_declared(declared: &[&str]) -> Self {
        let detail = format!(
            "this tool declared that it starts {} and nothing else, so it does not get the whole sandbox; run the \
             program, or declare `requires(process)`",
            listed(declared)
        );
        let code = RefusalCode::BinaryNotAllowed;
        Self::new(Capability::Process, code, None).with_detail(detail)
    }

    fn new(capability: Capability, code: RefusalCode, subject: Option<String>) -> Self {
        Self {
            capability,
            code,
            subject,
            detail: None,
        }
    }

    fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    fn sentence(&self) -> String {
        let capability = self.capability;
        let declare = capability.keyword().unwrap_or_default();
        match (self.code, self.subject.as_deref(), self.detail.as_deref()) {
            (_, None, Some(detail)) => detail.to_owned(),
            (RefusalCode::BinaryNotAllowed, Some(program), Some(detail)) => {
                format!("`{}` may not be started: {detail}", program.escape_debug())
            }
            (_, Some(host), Some(detail)) => {
                format!("`{}` may not be reached: {detail}", host.escape_debug())
            }
            (RefusalCode::NotGranted, None, None) => {
                format!(
                    "this app does not grant access to {capability}; grant it where the app is built"
                )
            }
            (RefusalCode::NotGranted, Some(name), None) => {
                format!(
                    "this app does not grant the secret `{name}`; grant it where the app is built"
                )
            }
            (_, None, None) => format!(
                "this tool did not declare that it uses {capability}; declare `requires({declare})` on the tool"
            ),
            (_, Some(name), None) => format!(
                "this tool did not declare the secret `{name}`; declare `requires({declare}({name:?}))` on the tool"
            ),
        }
    }
}

#[cfg(feature = "network")]
impl From<crate::network::HostRefusal> for Refusal {
    fn from(refusal: crate::network::HostRefusal) -> Self {
        Self::host_not_allowed(&refusal.host, refusal.reason.to_string())
    }
}

/// Joins names as `a`, `b` and `c`.
fn listed(names: &[&str]) -> String {
    match names {
        [] => "nothing".to_owned(),
        [only] => format!("`{only}`"),
        [first @ .., last] => format!("`{}` and `{last}`", first.join("`, `")),
    }
}

/// The error of a backend when an operation was allowed and failed.
pub type BackendError = Box<dyn std::error::Error + Send + Sync>;

/// The error of using a capability.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CapabilityError {
    /// The capability was refused. The reason is the `source` of the error.
    #[error("refused")]
    Refused(#[from] Refusal),
    /// The capability is available, and the operation failed.
    #[error("using {capability} failed")]
    Failed {
        /// The capability.
        capability: Capability,
        /// The error of the backend.
        source: BackendError,
    },
}

impl CapabilityError {
    /// Returns the code of the refusal if the error is a refusal.
    #[must_use]
    pub fn code(&self) -> Option<RefusalCode> {
        match self {
            Self::Refused(refusal) => Some(refusal.code),
            Self::Failed { .. } => None,
        }
    }

    /// Adapts a backend's error, for `map_err`.
    pub(crate) fn failed(capability: Capability) -> impl FnOnce(BackendError) -> Self {
        move |source| match source.downcast::<Refusal>() {
            // A backend may refuse as well, such as for a host that no rule allows.
            Ok(refusal) => Self::Refused(*refusal),
            Err(source) => Self::Failed { capability, source },
        }
    }
}
