//! What a tool may use besides its arguments: typed capabilities. A tool declares each capability and the host grants
//! it.
//!
//! A capability is available when it is declared and granted. The tool's author writes
//! `#[tool(requires(fs, net, secrets("API_KEY")))]`, which becomes a [`Requires`]; the host attaches a backend. If one of
//! the two is missing, a [`Refusal`] says which. The declaration is checked first, so that a missing declaration shows
//! in the first test. A declaration may be narrower than the grant, as in
//! `requires(net("api.github.com"), process("git"))`; a declaration alone grants nothing.

mod attachments;
mod client;
mod confinement;
mod grants;
mod handle;
mod http;
mod key_value;
mod process;
mod requires;
mod run;
mod secrets;

pub use attachments::{Attachment, Attachments, AttachmentsBackend};
pub use client::{
    Client, ClientBackend, Elicitation, ElicitationRequest, ElicitationResult, LogLevel, Root,
    SamplingMessage, SamplingRequest, SamplingResult, SamplingRole,
};
pub use confinement::Confinement;
pub use grants::Grants;
pub use http::{Http, HttpBackend, HttpRequest, HttpResponse};
pub use key_value::{KeyValue, KeyValueBackend};
pub use process::{Command, Output, Process};
pub use requires::Requires;
pub use secrets::{GrantedSecrets, Secret, Secrets, SecretsBackend};

pub use crate::refusal::{BackendError, Capability, CapabilityError, Refusal, RefusalCode};
