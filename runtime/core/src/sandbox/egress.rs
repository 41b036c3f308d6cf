//! Approval of the network connections that commands in a sandbox make.

use std::sync::Arc;

use futures_util::future::{BoxFuture, ready};

use super::blocked::with_origin;
use super::egress_gate::EgressGate;
use super::{BlockedAccess, FolderRequest, GrantScope};
use crate::transcript::Label;

/// How the commands of a sandbox reach the network.
#[derive(Debug, Clone)]
pub enum Egress {
    /// The network is closed.
    Closed,
    /// Through a proxy of this process, which checks every connection with this gate.
    Gated(Arc<EgressGate>),
    /// Without any check by this process.
    Unchecked,
}

/// A connection that a command attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Connection {
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether a rule of the sandbox allows the host.
    pub listed: bool,
    /// The label of the data that may have influenced the commands.
    pub label: Label,
}

impl Connection {
    /// Returns the connection as an access that the policy does not allow; `None` if a rule allows the host.
    #[must_use]
    pub fn blocked(&self) -> Option<BlockedAccess> {
        let (host, port) = (self.host.clone(), self.port);
        (!self.listed).then_some(BlockedAccess::Host { host, port })
    }

    /// Returns the reason why approval is required.
    #[doc(hidden)]
    pub fn reason(&self) -> String {
        let Self { host, port, .. } = self;
        let mut reason = format!("a command connects to `{host}:{port}`");
        if !self.listed {
            reason.push_str(", which no rule of the sandbox allows");
        }
        with_origin(reason, &self.label)
    }
}

/// Approves the accesses of commands that need approval.
pub trait ConnectionApprover: Send + Sync {
    /// Approves a connection; an error contains the reason for the reader of the command's output.
    fn approve(&self, connection: Connection) -> BoxFuture<'_, Result<(), String>>;

    /// Approves the use of a folder, with the scope of the approval; an error contains the reason for the model. By
    /// default, no folder is approved.
    fn approve_folder(&self, request: FolderRequest) -> BoxFuture<'_, Result<GrantScope, String>> {
        let _ = request;
        Box::pin(ready(Err("no approver of folders is attached".to_owned())))
    }
}
