//! Typed capabilities: what a tool may use besides its arguments.
//!
//! A capability is available if the tool declares it and the host grants it. The tool's author writes
//! `#[tool(requires(fs, net, secrets("API_KEY")))]`, which becomes a [`Requires`]; the host attaches a
//! backend. If one of the two is missing, a [`Refusal`] indicates which. The declaration is checked first, so
//! that the first test reveals a missing declaration. A declaration may be narrower than the grant, as in
//! `requires(net("api.github.com"), process("git"))`; a declaration alone grants nothing.

mod attachments;
mod client;
mod confinement;
mod grants;
mod handle;
mod http;
mod key_value;
#[cfg(feature = "network")]
mod net;
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
pub use grants::{Grants, ToolHttp, ToolSandbox};
pub use http::{Http, HttpBackend, HttpRequest, HttpResponse, HttpScope};
pub use key_value::{KeyValue, KeyValueBackend};
#[cfg(feature = "network")]
pub use net::{Net, NetAddress, NetStream, OpeningStream, StreamBackend, Tls};
pub use process::{Command, Output, Process};
pub use requires::Requires;
pub use secrets::{Credential, GrantedSecrets, Secret, SecretRef, Secrets, SecretsBackend};

pub use crate::refusal::{BackendError, Capability, CapabilityError, Refusal, RefusalCode};
