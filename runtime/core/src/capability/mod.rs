//! What a tool may use besides its arguments: typed doors, each of which a tool declares and a host grants.
//!
//! A door opens when both have happened. The tool's author writes `#[tool(requires(fs, net, secrets("API_KEY")))]`,
//! which becomes a [`Requires`]; the host attaches a backend. Whatever is missing gives a [`Refusal`] that says who has
//! to do what. The declaration is checked first, so that a forgotten one shows in the first test. It may be narrower than
//! what is granted, as in `requires(net("api.github.com"), process("git"))`; it never opens anything by itself.

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

pub use attachments::{
    Attachment, AttachmentError, Attachments, AttachmentsBackend, MemoryAttachments,
};
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
